"""Lines through a point of a search: their points, and where functions on them change sign."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Line = Callable[[Floats], dict[str, Any]]
SMALLEST = 1e-12
"""Where the logarithmic part of a grid begins."""
FINE, BEST = 33, 3
"""Points of a refinement, and number of local minima that are refined."""
SECTIONS, PIECES = 16, 16
"""How often an interval with a change of sign is cut, and into how many pieces each time."""


def alone(name: str, others: Mapping[str, Any]) -> Line:
    """The line on which one variable changes alone."""
    return lambda s: {**others, name: s}


def pair(point: dict[str, float], one: str, other: str, power: int) -> Line:
    """The curve through a point on which other * one^power is constant."""

    def line(s: Floats) -> dict[str, Any]:
        with np.errstate(all="ignore"):  # at 0 the other variable is infinite, and no condition is met
            return {**point, one: s, other: point[other] * (point[one] / s) ** power}

    return line


def points_of(low: float, high: float, number: int, *, whole: bool) -> Floats:
    """Points of a range: evenly spaced in the logarithm on both sides of zero, and evenly spaced; whole numbers if
    requested.
    """
    if whole and high - low < number:
        return np.arange(np.ceil(low), np.floor(high) + 1)
    even = np.linspace(low, high, number // 4)
    sizes = np.geomspace(SMALLEST, max(abs(low), abs(high), 2 * SMALLEST), number)
    grid = np.unique(np.concatenate([even, sizes, -sizes, [low, high]]))
    grid = np.unique(np.round(grid)) if whole else grid
    return grid[(grid >= low) & (grid <= high)]


def lowest(heights: Floats) -> list[int]:
    """Indices of the lowest local minima of a row."""
    padded = np.concatenate([[np.inf], heights, [np.inf]])
    local = np.flatnonzero((heights <= padded[:-2]) & (heights <= padded[2:]) & (heights < np.inf))
    return [int(i) for i in local[np.argsort(heights[local], kind="stable")][:BEST]]


def between(grid: Floats, i: int, *, whole: bool) -> Floats:
    """A finer grid between the neighbours of an entry."""
    low, high = grid[max(i - 1, 0)], grid[min(i + 1, len(grid) - 1)]
    fine = np.linspace(low, high, FINE)
    return np.unique(np.round(fine)) if whole else fine


def sign_changes(function: Callable[[Floats], Floats], grid: Floats, *, whole: bool) -> tuple[Floats, Floats]:
    """Ends of the shortest intervals in which a function on a line goes from below 0 to 0 or more, or back."""
    sign = np.broadcast_to(function(grid), grid.shape) >= 0
    at = np.flatnonzero(sign[1:] != sign[:-1])
    low, high = grid[at], grid[at + 1]
    for _ in range(SECTIONS if at.size else 0):
        inner = low + (high - low) * np.linspace(0, 1, PIECES + 1)[:, None]
        inner = np.clip(np.floor(inner) if whole else inner, low, high)
        values = np.broadcast_to(function(inner.ravel()), inner.size).reshape(inner.shape)
        same = (values >= 0) == sign[at]
        last = np.logical_and.accumulate(same, axis=0).sum(axis=0) - 1  # lower end
        columns = np.arange(at.size)
        low, high = inner[last, columns], inner[np.minimum(last + 1, PIECES), columns]
    return low, high
