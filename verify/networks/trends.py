"""Trends of a quantity along a sweep: functions from values (sweep, run) to a statement about their expectations.

Papers write "rises", "is unimodal", "has diminishing returns". Each has a strict variant and weaker ones here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from verify.engine.checks.means import Above, Part, every, some

Values = np.ndarray
Trend = Callable[[Values], Part]

MARGIN = 0.005
"""Largest decrease per step that still counts as "never falls": half a percentage point."""


def never_falls(values: Values) -> Part:
    """No step of the sweep lowers the quantity by `MARGIN` or more, and the last value is above the first."""
    return every(
        *(Above(step, -MARGIN, f"step {i + 1}") for i, step in enumerate(np.diff(values, axis=0))),
        last_above_first(values),
    )


def mostly_rises(values: Values) -> Part:
    """More pairs of sweep values rise than fall: Kendall's rank correlation is positive."""
    later, earlier = np.tril_indices(len(values), -1)
    return Above(np.sign(values[later] - values[earlier]).mean(axis=0), name="rises less falls")


def last_above_first(values: Values) -> Part:
    """The last value of the sweep is above the first."""
    return Above(values[-1] - values[0], name="last - first")


def rises_then_falls(values: Values) -> Part:
    """Some inner value is above both ends; no step before it falls by `MARGIN`, and no step after it rises by `MARGIN`."""
    steps = np.diff(values, axis=0)

    def peak(place: int) -> Part:
        before, after = steps[:place], -steps[place:]
        level = (Above(step, -MARGIN, f"towards {place + 1}") for step in (*before, *after))
        return every(*level, _above_ends(values, place))

    return some(*(peak(place) for place in range(1, len(values) - 1)))


def highest_inside(values: Values) -> Part:
    """Some inner value is above both ends of the sweep."""
    return some(*(_above_ends(values, place) for place in range(1, len(values) - 1)))


def _above_ends(values: Values, place: int) -> Part:
    return every(
        *(
            Above(values[place] - values[end], name=f"{place + 1} - {name}")
            for end, name in ((0, "first"), (-1, "last"))
        )
    )


def concave(at: Sequence[float]) -> Trend:
    """The increase per unit of the sweep, whose values are `at`, becomes smaller at every step."""

    def sentence(values: Values) -> Part:
        gains = np.diff(values, axis=0) / np.diff(np.asarray(at))[:, None]
        return every(
            *(
                Above(less, name=f"gain {i + 1} - gain {i + 2}")
                for i, less in enumerate(-np.diff(gains, axis=0))
            )
        )

    return sentence


def less_at_the_end(at: Sequence[float]) -> Trend:
    """The increase per unit of the sweep, whose values are `at`, is smaller in the last step than in the first."""

    def sentence(values: Values) -> Part:
        first, last = ((values[i + 1] - values[i]) / (at[i + 1] - at[i]) for i in (0, len(at) - 2))
        return Above(first - last, name="first gain - last gain")

    return sentence


def negated_trend(trend: Trend) -> Trend:
    """The trend of the negated values: "falls" instead of "rises"."""
    return lambda values: trend(-values)


RISES: Mapping[str, Trend] = {"": never_falls, "rank": mostly_rises, "ends": last_above_first}
"""The trend "rises" (key "") and its weaker variants by name."""
FALLS = {name: negated_trend(trend) for name, trend in RISES.items()}
