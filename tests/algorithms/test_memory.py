"""What clients keep: their entries of the state, and samples of earlier tasks."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from algorithms.clients import of_clients, with_clients
from algorithms.draws import minibatches
from algorithms.memory import EMPTY, empty_memory, every_memory, first_in_first_out, of_memory, ring

CLIENTS = np.array([[0, 2], [1, 0], [2, 1]])


@pytest.mark.parametrize("array", [np.asarray, torch.tensor])
@pytest.mark.parametrize("sweep", [(), (4,)])
def test_entries_of_clients_come_back_where_they_were(array, sweep) -> None:
    entry = array(np.arange(3 * 3 * 2).reshape(3, 3, 2) * 1.0)
    values = array(np.full((*sweep, 3, 2, 2), -1.0))
    changed = np.asarray(with_clients(entry, CLIENTS, values))
    assert changed.shape == (*sweep, 3, 3, 2)
    for run, clients in enumerate(CLIENTS):
        assert (changed[..., run, clients, :] == -1).all()
        (absent,) = set(range(3)) - set(clients)
        assert (changed[..., run, absent, :] == np.asarray(entry)[run, absent]).all()
    assert (np.asarray(of_clients(array(changed), CLIENTS)) == -1).all()


@given(
    capacity=st.integers(0, 6), n_new=st.integers(1, 4), tasks=st.integers(1, 4), seed=st.integers(0, 10**6)
)
def test_first_in_first_out_keeps_the_newest(capacity: int, n_new: int, tasks: int, seed: int) -> None:
    sizes = np.random.default_rng(seed).integers(1, 5, (tasks, 2))
    order = minibatches(seed, 3, sizes, 1, 1, 1).order
    assert order is not None
    kept = empty_memory(np.zeros((3, 1)), 2, capacity)
    rule, n_samples = first_in_first_out(n_new), 5
    for task in range(tasks):
        kept = rule(kept, order(task), task, n_samples)
    for run in range(3):
        for client in range(2):
            added = [
                task * n_samples + j
                for task in range(tasks)
                for j in order(task)[run, client, :n_new]
                if j >= 0
            ]
            held = [k for k in kept[run, client] if k != EMPTY]
            assert held == (added[-capacity:] if capacity else [])


def test_a_ring_has_a_share_for_every_task() -> None:
    rule, kept = ring(2), empty_memory(np.zeros((1, 1)), 1, 4)
    for task, order in enumerate(([[[2, 0, 1]]], [[[1, -1, -1]]])):
        kept = rule(kept, np.array(order), task, 3)
    assert kept.tolist() == [[[2, 0, 4, EMPTY]]]


def test_memories_of_a_round() -> None:
    state = {"kept": np.arange(3 * 3 * 2).reshape(3, 3, 2)}
    assert of_memory(state, CLIENTS).shape == (3, 2, 2)
    assert (of_memory(state, CLIENTS)[1, 0] == state["kept"][1, 1]).all()
    assert (of_memory(state, np.array([2]))[:, 0] == state["kept"][:, 2]).all()


def test_every_memory() -> None:
    assert every_memory(3, 2).tolist() == [[0, 1], [0, 2], [1, 2]]
    with pytest.raises(ValueError, match=r"`size` must be in 1..3, the number of samples, got 0"):
        every_memory(3, 0)
