"""Distance that SPECIAL moves within a task, compared with Lemma 4.9: the bound, the exact value, and simulated runs.

Losses are linear. Hence gradients are bounded on all of R^d, a round is an affine map, and its moments are exact.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from algorithms.draws import monte_carlo
from algorithms.simulate import trajectory
from bounds.special.theorems import DRIFT
from nqm.bounded import Linear
from nqm.constants import constants
from nqm.fields import sq
from nqm.noise import Rademacher
from verify.curves.confined import Steps, named_constants
from verify.curves.interval import mean_interval
from verify.lab.moments import expected_sq_distance, moments

M, N = 4, 2
STEPS = Steps(E=2, gamma_L=0.05, gamma_G=1.0, lam=np.array([0.05, 0.2, 0.8, 3.2]))
SIGMA = 0.3
SLOPES = np.array([[0.9, 0.2], [0.8, -0.4], [0.5, 0.5], [0.9, 0.0]])
"""Gradients of the clients, (M, d)."""
WORLD = Linear(SLOPES[None], Rademacher(SIGMA))
START = np.zeros(2)
ROUNDS = 128
RUNS = 4096
ERROR = 1e-6
"""Probability that at least one of all intervals misses its expectation."""


def compute(seed: int) -> dict[str, Any]:
    """Bound, exact value and interval of E|theta^t - theta^0|^2 for every lambda and round >= 1."""
    found = constants(WORLD)
    B = float(found["B"].value)
    samples = _samples(seed)
    low, high = mean_interval(samples, _certain(B), ERROR / samples[..., 0].size)
    return {
        "shows": [DRIFT.id],
        "parameters": {"M": M, "N": N, **STEPS.values, "d": 2, "sigma_L": SIGMA, "noise": WORLD.noise.law},
        "slopes": SLOPES,
        "constants": named_constants(found, "B"),
        "runs": RUNS,
        "error": ERROR,
        "rounds": np.arange(1, ROUNDS + 1),
        "lam": STEPS.lam,
        "bound": DRIFT.at(M=M, N=N, **STEPS.values, B=B),
        "exact": _exact(),
        "simulated": samples.mean(axis=-1),
        "low": low,
        "high": high,
    }


def _exact() -> np.ndarray:
    """(lambda, round) array of exact expectations."""
    found = moments(WORLD, STEPS.method(), theta0=START, rounds=ROUNDS, n_sampled=N, local_steps=STEPS.E)
    return expected_sq_distance(found, START)[:, 0, 1:]


def _samples(seed: int) -> np.ndarray:
    """(lambda, round, run) array of squared distances in simulated runs."""
    draws = monte_carlo(seed, RUNS, M, N, STEPS.E, 2, WORLD.noise.law)
    return sq(trajectory(WORLD, STEPS.method(), draws, START, ROUNDS) - START)[:, 0, 1:]


def _certain(B: float) -> np.ndarray:
    """(lambda, round) array of upper bounds on the squared distance that hold on every path.

    They are the geometric sum in the proof of Lemma 4.9, truncated after t rounds.
    """
    shrink = 1 - (1 + STEPS.lam[:, None]) ** -np.arange(1.0, ROUNDS + 1)
    return (STEPS.drift[:, None] * B * shrink) ** 2
