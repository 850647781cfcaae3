"""Tasks in cycles in linear regression: the forgetting falls like 1/sqrt(k), for all numbers of tasks and dimensions."""

from __future__ import annotations

from verify.commands.main import main
from verify.engine.checks.relation import inequality
from verify.engine.checks.unjudged import unjudged
from verify.engine.model.claim import claims_about
from verify.first_order import decided
from verify.scenes.evron.projections import CONTRACTION, CYCLE, FALL, NEAREST, WAY

OPEN = "its proof takes the trace of a product of projections, and no scene has traces of operators"
_claim = claims_about("evron", inequality)
CLAIMS = (
    _claim("way", WAY, decided),
    _claim("way.sum"),
    _claim("cycle", CYCLE, decided),
    _claim("cycle/less", CYCLE, decided),
    _claim("contraction", CONTRACTION, decided),
    _claim("slow"),
    _claim("fall", FALL, decided),
    _claim("fall.root"),
    _claim("nearest", NEAREST, decided),
    _claim("losses"),
    _claim("thm11"),
    _claim("thm11/half"),
    _claim("thm11/dimension", None, unjudged(OPEN)),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="evron_cyclic"))
