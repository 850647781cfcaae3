"""CFL: Theorems 4.1, 4.4, B.5 and B.6 on convex losses: their numbers of rounds, and floors below every run."""

from __future__ import annotations

from bounds.cfl.theorems import REACHED
from verify.commands.main import main
from verify.engine.checks.order import order
from verify.engine.checks.relation import bound, entailment, identity, inequality
from verify.engine.claim import Claim, claims_about, for_each
from verify.scenes.cfl.theorems import (
    ANY_CONSTANTS,
    CFL_CONVEX,
    CFL_SCALED,
    CFL_STRONG,
    FED_CONVEX,
    FED_SCALED,
    FED_STRONG,
    FLOOR,
    FORGETTING,
)

_claim = claims_about("cfl", bound)
_claims = for_each(_claim)
CLAIMS = (
    *(Claim(claimed, (identity,)) for claimed in REACHED),
    _claim("thm4.1.sc", CFL_STRONG),
    _claim("thm4.1.gc", CFL_CONVEX),
    _claim("thm4.1.gc/scale", CFL_SCALED),
    _claim("thm4.4.sc", FED_STRONG),
    _claim("thm4.4.gc", FED_CONVEX),
    _claim("thm4.4.gc/scale", FED_SCALED),
    *_claims(
        "thm4.1.sc.order thm4.1.sc.lossless thm4.1.sc.speedup thm4.1.gc.order thm4.1.gc.lossless", None, order
    ),
    *_claims("thm4.4.sc.order thm4.4.sc.speedup thm4.4.gc.order", None, order),
    *_claims(
        "thm4.1.sc.uniform thm4.1.gc.uniform thm4.4.sc.uniform thm4.4.gc.uniform", ANY_CONSTANTS, inequality
    ),
    _claim("thmB.5.sc.start", FORGETTING, entailment),
    *_claims("thm4.4.sc/returning thm4.1.sc/returning", FLOOR),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cfl_theorems"))
