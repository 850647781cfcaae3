"""FedMeS: Assumption 1, the personal objective (2), and the strength of the pull (7)."""

from __future__ import annotations

import sympy as sp

import bounds.fedmes.objective as b
from bounds.fedmes.symbols import c
from bounds.relations import le
from verify.commands.main import main
from verify.engine.checks.assumption import assumption
from verify.engine.checks.relation import entailment, identity, inequality
from verify.engine.model.claim import claims_about
from verify.facts.functions import moving_apart
from verify.facts.numbers import exponential
from verify.facts.vectors import triangle
from verify.scenes.fedmes.objective import ANYWHERE, OBJECTIVE, SIGMOID, SIGMOID_LARGER, STRENGTH, VISITED
from verify.scenes.fedmes.personal import FEDMES_ROUND

_claim = claims_about("fedmes", identity)
_CURVED = FEDMES_ROUND.of_class("strongly convex losses", moving_apart(le(c**2 * b.to_own2, b.gradient2)))
_APART = ANYWHERE.of_class(
    "strongly convex losses",
    triangle(b.optima_apart, b.to_one, b.to_other),
    *(
        moving_apart(le(c * far, length))
        for far, length in ((b.to_one, b.norm_one), (b.to_other, b.norm_other))
    ),
)
_DECAYED = STRENGTH.of_class("exponentials", exponential(-1 / b.loss, b.decayed, sp.S.Zero, sp.S.One))
_GROWING = STRENGTH.of_class(
    "exponentials", exponential(-1 / b.loss, b.decayed, -1 / b.loss_larger, b.decayed_larger)
)

CLAIMS = (
    _claim("ass1", VISITED, assumption),
    _claim("ass1/everywhere", ANYWHERE, entailment),
    _claim("ass1.ball", _CURVED, inequality),
    _claim("ass1.clients", _APART, inequality),
    _claim("eq2", OBJECTIVE, inequality),
    _claim("eq2/convex", OBJECTIVE, inequality, "eq2.above"),
    _claim("eq2.above", OBJECTIVE, inequality),
    _claim("eq7", _DECAYED, inequality, SIGMOID),
    _claim("eq7.falls", _GROWING, inequality, SIGMOID, SIGMOID_LARGER),
    _claim("eq7.weak", STRENGTH, entailment),
    _claim("eq7/corrected", _DECAYED, inequality, SIGMOID),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="fedmes_objective"))
