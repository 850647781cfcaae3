"""Optimal weights of past rounds: exact against Eq. (7), extreme parameters, positivity, limits, errors."""

from __future__ import annotations

from fractions import Fraction
from math import inf

import numpy as np
import pytest
import sympy as sp
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from scipy.optimize import nnls
from scipy.signal import lfilter

from bounds.cfl.uncorrelated import uncorrelated_value, uncorrelated_weights
from bounds.cfl.weights import (
    closed_form,
    multiplier,
    negative_from,
    nonnegative_weights,
    objective,
    optimal_weights,
    signs,
    value,
)

ALPHA, D2, R2, X = sp.symbols("alpha D2 R2 x", positive=True)

quick = settings(deadline=None, max_examples=60)
rounds = st.integers(1, 40)
decays = st.floats(0, 0.99)
any_decay = st.floats(0, 1, exclude_max=True)
squares = st.floats(1e-3, 1e3)
moderate = st.floats(0.05, 20)  # dense elimination loses more than 1e-10 where R2 / D2 is large
rationals = st.fractions(0, 8, max_denominator=50)


def correlation(t, alpha):
    steps = np.arange(t)
    return alpha ** np.abs(steps[:, None] - steps)


def quadratic(t, alpha, variance, loss):
    """The matrix Q of Theorem 4.9."""
    past = (np.arange(t) < t - 1).astype(int)
    return variance * correlation(t, alpha) + loss * np.outer(past, past)


def system(matrix):
    """Matrix of Eq. (7)."""
    ones = np.ones((len(matrix), 1), dtype=matrix.dtype)
    return np.block([[matrix, ones], [ones.T, 0 * ones[:1]]])


def symbolic_solution(t):
    """Weights and multiplier of Eq. (7), by elimination over the field of rational functions."""
    entries = lambda i, j: D2 * ALPHA ** abs(i - j) + (R2 if max(i, j) < t - 1 else 0)  # noqa: E731
    matrix = sp.ones(t + 1, t + 1)
    matrix[:t, :t], matrix[t, t] = sp.Matrix(t, t, entries), 0
    right = sp.zeros(t + 1, 1)
    right[t] = 1
    field = sp.QQ.frac_field(ALPHA, D2, R2)
    dense = sp.polys.matrices.DomainMatrix.from_Matrix
    return list(dense(matrix).convert_to(field).lu_solve(dense(right).convert_to(field)).to_Matrix())


def is_positive(expression):
    """Certificate for 0 < alpha < 1: a fraction in x = alpha / (1 - alpha) with positive coefficients."""
    parts = sp.fraction(sp.cancel(expression.subs(ALPHA, X / (1 + X))))
    return all(coefficient > 0 for part in parts for coefficient in sp.Poly(part, X, D2, R2).coeffs())


class TestTheorem49:
    @pytest.mark.parametrize("t", range(1, 7))
    def test_closed_form_solves_the_system_symbolically(self, t):
        expected = symbolic_solution(t)[:t]
        found = closed_form(t, t - 1, ALPHA, D2, R2)
        assert [sp.cancel(a - b) for a, b in zip(found, expected, strict=True)] == [0] * t

    @quick
    @given(t=rounds, alpha=decays, variance=moderate, loss=moderate)
    def test_weights_and_multiplier_solve_the_system_numerically(self, t, alpha, variance, loss):
        right = np.append(np.zeros(t), 1.0)
        expected = np.linalg.solve(system(quadratic(t, alpha, variance, loss)), right)
        assert optimal_weights(t, alpha, variance, loss) == pytest.approx(expected[:-1], abs=1e-10)
        assert multiplier(t, alpha, variance, loss) == pytest.approx(expected[-1], rel=1e-9)

    @quick
    @given(t=st.integers(1, 9), alpha=any_decay, variance=st.floats(0, 1e300), loss=st.floats(0, 1e300))
    @example(t=4, alpha=1 - 2**-53, variance=1.0, loss=1e-16)  # drift and loss terms of the same size
    @example(t=5, alpha=1 - 1e-9, variance=1e-200, loss=1e200)
    @example(t=2, alpha=0.9, variance=1e-12, loss=1.0)  # p_1 is the difference of two large terms
    @example(t=4, alpha=0.5, variance=0.0, loss=1.0)
    @example(t=4, alpha=0.5, variance=1.0, loss=0.0)
    def test_floats_agree_with_exact_arithmetic_for_extreme_parameters(self, t, alpha, variance, loss):
        assume(t == 1 or variance + loss > 0)
        exact = closed_form(t, t - 1, *map(Fraction, (alpha, variance, loss))).astype(float)
        found = optimal_weights(t, alpha, variance, loss)
        tolerance = np.maximum(1e-14 * np.abs(exact), 1e-300)
        tolerance[t - 2] += 4e-16  # the only weight that contains a difference
        assert (np.abs(found - exact) <= tolerance).all()

    @quick
    @given(t=rounds, alpha=decays, variance=squares, loss=squares, seed=st.integers(0, 2**32 - 1))
    def test_no_other_weights_do_better(self, t, alpha, variance, loss, seed):
        best = optimal_weights(t, alpha, variance, loss)
        steps = np.random.default_rng(seed).normal(size=(20, t))
        steps -= steps.mean(axis=-1, keepdims=True)
        others = objective(best + steps, alpha, variance, loss)
        assert (others >= value(t, alpha, variance, loss) * (1 - 1e-12)).all()

    def test_a_million_rounds_are_stationary(self):
        t, alpha, variance, loss = 1_000_000, 0.999, 1.0, 1e-3
        weights = optimal_weights(t, alpha, variance, loss)
        earlier = lambda p: lfilter([1.0], [1.0, -alpha], p)  # noqa: E731
        slopes = variance * (earlier(weights) + earlier(weights[::-1])[::-1] - weights)
        slopes[:-1] += loss * weights[:-1].sum()
        assert weights.sum() == pytest.approx(1, abs=1e-12)
        assert np.ptp(slopes) <= 1e-9 * value(t, alpha, variance, loss)

    def test_arrays_of_parameters(self):
        alpha, variance = np.array([[0.1], [0.9]]), np.array([0.5, 1.0, 2.0])
        together = optimal_weights(5, alpha, variance, 0.7)
        assert together.shape == (2, 3, 5)
        assert (together[1, 2] == optimal_weights(5, 0.9, 2.0, 0.7)).all()
        kept = nonnegative_weights(5, alpha, variance, 0.7)
        assert (kept[1, 2] == nonnegative_weights(5, 0.9, 2.0, 0.7)).all()
        assert value(5, alpha, variance, 0.7).shape == (2, 3)


class TestLimits:
    @quick
    @given(t=rounds, variance=squares, loss=st.floats(0, 1e3))
    def test_no_correlation_gives_lemma_b4(self, t, variance, loss):
        expected = uncorrelated_weights(t, variance, loss)
        assert optimal_weights(t, 0.0, variance, loss) == pytest.approx(expected, rel=1e-14)
        assert value(t, 0.0, variance, loss, 0.3) == pytest.approx(uncorrelated_value(t, variance, loss, 0.3))
        assert objective(expected, 0.0, variance, loss, 0.3) == pytest.approx(
            uncorrelated_value(t, variance, loss, 0.3)
        )

    @quick
    @given(alpha=any_decay, variance=st.floats(0, 1e3), loss=st.floats(0, 1e3))
    def test_first_round_has_weight_one(self, alpha, variance, loss):
        assert optimal_weights(1, alpha, variance, loss).tolist() == [1.0]
        assert nonnegative_weights(1, alpha, variance, loss).tolist() == [1.0]
        assert value(1, alpha, variance, loss) == pytest.approx(variance, abs=1e-300)

    def test_without_drift_the_limit_is_taken(self):
        assert optimal_weights(4, 0.5, 0.0, 1.0) == pytest.approx(optimal_weights(4, 0.5, 1e-14, 1.0))
        assert objective(optimal_weights(4, 0.5, 0.0, 1.0), 0.5, 0.0, 1.0) == pytest.approx(0, abs=1e-30)
        assert optimal_weights(4, 0.0, 0.0, 1.0).tolist() == [0, 0, 0, 1]

    def test_without_loss_only_the_ends_differ(self):
        assert optimal_weights(4, 0.5, 3.0, 0.0) == pytest.approx([1 / 3, 1 / 6, 1 / 6, 1 / 3])

    def test_a_case_with_round_numbers(self):
        assert optimal_weights(4, 0.5, 1.0, 0.5).tolist() == pytest.approx([2 / 7, 1 / 7, 0, 4 / 7])


class TestValue:
    @quick
    @given(t=rounds, alpha=decays, variance=squares, loss=st.floats(0, 1e3), client=st.floats(0, 10))
    def test_is_the_objective_at_the_weights(self, t, alpha, variance, loss, client):
        weights = optimal_weights(t, alpha, variance, loss)
        reached = objective(weights, alpha, variance, loss, client)
        assert value(t, alpha, variance, loss, client) == pytest.approx(reached, rel=1e-11)


class TestSigns:
    @pytest.mark.parametrize("t", range(2, 7))
    def test_only_round_t_minus_1_can_be_negative_symbolically(self, t):
        weights = closed_form(t, t - 1, ALPHA, D2, R2)
        certain = [w for index, w in enumerate(weights) if index != t - 2 or t == 2]
        assert all(is_positive(w) for w in certain)
        if t > 2:
            threshold = (1 - ALPHA) ** 2 * (1 + ALPHA) / (ALPHA * (1 + (t - 3) * (1 - ALPHA)))
            assert is_positive(sp.cancel(weights[t - 2] / (threshold * D2 - R2)))
            assert negative_from(t, 0.3) == pytest.approx(float(threshold.subs(ALPHA, sp.Rational(3, 10))))

    @quick
    @given(t=st.integers(3, 40), alpha=st.floats(0.01, 0.99), variance=squares, factor=squares)
    def test_turns_negative_at_the_ratio(self, t, alpha, variance, factor):
        assume(abs(factor - 1) > 1e-6)
        found = signs(t, alpha, variance, factor * variance * negative_from(t, alpha))
        assert found[-2] == (-1 if factor > 1 else 1)
        assert (np.delete(found, -2) == 1).all()

    def test_never_negative(self):
        assert negative_from(2, 0.9) == negative_from(5, 0.0) == negative_from(5, 5e-324) == inf
        assert (negative_from(4, np.array([0.0, 0.5])) == [inf, 0.5]).all()

    @quick
    @given(t=st.integers(3, 40), alpha=st.floats(1e-3, 0.99), more=st.floats(1e-3, 1))
    def test_ratio_decreases_in_correlation_and_round(self, t, alpha, more):
        stronger = alpha + more * (0.999 - alpha)
        assert negative_from(t, stronger) < negative_from(t, alpha)
        assert negative_from(t + 1, alpha) < negative_from(t, alpha)


class TestNonnegative:
    @quick
    @given(t=st.integers(2, 7), alpha=st.fractions(0, "19/20", max_denominator=50), loss=rationals)
    @example(t=7, alpha=Fraction(9, 10), loss=Fraction(1, 5))  # some rounds kept, some skipped
    def test_conditions_of_optimality_hold_exactly(self, t, alpha, loss):
        variance = Fraction(1)
        faces = [closed_form(t, kept, alpha, variance, loss) for kept in range(1, t)]
        kept = max(m for m in range(1, t) if faces[m - 1][m - 1] >= 0)
        weights = faces[kept - 1]
        steps = range(t)
        correlated = np.array([[alpha ** abs(i - j) for j in steps] for i in steps], dtype=object)
        past = np.array([1] * (t - 1) + [0], dtype=object)
        gradient = correlated @ weights + loss * past * past.dot(weights)
        common = gradient[-1]
        assert sum(weights) == 1
        assert min(weights) >= 0
        assert min(gradient) >= common
        assert all(w == 0 or slope == common for w, slope in zip(weights, gradient, strict=True))
        found = nonnegative_weights(t, float(alpha), 1.0, float(loss))
        assert found == pytest.approx(weights.astype(float), abs=1e-14)

    @pytest.mark.parametrize("t", range(3, 6))
    def test_a_skipped_round_has_a_larger_gradient_where_its_weight_would_be_negative(self, t):
        for kept in range(1, t - 1):
            weights = closed_form(t, kept, ALPHA, D2, R2)
            past = sum(weights[:-1])
            slope = lambda s, w=weights: D2 * sum(ALPHA ** abs(s - j) * w[j] for j in range(t))  # noqa: E731
            excess = slope(kept) + R2 * past - slope(t - 1)
            would_be = closed_form(t, kept + 1, ALPHA, D2, R2)[kept]
            assert is_positive(sp.cancel(-excess / would_be))

    @quick
    @given(t=st.integers(2, 30), alpha=st.floats(0, 0.97), loss=st.floats(0, 50))
    def test_agrees_with_nonnegative_least_squares(self, t, alpha, loss):
        factor = np.linalg.cholesky(quadratic(t, alpha, 1.0, loss)).T
        # |factor p|^2 + (sum p - 1)^2 is smallest, up to scale, where p'Qp is on the simplex
        oracle = nnls(np.vstack([factor, np.ones(t)]), np.append(np.zeros(t), 1.0))[0]
        assert nonnegative_weights(t, alpha, 1.0, loss) == pytest.approx(oracle / oracle.sum(), abs=1e-8)

    @quick
    @given(t=st.integers(1, 60), alpha=any_decay, variance=st.floats(0, 1e300), loss=st.floats(0, 1e300))
    @example(t=60, alpha=1 - 1e-12, variance=1.0, loss=1e-12)
    def test_feasible_and_equal_to_theorem_49_where_that_is_nonnegative(self, t, alpha, variance, loss):
        assume(t == 1 or variance + loss > 0)
        weights = nonnegative_weights(t, alpha, variance, loss)
        free = optimal_weights(t, alpha, variance, loss)
        assert (weights >= 0).all()
        assert weights.sum() == pytest.approx(1, abs=1e-13)
        if (free >= 0).all():
            assert (weights == free).all()

    def test_without_drift_only_the_current_round_counts(self):
        assert nonnegative_weights(5, 0.5, 0.0, 1.0).tolist() == [0, 0, 0, 0, 1]

    def test_a_million_rounds(self):
        weights = nonnegative_weights(1_000_000, 0.999_999, 1.0, 1.0)
        assert weights.min() >= 0
        assert weights.sum() == pytest.approx(1, abs=1e-12)
        assert 1 < np.count_nonzero(weights[:-1]) < 999_999  # some rounds kept, some skipped


class TestObjective:
    @quick
    @given(t=rounds, alpha=any_decay, variance=squares, loss=squares, seed=st.integers(0, 2**32 - 1))
    def test_agrees_with_the_double_sum(self, t, alpha, variance, loss, seed):
        weights = np.random.default_rng(seed).normal(size=(3, t))
        weights[:, -1] += 1 - weights.sum(axis=-1)
        double_sum = np.einsum("na,nb,ab->n", weights, weights, correlation(t, alpha))
        expected = (1 - weights[:, -1]) ** 2 * loss + 0.2 + variance * double_sum
        assert objective(weights, alpha, variance, loss, 0.2) == pytest.approx(expected, rel=1e-9, abs=1e-9)

    def test_one_correlation_per_row(self):
        weights = np.array([0.2, 0.3, 0.5])
        both = objective(weights, np.array([0.1, 0.6]), 1.0, 2.0)
        assert both.tolist() == [objective(weights, a, 1.0, 2.0) for a in (0.1, 0.6)]

    def test_leaves_its_argument_alone(self):
        weights = np.array([0.2, 0.3, 0.5])
        objective(weights, 0.5, 1.0, 1.0)
        assert weights.tolist() == [0.2, 0.3, 0.5]

    @pytest.mark.parametrize(
        ("weights", "message"),
        [([0.5, 0.4], "must sum to one"), ([], "must hold a weight"), ([np.nan, 1.0], "must be finite")],
    )
    def test_refuses_other_weights(self, weights, message):
        with pytest.raises(ValueError, match=f"`p` {message}"):
            objective(weights, 0.5, 1.0, 1.0)


@pytest.mark.parametrize("solve", [optimal_weights, nonnegative_weights, value, multiplier])
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 0.5, 1.0, 1.0), "`t` must be a whole number >= 1 .*, got 0"),
        ((2.5, 0.5, 1.0, 1.0), "`t` must be a whole number"),
        ((3, 1.0, 1.0, 1.0), r"`alpha` must be in \[0, 1\), got 1.0"),
        ((3, -0.1, 1.0, 1.0), r"`alpha` must be in \[0, 1\)"),
        ((3, np.nan, 1.0, 1.0), r"`alpha` must be in \[0, 1\), got nan"),
        ((3, 0.5, -1.0, 1.0), "`D2` must be finite and >= 0, got -1.0"),
        ((3, 0.5, 1.0, inf), "`R2` must be finite and >= 0, got inf"),
        ((3, 0.5, 0.0, 0.0), "`D2` and `R2` must not both be 0"),
    ],
)
def test_errors_name_argument_rule_and_value(solve, arguments, message):
    with pytest.raises(ValueError, match=message):
        solve(*arguments)
