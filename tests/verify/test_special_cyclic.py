"""SPECIAL over tasks in cycles: computed runs compared with single steps by hand; a stronger bound is false."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import sympy as sp

from bounds.special.cyclic import CYCLIC, LAG, cycle
from bounds.special.symbols import B, K
from nqm.federation import task_loss
from verify.engine.checks.attack import attack
from verify.engine.model.claim import BUDGETS
from verify.engine.model.scene import quantities
from verify.engine.search.sampling import sample
from verify.engine.topics import claim_of
from verify.scenes.special.cyclic import CYCLES
from verify.scenes.special.random_order import pool, proximal

SHAPE = {"cycle": 2, "K": 4, "d": 2}


def test_losses_before_a_cycle_are_of_all_its_tasks():
    values = sample(CYCLES.space(SHAPE), np.random.default_rng(5), 64)
    found = quantities(CYCLES, SHAPE, values, {})
    world, z, point = pool(SHAPE, values), values["compare"][:, None], values["start"][:, None]
    lost = lambda at, j: (task_loss(world, at, j) - task_loss(world, z, j))[:, 0]  # noqa: E731
    risks, regrets = [], []
    for _ in range(2):
        risks.append((lost(point, 0) + lost(point, 1)) / 2)
        for j in (0, 1):
            regrets.append(lost(point, j))
            point = proximal(values, point, j)
    np.testing.assert_allclose(found["cycle_risk"], sum(risks) / 2, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found["regret"], sum(regrets) / 4, rtol=1e-9, atol=1e-12)


def test_a_cycle_of_one_task_is_no_cycle():
    shape = {"cycle": 1, "K": 3, "d": 1}
    found = quantities(CYCLES, shape, sample(CYCLES.space(shape), np.random.default_rng(6), 64), {})
    np.testing.assert_allclose(found["cycle_risk"], found["regret"])
    np.testing.assert_allclose(found["lag_slope"], 0)


FALSE = {
    "steps cost as little as where tasks are drawn with replacement": (CYCLIC, {cycle: 1}),
    "a shorter start": (CYCLIC, {2 * K: 4 * K}),
    "half of the lag": (LAG, {B**2: B**2 / 2}),
}


@pytest.mark.parametrize("name", FALSE)
def test_what_says_more_is_false(name):
    statement, changed = FALSE[name]
    relation = statement.relation
    right = relation.rhs.subs(changed)
    assert right != relation.rhs
    question = replace(claim_of(statement.id).question, relation=sp.Le(relation.lhs, right))
    assert attack(question, BUDGETS["quick"], 0).witness is not None
