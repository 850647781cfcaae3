"""How a quantity goes along a sweep: values (sweep, run) -> in which runs it does, (run,) of bool.

Papers say "rises", "is unimodal", "has diminishing returns". Each is here in a strict and in weaker readings.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

Values = np.ndarray
Trend = Callable[[Values], np.ndarray]


def never_falls(values: Values) -> np.ndarray:
    """No step of the sweep lowers it, and some step raises it."""
    return (np.diff(values, axis=0) >= 0).all(axis=0) & last_above_first(values)


def mostly_rises(values: Values) -> np.ndarray:
    """More pairs of the sweep rise than fall: Kendall's rank correlation is positive."""
    later, earlier = np.tril_indices(len(values), -1)
    return np.sign(values[later] - values[earlier]).sum(axis=0) > 0


def last_above_first(values: Values) -> np.ndarray:
    """The end of the sweep is above its start."""
    return np.asarray(values[-1] > values[0])


def rises_then_falls(values: Values) -> np.ndarray:
    """It never falls before its highest value, never rises after it, and that is above both ends."""
    top = values.argmax(axis=0)
    steps, place = np.diff(values, axis=0), np.arange(len(values) - 1)[:, None]
    return np.where(place < top, steps >= 0, steps <= 0).all(axis=0) & highest_inside(values)


def highest_inside(values: Values) -> np.ndarray:
    """Its highest value is above both ends of the sweep."""
    return np.asarray(values.max(axis=0) > np.maximum(values[0], values[-1]))


def concave(at: Sequence[float]) -> Trend:
    """What a unit of the sweep, whose values are `at`, brings becomes less at every step."""

    def holds(values: Values) -> np.ndarray:
        gains = np.diff(values, axis=0) / np.diff(np.asarray(at))[:, None]
        return np.all(np.diff(gains, axis=0) < 0, axis=0)

    return holds


def less_at_the_end(at: Sequence[float]) -> Trend:
    """What a unit of the sweep, whose values are `at`, brings is less in the last step than in the first."""

    def holds(values: Values) -> np.ndarray:
        first, last = ((values[i + 1] - values[i]) / (at[i + 1] - at[i]) for i in (0, len(at) - 2))
        return np.asarray(last < first)

    return holds


def turned(trend: Trend) -> Trend:
    """The same of the values with their sign turned: falls instead of rises."""
    return lambda values: trend(-values)


RISES: Mapping[str, Trend] = {"": never_falls, "rank": mostly_rises, "ends": last_above_first}
"""A sentence that something rises, and weaker readings of it by name."""
FALLS = {name: turned(trend) for name, trend in RISES.items()}
