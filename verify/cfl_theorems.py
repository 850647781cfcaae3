"""CFL: Theorems 4.1, 4.4, 4.7, B.5 and B.6 on convex losses: their numbers of rounds, and floors below every run."""

from __future__ import annotations

from bounds.catalogue import statement
from bounds.cfl.kept import all_gap, all_grad2
from bounds.cfl.symbols import mu
from bounds.cfl.theorems import REACHED
from bounds.relations import le
from verify.commands.main import main
from verify.engine.checks.order import order
from verify.engine.checks.relation import bound, entailment, identity, inequality
from verify.engine.checks.vacuity import free_lunch, needed, placebos
from verify.engine.claim import Claim, claims_about, for_each
from verify.facts.functions import steep
from verify.scenes.cfl.kept import ANY, KEPT, PLACEBOS
from verify.scenes.cfl.theorems import (
    ANY_CONSTANTS,
    CFL_CONVEX,
    CFL_LOG,
    CFL_SCALED,
    CFL_STRONG,
    FED_CONVEX,
    FED_LOG,
    FED_SCALED,
    FED_STRONG,
    FLOOR,
    FORGETTING,
    FULL_CONVEX,
    FULL_FED_CONVEX,
    FULL_FED_LOG,
    FULL_FED_SCALED,
    FULL_FED_STRONG,
    FULL_LOG,
    FULL_RETURN,
    FULL_SCALED,
    FULL_STRONG,
    SHARED_CONVEX,
    SHARED_STRONG,
)

_claim = claims_about("cfl", bound)
_claims = for_each(_claim)
CLAIMS = (
    *(Claim(claimed, (identity,)) for claimed in REACHED),
    _claim("thm4.1.sc", CFL_STRONG),
    _claim("thm4.1.sc/logarithm", CFL_LOG),
    _claim("thm4.1.kept.gradient", KEPT, identity),
    _claim("thm4.1.kept.spread", KEPT),
    _claim(
        "thm4.1.sc/kept",
        KEPT,
        bound,
        "thm4.1.kept.gradient",
        "thm4.1.kept.spread",
        beside=(free_lunch(statement("cfl.thm4.1.kept.free"), KEPT), placebos(PLACEBOS), needed),
        facts=(steep(le(2 * mu * all_gap, all_grad2)),),
    ),
    _claim("thm4.1.kept.floor", ANY),
    _claim("thm4.1.gc", CFL_CONVEX),
    _claim("thm4.1.gc/scale", CFL_SCALED),
    _claim("thm4.7.sc", SHARED_STRONG),
    _claim("thm4.7.gc", SHARED_CONVEX),
    _claim("thm4.4.sc", FED_STRONG),
    _claim("thm4.4.sc/logarithm", FED_LOG),
    _claim("thm4.4.gc", FED_CONVEX),
    _claim("thm4.4.gc/scale", FED_SCALED),
    _claim("thmB.5.sc", FULL_STRONG),
    _claim("thmB.5.sc/logarithm", FULL_LOG),
    _claim("thmB.5.sc/returning", FULL_RETURN),
    _claim("thmB.5.gc", FULL_CONVEX),
    _claim("thmB.5.gc/scale", FULL_SCALED),
    _claim("thmB.6.sc", FULL_FED_STRONG),
    _claim("thmB.6.sc/logarithm", FULL_FED_LOG),
    _claim("thmB.6.gc", FULL_FED_CONVEX),
    _claim("thmB.6.gc/scale", FULL_FED_SCALED),
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
