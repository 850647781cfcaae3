"""Federations of single runs, compared with worlds that have only one run."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.networks.cases import MODEL, SIZES, K, M, S, models, world
from verify.networks.training.federations import Federations, own_minibatches, table
from verify.networks.training.fused import never

ORDERS = np.array([[0, 1, 2], [2, 0, 1], [1, 2, 0], [0, 2, 1]])
"""The world's client that is client 0, 1, 2 of each run."""
WHOLE = world("class")
ROWS = table(
    [
        [[(task * M + m) * S + np.arange(SIZES[task, m]) for m in order] for task in range(K)]
        for order in ORDERS
    ]
)
HERE = Federations(WHOLE.stream, MODEL, 2, rows=ROWS, tested=WHOLE.tests, whole=WHOLE, quick=WHOLE)
X = models(len(ORDERS), M)
FOUR = np.full_like(HERE.sizes, 4)
RUNS = np.arange(len(ORDERS))[:, None]


def test_sizes() -> None:
    assert (HERE.n_tasks, HERE.n_clients, HERE.n_samples) == (K, M, S)
    for run, order in enumerate(ORDERS):
        np.testing.assert_array_equal(HERE.sizes[:, run], SIZES[:, order])


@pytest.mark.parametrize("task", range(K))
@pytest.mark.parametrize("clients", [None, np.array([2, 0, 1]), np.array([[0, 2, 1]] * 4)])
def test_a_run_has_the_losses_of_its_own_clients(task: int, clients) -> None:
    chosen = np.arange(M) if clients is None else clients
    same = ORDERS[RUNS, np.broadcast_to(chosen, ORDERS.shape)]
    found, expected = HERE.at(task, clients), WHOLE.at(task, same)
    torch.testing.assert_close(found.loss(X), expected.loss(X))
    u = np.random.default_rng(0).integers(0, 9, (*X.shape[:2], 2))
    torch.testing.assert_close(found.stochastic_grad(X, u), expected.stochastic_grad(X, u))


def test_memories_are_those_of_its_own_clients() -> None:
    kept = np.array([[[0, S, -1], [1, S, 0], [2, -1, -1]]] * 4)  # sample 0 of task 1 is S
    found = HERE.over(kept).loss(X)
    torch.testing.assert_close(found, WHOLE.over(kept, ORDERS).loss(X))
    assert (HERE.rows_of(kept) == WHOLE.rows_of(kept, ORDERS)).all()


def test_memories_are_given_by_numbers_or_by_rows() -> None:
    kept = np.array([[[0, -1, S], [1, S, 0], [-1, -1, -1]]] * 4)
    by_numbers, by_rows = HERE.over(kept), HERE.over(torch.as_tensor(HERE.rows_of(kept)))
    assert (by_numbers.rows == by_rows.rows).all()
    assert (by_numbers.sizes == by_rows.sizes).all()
    assert by_numbers.sizes.tolist() == [[2, 3, 1]] * 4


def test_herding_ranks_its_own_samples() -> None:
    theta = X[:, 0]
    found, every = HERE.herding(theta, 0), WHOLE.herding(theta, 0)
    for run, order in enumerate(ORDERS):
        np.testing.assert_array_equal(found[run], every[run, order])


def test_gradients_may_be_computed_by_a_world_of_their_own() -> None:
    called = []

    def watched(kernel):
        def run(*arguments):
            called.append(len(arguments[0]))
            return kernel(*arguments)

        return run

    here = replace(HERE, quick=replace(WHOLE, compile=watched, at_most=4))
    torch.testing.assert_close(here.at(0).grad(X), HERE.at(0).grad(X))
    assert called == [4, 4, 4] * (len(called) // 3)
    here.at(0).loss(X)
    assert called == [4, 4, 4] * (len(called) // 3)
    called.clear()
    here = replace(HERE, quick=replace(WHOLE, compile=watched, at_most=5, fuse=never))
    u = np.random.default_rng(0).integers(0, 9, (*X.shape[:2], 2))
    torch.testing.assert_close(here.at(0).stochastic_grad(X, u), HERE.at(0).stochastic_grad(X, u))
    assert called == [5, 5, 5]  # no other number is compiled


@given(st.integers(0, 5), st.integers(1, 3), st.integers(1, 5), st.integers(1, 4))
def test_minibatches_go_through_all_samples(seed: int, sampled: int, steps: int, batch: int) -> None:
    drawn = own_minibatches(seed, 0, HERE.sizes, sampled, np.full_like(HERE.sizes, steps), batch)
    clients, indices = drawn.participants(1, 2), drawn.noise(1, 2)
    assert clients.shape == (4, sampled)
    assert indices.shape == (4, sampled, steps, 2 * batch)
    for run, slot in np.ndindex(*clients.shape):
        size = HERE.sizes[1, run, clients[run, slot]]
        visited = indices[run, slot, :, :batch].ravel()
        for first in range(0, len(visited) - size + 1, size):
            assert sorted(visited[first : first + size]) == list(range(size))
    assert (np.diff(np.sort(clients, axis=-1), axis=-1) > 0).all()


@given(st.integers(0, 3), st.integers(1, 3))
def test_more_changes_nothing_drawn_before(first: int, runs: int) -> None:
    first = min(first, 4 - runs)
    whole = own_minibatches(0, 0, HERE.sizes, 3, FOUR, 2)
    part = own_minibatches(0, first, HERE.sizes[:, first : first + runs], 3, FOUR[:, first : first + runs], 2)
    for of in ("participants", "noise"):
        np.testing.assert_array_equal(getattr(part, of)(1, 1), getattr(whole, of)(1, 1)[first : first + runs])
    np.testing.assert_array_equal(
        part.order(0), whole.order(0)[first : first + runs, :, : part.order(0).shape[-1]]
    )
    fewer = own_minibatches(0, 0, HERE.sizes, 2, np.ones_like(FOUR), 5)
    np.testing.assert_array_equal(fewer.participants(0, 3), whole.participants(0, 3)[:, :2])
    assert (whole.noise(0, 0) != whole.noise(0, 1)).any()


@given(st.integers(0, 5), st.integers(1, 3))
def test_those_who_make_most_steps_come_first(seed: int, sampled: int) -> None:
    steps = np.random.default_rng(seed).integers(1, 6, HERE.sizes.shape)
    drawn = own_minibatches(seed, 0, HERE.sizes, sampled, steps, 2)
    clients, made = drawn.participants(1, 0), (drawn.noise(1, 0)[..., 0] >= 0).sum(-1)
    np.testing.assert_array_equal(made, np.take_along_axis(steps[1], clients, -1))
    assert (np.diff(made, axis=-1) <= 0).all()
    same = own_minibatches(seed, 0, HERE.sizes, sampled, np.ones_like(steps), 2).participants(1, 0)
    np.testing.assert_array_equal(np.sort(clients), np.sort(same))


def test_orders_are_of_all_samples() -> None:
    order = own_minibatches(0, 0, HERE.sizes, 3, FOUR, 2).order(1)
    for run, client in np.ndindex(4, M):
        size = HERE.sizes[1, run, client]
        assert sorted(order[run, client, :size]) == list(range(size))
        assert (order[run, client, size:] == -1).all()
