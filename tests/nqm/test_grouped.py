"""Noisy gradients in one pass over memory are those of the formula, and only large arrays of floats take this way."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from nqm import quadratic
from nqm.noise import Gaussian
from nqm.quadratic import Quadratic

numba = pytest.mark.skipif(quadratic._grouped() is None, reason="Numba is not installed: fcl-theory[fast]")
K, M = 2, 3


def world(d: int, seed: int, batch: tuple[int, ...] = ()) -> Quadratic:
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(*batch, K, M, d, d))
    sigma = rng.random((*batch, K, M))
    return Quadratic(root @ root.swapaxes(-1, -2), rng.normal(size=(*batch, K, M, d)), Gaussian(sigma))


@numba
@settings(deadline=None, max_examples=30)
@given(st.integers(1, 90), st.integers(1, M), st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_one_pass_is_the_gradient_with_its_noise(n_runs: int, n: int, d: int, seed: int) -> None:
    rng, here = np.random.default_rng(seed), world(d, seed)
    clients = rng.permuted(np.tile(np.arange(M), (n_runs, 1)), axis=-1)[:, :n]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(quadratic, "MANY", 0)
        objective = here.at(1, clients)
    x, u = rng.normal(size=(2, n_runs, n, d))
    for point in (x, np.broadcast_to(x[:, :1], x.shape)):  # clients start from one model, without a copy
        found = objective.noisy(point, u)
        expected = objective.grad(point) + here.noise.sigma[1][clients][..., None] * u
        np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-11)
        assert (objective.stochastic_grad(point, u) == found).all()


@numba
def test_all_else_takes_the_formula() -> None:
    clients, d = np.tile(np.arange(M), (2000, 1)), 3
    x = np.ones((2000, M, d))
    large = world(d, 0).at(0, clients)
    assert large.noisy(x, x) is not None
    for other in (torch.from_numpy(x), x.astype(int), x.astype(np.float32), x[None]):
        assert large.noisy(other, other) is None
        assert large.noisy(x, other) is None
    expected = large.grad(x) + large.scale * x
    np.testing.assert_allclose(large.stochastic_grad(x[None], x[None])[0], expected, rtol=1e-11)
    assert world(d, 0).at(0, clients[:5]).noisy(x[:5], x[:5]) is None
    assert world(d, 0, batch=(2,)).at(0, clients).noisy(x, x) is None


def test_without_numba_it_is_the_formula(monkeypatch) -> None:
    monkeypatch.setattr(quadratic, "_grouped", lambda: None)
    clients, x = np.tile(np.arange(M), (2000, 1)), np.ones((2000, M, 3))
    large = world(3, 0).at(0, clients)
    assert (large.stochastic_grad(x, x) == large.grad(x) + large.scale * x).all()
