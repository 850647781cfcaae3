"""Points at which all known facts hold: a polynomial that is negative at one of them does not follow from these facts.

Points only save a search that would end in vain. They are exact, so no proof is lost by rounding.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from random import Random
from typing import NamedTuple

from flint import fmpq, fmpq_mpoly

POINTS = 6
"""Limit on points that are kept."""
ATTEMPTS = 12
"""Limit on starts of the search for points."""
REPAIRS = 20
"""Limit on repairs of one start."""
IN_VAIN = 5
"""Starts without any point after which the search ends."""
NUMBERS = tuple(fmpq(top, 4) for top in (1, 2, 3, 4, 5, 7, 8, 12, 20, 40))
"""Values at which a search starts."""


class Fact(NamedTuple):
    """A polynomial that is nonnegative, or zero, with its derivatives by the variables in which it is linear."""

    polynomial: fmpq_mpoly
    zero: bool
    slopes: dict[int, fmpq_mpoly]


def fact(polynomial: fmpq_mpoly, *, zero: bool) -> Fact:
    linear = [place for place, degree in enumerate(polynomial.degrees()) if degree == 1]
    return Fact(polynomial, zero, {place: polynomial.derivative(place) for place in linear})


def points(
    facts: Sequence[Fact], size: int, nonnegative: Collection[int], positive: Collection[int]
) -> list[list[fmpq]]:
    """Up to `POINTS` points at which all facts hold and variables have the signs that are known of them.

    A random start is repaired: a broken fact sets one of the variables in which it is linear.

    Parameters
    ----------
    facts : sequence of Fact
    size : int
        Number of variables.
    nonnegative, positive : collection of int
        Variables that are never negative, and those that are always positive.
    """
    random, found = Random(0), list[list[fmpq]]()
    for attempt in range(ATTEMPTS):
        if len(found) == POINTS or (attempt == IN_VAIN and not found):
            break
        point = [
            random.choice(NUMBERS) * (1 if place in nonnegative or place in positive else random.choice((-1, 1)))
            for place in range(size)
        ]
        if _repaired(point, facts, nonnegative, positive, random):
            found.append(point)
    return found


def _repaired(
    point: list[fmpq],
    facts: Sequence[Fact],
    nonnegative: Collection[int],
    positive: Collection[int],
    random: Random,
) -> bool:
    """Whether a point, changed in place, meets all facts in the end."""
    for _ in range(REPAIRS):
        values = [(one, one.polynomial(*point)) for one in facts]
        broken = [(one, value) for one, value in values if value < 0 or (one.zero and value != 0)]
        if not broken:
            return True
        one, value = random.choice(broken)
        if not any(_moved(point, one, value, place, nonnegative, positive, random) for place in _mixed(one, random)):
            return False
    return False


def _mixed(one: Fact, random: Random) -> list[int]:
    return random.sample(list(one.slopes), len(one.slopes))


def _moved(
    point: list[fmpq],
    one: Fact,
    value: fmpq,
    place: int,
    nonnegative: Collection[int],
    positive: Collection[int],
    random: Random,
) -> bool:
    """Set a variable so that a fact holds, if the variable's sign allows it."""
    slope = one.slopes[place](*point)
    if slope == 0:
        return False
    room = fmpq(0) if one.zero else random.choice((fmpq(0), *NUMBERS[:4]))
    moved = point[place] + (room - value) / slope
    if (place in positive and moved <= 0) or (place in nonnegative and moved < 0):
        return False
    point[place] = moved
    return True


__all__ = ["Fact", "fact", "points"]
