"""Finite sums compared with their samples, one by one."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from nqm.arguments import map_parameters
from nqm.fields import kind, to_exact, to_float
from nqm.finite_sum import FiniteSum
from nqm.quadratic import DiagonalQuadratic

K, M, S, D = 2, 2, 3, 2
RNG = np.random.default_rng(0)
SAMPLES = DiagonalQuadratic(RNG.integers(0, 5, (K, M * S, D)) / 2, RNG.integers(-4, 5, (K, M * S, D)) / 2)
WORLD = FiniteSum(SAMPLES, M)
CLIENTS = np.array([[0, 1], [1, 0], [0, 1]])  # three runs
X = RNG.integers(-4, 5, (3, 2, D)) / 2


def sample_grad(task: int, client: int, j: int, x: np.ndarray) -> np.ndarray:
    row = client * S + j
    return SAMPLES.curvature[task, row] * (x - SAMPLES.centre[task, row])


def test_a_client_has_the_mean_of_its_samples() -> None:
    oracle = WORLD.at(1, CLIENTS)
    expected = [
        [np.mean([sample_grad(1, m, j, X[r, slot]) for j in range(S)], axis=0) for slot, m in enumerate(row)]
        for r, row in enumerate(CLIENTS)
    ]
    np.testing.assert_allclose(oracle.grad(X), expected)
    np.testing.assert_allclose(oracle.components(X).mean(axis=-2), expected)
    step = 1e-6
    for i in range(D):
        up = X + step * np.eye(D)[i]
        np.testing.assert_allclose(
            (oracle.loss(up) - oracle.loss(X)) / step, np.array(expected)[..., i], atol=1e-5
        )


def test_a_memory_may_hold_samples_of_any_task_or_none() -> None:
    kept = np.array([[[0, 4], [-1, -1]], [[-1, 5], [3, 3]], [[2, 2], [-1, 0]]])
    found = WORLD.over(kept, CLIENTS).grad(X)
    for r, row in enumerate(CLIENTS):
        for slot, m in enumerate(row):
            each = [sample_grad(k // S, m, k % S, X[r, slot]) for k in kept[r, slot] if k >= 0]
            np.testing.assert_allclose(found[r, slot], np.mean(each, axis=0) if each else np.zeros(D))
    assert (WORLD.over(kept, CLIENTS).loss(X)[0, 1] == 0).all()


def test_minibatches_and_components() -> None:
    oracle = WORLD.at(0, CLIENTS)
    j = np.array([[0, 2], [1, 1], [2, 0]])
    expected = [
        [sample_grad(0, m, j[r, slot], X[r, slot]) for slot, m in enumerate(row)]
        for r, row in enumerate(CLIENTS)
    ]
    np.testing.assert_allclose(oracle.component_grad(X, j), expected)
    np.testing.assert_allclose(oracle.stochastic_grad(X, j[..., None]), expected)
    np.testing.assert_allclose(oracle.stochastic_grad(X, j[..., None] + S), expected)


def test_a_minibatch_of_a_memory_skips_empty_places() -> None:
    kept = np.array([[-1, 4], [-1, -1]])  # the same in all runs
    u = np.array([[[0, 5], [0, 3]]])
    found = WORLD.over(kept, np.arange(M)).stochastic_grad(X[:1], u)
    np.testing.assert_allclose(found[0, 0], sample_grad(1, 0, 1, X[0, 0]))
    assert (found[0, 1] == 0).all()


def test_a_memory_without_places_loses_nothing() -> None:
    oracle = WORLD.over(np.empty((3, 2, 0), dtype=int), CLIENTS)
    assert (oracle.loss(X) == 0).all()
    assert (oracle.grad(X) == 0).all()
    assert (oracle.stochastic_grad(X, np.zeros((3, 2, 2), dtype=int)) == 0).all()


def test_curvature_is_the_mean_diagonal() -> None:
    expected = SAMPLES.curvature[1].reshape(M, S, D).mean(axis=1)[CLIENTS]
    np.testing.assert_allclose(WORLD.at(1, CLIENTS).curvature(X), expected)


@pytest.mark.parametrize(("array", "name"), [(torch.tensor, "torch"), (to_exact, "exact")])
def test_arithmetics_agree(array, name) -> None:
    world = FiniteSum(map_parameters(SAMPLES, array), M)
    kept = np.array([[[0, 4], [-1, -1]], [[-1, 5], [3, 3]], [[2, 2], [-1, 0]]])
    for oracle, plain in (
        (world.at(0, CLIENTS), WORLD.at(0, CLIENTS)),
        (world.over(kept, CLIENTS), WORLD.over(kept, CLIENTS)),
    ):
        found = oracle.grad(array(X))
        assert kind(found) == name
        np.testing.assert_allclose(to_float(found), plain.grad(X))


def test_what_it_refuses() -> None:
    with pytest.raises(ValueError, match=r"`n_clients` must divide the 6 clients of `samples`, got 4"):
        FiniteSum(SAMPLES, 4)
    with pytest.raises(ValueError, match=r"`kept` must be in -1..5, got 0..6"):
        WORLD.over(np.array([[0, 6], [0, 0]]))
    with pytest.raises(ValueError, match="draw with `memory_batch`"):
        WORLD.over(np.array([[0], [0]])).stochastic_grad(X, np.zeros((3, 2, 1), dtype=int))
