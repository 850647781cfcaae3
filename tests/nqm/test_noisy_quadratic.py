"""The noisy quadratic model: recursions against the simulator, against the general weights, and in fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from algorithms.cfl import cfl, with_loss
from algorithms.draws import fixed
from algorithms.fedprox import fedprox
from algorithms.simulate import trajectory
from nqm.drift import Rounds, Source, TiltedQuadratic
from nqm.fields import to_exact
from nqm.noisy_quadratic import (
    ALL_EQUAL,
    FORGETFUL,
    Causes,
    LocalRound,
    after,
    balanced,
    changes,
    equal,
    local_round,
    losing_everywhere,
    mean,
    of_new_clients,
    remembering,
    responses,
    squared_loss,
    variance,
)

CURVATURE = np.array([0.0, 0.7, 5.0])
RATE, STEPS, ROUNDS = 0.15, 3, 6


def triangle(share: list[float]) -> np.ndarray:
    """Weights (T, T) with a share for the current round and equal shares of the rest for past rounds."""
    weights = np.zeros((len(share), len(share)))
    for t, now in enumerate(share):
        weights[t, :t] = (1 - now) / max(t, 1)
        weights[t, t] = now if t else 1
    return weights


def general(weights: np.ndarray, loss: float) -> Rounds:
    """The same rounds by the general recursion, one client."""
    return Rounds(
        curvature=CURVATURE,
        start=np.ones(3),
        local_lr=np.array(RATE),
        global_lr=np.array(1.0),
        local_steps=STEPS,
        n_clients=1,
        weights=weights,
        loss=np.full((*weights.shape, 3), -loss),
        noise=np.ones(3),
    )


@pytest.mark.parametrize("share", [equal, balanced(0.3, 2.0), lambda t, one: one if t == 1 else 0.4 * one])
def test_memory_is_that_of_general_weights(share) -> None:
    weights = triangle([float(share(t, np.ones(1))[0]) for t in range(1, ROUNDS + 1)])
    path = list(responses(local_round(CURVATURE, RATE, STEPS), remembering(share), ROUNDS))
    rounds = general(weights, loss=0.25)
    silent = Rounds(**{**vars(rounds), "noise": np.zeros(3)})
    drift = silent.of_returning_clients([Source(np.eye(ROUNDS), np.ones(3))])
    stays = silent.of_returning_clients([Source(np.ones((ROUNDS, ROUNDS)), np.ones(3))])
    noise = rounds.of_returning_clients([Source(np.eye(ROUNDS), np.zeros(3))])
    np.testing.assert_allclose([r.time for r in path], drift.variance, atol=1e-14)
    np.testing.assert_allclose([r.client**2 for r in path], stays.variance, atol=1e-14)
    np.testing.assert_allclose([r.noise for r in path], noise.variance, atol=1e-14)
    np.testing.assert_allclose([r.start + 0.25 * r.loss for r in path], drift.mean, atol=1e-14)


def moved(method, tilt: np.ndarray, start: float) -> np.ndarray:
    """Model of one client after every round, given its time drifts (T, d); (T + 1, d)."""
    world = TiltedQuadratic(np.broadcast_to(CURVATURE, (ROUNDS, 1, 3)), np.zeros(3), tilt[:, None])
    none = np.zeros((ROUNDS, 1, 1, 1, STEPS, 3))
    draws = fixed(np.zeros((ROUNDS, 1, 1, 1), dtype=int), none)
    return trajectory(world, method, draws, np.full(3, start), 1, ROUNDS)[:, 1, 0]


def kicked(method) -> np.ndarray:
    """Model after the last round by the round in which a time drift of 1 occurred, (T, d)."""
    kicks = np.eye(ROUNDS)[:, :, None] * np.ones(3)
    return np.array([moved(method, -kick, 0.0)[-1] for kick in kicks])


def test_simulated_cfl_has_this_variance() -> None:
    weights = triangle([1 / (t + 1) for t in range(ROUNDS)])
    method = cfl(RATE, 1.0, lambda t: list(weights[t, : t + 1]))
    found = after(local_round(CURVATURE, RATE, STEPS), ALL_EQUAL, ROUNDS)
    np.testing.assert_allclose((kicked(method) ** 2).sum(axis=0), found.time, rtol=1e-12)
    np.testing.assert_allclose(kicked(method).sum(axis=0), found.client, rtol=1e-12)
    np.testing.assert_allclose(moved(method, np.zeros((ROUNDS, 3)), 1.0)[-1], found.start, rtol=1e-12)


def test_simulated_information_loss_moves_the_mean_so() -> None:
    weights = triangle([1 / (t + 1) for t in range(ROUNDS)])
    method = cfl(
        RATE, 1.0, lambda t: list(weights[t, : t + 1]), with_loss(lambda past, now: np.full((1, 1, 3), -0.5))
    )
    found = after(local_round(CURVATURE, RATE, STEPS), ALL_EQUAL, ROUNDS)
    np.testing.assert_allclose(moved(method, np.zeros((ROUNDS, 3)), 0.0)[-1], 0.5 * found.loss, rtol=1e-12)


@pytest.mark.parametrize("pull", [0.0, 2.0])
def test_simulated_fedprox_has_this_variance(pull: float) -> None:
    found = after(local_round(CURVATURE, RATE, STEPS, pull), FORGETFUL, ROUNDS)
    np.testing.assert_allclose((kicked(fedprox(RATE, pull)) ** 2).sum(axis=0), found.time, rtol=1e-12)


def test_cfl_without_memory_is_fedavg() -> None:
    method = cfl(RATE, 1.0, lambda task: [0] * task + [1])
    found = after(local_round(CURVATURE, RATE, STEPS), FORGETFUL, ROUNDS)
    np.testing.assert_allclose((kicked(method) ** 2).sum(axis=0), found.time, rtol=1e-12)


def test_runs_have_these_moments() -> None:
    rng = np.random.default_rng(0)
    causes = Causes(start=0.4, client=0.5, time=2.0, noise=0.3, level=0.2, level_noise=0.1, n_clients=2)
    x, s, lr, h = np.full(200_000, 0.4), 0.0, 0.1, 2.0
    drift = rng.normal(0, np.sqrt(causes.client / 2), x.shape)
    for t in range(1, 4):
        new = rng.normal(0, np.sqrt(causes.time / 2), x.shape)
        s = s + (new - s) / t
        for _ in range(2):
            noise = rng.normal(0, np.sqrt(causes.noise / 2), x.shape)
            lost = rng.normal(causes.level, np.sqrt(causes.level_noise / 2), x.shape)
            x = x - lr * (h * x + drift + s + noise + lost)
    memory = losing_everywhere(ALL_EQUAL)
    found = after(local_round(np.array([h]), lr, 2), memory, 3)
    assert x.mean() == pytest.approx(mean(found, causes)[0], abs=0.005)
    assert x.var() == pytest.approx(variance(found, causes)[0], rel=0.02)
    assert h**2 * (x**2).mean() == pytest.approx(squared_loss(np.array([h]), found, causes), rel=0.02)


def test_new_clients_drift_like_time() -> None:
    found = after(local_round(CURVATURE, RATE, STEPS), ALL_EQUAL, ROUNDS)
    causes = Causes(start=0, client=3.0, time=0, noise=0)
    np.testing.assert_allclose(of_new_clients(found, causes), 3 * found.time)


def test_fractions_stay_exact() -> None:
    local = local_round(to_exact([1, 5]), Fraction(1, 10), 2)
    assert isinstance(local, LocalRound)
    found = after(local, ALL_EQUAL, 2)
    assert found.time[0] == Fraction(19, 100) ** 2 * (
        (Fraction(81, 100) + Fraction(1, 2)) ** 2 + Fraction(1, 4)
    )


def test_memory_can_be_worse_than_none() -> None:
    """If a round changes the model little, remembering a drift twice adds it up (checked by hand for T = 2)."""
    slow = local_round(np.array([1.0]), 0.1, 1)
    assert after(slow, ALL_EQUAL, 2).time > after(slow, FORGETFUL, 2).time
    fast = local_round(np.array([1.0]), 0.9, 1)
    assert after(fast, ALL_EQUAL, 2).time < after(fast, FORGETFUL, 2).time


def test_change_of_the_last_round_has_this_variance() -> None:
    weights = triangle([1 / (t + 1) for t in range(ROUNDS)])
    method = cfl(RATE, 1.0, lambda t: list(weights[t, : t + 1]))
    kicks = np.eye(ROUNDS)[:, :, None] * np.ones(3)
    steps = np.array([np.diff(moved(method, -kick, 0.0), axis=0) for kick in kicks])
    found = list(changes(local_round(CURVATURE, RATE, STEPS), ALL_EQUAL, ROUNDS))
    np.testing.assert_allclose(
        (steps[:, : ROUNDS - 1] ** 2).sum(axis=0), [r.time for r in found[1:]], rtol=1e-12
    )
