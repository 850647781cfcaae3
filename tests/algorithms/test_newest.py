"""The newest gradients of components, compared with an array whose entries are replaced one by one."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from algorithms.newest import Newest, Visits

RUNS, SLOTS, J, D = 3, 2, 4, 5


@pytest.mark.parametrize("sweep", [(), (2,)])
@given(seed=st.integers(0, 1000))
def test_what_is_visited_is_the_newest(sweep: tuple[int, ...], seed: int) -> None:
    """Slots may be inactive, the last ones after some visit; a sweep may begin at the first replaced gradient."""
    rng = np.random.default_rng(seed)
    first = rng.normal(size=(RUNS, SLOTS, J, D))
    every, found = np.broadcast_to(first, (*sweep, *first.shape)).copy(), Newest.none_yet((RUNS, SLOTS), J)
    visited = np.zeros((RUNS, SLOTS, J), dtype=bool)
    for visit in range(20):
        n = SLOTS if visit < 10 else 1
        found = found if visit < 10 else found.first_slots(n)
        index = rng.integers(-1, J, size=(RUNS, n))
        run, slot = np.nonzero(index >= 0)
        own = index[run, slot]
        fresh = rng.normal(size=(*sweep, RUNS, n, D))
        later = found.then(index, torch.as_tensor(fresh))
        newest = found.at(index, partial(only_unvisited, visited[:, :n], first[:, :n])).numpy()
        newest = np.broadcast_to(newest, (*sweep, RUNS, n, D))
        np.testing.assert_array_equal(newest[..., run, slot, :], every[..., run, slot, own, :])
        every[..., run, slot, own, :] = fresh[..., run, slot, :]
        visited[run, slot, own] = True
        found = later


def only_unvisited(visited: np.ndarray, first: np.ndarray, index: np.ndarray) -> torch.Tensor:
    """The first gradients (run, n, J, d) at an index (run, n)."""
    run, slot = np.indices(index.shape)
    assert not (visited[run, slot, index] & (index >= 0)).any()
    return torch.as_tensor(first[run, slot, index])


def test_many_visits_make_few_arrays_without_what_was_replaced() -> None:
    found = Newest.none_yet((RUNS, SLOTS), J)
    for visit in range(63):
        found = found.then(np.full((RUNS, SLOTS), visit % J), torch.full((RUNS, SLOTS, D), float(visit)))
    assert len(found.found) == 3 * 3  # 63 is 333 in base four
    (joined,) = found.then(np.full((RUNS, SLOTS), 0), torch.zeros(RUNS, SLOTS, D)).found
    assert joined.shape == (J * RUNS * SLOTS, D)
    assert found.at(np.full((RUNS, SLOTS), 2), never).unique().tolist() == [62.0]


def test_visits_of_a_device_have_the_newest_gradients() -> None:
    rng = np.random.default_rng(0)
    every, found = torch.as_tensor(rng.normal(size=(RUNS, SLOTS, J, D))), Visits()
    first, (run, slot) = every.clone(), np.indices((RUNS, SLOTS))
    for _ in range(20):
        index = torch.as_tensor(rng.integers(-1, J, size=(RUNS, SLOTS)))
        newest = found.at(index, lambda index: first[run, slot, index])
        working = (index >= 0).numpy()
        assert (newest == every[run, slot, index])[working].all()
        fresh = torch.as_tensor(rng.normal(size=(RUNS, SLOTS, D)))
        every[run[working], slot[working], index[working]] = fresh[working]
        found = found.then(index, fresh)


def never(index: np.ndarray) -> torch.Tensor:
    raise AssertionError(index)
