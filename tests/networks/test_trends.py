"""Trends along sweeps, against plain loops."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from verify.networks import trends

VALUES = arrays(np.int64, st.tuples(st.integers(2, 5), st.integers(1, 3)), elements=st.integers(0, 4))


@given(VALUES)
def test_trends_against_plain_loops(values: np.ndarray) -> None:
    for run_, path in enumerate(values.T.tolist()):
        steps = list(pairwise(path))
        pairs = [(a, b) for i, a in enumerate(path) for b in path[i + 1 :]]
        inside = max(path) > max(path[0], path[-1])
        top = path.index(max(path))
        expected = {
            "never_falls": all(b >= a for a, b in steps) and path[-1] > path[0],
            "mostly_rises": sum(b > a for a, b in pairs) > sum(b < a for a, b in pairs),
            "last_above_first": path[-1] > path[0],
            "highest_inside": inside,
            "rises_then_falls": inside
            and all(b >= a for a, b in steps[:top])
            and all(b <= a for a, b in steps[top:]),
        }
        for name, holds in expected.items():
            trend = getattr(trends, name)
            assert trend(values)[run_] == holds, name
            assert trends.turned(trend)(-values)[run_] == holds


@given(arrays(np.float64, st.tuples(st.just(4), st.integers(1, 3)), elements=st.integers(0, 9)))
def test_diminishing_returns(values: np.ndarray) -> None:
    at = (1, 3, 5, 10)
    gains = np.array([(values[i + 1] - values[i]) / (at[i + 1] - at[i]) for i in range(3)])
    np.testing.assert_array_equal(trends.concave(at)(values), (gains[1] < gains[0]) & (gains[2] < gains[1]))
    np.testing.assert_array_equal(trends.less_at_the_end(at)(values), gains[2] < gains[0])
