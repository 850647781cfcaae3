"""The correction term of Theorem 4.7 against t, compared with the trivial bounds of its conditions, in two worlds.

For every t the steps are the largest that the theorem admits, so each t needs a run of its own. Losses are quadratic, with
one curvature per task, on a ball that no run leaves (see `confined`). Expectations are exact. In the world "aligned", the
gradients of the current task have the direction of the earlier tasks' gradient, up to an angle. In the world "noise", the
current task has gradient zero, the extreme case that the alignment condition allows, and only noise moves the model.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from bounds.evaluate import evaluate
from bounds.special.symbols import G0, SPECIAL, B, E, K, L, gamma_G, gamma_L, lam, t
from bounds.special.theorems import BKT
from nqm.constants import constants
from nqm.federation import grad_at
from nqm.fields import norm
from nqm.known import Ball
from nqm.noise import Rademacher
from nqm.quadratic import DiagonalQuadratic
from verify.curves.confined import Steps, limit, named_constants
from verify.lab.moments import expected_loss, moments

delta = gamma_G * gamma_L * E * B / lam
FREE = {"drift": G0 * delta + (K - 1) * L / 2 * delta**2, "aligned": (K - 1) * L / 2 * delta**2}
"""Trivial bounds from smoothness and the drift of Lemma 4.9. With alignment the linear term is <= 0 and can be dropped."""

LARGEST = {c.lhs: c.rhs for c in BKT.conditions if c.lhs in (gamma_G, gamma_L)}
"""The largest step sizes that the theorem admits."""
CROSSING = sp.factor(t * (FREE["aligned"] / BKT.terms["correction"]).subs(LARGEST))
"""The t from which on the bound "aligned" is below the correction term, at the largest steps; their ratio is CROSSING/t."""

WORLDS = ("aligned", "noise")
SIZES = {"K": 3, "M": 4, "N": 2, "E": 2}
LAM, EPS = 0.2, 0.5
EARLIER = range(1, SIZES["K"])
SIGMA = 1.0
FAR = 10.0
"""Distance of the current task's optima; it is large, so that the direction of its gradients is almost constant on the ball."""
CURVATURES = {"aligned": [0.05, 0.4, 0.4], "noise": [0.0, 0.4, 0.4]}
"""Curvatures of the current and the two earlier tasks, by world."""
ANGLES = np.radians([-40, -20, 20, 40])
"""Angles between the clients' gradients of the current task and the earlier tasks' gradient."""
START = np.zeros(2)
ROUNDS = np.unique(np.geomspace(1, 1000, 31).round().astype(int))


def world() -> DiagonalQuadratic:
    """Both worlds, (world, task, client, dim); earlier tasks have their optimum at (1, 0) and no noise."""
    curvature = np.array([CURVATURES[name] for name in WORLDS])[:, :, None, None]
    current = FAR * np.stack([np.cos(ANGLES), np.sin(ANGLES)], axis=-1)
    earlier = np.broadcast_to([1.0, 0.0], (len(EARLIER), *current.shape))
    centre = np.broadcast_to(
        np.concatenate([current[None], earlier]), (len(WORLDS), SIZES["K"], *current.shape)
    )
    sigma = np.zeros(centre.shape[:-1])
    sigma[:, 0] = SIGMA
    return DiagonalQuadratic(curvature, centre, Rademacher(sigma))


def compute(seed: int) -> dict[str, Any]:
    """Correction term, trivial bounds and exact change of the earlier tasks' loss, for every t; nothing is random."""
    federation = world()
    ball, given = _setting(federation)
    found = constants(federation, ball)
    sigma_L2 = found["sigma_L2"].value
    lines = {
        "correction": BKT.at(**given, F_0=0, sigma_L2=sigma_L2),
        **{f"free_{name}": evaluate(bound, given) for name, bound in FREE.items()},
        "exact": _change(federation, given),
    }
    return {
        "shows": [BKT.id],
        "parameters": {**SIZES, "lam": LAM, "eps": EPS, "d": 2, "noise": federation.noise.law},
        "constants": named_constants(found, "B", "L", "sigma_L2"),
        "start": {"G0": given["G0"], "alignment": given["align"]},
        "ball": ball.radius,
        "steps": {SPECIAL.latex(step): SPECIAL.latex(largest) for step, largest in LARGEST.items()},
        "free": {name: SPECIAL.latex(bound) for name, bound in FREE.items()},
        "crossing": {
            "formula": SPECIAL.latex(CROSSING),
            "t": evaluate(CROSSING, {**given, "sigma_L2": sigma_L2}),
        },
        "t": ROUNDS,
        "gamma_L": given["gamma_L"],
        "gamma_G": given["gamma_G"],
        "worlds": {
            name: {line: values[:, i] for line, values in lines.items()} for i, name in enumerate(WORLDS)
        },
    }


def _setting(federation: DiagonalQuadratic) -> tuple[Ball, dict[str, Any]]:
    """A ball that no run leaves, and the values of all quantities except the noise, as (t, world) arrays or numbers.

    gamma_L is proportional to 1/B. Hence the largest step of a client, and with it the ball, does not depend on B.
    """
    start = norm(grad_at(federation, START, EARLIER))
    given: dict[str, Any] = {
        **SIZES,
        "lam": LAM,
        "eps": EPS,
        "t": ROUNDS[:, None].astype(float),
        "G0": start,
        "B": 1.0,
    }
    given["L"] = constants(federation)["L"].value
    given["gamma_G"] = limit(BKT, "gamma_G", given)
    per_unit = Steps(SIZES["E"], limit(BKT, "gamma_L", given), given["gamma_G"], LAM)
    ball = Ball(START, np.max(per_unit.reach))
    found = constants(federation, ball)
    given["B"] = found["B"].value
    given["gamma_L"] = limit(BKT, "gamma_L", given)
    return ball, {**given, "align": _alignment(ball)}


def _alignment(ball: Ball) -> float:
    """Smallest cosine, on the ball, between a client's gradient and that of the earlier tasks at the start.

    Seen from a client's optimum, the ball fills an angle of arcsin(radius / distance) to each side of the
    start. Where the gradient is zero, the alignment condition is trivially met.
    """
    return float(np.cos(np.abs(ANGLES).max() + np.arcsin(ball.radius / FAR)))


def _change(federation: DiagonalQuadratic, given: dict[str, Any]) -> np.ndarray:
    """(t, world) array: exact expected change of the earlier tasks' loss after t rounds."""
    steps = Steps(SIZES["E"], given["gamma_L"], given["gamma_G"], LAM)
    path = moments(
        federation,
        steps.method(),
        theta0=np.broadcast_to(START, (len(ROUNDS), len(WORLDS), 2)),
        rounds=int(ROUNDS[-1]),
        n_sampled=SIZES["N"],
        local_steps=SIZES["E"],
    )
    loss = expected_loss(federation, path, EARLIER)[..., 0, :]
    return loss[np.arange(len(ROUNDS)), :, ROUNDS] - loss[..., 0]
