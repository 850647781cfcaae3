"""Scaffnew on quadratic losses on a line: whole runs, with every course of the coin that decides on communication."""

from __future__ import annotations

from bounds.proxskip.theorem import L, mu
from bounds.relations import eq, ge, le
from nqm.fields import Array, stack
from verify.engine.model.scene import Box, Named, Scene, Shape, Values
from verify.scenes.letters import named
from verify.scenes.on_a_line import SHARES, SWITCH, Losses

steepest, flattest, balance = named("steepest, flattest, balance", real=True)
ASSUMED = (le(steepest, L), ge(flattest, mu), eq(balance, 0))
"""Smooth and strongly convex losses, and control variates that add up to 0."""


def _space(shape: Shape) -> dict[str, Box]:
    each = (shape["M"],)
    return {
        "h": Box(0.1, 2, each),
        "down": SWITCH,
        "c": Box(-2, 2, each),
        "x": Box(-3, 3, each),
        "control": Box(-3, 3, each),
        "unbalanced": SWITCH,
        "step": Box(0.01, 4, levels=(0.01, 0.5, 1, 1.5, 4)),
        "p": Box(0.05, 1),
        "share_zeta": Box(0.5, 3, levels=(0.5, 1, 1, 3)),
        "share_mu": Box(0.5, 3, levels=(0.5, 1, 1, 3)),
        "share_L": SHARES,
    }


def _lyapunov(x: Array, control: Array, losses: Losses, weight: Array) -> Array:
    """Mean squared distance of the models and of the control variates, the second with a weight."""
    best = losses.optimum[:, None]
    return ((x - best) ** 2).sum(axis=1) / losses.clients + weight * ((control - losses.slopes) ** 2).sum(
        axis=1
    ) / losses.clients


def _run(shape: Shape, values: Named) -> Values:
    losses = Losses(values["h"] * (1 - 2 * values["down"])[:, None], values["c"])
    p, smooth = values["p"], values["share_L"] * losses.steepest
    gamma = values["step"] / smooth
    strong = values["share_mu"] * losses.flattest
    raw = values["control"]
    control = raw - (1 - values["unbalanced"])[:, None] * (raw.sum(axis=1) / losses.clients)[:, None]
    weight = gamma**2 / p**2
    start = (values["x"], control)
    courses = [(0 * p + 1, start)]
    for _ in range(shape["t"]):
        courses = [
            (share * chance, after)
            for share, (x, h) in courses
            for chance, after in (
                (p, _communicated(x, h, losses, gamma, p)),
                (1 - p, _alone(x, h, losses, gamma)),
            )
        ]
    return {
        "steepest": losses.steepest,
        "flattest": losses.flattest,
        "balance": control.sum(axis=1),
        "L": smooth,
        "mu": strong,
        "zeta": values["share_zeta"] * gamma * strong,
        "gamma": gamma,
        "psi_0": _lyapunov(*start, losses, weight),
        "psi": sum(share * _lyapunov(x, h, losses, weight) for share, (x, h) in courses),
    }


def _alone(x: Array, control: Array, losses: Losses, gamma: Array) -> tuple[Array, Array]:
    """A local step with control variates."""
    return x - gamma[:, None] * (losses.curvature * (x - losses.centre) - control), control


def _communicated(x: Array, control: Array, losses: Losses, gamma: Array, p: Array) -> tuple[Array, Array]:
    """A local step after which all clients continue from the mean, and renew their control variates."""
    moved, _ = _alone(x, control, losses, gamma)
    shifted = moved - (gamma / p)[:, None] * control
    joint = stack([shifted.sum(axis=1) / losses.clients] * losses.clients, 1)
    return joint, control + (p / gamma)[:, None] * (joint - moved)


WORLD = Scene(
    name="Scaffnew on a line",
    shapes=tuple({"M": M, "t": t} for M, t in ((1, 1), (2, 1), (2, 2), (2, 3), (3, 2))),
    space=_space,
    compute=_run,
)
