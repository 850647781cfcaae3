"""Printed numbers that are impossible as measurements: possible ones always pass, and the power is right."""

from __future__ import annotations

from fractions import Fraction
from math import floor
from statistics import pvariance, variance

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bounds.catalogue import statement
from bounds.printed import Number, number
from verify.engine.model.claim import BUDGETS
from verify.engine.verdict import Verdict
from verify.scenes.printed import (
    counted_shares,
    off_count,
    possible_spreads,
    power_of_spread,
    share_not_counted,
    shares,
    spreads,
)

CENT = Fraction(1, 100)
COUNTED, SPREAD = statement("special.table9.counted"), statement("fedmes.tab1.deviations")


def judged(claim):
    return claim.checks[0](claim, BUDGETS["quick"], 0)


def rounded(x: Fraction, digit: Fraction, *, up: bool) -> Fraction:
    """`x` rounded to the nearest multiple of `digit`; halves are rounded up or down by `up`, because papers do not
    state the rule.
    """
    half = Fraction(1, 2)
    return (floor(x / digit + half) if up else -floor(half - x / digit)) * digit


def test_a_third_is_counted_and_three_tenths_are_not() -> None:
    assert off_count(Fraction("0.33"), 3, Fraction(1)) == Fraction(1, 300)
    assert off_count(Fraction("30"), 3, Fraction(100)) == Fraction(10, 3)
    rows = shares({"third": Fraction("0.33"), "less": Fraction("0.30")}, CENT, 3)
    finding = judged(counted_shares(COUNTED, rows))
    assert finding.verdict is Verdict.INCONSISTENT
    assert [name for name, row in finding.details["rows"].items() if not row["holds"]] == ["less"]


@given(st.integers(1, 99), st.data(), st.booleans())
def test_what_was_counted_always_passes(counted: int, data, up: bool) -> None:  # noqa: FBT001
    count = data.draw(st.integers(0, counted))
    printed = rounded(Fraction(count, counted), CENT, up=up)
    assert off_count(printed, counted, Fraction(1)) <= CENT / 2


@pytest.mark.parametrize("counted", [1, 2, 3, 7, 16, 40, 99, 100, 250])
def test_power_is_the_share_of_printable_numbers_that_fail(counted: int) -> None:
    failing = sum(off_count(n * CENT, counted, Fraction(1)) > CENT / 2 for n in range(101))
    assert share_not_counted(CENT, counted) == Fraction(failing, 101)


def test_rows_that_cannot_fail_give_no_verdict() -> None:
    finding = judged(counted_shares(COUNTED, shares({"any": Fraction("0.5")}, CENT, 1000)))
    assert finding.verdict is Verdict.NOT_JUDGED


@settings(max_examples=20)
@given(st.lists(st.integers(0, 100), min_size=2, max_size=6), st.booleans(), st.booleans())
def test_what_was_averaged_always_passes(runs: list[int], sample: bool, up: bool) -> None:  # noqa: FBT001
    values = [Fraction(run, 100) for run in runs]
    mean = rounded(sum(values) / len(values), CENT, up=up)
    squared = (variance if sample else pvariance)(values)
    deviation = next(k * CENT for k in range(101) if ((k + Fraction(1, 2)) * CENT) ** 2 >= squared)
    numbers = {"these": Number(mean, CENT, deviation, deviation_digit=CENT)}
    finding = judged(possible_spreads(SPREAD, spreads(numbers, len(runs), 0, 1)))
    assert finding.verdict is not Verdict.INCONSISTENT


@pytest.mark.parametrize(
    ("text", "fails"), [("0.04±0.06", False), ("0.04±0.09", True), ("0.50±0.54", False), ("0.50±0.65", True)]
)
def test_deviations_beyond_the_range_fail(text: str, fails: bool) -> None:  # noqa: FBT001
    finding = judged(possible_spreads(SPREAD, spreads({"these": number(text)}, 3, 0, 1)))
    assert (finding.verdict is Verdict.INCONSISTENT) == fails


def test_power_of_a_deviation_by_counting() -> None:
    (row,) = spreads({"these": number("0.30±0.10")}, 3, 0, 1).values()
    allowed = min(3 * Fraction("0.305") ** 2, Fraction(3, 2) * Fraction("0.305") * Fraction("0.705"))
    passing = sum(max((k - Fraction(1, 2)) * CENT, 0) ** 2 <= allowed for k in range(101))
    assert power_of_spread(row) == 1 - Fraction(passing, 101)


def test_a_printed_deviation_keeps_its_digits() -> None:
    assert number("44.3±0.710").deviation_digit == Fraction(1, 1000)
    assert number("44.3").deviation_digit == 1
