"""Data that clients store: their entries of the state, and samples of earlier tasks."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from algorithms.clients import of_clients, with_clients
from algorithms.draws import minibatches
from algorithms.memory import (
    EMPTY,
    class_balanced,
    empty_memory,
    every_memory,
    first_in_first_out,
    in_pairs,
    next_of,
    of_memory,
    ring,
    with_capacities,
)

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


@pytest.mark.parametrize("rule", [first_in_first_out(2), ring(3)], ids=["oldest out", "ring"])
@given(capacities=st.lists(st.integers(0, 7), min_size=3, max_size=3), seed=st.integers(0, 10**6))
def test_clients_with_capacities_of_their_own_are_as_if_alone(rule, capacities: list[int], seed: int) -> None:
    sizes = np.random.default_rng(seed).integers(1, 5, (4, 3))
    order = minibatches(seed, 2, sizes, 1, 1, 1).order
    assert order is not None
    kept = empty_memory(np.zeros((2, 1)), 3, max(capacities))
    alone = [empty_memory(np.zeros((2, 1)), 1, capacity) for capacity in capacities]
    for task in range(4):
        kept = with_capacities(rule, capacities)(kept, order(task), task, 5)
        alone = [rule(own, order(task)[:, client : client + 1], task, 5) for client, own in enumerate(alone)]
    for client, own in enumerate(alone):
        np.testing.assert_array_equal(kept[:, client, : capacities[client]], own[:, 0])
        assert (kept[:, client, capacities[client] :] == EMPTY).all()


def test_every_two_clients_have_the_same_capacity() -> None:
    assert in_pairs(10, 50, 10) == (10, 10, 20, 20, 30, 30, 40, 40, 50, 50)
    assert in_pairs(1, 4, 3) == (1, 1, 4)


@pytest.mark.parametrize("capacities", [(1, 2), (1, 2, 5)])
def test_capacities_of_other_clients_are_refused(capacities: tuple[int, ...]) -> None:
    kept, order = empty_memory(np.zeros((1, 1)), 3, 4), np.zeros((1, 3, 2), dtype=int)
    with pytest.raises(
        ValueError, match=r"`capacities` must be those of the 3 clients and at most 4, .* got \(1, 2"
    ):
        with_capacities(ring(2), capacities)(kept, order, 0, 2)
    with pytest.raises(ValueError, match="`capacities`"):
        with_capacities(ring(2), (1, -1, 2))


def test_memories_of_a_round() -> None:
    state = {"kept": np.arange(3 * 3 * 2).reshape(3, 3, 2)}
    assert of_memory(state, CLIENTS).shape == (3, 2, 2)
    assert (of_memory(state, CLIENTS)[1, 0] == state["kept"][1, 1]).all()
    assert (of_memory(state, np.array([2]))[:, 0] == state["kept"][:, 2]).all()


def test_every_memory() -> None:
    assert every_memory(3, 2).tolist() == [[0, 1], [0, 2], [1, 2]]
    with pytest.raises(ValueError, match=r"`size` must be in 1..3, the number of samples, got 0"):
        every_memory(3, 0)


@given(st.lists(st.booleans(), min_size=4, max_size=9), st.integers(1, 5))
def test_a_sample_takes_all_that_is_kept_in_turns(filled: list[bool], size: int) -> None:
    kept = np.where(filled, np.arange(len(filled)), EMPTY)[None, None]
    n = sum(filled)
    turns = [next_of(kept, size, turn)[0, 0] for turn in range(n)]
    for taken in turns:
        held = taken[taken != EMPTY]
        assert len(set(held)) == len(held) == min(size, n)
    seen = np.concatenate([*turns, [EMPTY]])
    counts = np.bincount(seen[seen != EMPTY], minlength=len(filled))[np.array(filled)]
    assert np.ptp(counts) <= (0 if size >= n else 1) if n else not counts.size


@given(st.integers(0, 10**6))
def test_a_balanced_ring_keeps_as_many_of_each_class(seed: int) -> None:
    rng = np.random.default_rng(seed)
    labels = np.concatenate([np.zeros(15, int), np.ones(3, int), np.full(6, 2)])[None].repeat(2, 0)
    order = np.stack([rng.permutation(24) for _ in range(2)])[None]
    rule = class_balanced(ring(1), lambda task: labels)
    kept = rule(np.full((1, 2, 9), EMPTY), order, 0, 24)
    for own in kept[0]:
        assert np.bincount(labels[0][own]).tolist() == [3, 3, 3]
