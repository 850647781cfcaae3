"""FedProx: what bounded dissimilarity says of stationary points, and the decrease of Theorem 4 where all clients take part."""

from __future__ import annotations

from verify.commands.main import main
from verify.engine.checks.relation import inequality
from verify.engine.model.claim import claims_about
from verify.first_order import decided
from verify.scenes.fedprox.round import DECREASE, DRIFT, FREE, INEXACT, STATIONARY

_claim = claims_about("fedprox", decided)
CLAIMS = (
    _claim("ass1.stationary", STATIONARY),
    _claim("ass1.stationary/eps", FREE),
    _claim("thm4.drift", DRIFT),
    _claim("thm4.inexact", INEXACT),
    _claim("thm4", DECREASE),
    _claim("thm4/heterogeneous", None, inequality),
    _claim("cor7", None, inequality),
    _claim("cor7/thirtieth", None, inequality),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="fedprox_theorem"))
