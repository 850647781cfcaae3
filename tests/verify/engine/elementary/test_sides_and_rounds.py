"""Logarithms of sums, recursions with two lags, rows of binomials, multiples of floors: true claims are proved, no false one."""

from __future__ import annotations

import pytest
import sympy as sp

from bounds.relations import eq, le
from verify.engine.certificates.question import Question
from verify.engine.elementary.exponentials import sides
from verify.engine.proof.prover import follows_by_laws
from verify.engine.search.lengths import MOST_TERMS, is_short, terms
from verify.engine.tactics.prove import STEPS

a, b, M = sp.symbols("a b M", positive=True)
x, y = sp.symbols("x y", real=True)
T, n, t = sp.symbols("T n t", integer=True, positive=True)
i, j = sp.symbols("i j", integer=True)
r = sp.IndexedBase(sp.Symbol("r", nonnegative=True))
FEW = 80
"""Limit on polynomials of an attempt that must fail."""
ROUNDS = (le(r[t + 1], a * r[t] + b * r[t - 1]), le(a + b, 1), le(r[0], M), le(r[1], M))
ROW = sp.Sum(sp.binomial(n, i) * a**i, (i, 0, n))
TRUE = {
    "log of a sum": (sp.log(sp.exp(x) + sp.exp(y)) <= sp.Max(x, y) + sp.log(2),),
    "logistic": (sp.log(1 + sp.exp(-x)) >= sp.log(2) - x / 2,),
    "two lags": (le(r[T], M), *ROUNDS),
    "row": (eq(ROW, (1 + a) ** n),),
    "multiple of a floor": (le(n * sp.floor(x), sp.floor(n * x)),),
    "halving": (le(r[T], a), r[t] <= r[t - 1] / 2, sp.Ge(T, sp.log(b / a) / sp.log(2)), sp.Eq(r[0], b)),
    "sum of logarithms": (eq(sp.Sum(sp.log(1 + 1 / t), (t, 1, n)), sp.log(n + 1)),),
}
FALSE = {
    "log of a sum": (sp.log(sp.exp(x) + sp.exp(y)) <= sp.Max(x, y) + sp.Rational(1, 2),),
    "two lags": (le(r[T], M / 2), *ROUNDS),
    "row": (eq(ROW, (1 + a) ** n + 1),),
    "halving": (le(r[T], a), r[t] <= r[t - 1] / 2, sp.Ge(T, sp.log(b / a) / 2), sp.Eq(r[0], b)),
    "multiple of a floor": (le(sp.floor(n * x), n * sp.floor(x)),),
}


def shown(relation, *conditions, steps=STEPS):
    given = tuple((condition, "condition") for condition in conditions)
    return follows_by_laws(Question(relation, given), steps)


@pytest.mark.parametrize("name", TRUE)
def test_true_claims_are_proved(name):
    found = shown(*TRUE[name])
    assert found is not None
    assert found[1].outcome == "proved"


@pytest.mark.parametrize("name", FALSE)
def test_false_claims_are_not(name):
    assert shown(*FALSE[name], steps=FEW) is None


def test_sides_hold_no_negative_logarithm():
    relation = sp.log(1 + sp.exp(x)) - sp.log(1 + sp.exp(y)) <= x - y
    assert {at_side for _, at_side in sides(relation, lambda factor: bool(factor.is_positive))} == {
        (1 + sp.exp(x)) * sp.exp(y),
        (1 + sp.exp(y)) * sp.exp(x),
    }


def test_sides_with_one_positive_factor_of_logarithms_are_divided_by_it():
    a = sp.Symbol("a", positive=True)
    relation = a * sp.log(sp.exp(x / a) + sp.exp(y / a)) <= x + a
    assert {at_side for _, at_side in sides(relation, lambda factor: bool(factor.is_positive))} == {
        sp.exp(x / a) + sp.exp(y / a),
        sp.exp(x / a + 1),
    }
    assert sides(relation, lambda _: False) == []


def test_terms_of_nested_sums_are_counted():
    nested = sp.Sum(sp.Sum(i, (i, 1, j)), (j, 1, n))
    assert terms(nested, {n: sp.Integer(10)}) == 100
    long = sp.Le(sp.Sum(1 / t, (t, 1, 2**n)), n + 1, evaluate=False)
    assert is_short(long, {"n": 10})
    assert MOST_TERMS < 2**40
    assert not is_short(long, {"n": 40})
