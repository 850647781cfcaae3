"""The loss of the first task on a line, at its optimum or elsewhere, and after the second task."""

from __future__ import annotations

import sympy as sp

from bounds.mirzadeh.theorem import L
from bounds.relations import eq, le
from verify.engine.model.scene import Box, Named, Scene, Shape, Values

curvature, slope = sp.Symbol("steepness", real=True), sp.Symbol("slope", real=True)
ASSUMED = (le(curvature, L), eq(slope, 0))
"""A smooth loss, and a first model at its optimum."""


def _losses(shape: Shape, values: Named) -> Values:
    h, first, moved = values["steepness"], values["first"] * values["early"], values["moved"]
    forgotten = h / 2 * ((first + moved) ** 2 - first**2)
    return {"slope": h * first, "forgotten": forgotten, "moved2": moved**2}


WORLD = Scene(
    name="a quadratic loss before and after the second task",
    shapes=({},),
    space=lambda shape: {
        "steepness": Box(0.1, 2),
        "L": Box(0.05, 4),
        "first": Box(-2, 2),
        "early": Box(0, 1, levels=(0, 0, 1)),
        "moved": Box(-2, 2),
    },
    compute=_losses,
)
