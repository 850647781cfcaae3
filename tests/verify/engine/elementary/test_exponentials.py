"""Laws of exp and log hold at random numbers."""

from __future__ import annotations

import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

from tests.verify.engine.elementary.values import true
from verify.engine.certificates.formulas import tree
from verify.engine.elementary.exponentials import (
    between_exponentials,
    convexity,
    enclosure,
    points_of,
    split_exponentials,
    split_logarithms,
)
from verify.engine.elementary.taylor import taylor

a, b = sp.symbols("a b", positive=True)
x, y = sp.symbols("x y", real=True)
T = sp.Symbol("T", integer=True, positive=True)
positive = st.floats(0.05, 20)
real = st.floats(-5, 5)
FORMULAS = (
    sp.Le(sp.exp(x) * sp.exp(y) + sp.log(a), sp.log(b) + sp.log(1 + a), evaluate=False),
    sp.Le(sp.sqrt(a) * a**T, sp.log(a / b) + sp.exp(-2 * x + y / 3), evaluate=False),
)


def _always(formula: sp.Expr) -> bool:
    return True


@given(positive, positive, real, real, st.integers(1, 5))
def test_tangents_lie_below(a_: float, b_: float, x_: float, y_: float, t: int) -> None:
    numbers = {"a": a_, "b": b_, "x": x_, "y": y_, "T": t}
    for formula in FORMULAS:
        for law in convexity([formula], lambda formula: bool(formula.is_positive)):
            assert true(law.relation, numbers), law


@given(st.floats(0, 30), st.floats(0, 6))
def test_bounds_of_the_second_order_hold_for_either_sign(a_: float, b_: float) -> None:
    signed = (sp.exp(a), sp.exp(-a), sp.log(1 + a), sp.log(1 / (1 + a)))
    points = points_of([sp.Tuple(*signed)])
    laws = list(taylor(points, lambda formula: bool(formula.is_nonnegative)))
    assert len(laws) == 4 * len(points)
    for law in laws:
        assert true(law.relation, {"a": a_ + b_}), law


@given(real)
def test_without_a_sign_only_the_cubic_polynomial_is_a_bound(x_: float) -> None:
    (law,) = taylor([(x, sp.exp(x))], lambda formula: bool(formula.is_nonnegative))
    assert true(law.relation, {"x": x_})


@given(positive, positive, real, real, st.integers(1, 4))
def test_parts_of_a_split_equal_it(a_: float, b_: float, x_: float, y_: float, t: int) -> None:
    numbers = {"a": a_, "b": b_, "x": x_, "y": y_, "T": t}
    formulas = [sp.exp(2 * x - y / 3 + a * T), sp.log(a**3 / (2 * b)), sp.exp(-a * T), sp.log(sp.sqrt(a) * b)]
    found = [*split_exponentials(formulas, T), *split_logarithms(formulas, _always)]
    assert len(found) == 4
    for split in found:
        assert true(["=", tree(split.old), split.new], numbers), split


@given(st.floats(0.01, 1), st.integers(1, 6))
def test_powers_lie_between_exponentials(a_: float, t: int) -> None:
    for law, _ in between_exponentials([(1 - a / 2) ** T], _always, _always):
        assert true(law.relation, {"a": a_, "T": t}), law


def test_a_logarithm_of_zero_has_no_enclosure() -> None:
    assert list(enclosure(sp.log(0, evaluate=False))) == []


def test_enclosures_hold_the_constant() -> None:
    numbers = (sp.Rational(1, 3), sp.Integer(3) ** 100)
    logs = [sp.log(number, evaluate=False) for number in numbers]
    for constant in (sp.log(2), sp.E, sp.exp(-sp.Rational(1, 2)), sp.exp(10), sp.exp(100), *logs):
        laws = list(enclosure(constant))
        assert laws
        for law in laws:
            assert true(law.relation, {}), law


def test_a_huge_constant_has_no_enclosure() -> None:
    assert list(enclosure(sp.exp(10**6))) == []
