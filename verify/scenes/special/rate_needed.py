"""Whole tasks of SPECIAL that violate Theorem 4.10 without some of its terms."""

from __future__ import annotations

from nqm.fields import stack
from verify.engine.model.scene import Box, Named, Shape
from verify.scenes.parameters import through
from verify.scenes.special.rate import BOUNDED, task_sizes


def _one_pulls(shape: Shape, values: Named) -> Named:
    """Parameters with earlier losses of much smaller curvature than the current one."""
    height = values["pull"]
    return {**values, "height": stack([height, height * values["share"]], axis=1)}


LONG = through(
    BOUNDED,
    "many rounds of a task of SPECIAL after one of hardly any slope",
    _one_pulls,
    lambda shape: {
        "pull": Box(0.5, 2, (shape["M"],)),
        "share": Box(0.01, 0.05, (shape["M"],)),
        "width": Box(0.5, 2, (shape["K"], shape["M"])),
        "centre": Box(-2, 2, (shape["K"], shape["M"], shape["d"])),
        "lam": Box(0.5, 4, scale="log"),
        "gamma_G": Box(0.5, 1),
        "gamma_L": Box(0.5, 1),
        "room": Box(0, 0),
    },
    shapes=(task_sizes(M=2, N=2, T=300, curved=1),),
)
