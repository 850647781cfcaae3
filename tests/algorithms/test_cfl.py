"""CFL: without memory it is FedAvg; with memory a round is descent on the weighted objective."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from algorithms.cfl import (
    at_end,
    at_start,
    cfl,
    diagonal_taylor,
    exact,
    fisher,
    sample_fisher,
    taylor,
    with_loss,
)
from algorithms.draws import monte_carlo
from algorithms.fedavg import fedavg
from algorithms.simulate import play_round, trajectory
from nqm.drift import TiltedQuadratic
from nqm.noise import Rademacher

T, M, D, RUNS = 3, 2, 2, 4
WEIGHTS = {0: [1.0], 1: [0.25, 0.75], 2: [0.5, 0.2, 0.3]}


def world(sigma: float = 0.0) -> TiltedQuadratic:
    rng = np.random.default_rng(0)
    return TiltedQuadratic(
        rng.random((T, M, D)) + 0.1, rng.normal(size=D), rng.normal(size=(T, M, D)), Rademacher(sigma)
    )


def play(method, sigma: float = 0.0, local_steps: int = 2) -> np.ndarray:
    draws = monte_carlo(0, RUNS, M, M, local_steps, D, "rademacher")
    return trajectory(world(sigma), method, draws, np.array([1.0, -2.0]), 1, T)


def weights(task: int) -> list[float]:
    return WEIGHTS[task]


def test_without_memory_it_is_fedavg() -> None:
    np.testing.assert_allclose(
        play(cfl(0.1, 0.5, lambda task: [0] * task + [1]), 0.7), play(fedavg(0.1, 0.5), 0.7), rtol=1e-13
    )


def test_rounds_by_hand() -> None:
    problem, model = world(), np.array([1.0, -2.0])
    for t in range(T):
        moved = []
        for client in range(M):
            local = model
            for _ in range(2):
                grads = [
                    problem.curvature[tau, client] * (local - problem.centre) - problem.tilt[tau, client]
                    for tau in range(t + 1)
                ]
                local = local - 0.1 * sum(p * g for p, g in zip(WEIGHTS[t], grads, strict=True))
            moved.append(local - model)
        model = model + 0.5 * np.mean(moved, axis=0)
        np.testing.assert_allclose(play(cfl(0.1, 0.5, weights))[t, 1, 0], model, rtol=1e-12)


def test_taylor_is_exact_on_quadratics() -> None:
    full, diagonal = play(cfl(0.1, 0.5, weights, taylor)), play(cfl(0.1, 0.5, weights, diagonal_taylor))
    reference = play(cfl(0.1, 0.5, weights, exact))
    np.testing.assert_allclose(full, reference, rtol=1e-11)
    np.testing.assert_allclose(diagonal, reference, rtol=1e-11)


def test_information_loss_shifts_past_gradients_only() -> None:
    lost = np.array([0.5, -1.0])
    plain, shifted = (
        play(cfl(0.1, 0.5, weights, of), local_steps=1) for of in (exact, with_loss(lambda past, now: lost))
    )
    np.testing.assert_allclose(plain[0], shifted[0])
    # One local step: the model of the second round moves by eta_g * eta_l * p_1 * loss.
    np.testing.assert_allclose(
        shifted[1, 1] - plain[1, 1], np.broadcast_to(0.5 * 0.1 * 0.25 * lost, (RUNS, D))
    )


def test_noise_is_not_weighted() -> None:
    draws = monte_carlo(0, RUNS, M, M, 1, D, "rademacher")
    noisy, quiet = (
        trajectory(world(sigma), cfl(0.1, 0.5, weights), draws, np.array([1.0, -2.0]), 1, T)
        for sigma in (0.7, 0.0)
    )
    np.testing.assert_allclose(
        noisy[0, 1] - quiet[0, 1], -0.05 * 0.7 * draws.noise(0, 0)[:, :, 0].mean(axis=1)
    )
    decay = 1 - 0.05 * np.mean(sum(p * world().curvature[tau] for tau, p in enumerate(WEIGHTS[1])), axis=0)
    later = -0.05 * 0.7 * draws.noise(1, 0)[:, :, 0].mean(axis=1)
    np.testing.assert_allclose(noisy[1, 1] - quiet[1, 1], decay * (noisy[0, 1] - quiet[0, 1]) + later)


@pytest.mark.parametrize(("point", "where"), [(at_start, 1.0), (at_end, 1 - 0.1 * 5)])
def test_where_past_losses_are_expanded(point, where) -> None:
    slope = lambda x, u=None: 4 * x + x**3  # noqa: E731 - loss 2 x^2 + x^4/4
    losses = SimpleNamespace(
        n_clients=2, at=lambda task, clients: SimpleNamespace(grad=slope, stochastic_grad=slope)
    )
    method = cfl(0.1, 0.5, weights, fisher, point)
    state = method.begin_task(method.init(np.array([[1.0]])), 0)
    state = play_round(losses, method, state, 0, np.array([0]), np.zeros((1, 1, 1, 1)))
    state = method.begin_task(state, 1)
    x = np.array([[[2.0], [3.0]]])
    seen = method.objective(losses, state, 1, np.array([0, 1])).past[0](x)
    # The second client did not take part in the first round: it is still at its start.
    for n, at in enumerate((where, 1.0)):
        gradient = 4 * at + at**3
        assert seen[0, n, 0] == pytest.approx(gradient + gradient**2 * (x[0, n, 0] - at))


def test_fisher_information_of_samples() -> None:
    each = np.array([[[[1.0, -2.0], [3.0, 0.0]]]])
    oracle = SimpleNamespace(grad=lambda x: each.mean(axis=-2), components=lambda x: each)
    slopes = {
        name: of(oracle, np.zeros((1, 1, 2)), 0, 1)(np.ones((1, 1, 2)))
        for name, of in (("gradient", fisher), ("samples", sample_fisher))
    }
    np.testing.assert_allclose(slopes["gradient"], [[[2 + 4, -1 + 1]]])
    np.testing.assert_allclose(slopes["samples"], [[[2 + 5, -1 + 2]]])


def test_fisher_information_of_samples_of_a_sweep() -> None:
    """The mean is over the samples, for any position of the sweep and run axes."""
    each = np.random.default_rng(0).normal(size=(2, 4, 3, 5, 2))  # sweep, run, client, sample, coordinate
    oracle = SimpleNamespace(components=lambda x: each, grad=lambda x: x)
    x = np.random.default_rng(1).normal(size=(2, 4, 3, 2))
    found = sample_fisher(oracle, x, 0, 1)(x + 1)
    np.testing.assert_allclose(found, x + (each**2).mean(axis=-2))
