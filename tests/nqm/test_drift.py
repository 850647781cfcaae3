"""Drifting quadratics: the laws have the stated correlations, and the moments equal those of all outcomes."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
import torch

from nqm import drift
from nqm.constants import constants
from nqm.drift import Rounds, SignLaw, Source, TiltedQuadratic
from nqm.fields import to_exact, to_float
from nqm.known import Ball
from nqm.noise import Rademacher
from nqm.quadratic import DiagonalQuadratic

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)


def expected_correlation(name: str, share: Fraction) -> np.ndarray:
    apart = np.abs(np.subtract.outer(np.arange(3), np.arange(3)))
    rules = {
        "persistent": lambda n: Fraction(1),
        "independent": lambda n: Fraction(int(n == 0)),
        "overlapping": lambda n: Fraction(1) if n == 0 else share,
        "gradual": lambda n: share ** int(n),
    }
    return np.vectorize(rules[name], otypes=[object])(apart)


@pytest.mark.parametrize("name", ["persistent", "independent", "overlapping", "gradual"])
@pytest.mark.parametrize("share", [Fraction(0), THIRD, Fraction(1)])
def test_correlations_are_exact(name: str, share: Fraction) -> None:
    make = getattr(drift, name)
    law = make(3, share) if name in ("overlapping", "gradual") else make(3)
    assert law.chances.sum() == 1
    assert (law.chances >= 0).all()
    assert ((law.chances[:, None] * law.signs).sum(axis=0) == 0).all()
    assert (law.correlation == expected_correlation(name, share)).all()


def test_laws_take_batches_of_tensors() -> None:
    alpha = torch.tensor([0.0, 0.25, 0.9], dtype=torch.float64)
    found = drift.gradual(4, alpha).correlation
    apart = np.abs(np.subtract.outer(np.arange(4), np.arange(4)))
    assert torch.allclose(found, alpha[:, None, None] ** torch.as_tensor(apart))
    assert torch.allclose(drift.overlapping(2, alpha).correlation[:, 0, 1], alpha)


def test_joint_signs_are_independent() -> None:
    (a, b), (p, q) = drift.joint_signs([drift.persistent(2), drift.gradual(2, THIRD)])
    assert (p * q).sum() == 1
    assert ((p * q)[:, None] * a * b).sum() == 0


def tilted(least: int = 1) -> TiltedQuadratic:
    rng = np.random.default_rng(3)
    curvature = rng.integers(least, 4, (2, 3, 2)) / 2
    return TiltedQuadratic(
        curvature, np.array([0.5, -1.0]), rng.integers(-3, 4, (2, 3, 2)) / 2, Rademacher(0.5)
    )


def test_gradient_is_the_slope_of_the_loss() -> None:
    world, x, step = tilted(), np.random.default_rng(0).normal(size=(4, 3, 2)), 1e-6
    for j in range(2):
        shift = step * np.eye(2)[j]
        slope = (world.loss(x + shift, 1) - world.loss(x - shift, 1)) / (2 * step)
        np.testing.assert_allclose(world.grad(x, 1)[..., j], slope, rtol=1e-6, atol=1e-8)
    hessian = world.at(1).hessian(x)
    np.testing.assert_allclose((hessian @ np.ones(2)), world.grad(x + 1, 1) - world.grad(x, 1), atol=1e-12)


def test_constants_are_those_of_the_moved_quadratics() -> None:
    world = tilted()
    same = DiagonalQuadratic(world.curvature, world.centre + world.tilt / world.curvature, world.noise)
    region = Ball(np.array([1.0, 2.0]), np.array(3.0))
    ours, theirs = constants(world, region), constants(same, region)
    for name in ("L", "mu", "B", "sigma_L2", "sigma_G2", "sigma_T2"):
        np.testing.assert_allclose(ours[name].value, theirs[name].value)
    np.testing.assert_allclose(world.minimiser(), same.minimiser())


def test_slopes_have_no_gradient_bound() -> None:
    with pytest.raises(ValueError, match="curvature"):
        constants(tilted(least=0), Ball(np.zeros(2), np.array(1.0)))["sigma_G2"]


def every_run(
    rounds: Rounds, g: Fraction, x: Fraction, sigma: Fraction, clients: str
) -> tuple[Fraction, Fraction]:
    """Mean and second moment of the model of one client in one dimension, by enumerating every outcome."""
    T, K = rounds.weights.shape[-1], rounds.local_steps
    returning = clients == "returning"
    n_signs = 1 + T if returning else sum(1 + t for t in range(1, T + 1))
    total, square, count = Fraction(0), Fraction(0), 0
    for signs in itertools.product((1, -1), repeat=n_signs + K * T):
        drifts, noise = signs[:n_signs], signs[n_signs:]
        model, used = rounds.start[0], 0
        for t in range(T):
            if returning:
                s, r = drifts[0], drifts[1 : 2 + t]
            else:
                s, r = drifts[used], drifts[used + 1 : used + 2 + t]
                used += 2 + t
            local = model
            for k in range(K):
                grad = Fraction(0)
                for tau in range(t + 1):
                    true = rounds.curvature[0] * local - g * s - x * r[tau]
                    lost = rounds.loss[t, tau, 0] if tau < t else 0
                    grad += rounds.weights[t, tau] * (true - lost)
                local -= rounds.local_lr[()] * (grad + sigma * noise[t * K + k])
            model += rounds.global_lr[()] * (local - model)
        total, square, count = total + model, square + model**2, count + 1
    return total / count, square / count


@pytest.mark.parametrize("clients", ["returning", "new"])
def test_moments_are_those_of_all_outcomes(clients: str) -> None:
    g, x, sigma = HALF, Fraction(3, 2), THIRD
    weights = to_exact([[Fraction(1), Fraction(0)], [Fraction(1, 4), Fraction(3, 4)]])
    loss = to_exact([[[0], [0]], [[Fraction(2, 3)], [0]]])
    one = lambda value: np.array(value, dtype=object)  # noqa: E731
    rounds = Rounds(
        to_exact([2]),
        to_exact([3]),
        one(Fraction(1, 8)),
        one(HALF),
        2,
        1,
        weights,
        loss,
        to_exact([sigma**2]),
    )
    sources = [
        Source(drift.persistent(2).correlation, to_exact([g**2])),
        Source(drift.independent(2).correlation, to_exact([x**2])),
    ]
    path = getattr(rounds, f"of_{clients}_clients")(sources)
    mean, square = every_run(rounds, g, x, sigma, clients)
    assert path.mean[-1, 0] == mean
    assert path.second_moment[-1] == square


def test_the_model_of_returning_clients_has_met_their_drifts() -> None:
    """E[(model - c) * drift of the round], compared with all outcomes of two rounds."""
    g, x, eta, h, p = HALF, Fraction(3, 2), Fraction(1, 8), 2, Fraction(1, 4)
    weights = to_exact([[Fraction(1), Fraction(0)], [p, 1 - p]])
    one = lambda value: np.array(value, dtype=object)  # noqa: E731
    none = to_exact([[[0], [0]], [[0], [0]]])
    rounds = Rounds(
        to_exact([h]), to_exact([3]), one(eta), one(Fraction(1)), 1, 1, weights, none, to_exact([0])
    )
    sources = [
        Source(drift.persistent(2).correlation, to_exact([g**2])),
        Source(drift.independent(2).correlation, to_exact([x**2])),
    ]
    expected = Fraction(0)
    for s, first, second in itertools.product((1, -1), repeat=3):
        model = (1 - eta * h) * 3 + eta * (g * s + x * first)
        expected += model * (g * s + x * (p * first + (1 - p) * second)) / 8
    found = rounds.along_returning_clients(sources)
    assert list(found[:, 0]) == [0, expected]


def test_moments_of_correlated_drift_and_of_tensors_agree() -> None:
    rng = np.random.default_rng(1)
    weights = np.tril(rng.random((3, 3)))
    weights /= weights.sum(axis=-1, keepdims=True)
    args = (
        rng.random(2),
        rng.random(2),
        np.array(0.1),
        np.array(0.7),
        3,
        5,
        weights,
        rng.random((3, 3, 2)),
        rng.random(2),
    )
    law: SignLaw = drift.gradual(3, 0.6)
    for kind in ("of_returning_clients", "of_new_clients"):
        floats = getattr(Rounds(*args), kind)([Source(law.correlation, args[0])])
        tensors = [torch.as_tensor(a) if isinstance(a, np.ndarray) else a for a in args]
        found = getattr(Rounds(*tensors), kind)([Source(law.correlation, tensors[0])])
        np.testing.assert_allclose(to_float(found.second_moment), floats.second_moment)


def test_new_and_returning_clients_agree_in_the_first_round() -> None:
    args = (
        np.ones(1),
        np.ones(1),
        np.array(0.1),
        np.array(1.0),
        2,
        4,
        np.eye(2),
        np.zeros((2, 2, 1)),
        np.ones(1),
    )
    source = [Source(drift.persistent(2).correlation, np.ones(1))]
    new, back = Rounds(*args).of_new_clients(source), Rounds(*args).of_returning_clients(source)
    assert new.variance[1] == pytest.approx(back.variance[1])
    assert back.variance[2] > new.variance[2]


def test_sampled_clients_against_every_outcome() -> None:
    """Two clients with correlated drifts, one of which takes part in each of three rounds."""
    weights = to_exact(
        [[Fraction(1), 0, 0], [Fraction(1, 4), Fraction(3, 4), 0], [Fraction(1, 2), Fraction(1, 6), THIRD]]
    )
    one = lambda value: np.array(value, dtype=object)  # noqa: E731
    rounds = Rounds(
        to_exact([2]),
        to_exact([3]),
        one(Fraction(1, 8)),
        one(HALF),
        1,
        1,
        weights,
        to_exact(np.zeros((3, 3, 1))),
        to_exact([0]),
    )
    law = drift.gradual(3, THIRD)
    first, second = Fraction(0), Fraction(0)
    for (a, p), (b, q) in itertools.product(zip(law.signs, law.chances, strict=True), repeat=2):
        for chosen in itertools.product((0, 1), repeat=3):
            model = Fraction(3)
            for t, m in enumerate(chosen):
                force = sum(weights[t, tau] * Fraction(int((a, b)[m][tau])) for tau in range(t + 1))
                model -= HALF * Fraction(1, 8) * (2 * model - force)
            first, second = first + p * q * model / 8, second + p * q * model**2 / 8
    path = rounds.of_sampled_clients([Source(law.correlation, to_exact([1]))], 2)
    assert path.mean[-1, 0] == first
    assert path.second_moment[-1] == second


def test_fewer_clients_than_a_round_needs_are_refused() -> None:
    rounds = Rounds(
        *(np.ones(1),) * 2, np.array(0.1), np.array(1.0), 1, 4, np.eye(1), np.zeros((1, 1, 1)), np.ones(1)
    )
    with pytest.raises(ValueError, match=r"`n_all` must be at least N = 4, the clients of a round, got 3"):
        rounds.of_sampled_clients([], 3)
