"""Losses that can be mixed: gradients compared with differences, and constants that are attained but not exceeded."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from nqm.fields import to_exact, to_interval
from nqm.mixtures import (
    Bowls,
    Quadratics,
    around,
    bowls,
    largest_ratio,
    length,
    ratio_bound,
    symmetric_matrices,
)

numbers = st.floats(-3, 3).map(lambda x: round(x, 3))
seeds = st.integers(0, 10**6)
FAR = 10.0 ** np.arange(-6, 7)


def some(seed: int, n: int = 4, sign: float = 0.0) -> Bowls:
    """Bowls (n,), with definite Hessians of one or either sign, without linear part, nowhere flat."""
    rng = np.random.default_rng(seed)
    h, axis = rng.uniform(0.1, 2, (2, n)), rng.uniform(-1, 1, n)
    if not sign:
        h = h * rng.choice((-1, 1), (2, n))
        return bowls(h[0], h[1], axis, rng.normal(size=(n, 2)), rng.uniform(-2, 2, n))
    return bowls(
        sign * h[0], sign * h[1], axis, np.zeros((n, 2)), sign * rng.uniform(-0.9, 0.9, n) * h.min(axis=0)
    )


def points(seed: int) -> np.ndarray:
    """Models in all directions, near the origin and far away, (many, 1, 2)."""
    rng = np.random.default_rng(seed)
    return (rng.normal(size=(40, 1, 2)) * FAR[:, None, None, None]).reshape(-1, 1, 2)


@given(seeds)
def test_gradients_are_those_of_the_losses(seed: int) -> None:
    losses, x = some(seed), np.random.default_rng(seed).normal(size=(4, 2))
    small = 1e-5 * np.eye(2)
    for axis in (0, 1):
        slope = (losses.loss(x + small[axis]) - losses.loss(x - small[axis])) / 2e-5
        np.testing.assert_allclose(slope, losses.grad(x)[:, axis], rtol=1e-6, atol=1e-7)


@given(seeds)
def test_a_mean_is_the_mean_of_the_losses(seed: int) -> None:
    losses, x = some(seed), np.random.default_rng(seed).normal(size=2)
    share = np.random.default_rng(seed).uniform(size=4)
    np.testing.assert_allclose(losses.mean(0).loss(x), losses.loss(x).mean())
    np.testing.assert_allclose(losses.weighted(share, -2).grad(x), (share[:, None] * losses.grad(x)).sum(0))
    np.testing.assert_allclose(losses.less(losses.mean(0)).loss(x), losses.loss(x) - losses.loss(x).mean())
    assert losses.joined(losses).h.shape == (8, 2)


@given(seeds)
def test_no_gradient_turns_faster_than_the_smoothness_constant(seed: int) -> None:
    losses, x, y = some(seed), points(seed), points(seed + 1)
    turn = np.linalg.norm(losses.grad(x) - losses.grad(y), axis=-1)
    assert (turn <= losses.steepest() * np.linalg.norm(x - y, axis=-1) * (1 + 1e-9)).all()


@given(seeds)
def test_the_smoothness_constant_is_attained(seed: int) -> None:
    """Near the origin or far away, along an axis of the Hessian."""
    losses = some(seed)
    found = np.zeros(4)
    for n in range(4):
        hessian = np.array([[losses.h[n, 0], losses.cross[n, 0]], [losses.cross[n, 0], losses.h[n, 1]]]) + 0.0
        ways = np.linalg.eigh(hessian)[1].T
        for far, near in ((1e-4, -1e-4), (1e8, 1e7)):
            across = ways[::-1] if far > 1 else ways
            for way, aside in zip(ways, across, strict=True):
                pair = (far * way, near * way) if far < 1 else (far * aside + way, far * aside - way)
                turn = np.linalg.norm(losses.grad(pair[0])[n] - losses.grad(pair[1])[n])
                found[n] = max(found[n], turn / np.linalg.norm(pair[0] - pair[1]))
    np.testing.assert_allclose(found, losses.steepest(), rtol=1e-5)


@given(seeds, st.sampled_from((-1.0, 1.0)))
def test_ratios_of_losses_with_common_axes_are_least(seed: int, sign: float) -> None:
    """The gradient of one is at most the ratio times the other, with equality somewhere."""
    bottom, rng = some(seed, sign=sign), np.random.default_rng(seed)
    axis = np.arctan2(2 * bottom.cross[:, 0], bottom.h[:, 0] - bottom.h[:, 1]) / 2
    first, second = rng.uniform(-2, 2, (2, 4))
    top = bowls(first, second, np.tan(axis), np.zeros((4, 2)), rng.uniform(-2, 2, 4))
    ratio = largest_ratio(top, bottom)
    ways = np.stack(
        [np.stack([np.cos(axis + k * np.pi / 2), np.sin(axis + k * np.pi / 2)], -1) for k in (0, 1)]
    )
    along = (ways * FAR[:, None, None, None]).reshape(-1, 4, 2)
    for x in (points(seed), along):
        lengths = [np.linalg.norm(losses.grad(x), axis=-1) for losses in (top, bottom)]
        assert (lengths[0] <= ratio * lengths[1] * (1 + 1e-6)).all()
    np.testing.assert_allclose((lengths[0] / lengths[1]).max(axis=0), ratio, rtol=1e-4)


@given(seeds, st.sampled_from((-1.0, 1.0)))
def test_a_bound_on_ratios_holds_everywhere(seed: int, sign: float) -> None:
    top, bottom, x = some(seed + 1), some(seed, sign=sign), points(seed)
    top = Bowls(top.h, 0 * top.v, top.w, top.cross, top.bowl)
    lengths = [np.linalg.norm(losses.grad(x), axis=-1) for losses in (top, bottom)]
    assert (lengths[0] <= ratio_bound(top, bottom) * lengths[1] * (1 + 1e-9)).all()


@given(arrays(float, (2, 2), elements=numbers))
def test_length_is_the_largest_singular_value(matrix: np.ndarray) -> None:
    assert length(*matrix.reshape(4)) == pytest.approx(np.linalg.norm(matrix, 2), abs=1e-9)


def test_turned_matrices_stay_rational_and_have_their_eigenvalues() -> None:
    first, cross, last = symmetric_matrices(*(to_exact(np.array(x)) for x in (2.0, -1.0, 0.5)))
    assert (first, cross, last) == (Fraction(7, 5), Fraction(6, 5), Fraction(-2, 5))
    assert first * last - cross**2 == -2


def test_intervals_hold_what_floats_find() -> None:
    numbers = np.array([[1.0, 0.5], [0.25, 0.5], [0.5, 0.0], [0.5, -0.25]])
    found = []
    for kind in (np.asarray, lambda x: to_interval(to_exact(x))):
        along, across, axis, bowl = kind(numbers)
        found.append(bowls(along, across, axis, kind(np.zeros((2, 2))), bowl))
    plain, losses = found
    for of_intervals, of_floats in zip(losses.steepest(), plain.steepest(), strict=True):
        assert float(of_intervals.a) - 1e-12 <= of_floats <= float(of_intervals.b) + 1e-12


def test_quadratics_are_least_at_their_centre() -> None:
    h, centre = to_exact(np.array([[2.0, 3.0]])), to_exact(np.array([[1.0, -1.0]]))
    losses = around(h, centre)
    assert isinstance(losses, Quadratics)
    assert losses.least()[0] == losses.loss(centre)[0] == 0
    assert losses.steepest()[0] == 3


def test_quadratics_are_what_they_say() -> None:
    h, v, w = to_exact(np.array([[2.0, 3.0], [1.0, 4.0]])), to_exact(np.array([[1.0, -1.0], [0.0, 2.0]])), 5
    losses, x = Quadratics(h, v, to_exact(np.full((2, 2), w / 2))), to_exact(np.array([0.5, 2.0]))
    assert losses.loss(x).tolist() == [
        Fraction(1, 4) + 6 - Fraction(1, 2) + 2 + w,
        Fraction(1, 8) + 8 - 4 + w,
    ]
    assert losses.grad(x).tolist() == [[0, 7], [Fraction(1, 2), 6]]
    assert losses.least().tolist() == [w - Fraction(1, 4) - Fraction(1, 6), w - Fraction(1, 2)]


def test_convex_bowls_are_least_at_the_origin() -> None:
    losses = some(3, sign=1.0)
    raised = Bowls(losses.h, losses.v, losses.w + np.array([0.25, 1.0]), losses.cross, losses.bowl)
    np.testing.assert_allclose(raised.least(), raised.loss(np.zeros(2)))
    assert (raised.least() <= raised.loss(points(3))).all()


def test_picked_losses_are_sums_of_those_that_are_marked() -> None:
    """Axes in the order of the indices: a batch of 5, 6 paths, N = 3 clients with m = 2 choices each among S = 4
    samples.
    """
    rng = np.random.default_rng(4)
    losses = Quadratics(*rng.uniform(1, 2, (3, 5, 3, 4, 2))).on_one_path()
    assert losses.h.shape == (5, 1, 3, 4, 2)
    chosen, x = rng.integers(0, 2, (6, 3, 2, 4)), rng.normal(size=2)
    each = losses.loss(x)[:, 0]
    expected = np.einsum("bns,pnms->bpnm", each, chosen)
    np.testing.assert_allclose(losses.picked(chosen).loss(x), expected)
