"""Trends along sweeps: their conditions on each value, and their verdict if all runs are equal."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from verify.engine.checks.means import truth
from verify.networks import trends

PATHS = st.lists(st.integers(0, 4), min_size=3, max_size=5)


def same_in_all_runs(path: list[float]) -> np.ndarray:
    return np.repeat(np.array(path, dtype=float)[:, None], 3, axis=1)


@given(PATHS)
def test_trends_against_plain_loops(path: list[int]) -> None:
    """Ties give no verdict: `truth` is True exactly if plain loops find the statement true."""
    steps = list(pairwise(path))
    pairs = [(a, b) for i, a in enumerate(path) for b in path[i + 1 :]]
    inside = range(1, len(path) - 1)

    def peak(place: int) -> bool:
        level = all(b >= a for a, b in steps[:place]) and all(b <= a for a, b in steps[place:])
        return level and path[place] > max(path[0], path[-1])

    expected = {
        "never_falls": all(b >= a for a, b in steps) and path[-1] > path[0],
        "mostly_rises": sum(b > a for a, b in pairs) > sum(b < a for a, b in pairs),
        "last_above_first": path[-1] > path[0],
        "highest_inside": any(path[place] > max(path[0], path[-1]) for place in inside),
        "rises_then_falls": any(map(peak, inside)),
    }
    for name, holds in expected.items():
        trend, values = getattr(trends, name), same_in_all_runs(path)
        assert (truth(trend(values), 0.05) is True) == holds, name
        assert (truth(trends.negated_trend(trend)(-values), 0.05) is True) == holds


@given(st.lists(st.integers(0, 9), min_size=4, max_size=4))
def test_diminishing_returns(path: list[int]) -> None:
    at, values = (1, 3, 5, 10), same_in_all_runs(path)
    gains = [(path[i + 1] - path[i]) / (at[i + 1] - at[i]) for i in range(3)]
    found = truth(trends.concave(at)(values), 0.05)
    assert (found is True) == (gains[1] < gains[0] and gains[2] < gains[1])
    assert (truth(trends.less_at_the_end(at)(values), 0.05) is True) == (gains[2] < gains[0])
