"""The newest gradients of components, against an array in which each is replaced."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from algorithms.newest import Newest

RUNS, SLOTS, J, D = 3, 2, 4, 5


@pytest.mark.parametrize("sweep", [(), (2,)])
@given(seed=st.integers(0, 1000))
def test_what_is_visited_is_the_newest(sweep: tuple[int, ...], seed: int) -> None:
    """Slots may rest, the last ones from some visit on; a sweep may begin with the first gradients that are replaced."""
    rng = np.random.default_rng(seed)
    every = rng.normal(size=(RUNS, SLOTS, J, D))
    found = Newest.of(torch.as_tensor(every))
    every = np.broadcast_to(every, (*sweep, *every.shape)).copy()
    for visit in range(20):
        n = SLOTS if visit < 10 else 1
        found = found if visit < 10 else found.first_slots(n)
        index = rng.integers(-1, J, size=(RUNS, n))
        place = np.maximum(index, 0)
        runs, slots = np.indices(index.shape)
        newest = np.broadcast_to(found.at(place).numpy(), every[..., runs, slots, place, :].shape)
        np.testing.assert_array_equal(newest, every[..., runs, slots, place, :])
        fresh = rng.normal(size=newest.shape)
        later = found.then(index, torch.as_tensor(fresh))
        before = every[..., runs, slots, place, :]
        every[..., runs, slots, place, :] = np.where(index[..., None] >= 0, fresh, before)
        np.testing.assert_array_equal(np.broadcast_to(found.at(place).numpy(), before.shape), before)
        found = later


def test_many_visits_make_few_arrays() -> None:
    found = Newest.of(torch.zeros(RUNS, SLOTS, J, D))
    for visit in range(63):
        found = found.then(np.full((RUNS, SLOTS), visit % J), torch.full((RUNS, SLOTS, D), float(visit)))
    assert len(found.later) == 3 * 3  # 63 is 333 by fours
    assert found.then(np.full((RUNS, SLOTS), 0), torch.zeros(RUNS, SLOTS, D)).later[0].shape == (
        64 * RUNS * SLOTS,
        D,
    )
    assert found.at(np.full((RUNS, SLOTS), 2)).unique().tolist() == [62.0]
