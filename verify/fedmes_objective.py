"""FedMeS: Assumption 1, the personal objective (2), and the strength of the pull (7)."""

from __future__ import annotations

import sympy as sp

import bounds.fedmes.objective as b
from bounds.fedmes.symbols import c
from verify.commands.main import main
from verify.engine.checks.assumption import assumption
from verify.engine.checks.relation import entailment, identity, inequality
from verify.engine.claim import claims_about
from verify.scenes.fedmes.objective import ANYWHERE, OBJECTIVE, STRENGTH, VISITED
from verify.scenes.fedmes.personal import FEDMES_ROUND

_claim = claims_about("fedmes", identity)
_SIGMOID = (sp.Eq(b.strength, 2 / (1 + b.decayed)), sp.Lt(b.decayed, 1))

CLAIMS = (
    _claim("ass1", VISITED, assumption),
    _claim("ass1/everywhere", ANYWHERE, entailment),
    _claim("ass1.ball", FEDMES_ROUND, inequality, sp.Le(c**2 * b.to_own2, b.gradient2)),
    _claim(
        "ass1.clients",
        ANYWHERE,
        inequality,
        sp.Le(b.optima_apart, b.to_one + b.to_other),
        sp.Le(c * b.to_one, b.norm_one),
        sp.Le(c * b.to_other, b.norm_other),
    ),
    _claim("eq2", OBJECTIVE, inequality),
    _claim("eq2/convex", OBJECTIVE, inequality, "eq2.square"),
    _claim("eq2.square", OBJECTIVE),
    _claim("eq7", STRENGTH, inequality, *_SIGMOID),
    _claim(
        "eq7.falls",
        STRENGTH,
        inequality,
        *_SIGMOID,
        sp.Eq(b.strength_larger, 2 / (1 + b.decayed_larger)),
        sp.Le(b.decayed, b.decayed_larger),
    ),
    _claim("eq7.weak", STRENGTH, entailment),
    _claim("eq7/corrected", STRENGTH, inequality, *_SIGMOID),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="fedmes_objective"))
