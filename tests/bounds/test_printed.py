"""Printed numbers keep their digits."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bounds.printed import Number, number, rows


@given(digits=st.integers(0, 10**6), decimals=st.integers(1, 4), bold=st.booleans())
def test_a_number_is_exactly_its_digits(digits, decimals, bold):
    text = f"{digits / 10**decimals:.{decimals}f}"
    found = number(f"{'*' * bold}{text}±0.5")
    assert found == Number(Fraction(text), Fraction(1, 10**decimals), Fraction(1, 2), bold, Fraction(1, 10))


def test_a_whole_number_has_the_digit_one():
    assert number("83") == Number(Fraction(83), Fraction(1), deviation_digit=Fraction(1))
    assert number(".35±.05").digit == Fraction(1, 100)


def test_lines_are_named():
    assert rows("  one 1.0 -2\n  two 3 4\n") == {
        "one": (number("1.0"), number("-2")),
        "two": (number("3"), number("4")),
    }


@pytest.mark.parametrize("text", ["", "*", "1.2.3", "high", "±1"])
def test_no_number(text):
    with pytest.raises(ValueError, match=r"`text` must be a number like 65.02"):
        number(text)
