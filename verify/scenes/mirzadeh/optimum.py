"""Losses at the optimum of the first task and at another model."""

from __future__ import annotations

from fractions import Fraction

from verify.engine.model.scene import Box, Named, Scene, Shape, Values
from verify.first_order import Form, Problem, smooth, sq, worst_case
from verify.first_order.points import NONNEGATIVE


def second_task(problem: Problem, L: Fraction) -> dict[str, Form]:
    """Any smooth loss at a stationary point and at the model after the second task."""
    loss, model = problem.function(smooth(L)), problem.point("model")
    optimum = loss.minimiser()
    return {"forgotten": loss(model) - loss(optimum), "moved2": sq(model - optimum)}


def _quartic(shape: Shape, values: Named) -> Values:
    """A loss curvature/2 w^2 + bend w^4 in one dimension, whose optimum is 0."""
    w, curvature = values["w"], values["curvature"]
    return {"forgotten": curvature / 2 * w**2 + values["bend"] * w**4, "moved2": w**2}


ANY = worst_case(second_task, L=NONNEGATIVE)
QUARTIC = Scene(
    name="quartic losses in one dimension",
    shapes=({},),
    space=lambda shape: {"w": Box(-2, 2), "curvature": Box(0.1, 4), "bend": Box(0, 1)},
    compute=_quartic,
)
