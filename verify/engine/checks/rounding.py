"""Printed numbers are rounded: is there a choice of numbers, each of which rounds to its printed one, that satisfies a relation?

Every printed number stands for the closed interval of half a unit of its last digit around it. Corners of the box of these
intervals are tried in fractions. That no point of the box satisfies the relation is shown by its corners where both sides are
affine in each number alone, and by enclosures in intervals of smaller and smaller boxes elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import islice, pairwise, product
from typing import Any

import numpy as np
import sympy as sp

from nqm.fields import Irrational, Overlapping
from nqm.kinds import INTERVALS
from verify.engine.model.arithmetic import convert, side_by_side
from verify.engine.model.instance import Exact, Instance, oriented, sides
from verify.engine.model.question import Question
from verify.engine.model.scene import quantities

_DECIMAL = re.compile(r"([+-]?)(\d+(?:\.(\d*))?|\.(\d+))(?:[eE]([+-]?\d{1,3}))?")
CORNERS = 1024
"""Limit on corners of a box that are tried."""
BOXES = 2000
"""Limit on smaller boxes that are enclosed."""


@dataclass(frozen=True, eq=False)
class Row(Instance):
    """Printed numbers; `halves` are half a unit of the last digit of each, 0 where a number is exact."""

    halves: Mapping[str, Exact] = field(default_factory=dict)


@dataclass(frozen=True)
class Fit:
    """Whether some numbers that round to the printed ones satisfy a relation; None if this is not decided.

    `numbers` are such numbers, if they are known exactly.
    """

    possible: bool | None
    numbers: Instance | None = None


def halves_of(row: Instance) -> Mapping[str, Exact]:
    """Half a unit of the last digit of each number; none where a row gives exact numbers."""
    return row.halves if isinstance(row, Row) else {}


def read_number(printed: Any) -> tuple[Fraction, Fraction]:
    """A printed number, and half a unit of its last digit; a fraction such as 1/3 is exact.

    Raises
    ------
    ValueError
        If it is no number.
    """
    text = str(printed).strip().replace("\N{MINUS SIGN}", "-")
    decimal = _DECIMAL.fullmatch(text)
    if decimal:
        places = len(decimal[3] or decimal[4] or "") - int(decimal[5] or 0)
        return Fraction(text), Fraction(10) ** -places / 2
    try:
        return Fraction(text), Fraction(0)
    except (ValueError, ZeroDivisionError):
        raise ValueError(f"must be a decimal or a fraction, got {printed!r}") from None


def fit_of(question: Question, row: Instance) -> Fit:
    """Whether numbers that round to those of a row satisfy the relation; conditions and domains included."""
    if _satisfies(question, row):
        return Fit(possible=True, numbers=row)
    halves = halves_of(row)
    places = [
        (name, index) for name in halves for index in np.ndindex(halves[name].shape) if halves[name][index]
    ]
    if not places:
        return Fit(possible=False)
    path = [(point, _side_of(question, point)) for point in _corners(question, row, places)]
    for point, _ in path:
        if _satisfies(question, point):
            return Fit(possible=True, numbers=point)
    affine = _affine(question, {name for name, _ in places}, [point for point, _ in path], 2 ** len(places))
    if isinstance(question.relation, sp.Eq):
        signs = {sign for _, sign in path}
        if {-1, 1} <= signs and (affine or _defined_everywhere(question, row, places)):
            return Fit(possible=True, numbers=_between(question, [p for p, sign in path if sign], places))
    if affine and all(sign for _, sign in path):
        return Fit(possible=False)
    return Fit(possible=False) if _excluded(question, row, places) else Fit(possible=None)


def _satisfies(question: Question, point: Instance) -> bool:
    """Whether the relation and all conditions certainly hold, with all quantities in their domains."""
    relations = (question.relation, *question.conditions)
    symbols = {s for relation in relations for s in relation.free_symbols if isinstance(s, sp.Symbol)}
    for symbol in symbols:
        numbers = point.parameters.get(symbol.name)
        if numbers is not None and symbol.is_nonnegative:
            least = min(numbers.flat)
            if least < 0 or (symbol.is_positive and least == 0):
                return False
    for kind in ("exact", "interval"):
        try:
            values = point.values(question.scene, kind)
            return all(sides(relation, values, kind).holds for relation in relations)
        except (Irrational, Overlapping):
            continue
        except (ZeroDivisionError, ValueError):  # undefined there
            return False
    return False


def _side_of(question: Question, point: Instance) -> int:
    """The side of the relation on which a point certainly lies: 1 if left is larger, -1 if it is smaller, otherwise 0."""
    for kind in ("exact", "interval"):
        try:
            small, large = side_by_side(
                oriented(question.relation), point.values(question.scene, kind), kind, 1
            )
        except (Irrational, Overlapping):
            continue
        except (ZeroDivisionError, ValueError):
            return 0
        if small.size != 1:
            return 0
        strict = isinstance(question.relation, sp.Lt | sp.Gt)
        one, other = small.flat[0], large.flat[0]
        above, below = one >= other if strict else one > other, one < other
        return 1 if above is not None and above else -1 if below is not None and below else 0
    return 0


def _corners(question: Question, row: Instance, places: Sequence[tuple[str, Any]]) -> Iterator[Instance]:
    """Corners of the box, each differing from the previous one in one number (Gray code), up to `CORNERS`."""
    ends = _box(question, row, places)
    for k in range(min(2 ** len(places), CORNERS)):
        parameters = {name: value.copy() for name, value in row.parameters.items()}
        for place, (name, index) in enumerate(places):
            parameters[name][index] = ends[(k ^ (k >> 1)) >> place & 1][name][index]
        yield replace(row, parameters=parameters)


def _affine(question: Question, names: set[str], corners: Sequence[Instance], number: int) -> bool:
    """Whether left minus right takes its extremes at corners: it is affine in each number, and all corners are listed.

    A denominator must be affine in each number, too, and have one sign at all corners.
    """
    if len(corners) < number or any(value.shape for value in corners[0].parameters.values()):
        return False
    given = corners[0].parameters.keys() | corners[0].shape.keys()
    relation = question.relation
    if not {s.name for s in relation.free_symbols} <= given:  # the scene computes something
        return False
    symbols = [s for s in relation.free_symbols if s.name in names]
    top, bottom = sp.fraction(sp.together(relation.lhs - relation.rhs))
    for part in (top, bottom):
        if not part.is_polynomial(*symbols):
            return False
        if symbols and any(sp.degree(part, s) > 1 for s in symbols):
            return False
    values = [
        sp.Rational(1)
        * bottom.subs(
            {
                s: sp.Rational(str(p.shape[s.name] if s.name in p.shape else p.parameters[s.name][()]))
                for s in bottom.free_symbols
            }
        )
        for p in corners
    ]
    return all(value > 0 for value in values) or all(value < 0 for value in values)


def _between(
    question: Question, points: Sequence[Instance], places: Sequence[tuple[str, Any]]
) -> Instance | None:
    """Numbers that satisfy an equation, on an edge of the box along which left minus right is affine and changes its sign."""
    for one, other in pairwise(points):
        moved = [(n, i) for n, i in places if one.parameters[n][i] != other.parameters[n][i]]
        if len(moved) != 1 or _side_of(question, one) == _side_of(question, other):
            continue
        try:
            low, high = (_gap(question, point) for point in (one, other))
        except (Irrational, Overlapping, ZeroDivisionError):
            return None
        share = low / (low - high)
        (name, index) = moved[0]
        parameters = {n: value.copy() for n, value in one.parameters.items()}
        parameters[name][index] += share * (other.parameters[name][index] - one.parameters[name][index])
        found = replace(one, parameters=parameters)
        if _satisfies(question, found):
            return found
    return None


def _gap(question: Question, point: Instance) -> Fraction:
    small, large = side_by_side(
        oriented(question.relation), point.values(question.scene, "exact"), "exact", 1
    )
    return Fraction(small.flat[0] - large.flat[0])


Ends = tuple[dict[str, Exact], dict[str, Exact]]


def _box(question: Question, row: Instance, places: Sequence[tuple[str, Any]]) -> Ends:
    """Smallest and largest numbers that round to those of a row, within the domains of their symbols."""
    halves = halves_of(row)
    signed = {s.name for s in question.relation.free_symbols if s.is_nonnegative}
    low, high = ({n: value.copy() for n, value in row.parameters.items()} for _ in range(2))
    for name, index in places:
        low[name][index] -= halves[name][index]
        high[name][index] += halves[name][index]
        if name in signed:
            low[name][index] = max(low[name][index], Fraction(0))
    return low, high


def _enclosed(question: Question, row: Instance, box: Ends) -> list[tuple[Any, Any]] | None:
    """Enclosures of both sides over a box; None if a side has none."""
    low, high = (convert({n: v[None] for n, v in ends.items()}, "interval") for ends in box)
    join = np.frompyfunc(lambda a, b: INTERVALS.mpf([a.a, b.b]), 2, 1)
    values: Mapping[str, Any] = {n: np.asarray(join(low[n], high[n]), dtype=object) for n in low}
    try:
        found = quantities(question.scene, row.shape, values, {})
        small, large = side_by_side(oriented(question.relation), found, "interval", 1)
    except (ArithmeticError, Overlapping, ValueError):
        return None
    return list(zip(small.flat, large.flat, strict=True))


def _defined_everywhere(question: Question, row: Instance, places: Sequence[tuple[str, Any]]) -> bool:
    pairs = _enclosed(question, row, _box(question, row, places))
    return pairs is not None and all(
        np.isfinite([float(x.a), float(x.b)]).all() for pair in pairs for x in map(INTERVALS.convert, pair)
    )


def _excluded(question: Question, row: Instance, places: Sequence[tuple[str, Any]]) -> bool:
    """Whether enclosures show that the relation fails at every point of the box."""
    relation, waiting = question.relation, [_box(question, row, places)]
    for _ in range(BOXES):
        if not waiting:
            return True
        box = waiting.pop()
        pairs = _enclosed(question, row, box)
        if pairs is not None and any(_apart(relation, a, b) for a, b in pairs):
            continue
        widest = max(places, key=lambda place: box[1][place[0]][place[1]] - box[0][place[0]][place[1]])
        waiting += _halved(box, *widest)
    return False


def _apart(relation: Any, small: Any, large: Any) -> bool:
    above, below = small > large, small < large
    if isinstance(relation, sp.Eq):
        return bool(above) or bool(below)
    return bool(small >= large if isinstance(relation, sp.Lt | sp.Gt) else above)


def _halved(box: Ends, name: str, index: Any) -> list[Ends]:
    low, high = box
    middle = (low[name][index] + high[name][index]) / 2
    upper, lower = ({n: v.copy() for n, v in ends.items()} for ends in (low, high))
    upper[name][index] = lower[name][index] = middle
    return [(low, lower), (upper, high)]


def rounded_failures(
    side: Callable[[Mapping[str, np.ndarray]], np.ndarray],
    columns: Mapping[str, np.ndarray],
    halves: Mapping[str, Exact],
) -> np.ndarray:
    """Mask of the rows (n, ...) whose boxes have all corners (of the first 64) on one failing side of the relation.

    Parameters
    ----------
    side : callable
        Maps rows to the side on which each fails: 1, -1, or 0 if it does not fail.
    """
    places = [(n, i) for n in halves for i in np.ndindex(halves[n].shape) if halves[n][i] and n in columns]
    failing = []
    for corner in islice(product((-1, 1), repeat=len(places)), 64):
        moved = {n: value.copy() for n, value in columns.items()}
        for (name, index), sign in zip(places, corner, strict=True):
            moved[name][(slice(None), *index)] += sign * halves[name][index]
        failing.append(side(moved))
    signs = np.array(failing)
    found: np.ndarray = np.all(signs > 0, axis=0) | np.all(signs < 0, axis=0)
    return found
