"""Bounded wells: gradients against differences of losses, and constants that are attained but never exceeded."""

import numpy as np
import pytest

from nqm import fields as f
from nqm.constants import constants
from nqm.federation import task_grad
from nqm.wells import Well

RNG = np.random.default_rng(3)


def well(n_tasks, n_clients, dim):
    shape = (n_tasks, n_clients)
    return Well(RNG.uniform(0.5, 2, shape), RNG.uniform(0.5, 2, shape), RNG.normal(size=(*shape, dim)))


def single(height, width, dim=1):
    return Well(height, width, np.zeros((1, 1, dim)))


@pytest.mark.parametrize("dim", [1, 3])
def test_gradients_are_those_of_the_losses(dim):
    world, x, small = well(2, 3, dim), RNG.normal(size=(3, dim)), 1e-6
    for task in range(2):
        oracle = world.at(task)
        for j in range(dim):
            ahead, behind = (oracle.loss(x + sign * small * np.eye(dim)[j]) for sign in (1, -1))
            assert oracle.grad(x)[:, j] == pytest.approx((ahead - behind) / (2 * small), rel=1e-6, abs=1e-8)


def test_constants_are_attained_where_they_say():
    world = single(1.5, 0.5)
    found, oracle = constants(world), world.at(0)
    steepest = np.array([[0.5 / np.sqrt(3)]])
    assert abs(oracle.grad(steepest)[0, 0]) == pytest.approx(found["B"].value)
    for place, name in ((0.0, "L"), (0.5, "mu")):
        near = np.array([[place + 1e-5]]), np.array([[place - 1e-5]])
        slope = (oracle.grad(near[0]) - oracle.grad(near[1]))[0, 0] / 2e-5
        assert slope == pytest.approx(found[name].value, rel=1e-6)
    assert found["mu"].value == -found["L"].value / 4


def test_no_point_exceeds_a_constant():
    world = well(3, 3, 2)
    found, points = constants(world), RNG.normal(size=(200, 1, 2)) * 2
    each = np.stack([world.at(task).grad(points) for task in range(3)])  # (task, point, client, d)
    means = np.stack([task_grad(world, points[:, 0], task) for task in range(3)])
    assert np.linalg.norm(each, axis=-1).max() <= found["B"].value
    assert ((each - means[:, :, None]) ** 2).sum(axis=-1).max() <= found["sigma_G2"].value
    assert ((means[:, None] - means[None]) ** 2).sum(axis=-1).max() <= found["sigma_T2"].value


@pytest.mark.parametrize("others", [1, 2, 5])
def test_one_client_against_all_others_is_as_far_apart_as_can_be(others):
    """All wells are equally steep at the origin, one with the opposite sign; the same for tasks, which are compared in
    pairs.
    """
    place = np.array([1.0] + [-1.0] * others)[:, None] * 0.5 / np.sqrt(3)
    clients, tasks = Well(1.5, 0.5, place[None]), Well(1.5, 0.5, place[:, None])
    slopes = clients.at(0).grad(np.zeros((others + 1, 1)))
    farthest = ((slopes - slopes.mean(axis=0)) ** 2).sum(axis=-1).max()
    assert constants(clients)["sigma_G2"].value == pytest.approx(farthest)
    assert constants(tasks)["sigma_T2"].value == pytest.approx((2 * abs(slopes[0, 0])) ** 2)


def test_one_client_and_one_task_differ_from_nobody():
    found = constants(single(1.0, 1.0))
    assert found["sigma_G2"].value == found["sigma_T2"].value == 0


@pytest.mark.parametrize("worlds", [(), (2,), (3, 1)])
@pytest.mark.parametrize("n_tasks", [1, 2])
def test_no_loss_is_below_zero_in_any_world(worlds, n_tasks):
    ones = np.ones((*worlds, n_tasks, 1))
    least = Well(ones, ones, RNG.normal(size=(*ones.shape, 2))).infimum(None)
    assert np.array_equal(least.value, np.zeros(worlds))
    assert least.known == "certified"


def test_wells_stay_rational():
    world = Well(
        f.to_exact(np.array([[1.0]])), f.to_exact(np.array([[2.0]])), f.to_exact(np.zeros((1, 1, 1)))
    )
    assert world.at(0).grad(f.to_exact(np.array([[2.0]])))[0, 0] == f.to_exact(np.array(1 / 4))
    assert constants(world)["B"].known == "certified"
