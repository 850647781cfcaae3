"""Weights for uncorrelated and overlapping drifts are stationary."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bounds.cfl.uncorrelated import overlap_value, overlap_weights, uncorrelated_weights

quick = settings(deadline=None, max_examples=60)
squares = st.floats(1e-3, 1e3)


class TestOverlap:
    @quick
    @given(t=st.integers(2, 40), variance=squares, loss=squares, shared=st.floats(0, 2e3))
    def test_weights_and_value_solve_the_problem(self, t, variance, loss, shared):
        same = min(shared, variance)
        drift = (variance - same) * np.eye(t) + same
        past = np.append(np.ones(t - 1), 0.0)
        weights = overlap_weights(t, variance, loss, shared)
        gradient = drift @ weights + loss * past * past.dot(weights)
        reached = weights @ gradient
        assert gradient == pytest.approx(reached, rel=1e-11)
        assert overlap_value(t, variance, loss, shared, 0.5) == pytest.approx(reached + 0.5)

    def test_without_overlap_they_are_those_of_lemma_b4(self):
        assert (overlap_weights(5, 2.0, 1.0, 0.0) == uncorrelated_weights(5, 2.0, 1.0)).all()

    def test_full_overlap_leaves_the_current_round_alone(self):
        assert overlap_weights(4, 1.0, 0.3, 5.0).tolist() == [0, 0, 0, 1]


def test_overlap_as_large_as_the_drift_needs_a_loss():
    with pytest.raises(ValueError, match="must not both be 0"):
        overlap_weights(3, 1.0, 0.0, 1.0)
