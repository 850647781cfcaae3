"""The fuzzer of claims: a few of them, and its own evaluation."""

import random
from dataclasses import replace
from fractions import Fraction

import pytest
import sympy as sp

from tests.fuzz.claims import Undefined, compared, judged, made, points, state, value
from verify import facts

x = sp.Symbol("x", real=True)


@pytest.mark.parametrize(
    "place", [0, pytest.param(1, marks=pytest.mark.slow), 2, 3, 4, 5]
)  # the second takes a minute
def test_a_few_claims_are_judged_rightly(place):
    assert judged(place, 1)["wrong"] == ""


@pytest.mark.parametrize("formula", [1 / x, sp.log(x), sp.sqrt(x - 1), x**-2])
def test_formulas_without_a_value_have_none(formula):
    with pytest.raises(Undefined):
        value(formula, {x: Fraction(0)})


def test_points_are_in_the_domains_of_the_symbols():
    rng = random.Random(0)
    case = made("points", rng)
    for point in points(case, rng):
        for symbol, number in point.items():
            assert not symbol.is_positive or number > 0
            assert not symbol.is_nonnegative or number >= 0
            assert not symbol.is_integer or number.denominator == 1
        assert state(case, point) in ("undefined", "outside", "holds", "fails", "unclear")


def test_a_sum_is_added_up():
    n, i = sp.Symbol("n", integer=True, positive=True), sp.Symbol("i", integer=True)
    assert value(sp.Sum(i**2 * x, (i, 1, n)), {n: Fraction(3), x: Fraction(2)}) == 28
    assert facts.logarithm(x).of_numbers


@pytest.mark.parametrize(
    ("relation", "point", "holds"),
    [
        (
            sp.Le(x, x - sp.Rational(1, 10**50), evaluate=False),
            10**9,
            False,
        ),  # far below the larger precision
        (sp.Le(sp.sqrt(x) ** 2 + x / 3, 4 * x / 3, evaluate=False), 2, True),  # equal up to rounding
        (sp.Le(2 ** (x**2), x**2, evaluate=False), 10**4, False),  # beyond 1e300
        (
            sp.Lt((x + sp.Rational(1, 3)) ** 2, x**2 + 2 * x / 3 + sp.Rational(1, 9), evaluate=False),
            10**9,
            None,
        ),
    ],
)
def test_differences_are_told_from_rounding_errors(relation, point, holds):
    assert compared(relation, {x: Fraction(point)}) is holds


def test_towers_of_powers_have_no_value():
    with pytest.raises(Undefined):
        compared(sp.Le(sp.exp(sp.exp(x)), 1, evaluate=False), {x: Fraction(10**9)})


def test_a_tiny_term_beside_large_ones_needs_more_digits():
    p, n, m = sp.Symbol("p", positive=True), sp.Symbol("n", integer=True), sp.Symbol("m", integer=True)
    relation = sp.Eq((n - m + p**x) ** 2, p ** (2 * x) + 2 * p**x * (n - m) + (n - m) ** 2)
    point = {p: Fraction(17, 5), x: Fraction(-1000), n: Fraction(12), m: Fraction(12)}
    case = replace(made("sizes", random.Random(0)), relation=relation, conditions=())
    assert compared(relation, point) is False
    assert state(case, point) == "holds"
