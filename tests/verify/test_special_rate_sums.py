"""SPECIAL, Eq. (61): sums over the rounds of a task, against whole runs and against the printed terms."""

from __future__ import annotations

import numpy as np
import pytest

from bounds.catalogue import statement
from bounds.evaluate import evaluate
from bounds.special.one_round import gA2_mean
from bounds.special.rate_sum import COSTS
from verify.engine.model.arithmetic import ARITHMETIC
from verify.engine.model.scene import quantities
from verify.engine.proof.facts import fact_of, unbroken
from verify.engine.search.sampling import sample
from verify.engine.search.step_sizes import settle
from verify.scenes.special.rate import TASK
from verify.scenes.special.rate_round import ROUND, TASK_BY_ROUNDS, round_sizes
from verify.scenes.special.rate_sums import CLIMBED, MEANT, PLAYED

RATE = statement("special.thm4.10").conditions
SHAPES = [
    {**round_sizes(before=T - 1, **more), "T": T}
    for T, more in ((1, {"curved": 1}), (3, {"E": 2, "curved": 1}), (2, {"noisy": 1}), (2, {"curved": 3}))
]


def played(scene, shape, batch=8):
    parameters = sample(scene.space(shape), np.random.default_rng(5), batch)
    sizes = settle(scene, RATE, shape, parameters, ARITHMETIC["float"])
    return quantities(scene, shape, parameters, sizes)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_round_by_round_a_task_is_what_it_is_as_a_whole(shape):
    rounds, whole = played(TASK_BY_ROUNDS, shape), played(TASK, shape)
    for name in ("f0", "f_T", "gA2_t"):
        np.testing.assert_allclose(rounds[name], whole[name], rtol=1e-9, atol=1e-12, err_msg=name)
    np.testing.assert_allclose(rounds["climbed_next"], whole["gA2_t"].sum(axis=0), rtol=1e-9)
    assert (rounds["played_next"] == shape["T"]).all()


def test_what_a_round_adds_is_what_is_printed():
    values = played(ROUND, round_sizes(M=3, N=2, K=3, E=2, curved=1))
    np.testing.assert_allclose(values["costs"], evaluate(COSTS.rhs, values), rtol=1e-9)


def test_what_the_letters_mean_is_proved_and_no_round_is_lost():
    assert all(fact_of(meaning, TASK_BY_ROUNDS, RATE) for meaning in (COSTS, CLIMBED, PLAYED, *MEANT))
    lost = CLIMBED.func(CLIMBED.lhs, CLIMBED.rhs - gA2_mean)
    assert not unbroken(lost, TASK_BY_ROUNDS, RATE)
