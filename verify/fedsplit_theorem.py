"""FedAvg's fixed point on quadratic losses: any number of clients, local steps and rounds, and its bias."""

from __future__ import annotations

from verify.engine.checks.relation import identity
from verify.engine.model.claim import claims_about

_claim = claims_about("fedsplit", identity)
CLAIMS = tuple(_claim(name) for name in ("local", "round", "rounds", "bias", "bias/none"))
