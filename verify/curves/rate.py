"""The smallest gradient of all tasks over the rounds, against Theorem 4.10 and the order of Corollary 4.12.

Losses are quadratic with the same curvature, on a ball that no run leaves (see `confined`), so every constant is
known and the expectation is exact. The task starts at the optimum of the earlier tasks: the case that favours the
bound most, since their gradient there is zero.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bounds.evaluate import evaluate
from bounds.special import RATE
from bounds.statement import Statement
from nqm.constants import Constants, constants, infimum
from nqm.federation import grad_at, loss_at
from nqm.fields import norm
from nqm.noise import Rademacher
from nqm.quadratic import DiagonalQuadratic
from verify.curves.confined import Steps, confining_ball, limit, named
from verify.curves.psi import FREE
from verify.engine.exact import expected_sq_grad, moments

K, M, N, E, LAM = 3, 4, 2, 2, 0.5
CURVATURE, SIGMA = 4.0, 0.5
TASKS = np.array([[1.0, 0.4], [0.2, -0.1], [-0.2, 0.1]])
"""Optimum of every task, (K, d), the current one first; those of the earlier tasks average to the start."""
CLIENTS = 0.2 * np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
"""Client optima relative to those of the task, (M, d)."""
WORLD = DiagonalQuadratic(np.full((1, 1, 2), CURVATURE), TASKS[:, None] + CLIENTS, Rademacher(SIGMA))
START = np.zeros(2)
EARLIER = range(1, K)
ROUNDS = 2 ** np.arange(0, 14)


def corollary_steps(T: np.ndarray) -> Steps:
    """Step sizes of Corollary 4.12 for T rounds."""
    gamma_L = LAM / (np.sqrt(K * T) * E * CURVATURE)
    gamma_G = np.sqrt(N * E) / ((K - 1) * LAM * CURVATURE)
    return Steps(E, gamma_L, np.broadcast_to(gamma_G, gamma_L.shape), np.broadcast_to(LAM, gamma_L.shape))


def largest_steps(T: np.ndarray) -> Steps:
    """Largest step sizes that the theorem admits, whatever T; its third condition is then met with room."""
    given = {"E": E, "K": K, "L": CURVATURE}
    return Steps(E, *(np.full(T.shape, value) for value in (limit(RATE, "gamma_L", given), limit(RATE, "gamma_G", given), LAM)))


def compute(seed: int) -> dict[str, Any]:
    """Exact left side, bound and free bounds for every T, at two choices of the step sizes; nothing is random."""
    choices = {"corollary": corollary_steps(ROUNDS), "largest": largest_steps(ROUNDS)}
    ball = confining_ball(WORLD, START, max(float(np.max(steps.reach)) for steps in choices.values()))
    found = constants(WORLD, ball)
    return {
        "statement": RATE.id,
        "parameters": {"K": K, "M": M, "N": N, "E": E, "lam": LAM, "d": 2, "noise": WORLD.noise.law},
        "constants": named(found, "B", "L", "sigma_L2", "sigma_G2", "sigma_T2"),
        "start": _at_start(),
        "ball": float(ball.radius),
        "claimed_slope": -0.5,
        "series": {name: _series(steps, found) for name, steps in choices.items()},
    }


def _at_start() -> dict[str, float]:
    return {
        "G0": float(norm(grad_at(WORLD, START, EARLIER))),
        "f0": float(loss_at(WORLD, START)),
        "fstar": float(infimum(WORLD).value),
        "grad2": float(norm(grad_at(WORLD, START)) ** 2),
    }


def _series(steps: Steps, found: Constants) -> dict[str, Any]:
    given = {
        **{name: float(found[name].value) for name in ("B", "L", "sigma_L2", "sigma_G2", "sigma_T2")},
        **{name: value for name, value in _at_start().items() if name != "grad2"},
        **steps.values,
        **{"K": K, "M": M, "N": N, "T": ROUNDS.astype(float)},
    }
    admitted = _admitted(RATE, given)
    if not admitted.any():
        raise ValueError(f"{RATE.id} admits none of the step sizes {steps}")
    chosen = {name: value[admitted] if np.ndim(value) else value for name, value in given.items()}
    measured = _smallest(steps)[admitted]
    terms = RATE.terms_at(**chosen)
    return {
        "rounds": chosen["T"],
        "gamma_L": chosen["gamma_L"],
        "gamma_G": chosen["gamma_G"],
        "measured": measured,
        "bound": RATE.at(**chosen),
        "lead": terms["lead"],
        "floor": _floor(chosen),
        "free": {name: np.broadcast_to(evaluate(bound, chosen), measured.shape) for name, bound in FREE.items()},
        "slope": float(np.polyfit(np.log(chosen["T"]), np.log(measured), 1)[0]),
    }


def _admitted(statement: Statement, given: dict[str, Any]) -> np.ndarray:
    """(T,) array: where all conditions hold."""
    each = range(len(given["T"]))
    at = lambda i: {name: value[i] if np.ndim(value) else value for name, value in given.items()}  # noqa: E731
    return np.array([not statement.failing(**at(i)) for i in each])


def _smallest(steps: Steps) -> np.ndarray:
    """(T,) array: exact min over t = 1..T of the expected squared gradient norm of all tasks."""
    path = moments(
        WORLD, steps.method(), theta0=START, rounds=int(ROUNDS[-1]), n_sampled=N, local_steps=E
    )
    values = expected_sq_grad(WORLD, path)[:, 0]
    return np.array([line[1 : T + 1].min() for line, T in zip(values, ROUNDS, strict=True)])


def _floor(given: dict[str, Any]) -> np.ndarray:
    """What the squared gradient cannot fall below on any path: within the drift of Lemma 4.9 it changes little."""
    drift = given["gamma_G"] * given["gamma_L"] * given["E"] * given["B"] / given["lam"]
    left = np.sqrt(_at_start()["grad2"]) - K * given["L"] * drift
    return np.maximum(left, 0) ** 2
