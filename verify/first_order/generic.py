"""Rational points in general position, and points at the ends of ranges, for fits of multipliers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import count, product
from math import ceil, floor, gcd

FAR = 1_000
"""Width of a range from which on it counts as one without an end."""
REACHES = (2, 1)
"""Sample points lie at distances from 10^-reach to 10^reach of the beginning of a range without an end. No reach is best for all."""
VALUES, LOOKED = 40, 6_000
"""Number of values of each parameter, and largest number of their combinations, for sample points."""


def generic_points(
    ranges: Mapping[str, tuple[Fraction, Fraction]], met: Callable[[Mapping[str, Fraction]], bool], most: int
) -> list[Mapping[str, Fraction]]:
    """At most `most` rational points in general position in a box, with small denominators, that meet some conditions.

    Kernels and multipliers are rational functions of the point. At points with small denominators they have small
    denominators, too, and can be recognised from floats. The values of the parameters are combined with different strides,
    so that the points do not lie on a common curve of low degree, which would make a fit ambiguous.
    """
    simple = {
        name: _simple(low, min(high, low + 4), k) for k, (name, (low, high)) in enumerate(ranges.items())
    }
    found: list[Mapping[str, Fraction]] = []
    seen: set[tuple[Fraction, ...]] = set()
    for k in range(LOOKED):
        turn = k // min(map(len, simple.values()))
        point = {
            name: row[(k * (1 + 2 * i) + i * turn) % len(row)] for i, (name, row) in enumerate(simple.items())
        }
        values = tuple(point.values())
        if values not in seen and met(point):
            found.append(point)
        seen.add(values)
        if len(found) == most:
            break
    return found


def edge_points(
    ranges: Mapping[str, tuple[Fraction, Fraction]], met: Callable[[Mapping[str, Fraction]], bool], reach: int
) -> list[Mapping[str, Fraction]]:
    """The points at, near and between the ends of the ranges of all parameters that meet some conditions.

    Ranges without an end get points of every scale, as conditions such as eta <= 1/L relate small to large values.
    """
    ends = {
        name: [low, low + width / 100, low + width / 2, high - width / 100, high]
        if width < FAR
        else [low, *(low + Fraction(10) ** k for k in range(-reach, reach + 1))]
        for name, (low, high) in ranges.items()
        for width in [high - low]
    }
    every = [dict(zip(ends, values, strict=True)) for values in product(*ends.values())]
    return [point for point in every if met(point)]


def _simple(low: Fraction, high: Fraction, turn: int) -> list[Fraction]:
    """At least `VALUES` fractions strictly between two numbers, with the smallest denominators.

    Their order depends on `turn`: the list is read with a stride that is coprime to its length.
    """
    found: dict[Fraction, None] = {}
    for below in count(2):
        found |= dict.fromkeys(
            Fraction(above, below) for above in range(floor(low * below) + 1, ceil(high * below))
        )
        if len(found) >= VALUES:
            break
    row = list(found)
    step = (11, 13, 17, 19)[turn % 4]
    while gcd(step, len(row)) > 1:
        step += 2
    return [row[(k * step) % len(row)] for k in range(len(row))]
