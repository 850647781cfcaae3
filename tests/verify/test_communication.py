"""Communication in a round: messages of algorithms known from their pseudo-code, counted in simulated runs."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.cflag import cflag
from algorithms.fedavg import fedavg
from algorithms.fedprox import examples as fedprox_examples
from algorithms.memory import ring
from algorithms.scaffold import examples as scaffold_examples
from algorithms.special import special, special_from_second_task
from nqm.finite_sum import FiniteSum
from nqm.quadratic import DiagonalQuadratic
from verify.scenes.communication import Reading, Traffic, traffic

DIM, CLIENTS = 3, 2
WORLD = FiniteSum(
    DiagonalQuadratic(np.ones((2, 4, DIM)), np.arange(8 * DIM).reshape(2, 4, DIM) / 8.0), CLIENTS
)


def counted(method, rounds=2):
    """Traffic of all rounds of two tasks."""
    visited = np.array([[[[0], [1]]] * CLIENTS])
    return list(traffic(WORLD, method, np.zeros((1, DIM)), np.arange(CLIENTS)[None], visited, rounds))


ONE_MODEL = Traffic(received=DIM, sent=DIM, messages=1)


@pytest.mark.parametrize(
    "method",
    [
        fedavg(0.25),
        special(0.25, 1, 1),
        special_from_second_task(0.25, 1, 1),
        fedprox_examples(float, CLIENTS)[0],
    ],
    ids=lambda method: method.name,
)
def test_one_model_each_way(method):
    assert counted(method) == [ONE_MODEL] * 4


def test_scaffold_sends_a_control_variate_along():
    """Karimireddy et al. (2020), Algorithm 1: (x, c) down, and changes of both up."""
    method = scaffold_examples(float, CLIENTS)[0]
    assert {found.received for found in counted(method)} == {2 * DIM}


def test_cflag_sends_gradients_first():
    """Own and memory gradients are sent to the server before local work, and the mean of the own ones comes back."""
    found = counted(cflag(0.25, 0.25, CLIENTS, 2, ring(2)))
    assert [one.messages for one in found] == [2] * 4
    assert [one.received for one in found] == [2 * DIM] * 4


def test_copies_of_all_entries_are_no_reading():
    state = Reading({"theta": np.zeros((1, 2)), "task": 1})
    assert {**state} == dict(state)
    assert state.numbers(2) == 0
    assert state.get("absent") is None
    assert state.get("task") == 1
    assert state.numbers(2) == 0
    assert state["theta"].shape == (1, 2)
    assert state.numbers(2) == 2
