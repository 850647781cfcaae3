"""Losses with piecewise constant curvature: against differentiation, the Huber loss, exact numbers and grids."""

import numpy as np
import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st

from nqm.constants import constants
from nqm.federation import task_grad, task_loss
from nqm.fields import to_exact
from nqm.known import Unbounded
from nqm.piecewise import PiecewiseQuadratic, least_mean_loss


def drawn(seed: int, *, flat: bool = False, convex: bool = True) -> PiecewiseQuadratic:
    rng = np.random.default_rng(seed)
    curvature = rng.uniform(0 if convex else -1, 2, (1, 2, 2, 4))
    if flat:
        curvature[..., [0, -1]] = 0
    tilt = rng.normal(size=(1, 2, 2))
    tilt[:, 1] = -tilt[:, 0]
    return PiecewiseQuadratic(tilt, curvature, np.sort(rng.normal(size=(1, 2, 2, 3)), axis=-1))


@given(st.integers(0, 10**6))
def test_the_gradient_is_the_derivative_of_the_loss(seed):
    world = drawn(seed, convex=False)
    tensors = PiecewiseQuadratic(*(torch.as_tensor(p) for p in (world.tilt, world.curvature, world.knots)))
    x = torch.randn(2, 2, dtype=torch.float64, generator=torch.Generator().manual_seed(seed)).requires_grad_()
    (slope,) = torch.autograd.grad(tensors.loss(x, 0).sum(), x)
    torch.testing.assert_close(slope, tensors.grad(x, 0))


def test_three_pieces_are_the_huber_loss():
    huber = PiecewiseQuadratic([[[0.0]]], [[[[0.0, 2.0, 0.0]]]], [[[[-1.0, 1.0]]]])
    x = np.array([[-3.0], [-0.5], [0.0], [2.0]])[:, None]
    np.testing.assert_allclose(huber.loss(x, 0)[:, 0], [5, 0.25, 0, 3])
    np.testing.assert_allclose(huber.grad(x, 0)[:, 0, 0], [-2, -1, 0, 2])
    assert constants(huber)["B"].value == 2
    assert constants(huber)["L"].value == 2
    assert constants(huber)["mu"].value == 0


def together(worlds: list[PiecewiseQuadratic]) -> PiecewiseQuadratic:
    parts = ("tilt", "curvature", "knots")
    return PiecewiseQuadratic(*(np.stack([getattr(world, part) for world in worlds]) for part in parts))


def test_a_batch_has_the_constants_of_each_of_its_worlds():
    worlds = [drawn(seed, flat=True) for seed in range(3)]
    found, each = constants(together(worlds)), [constants(world) for world in worlds]
    for name, constant in found.items():
        np.testing.assert_allclose(constant.value, np.stack([one[name].value for one in each]), err_msg=name)


def test_a_batch_has_the_curvatures_of_each_of_its_worlds():
    worlds = [drawn(seed, convex=False) for seed in range(3)]
    ends = (world.curvature_range(None) for world in (together(worlds), *worlds))
    for found, *each in zip(*ends, strict=True):
        np.testing.assert_array_equal(found.value, np.stack([end.value for end in each]))


@given(st.integers(0, 10**6))
def test_the_origin_minimises_where_tilts_cancel(seed):
    world = drawn(seed)
    points = np.random.default_rng(seed).normal(size=(50, 2))
    assert task_loss(world, points, 0).min() >= -1e-12 == world.infimum([0]).value - 1e-12
    np.testing.assert_allclose(task_grad(world, np.zeros((1, 2)), 0), 0, atol=1e-12)


@given(st.integers(0, 10**6))
@example(14990)  # a knot far from the others
def test_constants_bound_what_a_grid_sees_and_are_nearly_attained(seed):
    world = drawn(seed, flat=True)
    far = max(4, np.abs(world.knots).max())
    axis = np.linspace(-far, far, 161)
    grid = np.stack(np.meshgrid(axis, axis), -1).reshape(-1, 1, 2).repeat(2, 1)
    slopes = world.grad(grid, 0)
    seen = np.sqrt((slopes**2).sum(-1)).max()
    assert seen <= constants(world)["B"].value + 1e-9
    assert seen >= constants(world)["B"].value - 0.2
    spread = ((slopes - slopes.mean(1, keepdims=True)) ** 2).sum(-1).max()
    assert spread <= constants(world)["sigma_G2"].value + 1e-9


@given(st.integers(0, 10**6))
def test_how_far_tasks_are_apart_is_met_on_a_line(seed):
    rng = np.random.default_rng(seed)
    curvature = rng.uniform(0, 2, (3, 2, 1, 4))
    curvature[..., [0, -1]] = 0
    knots = np.sort(rng.normal(size=(3, 2, 1, 3)), axis=-1)
    world = PiecewiseQuadratic(rng.normal(size=(3, 2, 1)), curvature, knots)
    line = np.concatenate([np.linspace(-4, 4, 801), knots.ravel()])[:, None]
    slopes = np.stack([task_grad(world, line, task)[:, 0] for task in range(3)])
    assert constants(world)["sigma_T2"].value == pytest.approx(np.ptp(slopes, axis=0).max() ** 2)


def test_everything_is_rational_in_fractions():
    world = drawn(3)
    exact = PiecewiseQuadratic(
        *(to_exact(np.round(p, 2)) for p in (world.tilt, world.curvature, world.knots))
    )
    floats = PiecewiseQuadratic(*(np.round(p, 2) for p in (world.tilt, world.curvature, world.knots)))
    x = np.array([[0.25, -1.5], [2.0, 0.5]])
    np.testing.assert_allclose(exact.loss(to_exact(x), 0).astype(float), floats.loss(x, 0))
    assert exact.infimum(None).value == 0


def raised(seed: int) -> PiecewiseQuadratic:
    """Nonconvex losses in one dimension whose outer pieces curve upwards."""
    rng = np.random.default_rng(seed)
    curvature = rng.uniform(-2, 2, (1, 2, 1, 4))
    curvature[..., [0, -1]] = rng.uniform(0.5, 2, (1, 2, 1, 2))
    knots = np.sort(rng.normal(size=(1, 2, 1, 3)), axis=-1)
    return PiecewiseQuadratic(rng.normal(size=(1, 2, 1)), curvature, knots)


@given(st.integers(0, 10**6))
def test_the_least_mean_loss_is_that_of_a_grid(seed):
    world = raised(seed)
    line = np.linspace(-60, 60, 120_001)[:, None]
    on_grid = task_loss(world, line, 0).min()
    least = float(least_mean_loss(world))
    assert least <= on_grid + 1e-9
    assert least == pytest.approx(on_grid, abs=1e-5)
    exact = PiecewiseQuadratic(*(to_exact(p) for p in (world.tilt, world.curvature, world.knots)))
    assert float(least_mean_loss(exact)) == pytest.approx(least, abs=1e-9)


def test_what_has_no_bound_says_so():
    with pytest.raises(Unbounded, match="outer piece"):
        constants(drawn(0))["B"]
    with pytest.raises(Unbounded, match="tilts"):
        PiecewiseQuadratic([[[1.0]]], [[[[1.0]]]], np.zeros((1, 1, 1, 0))).infimum(None)
    with pytest.raises(ValueError, match="`knots` must not decrease"):
        PiecewiseQuadratic([[[0.0]]], [[[[0.0, 1.0, 0.0]]]], [[[[1.0, -1.0]]]])
