"""EWC: the joint optimum of quadratic losses, for all numbers of tasks."""

from __future__ import annotations

from verify.commands.main import main
from verify.engine.checks.relation import identity
from verify.engine.model.claim import claims_about, for_each

_claim = claims_about("ewc", identity)
_claims = for_each(_claim)
CLAIMS = (*_claims("sum separate separate/error single single/online single/fading"),)

if __name__ == "__main__":
    raise SystemExit(main(topic="ewc_theorem"))
