"""Valleys and ridges: gradients against differences of losses, and constants that are attained but never exceeded."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nqm import fields as f
from nqm.arguments import map_parameters
from nqm.constants import constants, infimum
from nqm.federation import task_grad, total_loss
from nqm.known import Unbounded
from nqm.ridges import Ridges


def ridges(rng, n_tasks, n_clients, n_ridges, dim, batch=()):
    shape = (*batch, n_tasks, n_clients, n_ridges)
    return Ridges(
        rng.normal(size=(*shape, dim)), rng.normal(size=shape), rng.normal(size=shape), rng.uniform(0.2, 2, shape)
    )  # fmt: skip


def crossing(bends, offsets=(0.0, 0.0), widths=(1.0, 1.0)):
    """A valley or ridge along each of two axes of the plane."""
    return Ridges(np.eye(2)[None, None], *(np.array([[part]]) for part in (bends, offsets, widths)))


@given(st.integers(0, 10**6), st.integers(1, 3), st.integers(1, 3))
def test_gradients_are_those_of_the_losses(seed, n_ridges, dim):
    rng, small = np.random.default_rng(seed), 1e-6
    world, x = ridges(rng, 2, 3, n_ridges, dim), rng.normal(size=(3, dim)) * 2
    for task in range(2):
        oracle = world.at(task)
        for step in small * np.eye(dim):
            slope = (oracle.loss(x + step) - oracle.loss(x - step)) / (2 * small)
            assert oracle.grad(x) @ step / small == pytest.approx(slope, rel=1e-5, abs=1e-5)


@given(st.integers(0, 10**6), st.integers(1, 3), st.integers(1, 3), st.integers(1, 3))
def test_no_point_exceeds_a_constant(seed, n_clients, n_ridges, dim):
    rng = np.random.default_rng(seed)
    world = ridges(rng, 3, n_clients, n_ridges, dim)
    found, points = constants(world), rng.normal(size=(200, 1, dim)) * 3
    each = np.stack([world.at(task).grad(points) for task in range(3)])  # (task, point, client, d)
    means = np.stack([task_grad(world, points[:, 0], task) for task in range(3)])
    assert np.linalg.norm(each, axis=-1).max() <= found["B"].value * (1 + 1e-12)
    assert ((each - means[:, :, None]) ** 2).sum(axis=-1).max() <= found["sigma_G2"].value * (1 + 1e-12)
    assert ((means[:, None] - means[None]) ** 2).sum(axis=-1).max() <= found["sigma_T2"].value * (1 + 1e-12)
    apart = points[:100] - points[100:]
    along = ((each[:, :100] - each[:, 100:]) * apart).sum(axis=-1) / (apart**2).sum(axis=-1)
    assert along.max() <= found["L"].value * (1 + 1e-9)
    assert along.min() >= found["mu"].value * (1 + 1e-9)


def test_a_valley_and_a_ridge_by_hand():
    world = crossing((2.0, -0.5), offsets=(1.0, -1.0), widths=(3.0, 0.25))
    found, oracle = constants(world), world.at(0)
    assert {name: found[name].value for name in ("L", "mu")} == {"L": 2, "mu": -0.5}
    assert found["B"].value == pytest.approx(np.hypot(6, 0.125))
    np.testing.assert_array_equal(oracle.grad(np.array([[1.5, -1.125]])), [[1, 0.0625]])
    np.testing.assert_array_equal(oracle.grad(np.array([[9.0, 9.0]])), [[6, -0.125]])
    assert oracle.loss(np.array([[5.0, -1.0]]))[0] == 2 * (4.5 + 3)


def test_what_is_called_exact_is_attained():
    one = replace(
        crossing((1.0, 1.0)), direction=np.array([[[[3.0, 4.0]]]]), bend=-2.0, offset=0.0, width=0.5
    )
    found, far = constants(one), np.array([[6.0, 8.0]])
    assert {name: (found[name].value, found[name].known) for name in ("L", "mu", "B")} == {
        "L": (0, "exact"), "mu": (-50, "exact"), "B": (5, "exact"),
    }  # fmt: skip
    assert np.linalg.norm(one.at(0).grad(far)) == 5
    assert constants(crossing((1.0, -1.0)))["L"].known == "certified"


def test_a_bound_from_below_is_known_without_ridges():
    assert infimum(crossing((1.0, 0.0))).value == 0
    assert infimum(crossing((1.0, -1.0))).value == -np.inf
    with pytest.raises(Unbounded, match="ridge"):
        infimum(map_parameters(crossing((1.0, -1.0)), f.to_exact))
    rng = np.random.default_rng(2)
    world = ridges(rng, 2, 2, 3, 2)
    valleys = replace(world, bend=abs(world.bend))
    assert total_loss(valleys, rng.normal(size=(100, 2))).min() >= infimum(valleys).value == 0


@given(st.integers(0, 10**6))
def test_a_batch_of_worlds_is_its_worlds(seed):
    rng = np.random.default_rng(seed)
    world = ridges(rng, 2, 3, 2, 2, batch=(4,))
    x, clients = rng.normal(size=(4, 5, 2, 2)), np.array([[0, 2]] * 5)
    together = world.at(1, clients).grad(x)
    for index in range(4):
        alone = map_parameters(world, lambda part, i=index: part[i] if part.ndim else part)
        np.testing.assert_allclose(alone.at(1, clients).grad(x[index]), together[index], rtol=1e-12)


def test_fractions_stay_exact():
    world = map_parameters(crossing((1.0, -0.5), (0.25, 0.0), (1.0, 0.5)), f.to_exact)
    slope = world.at(0).grad(f.to_exact(np.array([["1/3", "1/3"]])))
    assert [str(part) for part in slope[0]] == ["1/12", "-1/6"]
    assert constants(world)["L"].value == 1


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"direction": np.ones((1, 2, 2))}, "direction"),
        ({"bend": np.ones((1, 1, 3))}, "bend"),
        ({"width": 0.0}, "width"),
        ({"offset": np.inf}, "offset"),
    ],
)
def test_wrong_parameters_are_named(changed, named):
    with pytest.raises(ValueError, match=f"`{named}`"):
        replace(crossing((1.0, 1.0)), **changed)
