"""SPECIAL over tasks drawn with replacement: exact proximal steps, and means over all orders."""

from __future__ import annotations

import numpy as np
import pytest

from nqm.federation import task_grad, task_loss
from verify.engine.model.scene import quantities
from verify.engine.search.sampling import sample
from verify.scenes.special.random_order import ORDERS, orders, pool, proximal, scene_constants

SHAPE = {"pool": 2, "K": 2, "d": 2}


def instances(batch=64):
    return sample(ORDERS.space(SHAPE), np.random.default_rng(11), batch)


@pytest.mark.parametrize("task", [0, 1])
def test_a_proximal_step_goes_by_the_gradient_where_it_ends(task):
    values = instances()
    point = values["start"][:, None] * 3
    there = proximal(values, point, task)
    slope = task_grad(pool(SHAPE, values), there, task)
    np.testing.assert_allclose(there + values["s"][:, None, None] * slope, point, rtol=1e-9, atol=1e-9)


def test_the_gradient_bound_is_the_longest_of_all_slopes_at_their_ends():
    values = instances()
    found = scene_constants(SHAPE, values)
    np.testing.assert_allclose(found["g_sup"], np.linalg.norm(values["height"], axis=-1).max(axis=-1))
    assert (found["low"] == 0).all()


def test_the_mean_over_orders_is_that_of_losses_on_the_pool():
    values = instances()
    found = quantities(ORDERS, SHAPE, values, {})
    world, z = pool(SHAPE, values), values["compare"][:, None]
    lost = lambda point: sum(task_loss(world, point, j) - task_loss(world, z, j) for j in range(2))[:, 0] / 2  # noqa: E731
    start = values["start"][:, None]
    after = [proximal(values, start, j) for j in range(2)]
    by_hand = (lost(start) + (lost(after[0]) + lost(after[1])) / 2) / 2
    np.testing.assert_allclose(found["risk"], by_hand, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found["regret"].mean(axis=1), by_hand, rtol=1e-9, atol=1e-12)
    assert found["regret"].shape == (64, 4)
    assert orders(SHAPE) == [(0, 0), (0, 1), (1, 0), (1, 1)]
