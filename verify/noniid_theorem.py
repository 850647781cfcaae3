"""FedAvg on non-iid data: Lemmas 1 to 3 and 5, Theorems 1 to 3, and Theorem 1 where gradients are bounded at every model."""

from __future__ import annotations

from verify.commands.main import main
from verify.engine.checks.relation import inequality
from verify.engine.checks.unjudged import unjudged
from verify.engine.model.claim import claims_about
from verify.first_order import decided
from verify.scenes.noniid.step import CLIENTS, LOCAL, LOSS, MODELS, STEP, WITH, WITHOUT

OPEN = "thm1/from-lemmas is judged, whose conditions are the conclusions of the steps of its proof"
_claim = claims_about("noniid", decided)
CLAIMS = (
    _claim("lem1", STEP),
    _claim("lem2", CLIENTS),
    _claim("lem3.mean", MODELS),
    _claim("lem3.steps", LOCAL),
    _claim("lem3", None, inequality),
    _claim("thm1.short", None, inequality),
    _claim("thm1.slow", None, inequality),
    _claim("thm1.step", None, inequality),
    _claim("thm1.loss", LOSS),
    _claim("thm1.added", None, inequality),
    _claim("thm1.distance", None, inequality),
    _claim("thm1", None, unjudged(OPEN)),
    _claim("thm1/from-lemmas", None, inequality),
    _claim("thm1/everywhere", None, inequality),
    _claim("lem5.with", WITH),
    _claim("lem5.1", None, inequality),
    _claim("lem5.without", WITHOUT),
    _claim("lem5.2", None, inequality),
    _claim("thm2.added", None, inequality),
    _claim("thm2", None, inequality),
    _claim("thm3", None, inequality),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="noniid_theorem"))
