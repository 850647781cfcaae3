"""Bounds of sums of monotone terms, and laws of two powers with one exponent, are true at random numbers."""

from __future__ import annotations

import random

import pytest
import sympy as sp

from tests.verify.engine.elementary.asking import question_of, require_proof
from tests.verify.engine.elementary.values import true
from verify.engine.elementary.neighbours import of_growing_bases, of_neighbours
from verify.engine.summation.integrals import monotone_sums, of_monotone, of_series, peaked
from verify.engine.summation.sums import sums_in

n, m, k = sp.symbols("n m k", integer=True, positive=True)
a, b, q = sp.symbols("a b q", positive=True)
SUMS = (
    sp.Sum(1 / k, (k, 1, n)),
    sp.Sum(a / (2 * k + q) ** 2, (k, n + 1, 2 * n)),
    sp.Sum(k ** sp.Rational(-3, 2), (k, 1, n)),
    sp.Sum(sp.sqrt(k), (k, 1, n)),
    sp.Sum(b * sp.sqrt(k + a), (k, 1, n)),
    sp.Sum(sp.log(k + 1), (k, 1, n + m)),
    sp.Sum(sp.log(k), (k, 1, n)),
    sp.Sum(b * k**a, (k, 1, n)),
    sp.Sum(k ** (-1 - a), (k, 1, n)),
    sp.Sum((k + q) ** (-1 - a), (k, n + 1, 2 * n)),
)


def _positive(formula: sp.Expr) -> bool:
    return bool(formula.is_positive)


def _nonnegative(formula: sp.Expr) -> bool:
    return bool(formula.is_nonnegative)


def _draws() -> list[dict[str, float]]:
    chance = random.Random(0)
    numbers = [{s: chance.uniform(0.01, 3) for s in "abq"} for _ in range(20)]
    return [{**each, "n": chance.randint(1, 9), "m": chance.randint(1, 9)} for each in numbers]


@pytest.mark.parametrize("total", SUMS, ids=str)
def test_bounds_of_monotone_sums_are_true(total: sp.Sum) -> None:
    (one,) = monotone_sums([total], _positive, _nonnegative)
    laws = [law for law, _ in of_monotone(one, _positive, _nonnegative)]
    named = {str(found): found for found in sums_in([total])}
    assert len(laws) >= 3
    for law in laws:
        for numbers in _draws():
            sign, left, right = law.relation
            relation = law.relation if sign == "<=" else ["<=", right, left]
            assert true(relation, numbers, named), (law, numbers)


@pytest.mark.parametrize(
    "total",
    [
        sp.Sum((-1) ** k / k, (k, 1, n)),
        sp.Sum(1 / (k - 3), (k, 4, n + 3)).subs(n, n - 9),
        sp.Sum(-1 / k, (k, 1, n)),
        sp.Sum(k**-a, (k, 1, n)),
        sp.Sum(1 / (5 - k), (k, 1, n)),
        sp.Sum(sp.sqrt(k * n), (k, sp.Symbol("z", integer=True), n)),
    ],
    ids=str,
)
def test_no_bound_is_given_without_known_signs(total: sp.Sum) -> None:
    found = monotone_sums([total], _positive, _nonnegative)
    assert not [law for one in found for law in of_monotone(one, _positive, _nonnegative)]


PEAKS = (
    sp.Sum(sp.log(k) / k, (k, 1, n)),
    sp.Sum(b * sp.log(k + q) ** 2 / (k + q), (k, 1, n)),
    sp.Sum(sp.log(2 * k) / (2 * k) ** 3, (k, m, m + n)),
    sp.Sum(sp.log(k) ** 3 / sp.sqrt(k), (k, 2, n + 2)),
    sp.Sum(sp.log(k) / k ** (1 + a), (k, 1, n)),
)


@pytest.mark.parametrize("total", PEAKS, ids=str)
def test_bounds_of_sums_whose_terms_grow_and_then_fall_are_true(total: sp.Sum) -> None:
    laws = [law for law, _ in peaked([total], _positive, _nonnegative)]
    named = {str(found): found for found in sums_in([total])}
    assert [law.relation[0] for law in laws] == ["<=", ">="]
    for law in laws:
        for numbers in _draws():
            sign, left, right = law.relation
            relation = law.relation if sign == "<=" else ["<=", right, left]
            assert true(relation, numbers, named), (law, numbers)


@pytest.mark.parametrize("low", range(3))
def test_series_of_exp_are_true_bounds(low: int) -> None:
    total = sp.Sum(b * a**k / sp.factorial(k), (k, low, n + 2))
    ((law, _),) = of_series([total], _positive, _nonnegative)
    named = {str(found): found for found in sums_in([total])}
    assert all(true(law.relation, numbers, named) for numbers in _draws())


def test_series_of_logarithms_are_true_bounds() -> None:
    half = a / (1 + a)
    for low in (1, 2, 3):
        total = sp.Sum(b * half**k / k, (k, low, n + 2))
        ((law, _),) = of_series([total], lambda f: bool(sp.cancel(f).is_positive), _nonnegative)
        named = {str(found): found for found in sums_in([total])}
        assert all(true(law.relation, numbers, named) for numbers in _draws())
    assert not list(of_series([sp.Sum(a**k / k, (k, 1, n))], _positive, _nonnegative))
    assert not list(of_series([sp.Sum(1 / k, (k, 1, n))], _positive, _nonnegative))


def test_series_of_exp_need_nonnegative_terms() -> None:
    for term in ((-a) ** k / sp.factorial(k), (a - b) ** k / sp.factorial(k), k * sp.factorial(k), a**k / k):
        assert not list(of_series([sp.Sum(term, (k, 1, n))], _positive, _nonnegative))
    assert not list(of_series([sp.Sum(1 / sp.factorial(k), (k, 1, n - 3))], _positive, _nonnegative))


def test_terms_with_logarithms_need_a_peak_of_known_height() -> None:
    for total in (
        sp.Sum(sp.log(k / 2) / k, (k, 1, n)),
        sp.Sum(sp.log(k / 2) * 2 / k, (k, 1, n)),
        sp.Sum(sp.log(k) * k, (k, 1, n)),
        sp.Sum(sp.log(k) / k**a, (k, 1, n)),
        sp.Sum(sp.log(k + a - 1) / (k + a - 1), (k, 1, n)),
        sp.Sum(sp.log(k) / k, (k, 1, n - 1)),
        sp.Sum(-sp.log(k) / k, (k, 1, n)),
    ):
        assert not list(peaked([total], _positive, _nonnegative))


@pytest.mark.parametrize("formula", [n**n, (2 * n + a) ** (n - 1), (n + 1) ** m], ids=str)
def test_laws_of_powers_with_next_bases_are_true(formula: sp.Expr) -> None:
    laws = [law for law, _ in of_neighbours([formula], _positive, n)]
    assert laws
    for law in laws:
        assert law.every == "n"
        for numbers in _draws():
            assert true(law.relation, numbers), (law, numbers)


def test_laws_of_two_powers_are_true_and_need_positive_bases_and_whole_exponents() -> None:
    laws = [law for law, _ in of_neighbours([a**n + (a + b) ** n + q**n], _positive)]
    assert len(laws) == 6
    assert all(true(law.relation, numbers) for law in laws for numbers in _draws())
    x = sp.Symbol("x", real=True)
    assert not list(of_neighbours([x**n + a**n], _positive))
    assert not list(of_neighbours([a**b + (a + 1) ** b], _positive))
    assert not list(of_neighbours([a ** (n - 2) + q ** (n - 2)], _positive))


@pytest.mark.parametrize("size", ["small", "large", "any"])
@pytest.mark.parametrize("base", [n + 1, 2 / (n + q), (n + m) / n], ids=str)
def test_tangents_of_powers_with_growing_bases_are_true(base: sp.Expr, size: str) -> None:
    def known(formula: sp.Expr) -> bool:
        return formula == {"small": 1 - a, "large": a - 1}.get(size)

    laws = list(of_growing_bases([base**a * (1 - b), base ** (-a)], _positive, known, n, sp.S.One))
    assert laws
    assert {law.every for law in laws} == {"n", ""}
    for law in laws:
        for numbers in _draws():
            exponent = {"small": numbers["a"] / 3, "large": 1 + numbers["a"]}.get(size, numbers["a"])
            assert true(law.relation, {**numbers, "a": exponent}), (law, numbers)


def test_growing_bases_must_be_positive_and_exponents_fixed() -> None:
    for formula in ((n - 3) ** a, n ** (a * n), n**m, n**2):
        assert not list(of_growing_bases([formula], _positive, _nonnegative, n, sp.S.One))


def test_products_are_compared_with_real_powers_of_their_ends() -> None:
    grows = sp.Le(sp.Product(1 + a / k, (k, 1, n)), (n + 1) ** a, evaluate=False)
    falls = sp.Le(sp.Product(1 - a / (k + 1), (k, 1, n)), (2 / (n + 2)) ** a, evaluate=False)
    require_proof(question_of(grows, sp.Ge(a, 1)))
    require_proof(question_of(falls, sp.Le(a, 1)))
