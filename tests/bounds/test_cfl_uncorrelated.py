"""Weights for uncorrelated, overlapping and arbitrarily correlated drifts: stationary, and equal to the closed form."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bounds.cfl.uncorrelated import optimal_weights_for, overlap_value, overlap_weights, uncorrelated_weights
from bounds.cfl.weights import optimal_weights

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


class TestGeneralCorrelation:
    @quick
    @given(t=st.integers(1, 40), alpha=st.floats(0, 0.99), variance=squares, loss=squares)
    def test_agrees_with_theorem_49(self, t, alpha, variance, loss):
        apart = np.abs(np.arange(t)[:, None] - np.arange(t))
        found = optimal_weights_for(variance * alpha**apart, loss)
        assert found == pytest.approx(optimal_weights(t, alpha, variance, loss), abs=1e-10)

    @quick
    @given(t=st.integers(2, 12), seed=st.integers(0, 2**32 - 1), loss=st.sampled_from([0.0, 1.0, 1e14]))
    def test_is_stationary_for_any_correlation(self, t, seed, loss):
        factor = np.random.default_rng(seed).normal(size=(t, 2 * t))
        drift = factor @ factor.T
        weights = optimal_weights_for(drift, loss)
        gradient = drift @ weights
        gradient[:-1] += loss * (1 - weights[-1]) if loss < 1e3 else gradient[-1] - gradient[:-1].mean()
        assert weights.sum() == pytest.approx(1)
        assert gradient == pytest.approx(gradient[-1], rel=1e-6)

    def test_full_correlation_has_one_minimiser_only_for_two_rounds(self):
        assert optimal_weights_for(np.ones((2, 2)), 1.0) == pytest.approx([0, 1])
        with pytest.raises(ValueError, match="must leave one minimiser"):
            optimal_weights_for(np.ones((3, 3)), 1.0)

    @quick
    @given(t=st.integers(5, 12), rank=st.integers(1, 2), seed=st.integers(0, 2**32 - 1))
    def test_drift_of_low_rank_leaves_many_minimisers(self, t, rank, seed):
        factor = np.random.default_rng(seed).normal(size=(t, rank))
        with pytest.raises(ValueError, match="must leave one minimiser"):
            optimal_weights_for(factor @ factor.T, 1.0)

    @pytest.mark.parametrize(
        ("matrix", "message"),
        [
            ([[1.0, 0.5], [0.4, 1.0]], "must be symmetric"),
            ([[1.0, 2.0], [2.0, 1.0]], "must be positive semidefinite"),
            ([[1.0, 0.5]], "must be a square matrix"),
            ([[1.0, np.nan], [np.nan, 1.0]], "must be finite"),
        ],
    )
    def test_refuses_what_is_no_correlation(self, matrix, message):
        with pytest.raises(ValueError, match=f"`correlation` {message}"):
            optimal_weights_for(matrix, 1.0)


def test_overlap_as_large_as_the_drift_needs_a_loss():
    with pytest.raises(ValueError, match="must not both be 0"):
        overlap_weights(3, 1.0, 0.0, 1.0)
