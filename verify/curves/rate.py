"""The smallest gradient of all tasks over the rounds, compared with Theorem 4.10 and the order of Corollary 4.12.

Losses are quadratic with the same curvature, on a ball that no run leaves (see `confined`). Hence every constant is known and
the expectation is exact. The task starts at the optimum of the earlier tasks. There their gradient is zero, which is the most
favourable case for the bound.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

import bounds.special.symbols as of
from bounds.evaluate import evaluate
from bounds.special.theorems import RATE
from nqm.constants import Constants, constants, infimum
from nqm.federation import grad_at, loss_at
from nqm.fields import norm
from nqm.noise import Rademacher
from nqm.quadratic import DiagonalQuadratic
from verify.curves.confined import Steps, confining_ball, named_constants
from verify.curves.psi import FREE
from verify.lab.moments import expected_sq_grad, moments

Values = dict[str, Any]

SIZES = {"K": 3, "M": 4, "N": 2, "E": 2}
LAM = 0.6
CURVATURE, SIGMA = 4.0, 0.5
TASKS = np.array([[1.0, 0.4], [0.2, -0.1], [-0.2, 0.1]])
"""Optimum of every task, (K, d), the current one first. The mean of the earlier tasks' optima is the start."""
CLIENTS = 0.2 * np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
"""Client optima relative to those of the task, (M, d)."""
WORLD = DiagonalQuadratic(np.full((1, 1, 2), CURVATURE), TASKS[:, None] + CLIENTS, Rademacher(SIGMA))
START = np.zeros(2)
EARLIER = range(1, 3)
ROUNDS = 2 ** np.arange(14)

CHOICES = {
    "corollary": {
        of.gamma_L: of.lam / (sp.sqrt(of.K * of.T) * of.E * of.L),
        of.gamma_G: sp.sqrt(of.N * of.E) / ((of.K - 1) * of.lam * of.L),
    },
    "largest": {of.gamma_L: 1 / (8 * of.E * of.L), of.gamma_G: 1 / (of.K - 1)},
}
"""Step sizes: those of Corollary 4.12, and the largest that Theorem 4.10 admits for every T."""
ORDER = sp.sqrt(of.E / (of.N * of.T), evaluate=False)
"""The order that Corollary 4.12 claims."""
SLOPE = -0.5


def compute(seed: int) -> Values:
    """Exact left side, bound and trivial bounds for every T, for two choices of the steps; nothing is random."""
    choices = {name: _admissible_values(rule) for name, rule in CHOICES.items()}
    ball = confining_ball(WORLD, START, max(float(np.max(_steps(given).reach)) for given in choices.values()))
    found = constants(WORLD, ball)
    return {
        "shows": [RATE.id, "special.cor4.12"],
        "parameters": {**SIZES, "lam": LAM, "d": 2, "noise": WORLD.noise.law},
        "constants": named_constants(found, "B", "L", "sigma_L2", "sigma_G2", "sigma_T2"),
        "start": _at_start(),
        "ball": ball.radius,
        "claimed": {"order": of.SPECIAL.latex(ORDER), "slope": SLOPE},
        "free": {name: of.SPECIAL.latex(bound) for name, bound in FREE.items()},
        "series": {
            name: {
                "steps": {
                    of.SPECIAL.latex(step): of.SPECIAL.latex(value) for step, value in CHOICES[name].items()
                },
                **_series(given, found),
            }
            for name, given in choices.items()
        },
    }


def _admissible_values(rule: dict[sp.Symbol, sp.Expr]) -> Values:
    """Sizes and steps under a rule, for the values of T at which they meet every condition of the theorem."""

    def at(T: Any) -> Values:
        given = {**SIZES, "lam": LAM, "L": CURVATURE, "T": T.astype(float)}
        return {**given, **{step.name: evaluate(value, given) for step, value in rule.items()}}

    return at(np.array([T for T in ROUNDS if not RATE.failing(**at(T))]))


def _steps(given: Values) -> Steps:
    sweep = given["T"].shape
    return Steps(SIZES["E"], *(np.broadcast_to(given[name], sweep) for name in ("gamma_L", "gamma_G", "lam")))


def _at_start() -> dict[str, float]:
    """Constants of the theorem that are evaluated at the start of the task."""
    return {
        "G0": float(norm(grad_at(WORLD, START, EARLIER))),
        "f0": float(loss_at(WORLD, START)),
        "fstar": float(infimum(WORLD).value),
    }


def _series(given: Values, found: Constants) -> Values:
    measured = _smallest(given)
    given = {
        **given,
        **_at_start(),
        **{name: float(found[name].value) for name in ("B", "sigma_L2", "sigma_G2", "sigma_T2")},
    }
    return {
        "rounds": given["T"],
        "measured": measured,
        "slope": float(np.polyfit(np.log(given["T"]), np.log(measured), 1)[0]),
        "bound": RATE.at(**given),
        "lead": RATE.terms_at(**given)["lead"],
        "floor": _floor(given),
        **{
            f"free_{name}": np.broadcast_to(evaluate(bound, given), measured.shape)
            for name, bound in FREE.items()
        },
    }


def _smallest(given: Values) -> np.ndarray:
    """(T,) array: exact min over t = 1..T of the expected squared gradient norm of all tasks."""
    rounds = given["T"].astype(int)
    path = moments(
        WORLD,
        _steps(given).method(),
        theta0=START,
        rounds=int(rounds[-1]),
        n_sampled=SIZES["N"],
        local_steps=SIZES["E"],
    )
    values = expected_sq_grad(WORLD, path)[:, 0]
    return np.array([line[1 : T + 1].min() for line, T in zip(values, rounds, strict=True)])


def _floor(given: Values) -> np.ndarray:
    """Lower bound on the squared gradient on every path, from the drift of Lemma 4.9."""
    at_start = norm(grad_at(WORLD, START))
    change = given["K"] * given["L"] * _steps(given).drift * given["B"]
    return np.maximum(at_start - change, 0) ** 2
