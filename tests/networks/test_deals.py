"""The assignment of images to clients in every run."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import torch

from algorithms.simulate import states
from tests.networks.cases import made
from verify.networks.data.deals import by_dirichlet, fresh, one_or_two, own_sequences, revisited, windowed
from verify.networks.data.splits import split
from verify.networks.experiments import draws, world
from verify.networks.methods import METHODS
from verify.networks.setting import Setting
from verify.networks.training.evaluate import accuracy_of, models_of
from verify.networks.training.train import starts

TINY = Setting(by_dirichlet, tasks=2, images=80, clients=4, sampled=2, rounds=2, epochs=1, batch=8, seeds=3)
CHANGING = replace(TINY, deal=revisited, tasks=1, periods=6, clients=2, subsets=4, rounds=1, images=160)
ORDERED = {
    "domain": replace(TINY, deal=own_sequences, tasks=4, images=100, clients=8, seeds=2),
    "class": replace(TINY, deal=one_or_two, kind="class", tasks=5, images=100, clients=8, seeds=2),
}


def own(setting: Setting, run: int, period: int, client: int) -> np.ndarray:
    rows = world(setting).rows[period, run, client]
    return rows[rows >= 0]


def test_every_image_of_a_task_has_one_owner() -> None:
    for task, seed in np.ndindex(2, 3):
        held = np.concatenate([own(TINY, seed, task, client) for client in range(4)])
        trained = split(world(TINY).whole.stream, 0, seed, 80, 1000, "test").train[task][0]
        assert sorted(held) == sorted(trained)
        assert len(set(held)) == 80


def test_seeds_have_deals_of_their_own_that_do_not_depend_on_their_number() -> None:
    assert len({tuple(own(TINY, seed, 0, 0)) for seed in range(3)}) == 3
    later = replace(TINY, first=1, seeds=2)
    for client in range(4):
        np.testing.assert_array_equal(own(later, 0, 1, client), own(TINY, 1, 1, client))


def test_clients_come_back_to_their_subsets() -> None:
    for seed, client in np.ndindex(3, 2):
        seen = {tuple(own(CHANGING, seed, period, client)) for period in range(6)}
        assert len(seen) <= 4
        counts = Counter(row for subset in seen for row in subset)
        assert set(counts.values()) == {1}


def test_windows_move_by_what_is_not_kept() -> None:
    half = replace(CHANGING, deal=windowed, overlap=0.5)
    for seed, client in np.ndindex(3, 2):
        windows = [own(half, seed, period, client) for period in range(6)]
        size = len(windows[0])
        assert all(len(set(a) & set(b)) == size - size // 2 for a, b in pairwise(windows))


def test_new_clients_have_as_many_images_as_a_subset() -> None:
    new = replace(CHANGING, deal=fresh)
    for period in range(6):
        parts = [own(new, 0, period, client) for client in range(2)]
        assert [len(part) for part in parts] == [20, 20]
        assert not set(parts[0]) & set(parts[1])
    assert len({tuple(own(new, 0, period, 0)) for period in range(6)}) > 4


@pytest.mark.parametrize(("kind", "low", "high"), [("domain", 2, 5), ("class", 1, 2)])
def test_clients_have_few_classes_of_every_task_in_an_order_of_their_own(kind, low, high) -> None:
    here = world(ORDERED[kind])
    per_task, labels = here.stream.images.shape[2], here.stream.labels.ravel()
    orders = set()
    for run, client in np.ndindex(here.rows.shape[1:3]):
        each = [rows[rows >= 0] for rows in here.rows[:, run, client]]
        order = [set(rows // per_task) for rows in each]
        assert all(len(of) == 1 for of in order)
        assert {task for of in order for task in of} == set(range(here.n_tasks))
        assert all(low <= len(set(labels[rows])) <= high for rows in each)
        orders.add(tuple(min(of) for of in order))
    assert len(orders) > 1


@pytest.mark.parametrize("kind", ["domain", "class"])
def test_an_image_has_one_owner(kind) -> None:
    here = world(ORDERED[kind])
    for run in range(here.rows.shape[1]):
        rows = here.rows[:, run].ravel()
        rows = rows[rows >= 0]
        assert len(set(rows)) == len(rows)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if name == "icarl" else []) for name in METHODS]
)
def test_every_method_trains_where_all_tasks_share_one_test_set(name: str) -> None:
    setting = replace(CHANGING, periods=2, seeds=2)
    here = world(setting)
    method, theta0 = made(name, here), starts(here.model, 0, 2, "cpu")
    *_, (task, _, state) = states(here, method, draws(setting), theta0, 1, 2)
    assert (task, here.classes.tolist()) == (1, [[True] * 10] * 2)
    assert accuracy_of(here, method, state).shape == (2, 1)
    if method.served_in_task:
        newest, first = (method.served_in_task(state, told) for told in (1, 0))
        assert torch.equal(models_of(here, method, state), newest)
        assert not torch.equal(first, newest)
