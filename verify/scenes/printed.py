"""Printed numbers as rows of tables: shares of counts, and deviations that are possible for the averaged values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache
from math import floor, isqrt
from typing import Any

import numpy as np

from bounds.evaluate import evaluate
from bounds.printed import Number
from bounds.statement import Statement
from nqm.fields import Array, kind, to_float
from verify.engine.checks.power import by_row
from verify.engine.checks.table import claimed_of, row, table
from verify.engine.model.claim import Claim
from verify.engine.model.instance import Instance
from verify.engine.model.scene import Box, Scene, Shape, Values
from verify.engine.verdict import Verdict

Rows = Mapping[str, Instance]


def off_count(printed: Fraction, counted: int, whole: Fraction) -> Fraction:
    """Distance of a printed share from the nearest multiple of whole/counted between 0 and whole."""
    below = floor(printed * counted / whole)
    nearby = (min(max(k, 0), counted) for k in (below, below + 1))
    return min(abs(printed - whole * k / counted) for k in nearby)


def _of_counts(shape: Shape, values: Mapping[str, Any]) -> Values:
    printed, whole = values["share_printed"], values["share_of_all"]
    if kind(printed) == "exact":
        nearest: Array = np.vectorize(lambda p, w: off_count(p, shape["counted"], w), otypes=[object])(
            printed, whole
        )
        return {"off_count": nearest}
    share = to_float(printed) / to_float(whole)
    off = np.abs(share - np.clip(np.round(share * shape["counted"]), 0, shape["counted"]) / shape["counted"])
    return {"off_count": 0 * printed + printed.new_tensor(off) * whole if kind(printed) == "torch" else off}


COUNTED = Scene(
    name="shares of what was counted",
    shapes=({"counted": 1}, {"counted": 100_000}),
    space=lambda shape: {
        "share_printed": Box(0, 100),
        "share_digit": Box(1e-6, 1, scale="log"),
        "share_of_all": Box(1, 100),
    },
    compute=_of_counts,
)


def shares(printed: Mapping[str, Fraction], digit: Fraction, counted: int, whole: int = 1) -> Rows:
    """Rows of shares of `counted` items, by a readable name; `whole` is 100 for percent."""
    columns = {"share_digit": digit, "share_of_all": Fraction(whole)}
    return {
        name: row({"counted": counted}, {**columns, "share_printed": value})
        for name, value in printed.items()
    }


def power_of_count(of: Instance) -> Fraction:
    """Power of the check: the share of numbers with these digits that are no share of a count."""
    digit, whole = (of.parameters[name][()] for name in ("share_digit", "share_of_all"))
    return share_not_counted(digit / whole, of.shape["counted"])


@cache
def share_not_counted(digit: Fraction, counted: int) -> Fraction:
    """The share of the multiples of `digit` in [0, 1] that are farther than half a digit from every k/counted."""
    if counted * digit >= 1:
        return Fraction(0)
    # Each count is printed as one number, or as either of two where it lies halfway between them
    step = 1 / (counted * digit)
    halfway = sum(
        2 * k * step.numerator % (2 * step.denominator) == step.denominator for k in range(counted + 1)
    )
    return 1 - Fraction(counted + 1 + halfway, floor(1 / digit) + 1)


def counted_shares(judged: Statement, rows: Rows) -> Claim:
    """The claim that printed shares are shares of counts."""
    return Claim(judged, (table(rows, by_row(power_of_count)),), COUNTED)


def power_along(judged: Statement, column: str, least: int, most: int) -> Callable[[Instance], Fraction]:
    """Power of the check: the share of the values of a column in [`least`, `most`] for which the (linear) relation fails."""

    def room(of: Instance, value: int) -> Any:
        numbers = {name: number[()] for name, number in of.parameters.items()}
        sides = (
            evaluate(side, {**of.shape, **numbers, column: Fraction(value)}) for side in judged.compared.args
        )
        smaller, larger = sides
        return larger - smaller

    def power(of: Instance) -> Fraction:
        ends = [Fraction(room(of, value)) for value in (least, most)]
        failing, passing = (sum(max(sign * end, Fraction(0)) for end in ends) for sign in (-1, 1))
        return failing / (failing + passing) if failing else Fraction(0)

    return power


def within_room(
    judged: Statement, rows: Rows, column: str, least: int, most: int, failing: Verdict = Verdict.INCONSISTENT
) -> Claim:
    """The claim that the numbers of a column, with the range [`least`, `most`], are consistent with the other columns."""
    return claimed_of(judged, rows, by_row(power_along(judged, column, least, most)), failing)


def spreads(numbers: Mapping[str, Number], runs: int, least: int, most: int) -> Rows:
    """Rows of means and deviations over `runs` runs with values between `least` and `most`."""
    return {
        name: row(
            {"runs": runs},
            {
                "mean_printed": n.value,
                "mean_digit": n.digit,
                "deviation_printed": n.deviation,
                "deviation_digit": n.deviation_digit,
                "least": Fraction(least),
                "most": Fraction(most),
            },
        )
        for name, n in numbers.items()
    }


def power_of_spread(of: Instance) -> Fraction:
    """Power of the check: the share of the deviations with these digits, up to the whole range, that are too large for the mean."""
    mean, mean_digit, digit, least, most = (
        of.parameters[name][()] for name in ("mean_printed", "mean_digit", "deviation_digit", "least", "most")
    )
    runs = of.shape["runs"]
    above, below = mean + mean_digit / 2 - least, most - mean + mean_digit / 2
    variance = min(runs * above**2, runs * below**2, Fraction(runs, runs - 1) * above * below)
    printable = floor((most - least) / digit) + 1
    passing = (
        isqrt(floor(4 * variance / digit**2)) + 1
    ) // 2 + 1  # all k with (k - 1/2) * digit within the root
    return max(1 - Fraction(passing, printable), Fraction(0))


def possible_spreads(judged: Statement, rows: Rows) -> Claim:
    """The claim that printed deviations are possible for their means."""
    return claimed_of(judged, rows, by_row(power_of_spread))
