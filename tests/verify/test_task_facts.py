"""Letters of the facts about paths of proximal steps, compared with numbers of random paths."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest


@pytest.mark.parametrize("seed", range(3))
def test_tangents_of_a_task_and_the_squared_distance_from_the_comparison(seed: int) -> None:
    rng = np.random.default_rng(seed)
    d, K, s = 3, 5, 0.7
    model, z, total = rng.normal(size=d), rng.normal(size=d), 0.0
    start, most = model, 0.0
    for _ in range(K):
        earlier, later, off = rng.normal(size=(3, d))
        exact = model - s * later
        gain = earlier @ (model - exact) + later @ (exact - z)
        after = exact + off
        most = max(most, float(earlier @ earlier))
        grown = (model - z) @ (model - z) - (after - z) @ (after - z)
        bound = grown + s**2 * earlier @ earlier + 2 * off @ (exact - z) + off @ off
        assert 2 * s * gain <= bound + 1e-12
        total, model = total + gain - (2 * off @ (exact - z) + off @ off) / (2 * s), after
    assert 2 * s * total <= (start - z) @ (start - z) + K * s**2 * most + 1e-12


@pytest.mark.parametrize("cycle", [1, 2, 5])
def test_tasks_so_far_times_those_to_come(cycle: int) -> None:
    room = 0
    for k in range(23):
        past, later = k % cycle, (k + 1) % cycle
        assert room == past * (cycle - past) if past else room == 0
        room += cycle - 1 - 2 * past
        assert room == later * (cycle - later)
        assert room >= 0


def test_the_task_drawn_next_has_the_mean_loss_of_the_pool() -> None:
    rng, pool, K = np.random.default_rng(0), 3, 2
    lost = {past: rng.normal(size=pool) for k in range(K) for past in product(range(pool), repeat=k)}
    orders = list(product(range(pool), repeat=K))
    regret = np.mean([sum(lost[order[:k]][order[k]] for k in range(K)) / K for order in orders])
    risk = sum(pool ** -len(past) * losses.mean() / K for past, losses in lost.items())
    assert regret == pytest.approx(risk)
