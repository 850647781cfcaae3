"""EF21 on quadratic losses on a line, with compressors that scale a number: whole runs."""

from __future__ import annotations

from bounds.ef21.theorem import L, r
from bounds.relations import ge, le
from verify.engine.model.scene import Box, Named, Scene, Shape, Values
from verify.scenes.letters import named
from verify.scenes.on_a_line import Losses

steepest, flattest, overall, err = named("steepest, flattest, overall, err", real=True)
ASSUMED = (le(steepest, L), ge(flattest, -L), ge(overall, 0), le(err, r))
"""Smooth losses, whose mean is bounded from below, and compressors with |C(v) - v| <= r |v|."""


def _space(shape: Shape) -> dict[str, Box]:
    each = (shape["M"],)
    return {
        "h": Box(-2, 2, each),
        "c": Box(-2, 2, each),
        "start": Box(-3, 3),
        "g": Box(-3, 3, each),
        "err": Box(0, 1.2),
        "sign": Box(-1, 1, levels=(-1, 1)),
        "step": Box(0.01, 20, levels=(0.01, 0.5, 1, 2, 20)),
        "L": Box(0.05, 4),
        "r": Box(0.01, 1.2),
    }


def _run(shape: Shape, values: Named) -> Values:
    losses = Losses(values["h"], values["c"])
    gamma = values["step"] / values["L"]
    x, g = values["start"], values["g"]
    error = values["err"] * values["sign"]
    mean_curvature = losses.curvature.sum(axis=1) / losses.clients
    slopes = []
    start = x

    def gradients(model):
        return losses.curvature * (model[:, None] - losses.centre)

    error_0 = ((g - gradients(x)) ** 2).sum(axis=1) / losses.clients
    for _ in range(shape["t"]):
        slopes.append((gradients(x).sum(axis=1) / losses.clients) ** 2)
        x = x - gamma * g.sum(axis=1) / losses.clients
        g = g + (1 - error)[:, None] * (gradients(x) - g)
    return {
        "steepest": losses.steepest,
        "flattest": losses.flattest,
        "overall": mean_curvature,
        "gamma": gamma,
        "gap_0": mean_curvature / 2 * (start - losses.optimum) ** 2,
        "error_0": error_0,
        "grad2_mean": sum(slopes) / shape["t"],
    }


WORLD = Scene(
    name="EF21 on a line",
    shapes=tuple({"M": M, "t": t} for M, t in ((1, 1), (1, 2), (2, 2), (2, 4), (2, 8), (3, 3))),
    space=_space,
    compute=_run,
)
