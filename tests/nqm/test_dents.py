"""Quadratics with dents: gradients match the loss, and constants equal the observed ones."""

from fractions import Fraction

import numpy as np
import pytest

from nqm.dents import DentedQuadratic
from nqm.drift import TiltedQuadratic
from nqm.known import Ball
from nqm.noise import Rademacher

RNG = np.random.default_rng(5)
SHAPE = (2, 3)
PLAIN = TiltedQuadratic(
    np.array([2.0, 0.5]) + np.zeros((*SHAPE, 2)),
    np.array([0.5, -1.0]),
    RNG.normal(size=(*SHAPE, 2)),
    Rademacher(0.5),
)
WORLD = DentedQuadratic(
    PLAIN, RNG.uniform(-1.5, 1.5, SHAPE), RNG.normal(size=SHAPE), RNG.uniform(0.2, 1, SHAPE)
)
POINTS = np.repeat(RNG.normal(size=(4000, 1, 2)) * 2, 3, axis=1)


@pytest.mark.parametrize("task", [0, 1])
def test_gradient_is_the_slope_of_the_loss(task):
    step = 1e-5 * np.eye(2)
    slopes = [(WORLD.loss(POINTS + e, task) - WORLD.loss(POINTS - e, task)) / 2e-5 for e in step]
    np.testing.assert_allclose(WORLD.grad(POINTS, task), np.stack(slopes, -1), atol=1e-4)
    np.testing.assert_allclose(WORLD.loss(np.broadcast_to(PLAIN.centre, (3, 2)), task), 0, atol=1e-15)


def test_a_dent_is_as_deep_as_its_flanks_reach():
    one = DentedQuadratic(PLAIN, 1.5, 0.25, 0.5)
    extra = lambda x: (one.grad(np.array([[x, 0.0]] * 3), 0) - PLAIN.grad(np.array([[x, 0.0]] * 3), 0))[0]  # noqa: E731
    assert [extra(x)[0] for x in (-0.25, 0.0, 0.25, 0.5, 0.75)] == pytest.approx([0, 0.375, 0.75, 0.375, 0])
    assert extra(0.25)[1] == 0


def test_constants_are_those_that_are_seen():
    lowest, highest = WORLD.curvature_range(None)
    at = WORLD.middle + 0.5 * WORLD.width
    for task in range(2):
        x = np.stack([at[task], np.zeros(3)], -1)
        up, down = ((WORLD.grad(y + np.array([1e-6, 0]), task) - WORLD.grad(y, task))[:, 0] / 1e-6 for y in
                    (x, x - np.stack([WORLD.width[task], np.zeros(3)], -1)))  # fmt: skip
        np.testing.assert_allclose(np.minimum(np.minimum(up, down), 0.5), lowest.value[task], rtol=1e-4)
        np.testing.assert_allclose(np.maximum(up, down), highest.value[task], rtol=1e-4)
    region = Ball(np.zeros(2), 2.0)
    inside = POINTS[np.asarray(region.contains(POINTS)).all(axis=1)]
    gradients = np.stack([WORLD.grad(inside, task) for task in range(2)])
    assert (np.linalg.norm(gradients, axis=-1).max(axis=1) <= WORLD.gradient_bound(region).value).all()
    spread = ((gradients - gradients.mean(axis=2)[:, :, None]) ** 2).sum(axis=-1)
    assert spread.max() <= WORLD.client_spread(region).value
    means = gradients.mean(axis=2)
    assert ((means[0] - means[1]) ** 2).sum(axis=-1).max() <= WORLD.task_spread(region).value
    assert sum(WORLD.loss(POINTS, task).mean(axis=-1) for task in range(2)).min() >= WORLD.infimum(None).value


def test_dents_add_the_square_of_two_of_the_deepest():
    """2 |u|^2 + 2 |v|^2 with |v| at most twice the largest depth; without dents, twice the original value."""
    depth = (abs(WORLD.bent) * WORLD.width).max()
    plain = PLAIN.client_spread(None), PLAIN.task_spread(None)
    for before, found in zip(plain, (WORLD.client_spread(None), WORLD.task_spread(None)), strict=True):
        assert found.value == pytest.approx(2 * before.value + 2 * (2 * depth) ** 2)
        assert (found.known, found.where) == ("certified", before.where)


def test_fractions_stay_exact():
    thirds = np.array([Fraction(1, 3), Fraction(2, 3)], dtype=object)
    plain = TiltedQuadratic(
        thirds + np.zeros((1, 1, 2), dtype=object), 0 * thirds, 0 * thirds + np.zeros((1, 1, 2), dtype=object)
    )
    world = DentedQuadratic(plain, Fraction(1, 7), Fraction(0), Fraction(1))
    assert world.grad(thirds[None], 0)[0, 0] == Fraction(1, 9) + Fraction(1, 7) * Fraction(2, 3)


def test_bad_dents_are_refused():
    with pytest.raises(ValueError, match="`width`"):
        DentedQuadratic(PLAIN, 1.0, 0.0, -1.0)
    with pytest.raises(ValueError, match="`bent`"):
        DentedQuadratic(PLAIN, np.ones(5), 0.0, 1.0)
