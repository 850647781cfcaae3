"""Whether an expression is zero: equal forms of random rational expressions, and forms that differ by little."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from verify.engine.model.expressions import common_terms_out
from verify.engine.proof.sizes import identity_at

SIDE = sp.Symbol("side", real=True)
x, y, z = SYMBOLS = sp.symbols("x y z", positive=True)
r = sp.Symbol("r", real=True)


def vanishes(expression: sp.Expr) -> bool:
    """Whether there is a certificate that an expression is zero."""
    values = {"side": np.array([[sp.sympify(expression)]], dtype=object)}
    return identity_at(sp.Eq(SIDE, 0, evaluate=False), values) is not None


def grown(parts: st.SearchStrategy) -> st.SearchStrategy:
    """Sums, products, squares and inverses of expressions; inverses only of expressions that cannot be zero."""
    return st.one_of(
        st.builds(sp.Add, parts, parts),
        st.builds(sp.Mul, parts, parts),
        parts.map(lambda part: part**2),
        parts.map(lambda part: 1 / (1 + part)),
    )


EXPRESSIONS = st.recursive(st.sampled_from((*SYMBOLS, sp.Integer(2), sp.Rational(1, 3))), grown, max_leaves=6)


@settings(max_examples=20)
@given(a=EXPRESSIONS, b=EXPRESSIONS)
def test_equal_forms_differ_by_nothing(a, b) -> None:
    assert vanishes((a + b) ** 2 / (1 + b) - sp.expand(a**2 + 2 * a * b + b**2) / (1 + b))
    assert vanishes(a / (a + b) + b / (a + b) - 1)
    assert not vanishes((a + b) ** 2 - a**2 - b**2)


@pytest.mark.parametrize(
    "zero",
    [
        sp.S.Zero,
        1 / (1 + 1 / (x + 1 / y)) - (x * y + 1) / (x * y + y + 1),
        sp.Max(x - z, y - z) - sp.Max(x, y) + z,
        sp.Max(x, y) * (x + 1) - sp.Max(x, y) * x - sp.Max(x, y),
        sp.sqrt(x) * (sp.sqrt(x) + 1) - x - sp.sqrt(x),
        sp.Abs(r) ** 2 - r**2,
    ],
)
def test_what_is_zero(zero) -> None:
    assert vanishes(zero)


@pytest.mark.parametrize(
    "other", [sp.S.One, x / y - y / x, sp.Abs(r) - r, sp.Max(x, y) - x, sp.sqrt(x) - x, x**sp.pi - x**3]
)
def test_what_is_not(other) -> None:
    assert not vanishes(other)


LETTERS = sp.symbols("x y z", real=True)
TERMS = st.lists(st.sampled_from([*LETTERS, *(-s for s in LETTERS), sp.Integer(1)]), min_size=1, max_size=3)


@given(st.lists(TERMS, min_size=2, max_size=3), st.sampled_from([sp.Max, sp.Min]), st.data())
def test_terms_that_are_taken_out_leave_the_value(arguments, extreme, data) -> None:
    expression = extreme(*(sp.Add(*terms) for terms in arguments)) - LETTERS[0]
    at = {letter: data.draw(st.integers(-5, 5)) for letter in LETTERS}
    assert common_terms_out(expression).subs(at) == expression.subs(at)


def test_what_all_arguments_share_cancels() -> None:
    x, y, z = LETTERS
    assert common_terms_out(sp.Max(x - z, y - z) - sp.Max(x, y) + z) == 0
    assert common_terms_out(sp.Max(x - z, y) - sp.Max(x, y + z) + z) == 0
    assert common_terms_out(sp.Max(x - z, y) - sp.Max(x, y) + z) != 0
