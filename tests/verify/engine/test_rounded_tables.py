"""Printed tables: a row is inconsistent only if no numbers that round to it satisfy the relation."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from bounds.relations import eq, le, lt
from verify import Notes
from verify.engine.checks.rounding import fit_of, read_number
from verify.engine.judge import judge

notes = Notes("rounded")
a, b, c = notes.real("a b c")
p, q = notes.positive("p q")
z = notes.nonnegative("z")
k = notes.count("k")


def verdict(relation, **numbers) -> str:
    claim = Notes("rounded").table("claim", relation, {"row": numbers})
    return str(judge(claim, "quick", 0)["verdict"])


@pytest.mark.parametrize(
    ("relation", "numbers", "found"),
    [
        (eq(c, b - a), {"a": "0.69", "b": "0.66", "c": "-0.02"}, "proved"),
        (eq(c, b - a), {"a": "0.70", "b": "0.65", "c": "-0.02"}, "inconsistent"),
        (eq(c, b - a), {"a": "0.690", "b": "0.660", "c": "-0.020"}, "inconsistent"),
        (eq(c, (a + b) / 2), {"a": "0.71", "b": "0.72", "c": "0.71"}, "proved"),
        (eq(c, (a + b) / 2), {"a": "0.71", "b": "0.72", "c": "0.72"}, "proved"),
        (eq(c, (a + b) / 2), {"a": "0.71", "b": "0.72", "c": "0.73"}, "inconsistent"),
        (eq(c, 100 * a), {"a": "0.714", "c": "71"}, "proved"),
        (eq(c, 100 * a), {"a": "0.714", "c": "72"}, "inconsistent"),
        (eq(p, 2 * q), {"p": "0.8", "q": "0.4"}, "proved"),
        (eq(p, 2 * q), {"p": "0.8", "q": "0.3"}, "inconsistent"),
        (eq(z, a), {"z": "0.0", "a": "-0.04"}, "inconsistent"),
        (eq(z, a), {"z": "0.0", "a": "-0.0"}, "proved"),
        (eq(c, (b - a) / a), {"a": "0.40", "b": "0.50", "c": "0.25"}, "proved"),
        (eq(c, (b - a) / a), {"a": "0.40", "b": "0.50", "c": "0.31"}, "inconsistent"),
        (eq(c, sp.sqrt(p)), {"p": "2.00", "c": "1.41"}, "unrefuted"),
        (eq(c, sp.sqrt(p)), {"p": "2.00", "c": "1.44"}, "inconsistent"),
        (eq(c, a**2), {"a": "1.5", "c": "2.2"}, "unrefuted"),
        (eq(c, a**2 - a), {"a": "1.5", "c": "1.2"}, "inconsistent"),
        (eq(c, sp.Max(a, b)), {"a": "1.5", "b": "1.4", "c": "1.5"}, "proved"),
        (le(a, b), {"a": "0.71", "b": "0.70"}, "proved"),
        (lt(a, b), {"a": "0.71", "b": "0.70"}, "inconsistent"),
        (le(a, b), {"a": "0.72", "b": "0.70"}, "inconsistent"),
        (eq(a, k / sp.Integer(3)), {"a": "0.67", "k": 2}, "proved"),
        (eq(a, k / sp.Integer(3)), {"a": "0.66", "k": 2}, "inconsistent"),
        (eq(a, b), {"a": "1/3", "b": "0.33"}, "proved"),
        (eq(a, b), {"a": "1/3", "b": "1/3"}, "proved"),
        (eq(a, b), {"a": "1/3", "b": "2/3"}, "inconsistent"),
        (eq(a, b), {"a": "1.5e-3", "b": "0.00150"}, "proved"),
        (eq(a, b), {"a": "\N{MINUS SIGN}0.70", "b": "-0.7"}, "proved"),
    ],
    ids=str,
)
def test_rows_agree_if_some_numbers_round_to_them(relation, numbers, found):
    assert verdict(relation, **numbers) == found


@pytest.mark.parametrize(
    ("relation", "numbers", "said"),
    [
        (eq(a, k), {"a": "2", "k": 2.7}, r"\['k'\]` must be a whole number of at least 1.*got 2.7"),
        (eq(a, k), {"a": "2", "k": "0"}, "must be a whole number of at least 1"),
        (eq(p, a), {"p": "-0.8", "a": "0.8"}, r"\['p'\]` must be positive.*got -0.8"),
        (eq(z, a), {"z": "-0.8", "a": "0.8"}, r"\['z'\]` must be nonnegative.*got -0.8"),
        (eq(a, b), {"a": "71%", "b": "0.71"}, "must be a decimal or a fraction, got '71%'"),
        (eq(a, b), {"a": "1/0", "b": "0.71"}, "must be a decimal or a fraction"),
        (eq(a, b), {"a": "0.7"}, "must give a, b"),
    ],
    ids=str,
)
def test_numbers_outside_their_domain_are_refused(relation, numbers, said):
    with pytest.raises(ValueError, match=said):
        Notes("rounded").table("claim", relation, {"row": numbers})


@pytest.mark.parametrize(
    ("printed", "number", "half"),
    [
        ("0.70", Fraction(7, 10), Fraction(1, 200)),
        (".5", Fraction(1, 2), Fraction(1, 20)),
        ("71", Fraction(71), Fraction(1, 2)),
        ("-1.25e-1", Fraction(-1, 8), Fraction(1, 2000)),
        ("1/3", Fraction(1, 3), Fraction(0)),
        (0.25, Fraction(1, 4), Fraction(1, 200)),
    ],
)
def test_numbers_are_read_with_half_a_unit_of_their_last_digit(printed, number, half):
    assert read_number(printed) == (number, half)


@settings(max_examples=150, deadline=None)
@given(
    st.tuples(*[st.integers(-400, 400).map(lambda n: Fraction(n, 100))] * 2),
    st.integers(1, 3),
    st.sampled_from(["sum", "product", "mean"]),
)
def test_what_is_rounded_correctly_is_never_inconsistent(pair, digits, kind):
    one, other = pair
    relation, value = {
        "sum": (eq(c, a - b), one - other),
        "product": (eq(c, a * b), one * other),
        "mean": (eq(c, (2 * a + b) / 3), (2 * one + other) / 3),
    }[kind]
    numbers = {
        n: f"{float(round(x, digits)):.{digits}f}" for n, x in zip("abc", (one, other, value), strict=True)
    }
    claim = Notes("rounded").table("claim", relation, {"row": numbers})
    assert fit_of(claim.question, _row(claim)).possible
    # No numbers within half a unit, and more, of the intervals satisfy it
    off = {**numbers, "c": f"{float(round(value, digits)) + 20 / 10**digits + 8:.{digits}f}"}
    if kind == "sum":
        claim = Notes("rounded").table("claim", relation, {"row": off})
        assert fit_of(claim.question, _row(claim)).possible is False


def _row(claim):
    """The only row of a table."""
    cells = dict(zip(claim.checks[0].__code__.co_freevars, claim.checks[0].__closure__, strict=True))
    (row,) = cells["rows"].cell_contents.values()
    return row
