"""FedAvg's fixed point on quadratic losses: any number of clients, local steps and rounds, and its bias."""

from __future__ import annotations

from verify.commands.main import main
from verify.engine.checks.relation import identity
from verify.engine.model.claim import claims_about

_claim = claims_about("fedsplit", identity)
CLAIMS = tuple(_claim(name) for name in ("local", "round", "rounds", "bias", "bias/none"))

if __name__ == "__main__":
    raise SystemExit(main(topic="fedsplit_theorem"))
