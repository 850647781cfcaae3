"""SPECIAL: the conditions that Theorem 4.10 needs, its consequence for single tasks, and AdamW at the clients."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from algorithms.optimisers import Adam
from nqm.fields import to_exact
from nqm.kinds import INTERVALS
from tests.verify.judging import witness_replays
from verify.engine.judge import judge
from verify.scenes.special.adamw import ADAMW
from verify.scenes.special.rate import TASK, in_the_best, task_sizes
from verify.scenes.special.rate_needed import LONG
from verify.special_drift import CLAIMS as DRIFT_CLAIMS
from verify.special_rate import CLAIMS as RATE_CLAIMS

BY_ID = {claim.statement.id.removeprefix("special."): claim for claim in (*DRIFT_CLAIMS, *RATE_CLAIMS)}


def tensors(**numbers):
    return {name: torch.tensor(value, dtype=torch.float64) for name, value in numbers.items()}


def test_the_first_step_of_adamw_is_the_one_that_trains_networks():
    values = tensors(
        slope=[[[0.3, -2.0]]], start=[[1.0, -0.5]], lam=[0.5], gamma_G=[0.7], gamma_L=[0.2], room=[0.0]
    )
    found = ADAMW.compute({"M": 1, "N": 1, "E": 1, "t": 1, "d": 2}, values)["drift2"]
    adam = Adam(0.2, decay=0.01)
    after, _ = adam.step(values["start"], values["slope"][:, 0], adam.start(values["start"]))
    way = 0.7 * (after - values["start"]) / 1.5
    assert float(found) == pytest.approx(float((way**2).sum()), rel=1e-12)


@pytest.mark.parametrize("id", ["lem4.9/adamw", "thm4.10.every-task.at-once"])
def test_what_falls_has_a_witness_that_replays(id):
    record = judge(BY_ID[id], "quick", 0)
    assert record["verdict"] == "refuted"
    witness_replays(record)


def test_gradients_of_single_tasks_are_those_of_the_run():
    shape = task_sizes(K=2, M=2, N=2, T=2)
    values = tensors(
        slope=[[[[1.0], [1.0]], [[-3.0], [-3.0]]]],
        lam=[1.0],
        gamma_G=[1.0],
        gamma_L=[1.0],
        free_L=[1.0],
        room=[0.0],
    )
    found = TASK.compute(shape, {**values, **TASK.known(shape, values)})
    assert found["each_grad2"].tolist() == [[1.0, 9.0]]
    assert found["then_grad2"].tolist() == [[1.0, 9.0]]
    assert found["min_grad2"].tolist() == [4.0]


@given(st.lists(st.tuples(*[st.integers(0, 4)] * 4), min_size=1, max_size=4))
def test_the_best_round_in_intervals_holds_that_of_numbers_in_them(rounds):
    of_all, of_one, _, inside = np.array(rounds).T
    mean2 = to_exact(of_all) + to_exact(inside) / 4
    found = in_the_best(mean2[None], to_exact(of_one)[None, :, None])[0, 0]
    assert found == of_one[int(np.argmin(4 * of_all + inside))]
    enclosures = [INTERVALS.mpf([low, low + 1 + more]) for low, _, more, _ in rounds]
    of_each = [INTERVALS.mpf([each, each + 1]) for _, each, _, _ in rounds]
    enclosed = in_the_best(np.array([enclosures]), np.array([of_each])[..., None])[0, 0]
    assert float(enclosed.a) <= found <= float(enclosed.b)


def test_the_long_task_meets_the_conditions_of_the_theorem_with_one_path():
    (shape,) = LONG.shapes
    assert shape["N"] == shape["M"]
    assert not shape["noisy"]
    assert {"pull", "share"} <= set(LONG.space(shape))
