"""Laws of floor, ceiling, factorials and binomials are true at random numbers."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
import sympy as sp

from bounds.relations import eq, ge, le
from tests.verify.engine.elementary.values import true
from verify.engine.certificates.question import Question
from verify.engine.elementary.extended import extensions
from verify.engine.elementary.factorials import growing_with, multiplied_out, of_binomials, of_factorials
from verify.engine.elementary.laws import Laws
from verify.engine.elementary.rounding import collapsed, denominator, rounded, roundings, with_collapsed

n, k, m = sp.symbols("n k m", integer=True, positive=True)
x, y = sp.symbols("x y", real=True)
q = sp.Symbol("q", positive=True)
whole = sp.Symbol("w", integer=True, nonnegative=True)
COUNTED = (
    sp.factorial(n) + sp.factorial(n + 2) + sp.factorial(2 * n - 1),
    sp.factorial(n + k) * sp.factorial(k),
    sp.binomial(n, 2) + sp.binomial(n + k, n + k - 3),
    sp.binomial(n, k) + sp.binomial(n + 1, k) + sp.binomial(n + 1, k + 1) + sp.binomial(n, k + 2),
    sp.binomial(2 * n, n) * sp.binomial(2 * n, n + 1),
    sp.binomial(n + k, k) + sp.binomial(n + k, n) + sp.factorial(k),
)


def _by_domains(formula: sp.Expr) -> bool:
    return bool(formula.is_nonnegative)


@pytest.mark.parametrize("formula", COUNTED, ids=str)
def test_what_is_said_of_factorials_and_binomials_is_so(formula: sp.Expr) -> None:
    laws = [*of_factorials([formula], _by_domains), *of_binomials([formula], _by_domains)]
    laws += growing_with([formula], n, sp.S.One, _by_domains)
    assert laws
    for law, a, b in product(laws, range(1, 8), range(1, 8)):
        assert true(law.relation, {"n": a, "k": b}), (law, a, b)


def test_a_law_for_every_value_of_a_letter_says_so() -> None:
    laws = list(growing_with([sp.factorial(n), sp.binomial(n, k)], n, sp.S.One, _by_domains))
    assert {law.every for law in laws if "+" in str(law.relation)} == {"n"}
    assert {law.every for law in of_factorials([sp.factorial(n) + sp.factorial(k)], _by_domains, "n")} == {
        "",
        "n",
    }


def test_nothing_is_said_where_a_number_may_be_negative() -> None:
    formula = sp.factorial(n - k) + sp.binomial(n - k, m)
    assert not list(of_factorials([formula], _by_domains))
    assert not list(of_binomials([formula], _by_domains))


def test_nothing_is_said_of_a_binomial_inside_its_row_where_it_may_be_outside() -> None:
    relations = [law.relation for law in of_binomials([sp.binomial(n, k)], _by_domains)]
    assert all(relation[:2] != ["<", "0"] and relation[:2] != ["<=", "1"] for relation in relations)


def test_binomials_of_any_number_are_multiplied_out() -> None:
    assert multiplied_out(sp.binomial(x, 3)) is not None
    assert multiplied_out(sp.binomial(n, k)) is None
    assert multiplied_out(sp.binomial(x, x - 2, evaluate=False)) is None


ROUNDED = (
    sp.floor(x),
    sp.ceiling(q),
    sp.floor(n / 2) + sp.ceiling(2 * n / 3),
    sp.floor(sp.floor(q) / 2),
    sp.floor((sp.floor(x) + n) / k) + sp.ceiling(sp.ceiling(x) / n),
    sp.ceiling(sp.ceiling(n / k) / 3),
    sp.ceiling(x * y),
    sp.floor(n / k) + sp.ceiling((n + 1) / (k * n)),
)


@pytest.mark.parametrize("formula", ROUNDED, ids=str)
def test_what_is_said_of_floors_and_ceilings_is_so(formula: sp.Expr) -> None:
    found = roundings([formula])
    told = rounded(found, _by_domains)
    for k in range(60):
        numbers: dict[str, Any] = {
            "x": Fraction(k * 7 - 200, 12),
            "y": Fraction(k, 5),
            "q": Fraction(3 * k + 1, 7),
            "n": k + 1,
            "k": k % 7 + 1,
        }
        at = {
            s: sp.Rational(Fraction(numbers[s.name]).numerator, Fraction(numbers[s.name]).denominator)
            for s in formula.free_symbols
        }
        here = dict(numbers)
        for number, one in enumerate(with_collapsed(found)[0], 1):
            value = int(one.subs(at))
            name = f"{type(one).__name__} {number}"
            parts = (
                {name: value}
                if name in told.letters
                else {f"{name} above 0": max(value, 0), f"{name} below 0": max(-value, 0)}
            )
            assert parts.keys() <= set(told.letters)
            assert all(part >= 0 for part in parts.values())
            here |= parts
        for law in told.laws:
            assert true(law.relation, here), (law, here)


def test_only_roundings_of_one_kind_by_whole_numbers_are_collapsed() -> None:
    assert collapsed(sp.floor((sp.floor(x) + n) / k)) == sp.floor((x + n) / k)
    for other in (
        sp.ceiling(x) / k,
        2 * sp.floor(x) / k,
        (sp.floor(x) + y) / k,
        sp.floor(x) / q,
        -sp.floor(x),
    ):
        assert collapsed(sp.floor(other, evaluate=False)) is None


def test_letters_of_roundings_are_told_apart_from_the_symbols_of_a_claim() -> None:
    question = Question(le(sp.floor(x) + sp.ceiling(q), x + q + 1))
    for extended in extensions(question):
        assert set(extended.symbols) - {"x", "q"} == set(extended.fresh)
        assert {extended.symbols[name] for name in extended.fresh} == {"whole"}


def test_only_quotients_of_polynomials_in_whole_letters_have_a_denominator() -> None:
    assert denominator(n / 2 + k / 3) == 6
    assert denominator(n * k) == 1
    assert denominator(n / k) == k
    assert denominator(n / (2 * k) + 1 / n) == 2 * k * n
    assert denominator(n / (k - n)) is None
    assert denominator(x / 2) is None
    assert denominator(sp.sqrt(2) * n) is None


def test_a_condition_tells_that_a_factorial_has_a_value() -> None:
    laws = Laws(eq(sp.factorial(n - k), 1), [ge(n, k)], lambda relation: relation in (ge(n - k, 0), ge(n, k)))
    assert laws.of_counting()
    assert math.factorial(0) == 1
