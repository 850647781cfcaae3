"""Drift of C-FLAG's clients within a round, and errors of their delayed gradients: bounds, worst case and random runs.

Drifts are divided by beta |grad g(x_t)| and errors by beta L |grad g(x_t)|, so that the curves depend on the local step k
only. The step size is the largest that the printed bound allows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bounds.catalogue import statement
from bounds.statement import Statement
from nqm.fields import norm, stack
from verify.scenes.cflag.local_steps import Round, Samples, local_round, mean_of, refreshed

E, S, L = 24, 8, 1.0
DIM = 2
WORLDS = 4096
STEPS = {"drift": 1 / (4 * L * E), "error": 1 / (12 * L * E)}
"""beta, by panel."""
STATEMENTS = {"drift": ("cflag.lem13", "cflag.lem13/sharp"), "error": ("cflag.cor14", "cflag.cor14/sharp")}
"""Ids of the printed statements, and of those with the correct constants, by panel."""


def compute(seed: int) -> dict[str, Any]:
    """Bounds (E,), the worst run (E,), and quantiles of random runs (E,) for drift and error at k = 0..E-1."""
    return {
        "shows": [printed for printed, _ in STATEMENTS.values()],
        "parameters": {"E": E, "S": S, "L": L, "d": DIM},
        "worlds": WORLDS,
        "k": np.arange(E),
        "panels": {name: _panel(name, beta, seed) for name, beta in STEPS.items()},
    }


def _panel(name: str, beta: float, seed: int) -> dict[str, Any]:
    printed, sharp = (_bound(statement(id), beta) for id in STATEMENTS[name])
    unit = beta if name == "drift" else beta * L
    runs = _measured(name, random_round(beta, seed)) / unit
    return {
        "statements": STATEMENTS[name],
        "beta": beta,
        "bound": printed / unit,
        "sharp": sharp / unit,
        "worst": _measured(name, worst_round(name, beta))[0] / unit,
        "median": np.median(runs, axis=0),
        "largest": runs.max(axis=0),
    }


def _bound(bound: Statement, beta: float) -> np.ndarray:
    """Right-hand side of a bound at every local step, for a gradient of norm 1."""
    k = np.arange(E)
    values = {"E": E, "S": S, "L": L, "beta": beta, "gg": 1.0, "k": k, "growth": (1 + beta * L) ** k}
    needed = {s.name for s in bound.symbols} | {s.name for s in bound.rhs.free_symbols}
    given = {name: value for name, value in values.items() if name in needed}
    return np.broadcast_to(bound.at(**given), (E,))


def worst_round(name: str, beta: float) -> Round:
    """The worst round: concave quadratics along the gradient.

    The worst drift needs one sample. The worst error needs S samples, of which one is drawn in every step.
    """
    n = 1 if name == "drift" else S
    samples = Samples(slope=np.ones((1, 1, n, 1)), bend=np.full((1, 1, n), -L))
    order = np.zeros((1, 1, E - 1), dtype=int)
    return _round_in_order(samples, order, beta)


def random_round(beta: float, seed: int) -> Round:
    """A round with random quadratics of curvature up to L in random directions, sampled in random order."""
    rng = np.random.default_rng(seed)
    size = (WORLDS, 1, S)
    share = rng.uniform(0, 1, size)
    samples = Samples(
        slope=rng.normal(size=(*size, DIM)),
        bend=L * share * rng.choice([-1, 1], size),
        twist=L * (1 - share) * rng.choice([-1, 1], size),
        axis=np.tan(rng.uniform(-np.pi / 4, np.pi / 4, size)),
    )
    return _round_in_order(samples, rng.integers(0, S, (WORLDS, 1, E - 1)), beta)


def _round_in_order(samples: Samples, order: np.ndarray, beta: float) -> Round:
    n = samples.bend.shape[-1]
    start = np.zeros_like(mean_of(samples.slope))
    fresh = refreshed({"S": n, "E": E}, order.astype(float))
    return local_round(samples.components, start, beta, np.ones(order.shape[:2]), fresh)


def _measured(name: str, run: Round) -> np.ndarray:
    """Norms of drifts or errors divided by the norm of the global gradient, (world, E)."""
    lengths = run.points[:-1] if name == "drift" else run.errors
    return stack([norm(x[:, 0]) for x in lengths], -1) / norm(run.global_gradient)[:, None]
