"""How often would a check of printed numbers fail for random numbers?

Passing a weak check says little. A random number has the sign and the number of digits of the numbers in its column; a
random mark stands at any number of its column.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import floor
from types import MappingProxyType

import numpy as np
import sympy as sp

from nqm.fields import Irrational
from verify.engine.checks.rounding import halves_of, rounded_failures
from verify.engine.model.arithmetic import convert, side_by_side
from verify.engine.model.claim import Claim
from verify.engine.model.instance import Instance, oriented
from verify.engine.model.scene import Shape, quantities

Rows = Mapping[str, Instance]
NO_HALVES: Mapping[str, np.ndarray] = MappingProxyType({})
MOST = 100
"""Numbers tried in one place, equally spaced."""


@dataclass(frozen=True)
class Powers:
    """Power of a check, separately for each place in the table.

    Attributes
    ----------
    of : mapping of str to Fraction
        Row, or mark -> the share of possible entries at this place that would fail.
    what : str
        Description of the random entries.
    """

    of: Mapping[str, Fraction]
    what: str

    @property
    def expected(self) -> Fraction:
        """Expected number of places at which a random entry would fail."""
        return sum(self.of.values(), Fraction(0))


Power = Callable[[Claim, Rows], Powers]


def by_row(power: Callable[[Instance], Fraction]) -> Power:
    """The known power at random numbers, for each row."""

    def powers(claim: Claim, rows: Rows) -> Powers:
        del claim
        return Powers({name: power(row) for name, row in rows.items()}, "numbers at random")

    return powers


def of_digits(claim: Claim, rows: Rows) -> Powers:
    """Power against random numbers with the same number of digits, in the column that is checked most sharply.

    In a list, the first number is replaced. Three kinds of columns are left out: columns without decimals (computed
    numbers), columns of units of last digits, and columns that neither the relation nor its scene reads. If no column
    remains, the power is 0.
    """
    asked = {s.name for s in claim.question.relation.free_symbols if isinstance(s, sp.Symbol)}
    first = next(iter(rows.values()))
    plain = not any(value.shape for value in first.parameters.values())
    columns = {name for name in first.parameters if name != "digit" and not name.endswith("_digit")}
    found, some = {}, False
    for column in sorted(columns | (first.shape.keys() & asked if plain else set())):
        others = alike([number for row in rows.values() for number in _entries(row, column)])
        some = some or bool(others)
        if column in asked or any(_is_read(claim, row, column, others) for row in rows.values()):
            found[column] = {name: _share(claim, row, column, others) for name, row in rows.items()}
    if not some:  # no column holds decimals, so the possible other entries are not known
        return Powers({}, "numbers at random")
    if not any(share for shares in found.values() for share in shares.values()):
        return Powers(dict.fromkeys(rows, Fraction(0)), "numbers at random")
    sharpest = max(found, key=lambda column: sum(found[column].values()))
    return Powers(found[sharpest], f"numbers at random in place of {sharpest}")


def of_groups(these: Sequence[str], those: Sequence[str]) -> Power:
    """Power of the comparison of two lists of numbers, against random groups of the same sizes.

    Parameters
    ----------
    these, those : sequence of str
        Columns of the first list and of the data of its numbers; the same columns for the second list, in the same
        order.
    """

    def power(claim: Claim, row: Instance) -> Fraction:
        own = len(row.parameters[these[0]])
        merged = {
            (one, other): [*row.parameters[one], *row.parameters[other]]
            for one, other in zip(these, those, strict=True)
        }
        places = range(len(row.parameters[those[0]]) + own)
        columns: dict[str, list[list[Fraction]]] = {name: [] for name in (*these, *those)}
        for chosen in combinations(places, own):
            for (one, other), numbers in merged.items():
                columns[one].append([numbers[k] for k in chosen])
                columns[other].append([numbers[k] for k in places if k not in chosen])
        broken = fails(claim, row.shape, {name: _array(lists) for name, lists in columns.items()})
        return Fraction(int(broken.sum()), len(broken))

    return lambda claim, rows: Powers(
        {name: power(claim, row) for name, row in rows.items()}, "groups at random"
    )


def of_marks(claim: Claim, rows: Rows) -> Powers:
    """Power against random marks, each at any number of its column: 1 - 1/k if one of k numbers may be marked.

    A row compares the marked number, on the left side, with one other number. The text before " against " in the name
    of the row names the mark.
    """
    ahead, behind = (side.name for side in claim.question.relation.args)
    marks: dict[str, list[Instance]] = {}
    for name, row in rows.items():
        marks.setdefault(name.partition(" against ")[0], []).append(row)

    def power(mark: Sequence[Instance]) -> Fraction:
        numbers = [*_entries(mark[0], ahead), *(number for row in mark for number in _entries(row, behind))]
        right = 0
        for place, number in enumerate(numbers):
            others = [*numbers[:place], *numbers[place + 1 :]]
            right += not fails(
                claim, {}, {ahead: _array([number] * len(others)), behind: _array(others)}
            ).any()
        return 1 - Fraction(right, len(numbers))

    return Powers({name: power(mark) for name, mark in marks.items()}, "marks at random")


def alike(numbers: Sequence[Fraction]) -> list[Fraction]:
    """Up to MOST numbers of each occurring sign, with as many digits as the longest; none if an entry is no decimal.

    For a column that holds only 0 and 1, these two.
    """
    if set(numbers) <= {0, 1}:
        return [Fraction(0), Fraction(1)]
    places = [_places(number) for number in numbers]
    if None in places:
        return []
    unit = Fraction(1, 10 ** max(place for place in places if place is not None))
    whole = floor(max(map(abs, numbers)))
    end = 10 ** len(str(whole)) if whole else 1
    count = int(end / unit)
    sizes = (
        [unit * (count * k // MOST) for k in range(MOST)]
        if count > MOST
        else [unit * k for k in range(count)]
    )
    signs = [sign for sign in (-1, 1) if any(sign * number > 0 for number in numbers)]
    return sorted({sign * size for sign in signs for size in sizes})


def fails(
    claim: Claim,
    shape: Shape,
    columns: Mapping[str, np.ndarray],
    halves: Mapping[str, np.ndarray] = NO_HALVES,
) -> np.ndarray:
    """Whether the relation fails for all numbers that round to the given ones, number by number.

    Parameters
    ----------
    columns : mapping of str to array of Fraction, (n, ...)
    halves : mapping of str to array of Fraction, (...)
        Half a unit of the last digit, for columns of rounded numbers.

    Returns
    -------
    array of bool, (n,)
    """

    def side(moved: Mapping[str, np.ndarray]) -> np.ndarray:
        """1 if the relation fails because left is too large, -1 if an equation fails because left is too small,
        otherwise 0.
        """
        relation = claim.question.relation
        small, large = _sides(claim, shape, moved)
        above = small >= large if isinstance(relation, sp.Lt | sp.Gt) else small > large
        below = (small < large) & isinstance(relation, sp.Eq)
        signs = np.asarray(above, dtype=int) - np.asarray(below, dtype=int)
        rows: np.ndarray = signs.reshape(_length(columns), -1)
        worst: np.ndarray = np.take_along_axis(rows, abs(rows).argmax(axis=1)[:, None], axis=1)[:, 0]
        return worst

    return rounded_failures(side, columns, halves)


def _sides(claim: Claim, shape: Shape, columns: Mapping[str, np.ndarray]) -> list[np.ndarray]:
    def sides(kind: str) -> list[np.ndarray]:
        values = quantities(claim.question.scene, shape, convert(columns, kind), {})
        return side_by_side(oriented(claim.question.relation), values, kind, _length(columns))

    try:
        return sides("exact")
    except (Irrational, ValueError):  # a root of a negative number: such numbers cannot pass
        return [np.asarray(side) for side in sides("float")]


def _is_read(claim: Claim, row: Instance, column: str, others: Sequence[Fraction]) -> bool:
    """Whether a side depends on the numbers in a column of parameters."""
    for shape, columns in _changed(row, column, others):
        try:
            sides = _sides(claim, shape, columns)
        except ArithmeticError:  # a side is undefined somewhere
            return True
        if any((side != side[:1]).any() for side in sides):
            return True
    return False


def _share(claim: Claim, row: Instance, column: str, others: Sequence[Fraction]) -> Fraction:
    """The share of other numbers in a column that would fail, among those at which both sides are defined; 0 if there
    are none.
    """
    broken: list[bool] = []
    for shape, columns in _changed(row, column, others):
        try:
            broken += fails(claim, shape, columns, halves_of(row)).tolist()
        except ArithmeticError:  # a side is undefined somewhere
            broken += _where_defined(claim, shape, columns, halves_of(row))
    return Fraction(sum(broken), len(broken)) if broken else Fraction(0)


def _where_defined(
    claim: Claim, shape: Shape, columns: Mapping[str, np.ndarray], halves: Mapping[str, np.ndarray]
) -> Iterator[bool]:
    for k in range(_length(columns)):
        with suppress(ArithmeticError):
            one = {name: values[k : k + 1] for name, values in columns.items()}
            yield bool(fails(claim, shape, one, halves)[0])


def _changed(
    row: Instance, column: str, others: Sequence[Fraction]
) -> Iterator[tuple[Shape, dict[str, np.ndarray]]]:
    """A row with other numbers in one column; whole numbers of its shape are inserted one by one, because arrays may
    depend on them.
    """
    if not others:  # for example if the column holds fractions
        return
    if column in row.shape:
        kept = {name: value[None] for name, value in row.parameters.items()}
        yield from (({**row.shape, column: int(other)}, kept) for other in others if other >= 1)
    else:
        kept = {name: np.repeat(value[None], len(others), axis=0) for name, value in row.parameters.items()}
        kept[column].reshape(len(others), -1)[:, 0] = others
        yield row.shape, kept


def _entries(row: Instance, column: str) -> list[Fraction]:
    return [Fraction(row.shape[column])] if column in row.shape else list(row.parameters[column].flat)


def _length(columns: Mapping[str, np.ndarray]) -> int:
    return min(map(len, columns.values()), default=1)


def _array(numbers: Sequence[object]) -> np.ndarray:
    return np.array(numbers, dtype=object)


def _places(number: Fraction) -> int | None:
    """Digits after the point; None if the decimals do not end."""
    twos, fives, rest = 0, 0, number.denominator
    while rest % 2 == 0:
        twos, rest = twos + 1, rest // 2
    while rest % 5 == 0:
        fives, rest = fives + 1, rest // 5
    return max(twos, fives) if rest == 1 else None
