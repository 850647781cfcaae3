"""EWC: the joint optimum of quadratic losses, for all numbers of tasks."""

from __future__ import annotations

from verify.commands.main import main
from verify.engine.checks.relation import identity
from verify.engine.model.claim import claims_about

_claim = claims_about("ewc", identity)
CLAIMS = (
    _claim("sum"),
    _claim("separate"),
    _claim("separate/error"),
    _claim("single"),
    _claim("single/online"),
    _claim("single/fading"),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="ewc_theorem"))
