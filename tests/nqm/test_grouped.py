"""Local steps in one call equal the formula, and only large arrays of floats use this path."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.algorithm import Algorithm
from algorithms.draws import monte_carlo
from algorithms.fedavg import fedavg
from algorithms.fedprox import fedprox
from algorithms.simulate import trajectory
from algorithms.special_c import special_c
from nqm import quadratic
from nqm.noise import Gaussian
from nqm.quadratic import Quadratic
from nqm.world import Objective

K, M = 2, 3
ONE = np.ones(1)


def world(d: int, seed: int, batch: tuple[int, ...] = ()) -> Quadratic:
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(*batch, K, M, d, d))
    sigma = rng.random((*batch, K, M))
    return Quadratic(root @ root.swapaxes(-1, -2), rng.normal(size=(*batch, K, M, d)), Gaussian(sigma))


def sampled(rng: np.random.Generator, n_runs: int, n: int) -> np.ndarray:
    return rng.permuted(np.tile(np.arange(M), (n_runs, 1)), axis=-1)[:, :n]


def of_any_size(here: Quadratic, clients: np.ndarray) -> Objective:
    """The objective of task 1, which makes all steps in one call however few they are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(quadratic, "MANY", 0)
        return here.at(1, clients)


def test_large_arrays_take_the_compiled_way() -> None:
    assert quadratic._grouped() is not None


@settings(deadline=None, max_examples=12)
@given(st.integers(1, 90), st.integers(1, M), st.integers(1, 4), st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_steps_in_one_go_are_those_of_the_formula(n_runs: int, n: int, steps: int, d: int, seed: int) -> None:
    rng, here = np.random.default_rng(seed), world(d, seed)
    clients = sampled(rng, n_runs, n)
    objective = of_any_size(here, clients)
    x, u = rng.normal(size=(n_runs, n, d)), rng.normal(size=(n_runs, n, steps, d))
    sigma = here.noise.sigma[1][clients][..., None]
    for point in (x, np.broadcast_to(x[:, :1], x.shape)):  # clients start from one model, without a copy
        expected = objective.grad(point) + sigma * u[..., 0, :]
        np.testing.assert_allclose(
            objective.stochastic_grad(point, u[..., 0, :]), expected, rtol=1e-11, atol=1e-11
        )
        for along in ((1, 1), (n, d)):
            keep, rate, push = rng.normal(size=(3, n_runs, *along)) / 8
            expected = point
            for e in range(steps):
                g = objective.grad(expected) + sigma * u[..., e, :]
                expected = keep * expected - rate * g + push
            found = objective.requests(u).walk(point, lambda parts=(keep, rate, push): parts)
            np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("method", [fedavg(0.05), fedprox(0.05, 0.5), special_c(0.05, 1.0, 0.5)])
def test_rounds_end_where_single_steps_lead(method: Algorithm, monkeypatch) -> None:
    here, draws = world(4, 0), monte_carlo(0, 20, M, 2, 3, 4)
    slow = trajectory(here, method, draws, np.ones(4), 2, tasks=K)
    monkeypatch.setattr(quadratic, "MANY", 0)
    monkeypatch.setattr(Objective, "stochastic_grad", None)  # no step is made separately
    np.testing.assert_allclose(trajectory(here, method, draws, np.ones(4), 2, tasks=K), slow, rtol=1e-9)


def test_threads_change_nothing(monkeypatch) -> None:
    rng, here = np.random.default_rng(0), world(5, 0)
    objective, u = of_any_size(here, sampled(rng, 900, M)), rng.normal(size=(900, M, 3, 5))
    ends = []
    for number in (1, 2, 3, 8):
        monkeypatch.setattr(torch, "get_num_threads", lambda number=number: number)
        ends.append(objective.walk(u[..., 0, :], u, lambda: (np.ones(1), 0.1 * np.ones(1), np.zeros(1))))
    assert all((end == ends[0]).all() for end in ends)


def test_all_else_takes_the_formula() -> None:
    clients, d = np.tile(np.arange(M), (2000, 1)), 3
    x = np.ones((2000, M, d))

    def walked(objective: Objective, x: Any, u: Any, one: Any = ONE) -> Any:
        return objective.walk(x, u[..., None, :], lambda: (one, one, one))

    large = world(d, 0).at(0, clients)
    assert walked(large, x, x) is not None
    for other in (torch.from_numpy(x), x.astype(int), x.astype(np.float32), x[None]):
        assert walked(large, other, other) is None
        assert walked(large, x, other) is None
    for other in (np.ones(1, int), np.ones((2, 1, 1, 1))):
        assert walked(large, x, x, other) is None
    expected = large.grad(x) + large.scale * x
    np.testing.assert_allclose(large.stochastic_grad(x[None], x[None])[0], expected, rtol=1e-11)
    assert walked(world(d, 0).at(0, clients[:5]), x[:5], x[:5]) is None
    assert walked(world(d, 0, batch=(2,)).at(0, clients), x, x) is None


def test_without_numba_it_is_the_formula(monkeypatch) -> None:
    monkeypatch.setattr(quadratic, "_grouped", lambda: None)
    clients, x = np.tile(np.arange(M), (2000, 1)), np.ones((2000, M, 3))
    large = world(3, 0).at(0, clients)
    assert (large.stochastic_grad(x, x) == large.grad(x) + large.scale * x).all()
