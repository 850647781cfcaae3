"""SPECIAL: the problem, its surrogate, and the server's step."""

from __future__ import annotations

from verify.commands.main import main
from verify.engine.checks.relation import agreement, identity, inequality
from verify.engine.model.claim import claims_about, for_each
from verify.scenes.special.problem import ISOTROPIC, LOSSES, MINIMA, STEP_OF_SERVER

_claim = claims_about("special", identity)
_claims = for_each(_claim)
CLAIMS = (
    *_claims("eq1 eq2", LOSSES),
    _claim("eq3", LOSSES, agreement),
    *_claims("eq3.v1 eq3.v1/tuned", MINIMA),
    _claim("eq3.v1/isotropic", ISOTROPIC),
    _claim("eq5", STEP_OF_SERVER, inequality, "eq5.excess"),
    *_claims("eq5.excess eq6", STEP_OF_SERVER),
    _claim("eq6.retention", None, inequality),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="special_problem"))
