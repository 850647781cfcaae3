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
    degrees: Sequence[int]
    slopes: dict[int, fmpq_mpoly]


def fact(polynomial: fmpq_mpoly, *, zero: bool) -> Fact:
    degrees = polynomial.degrees()
    linear = [place for place, degree in enumerate(degrees) if degree == 1]
    return Fact(polynomial, zero, degrees, {place: polynomial.derivative(place) for place in linear})


def points(
    facts: Sequence[Fact], sizes: tuple[int, int], nonnegative: Collection[int], positive: Collection[int]
) -> list[list[fmpq]]:
    """Up to `POINTS` points at which all facts hold and variables have the signs that are known of them.

    A random start is repaired: a broken fact sets one of the variables in which it is linear.

    Parameters
    ----------
    facts : sequence of Fact
    sizes : tuple of int
        Number of variables in use, and of all variables.
    nonnegative, positive : collection of int
        Variables that are never negative, and those that are always positive.
    """
    random, found = Random(0), list[list[fmpq]]()
    used, every = sizes
    for attempt in range(ATTEMPTS):
        if len(found) == POINTS or (attempt == IN_VAIN and not found):
            break
        point = [
            random.choice(NUMBERS)
            * (1 if place in nonnegative or place in positive else random.choice((-1, 1)))
            for place in range(used)
        ] + [fmpq(0)] * (every - used)
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
    values = [one.polynomial(*point) for one in facts]
    for _ in range(REPAIRS):
        broken = [k for k, one in enumerate(facts) if values[k] < 0 or (one.zero and values[k] != 0)]
        if not broken:
            return True
        k = random.choice(broken)
        places = random.sample(list(facts[k].slopes), len(facts[k].slopes))
        moves = ((place, _value_with_fact(point, facts[k], values[k], place, random)) for place in places)
        place, moved = next(
            (
                (place, moved)
                for place, moved in moves
                if moved is not None
                and not (place in positive and moved <= 0)
                and not (place in nonnegative and moved < 0)
            ),
            (0, None),
        )
        if moved is None:
            return False
        point[place] = moved
        values = [
            one.polynomial(*point) if one.degrees[place] else value
            for one, value in zip(facts, values, strict=True)
        ]
    return False


def _value_with_fact(point: list[fmpq], one: Fact, value: fmpq, place: int, random: Random) -> fmpq | None:
    """The value of a variable with which a fact holds; None if the fact does not depend on it here."""
    slope = one.slopes[place](*point)
    room = fmpq(0) if one.zero else random.choice((fmpq(0), *NUMBERS[:4]))
    return None if slope == 0 else point[place] + (room - value) / slope


__all__ = ["Fact", "fact", "points"]
