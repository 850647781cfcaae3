"""The loss of the memory on a plane before and after a step of A-GEM."""

from __future__ import annotations

import sympy as sp

from bounds.agem.theorem import L
from bounds.relations import eq, le
from nqm.fields import dot, sq
from verify.engine.model.scene import Box, Named, Scene, Shape, Values

steepest, along = sp.Symbol("steepest", real=True), sp.Symbol("along", real=True)
ASSUMED = (le(steepest, L), eq(along, 0))
"""A smooth loss of the memory, and a step along the projected gradient."""


def _step(shape: Shape, values: Named) -> Values:
    h, x, g = values["steepest"], values["x"], values["g"]
    ref = h[:, None] * x
    kept = g - (1 - values["raw"])[:, None] * (dot(g, ref) / sq(ref))[:, None] * ref
    after = x - values["eta"][:, None] * kept
    return {"along": dot(kept, ref), "kept2": sq(kept), "before": h / 2 * sq(x), "after": h / 2 * sq(after)}


WORLD = Scene(
    name="a step of A-GEM in the plane",
    shapes=({},),
    space=lambda shape: {
        "steepest": Box(0.1, 2),
        "L": Box(0.05, 4),
        "x": Box(-2, 2, (2,)),
        "g": Box(-2, 2, (2,)),
        "eta": Box(0.01, 2, scale="log"),
        "raw": Box(0, 1, levels=(0, 0, 1)),
    },
    compute=_step,
)
