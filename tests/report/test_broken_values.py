"""Values of counterexamples on a page for authors: short, and of the case that breaks the relation."""

import numpy as np
import pytest
import sympy as sp

from tests.report.cases import judged
from verify.report.broken_values import _at, decimal, short_sides, short_text, values_in_broken_case


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (3, "3"),
        (2.0, "2"),
        (16 / 31, "16/31"),
        (1 / 14000, "1/14000"),
        (0.0625, "0.0625"),
        (-51 / 64, "-51/64"),
        (0.98753921, "0.9875"),
        (float("inf"), "inf"),
        ("1/64", "1/64"),
        ("1393174154857357/100000000000000", "13.93"),
        (None, "none"),
        ([["1"], ["1/2"]], "(1, 0.5)"),
        (np.array([[9.0], [9.0]]), "9 in each entry"),
        (np.array([[1.0, 2.0], [3.0, 4.0]]), "((1, 2), (3, 4))"),
        (np.arange(20.0), "(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, …)"),
    ],
)
def test_values_are_short(value, text):
    assert short_text(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (40.508, "40.51"),
        (6e4, "60000"),
        (40943.8, "40940"),
        (-0.001616, "-0.001616"),
        (4.7674e-5, "4.767*10^-5"),
        (1e-7, "10^-7"),
        (-1e18, "-10^18"),
        (2.81646e76, "2.816*10^76"),
        (sp.Float("5e7953", 20), "5*10^7953"),
    ],
)
def test_large_and_small_numbers_are_powers_of_ten(value, text):
    assert decimal(sp.Float(value, 20)) == text


def test_sides_have_as_many_digits_as_they_need():
    assert short_sides({"lhs": [1 / 3, 1 / 3], "rhs": [0.25, 0.25]}) == ("1/3", "0.25")
    assert short_sides({"lhs": [0.123456789] * 2, "rhs": [0.123456] * 2}) == ("0.123457", "0.123456")


def test_a_value_of_each_case_is_that_of_the_broken_one():
    assert _at(np.array([5.0, 7.0]), (1,), (2,)) == 7
    assert _at(np.array([[5.0], [7.0]]), (1,), (2,)).tolist() == [7]
    assert _at(np.array([[4.0, 5.0]]), (1, 0), (2, 2)).tolist() == 4
    assert _at(np.array([1.0, 2.0, 3.0]), (1,), (2,)).tolist() == [1, 2, 3]
    assert _at(3.0, (1,), (2,)) == 3


def test_letters_of_a_relation_with_one_case_are_unchanged():
    (entry,) = (entry for entry in judged() if entry.id == "special.eq27")
    witness = next(found["witness"] for found in entry.findings if found["witness"])
    found = values_in_broken_case(witness)
    assert np.asarray(found["Delta"]).shape[0] == 3
