"""The prover at random: premises that a point meets, most of them just so, and conclusions that it breaks."""

from __future__ import annotations

import numpy as np
import sympy as sp

from verify.engine.certificates.question import Question, Undecided
from verify.engine.model.scene import Condition
from verify.engine.tactics.prove import prove

SYMBOLS = (
    sp.Symbol("a", positive=True),
    sp.Symbol("b", positive=True),
    sp.Symbol("p", nonnegative=True),
    sp.Symbol("x", real=True),
    sp.Symbol("y", real=True),
    sp.Symbol("n", integer=True, positive=True),
)
STEPS = 80
"""Of one attempt at a proof."""


def attempt_at(place: int, seed: int) -> tuple[int, list[str]]:
    """An attempt to prove what is false at a point that meets all premises: its place, and what was proved, if anything."""
    question = _false(np.random.default_rng([seed, 7, place]))
    if isinstance(prove(question, STEPS), Undecided):
        return place, []
    given = "; ".join(str(relation) for relation, _ in question.given)
    return place, [f"{question.relation} from {given}"]


def _false(rng: np.random.Generator) -> Question:
    """Premises that are met at a point, a conclusion that it breaks."""
    point = {symbol: _number(symbol, rng) for symbol in SYMBOLS}
    premises = []
    for _ in range(int(rng.integers(1, 4))):
        side = _formula(rng)
        room = sp.Rational(int(rng.integers(0, 3)), 2) if rng.random() < 0.3 else sp.S.Zero
        other = _formula(rng) if rng.random() < 0.5 else sp.S.Zero
        premises.append(_at_most(side, other + (side - other).subs(point) + room))
    side, other = _formula(rng), _formula(rng)
    short = sp.Rational(1, int(rng.integers(1, 1000)))
    relation = _at_most(side, other + (side - other).subs(point) - short)
    return Question(relation, tuple((premise, "condition") for premise in premises))


def _at_most(left: sp.Expr, right: sp.Expr) -> Condition:
    return sp.Le(left, right, evaluate=False)


def _number(symbol: sp.Symbol, rng: np.random.Generator) -> sp.Rational:
    if symbol.is_integer:
        return sp.Integer(int(rng.integers(1, 5)))
    size = sp.Rational(int(rng.integers(1, 9)), int(rng.integers(1, 5)))
    sign = -1 if not symbol.is_nonnegative and rng.random() < 0.5 else 1
    return sp.S.Zero if not symbol.is_positive and rng.random() < 0.1 else sign * size


def _formula(rng: np.random.Generator) -> sp.Expr:
    """One to three terms: a small number times a product, a quotient, a root, a length or a largest of symbols."""
    return sp.Add(*(_term(rng) for _ in range(int(rng.integers(1, 4)))))


def _term(rng: np.random.Generator) -> sp.Expr:
    first, second, third = (SYMBOLS[int(k)] for k in rng.integers(0, len(SYMBOLS), 3))
    number = sp.Rational(int(rng.integers(-3, 4)) or 1, int(rng.integers(1, 3)))
    shapes = (
        first,
        first * second,
        first**2,
        first * second * third,
        first / SYMBOLS[int(rng.integers(0, 2))],
        sp.Abs(first),
        sp.Max(first, second),
        sp.sqrt(SYMBOLS[int(rng.integers(0, 2))]),
    )
    return number * shapes[int(rng.integers(0, len(shapes)))]
