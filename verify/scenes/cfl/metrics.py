"""Scenes: cFL, Section 5.3: its metric, and whether Tables 5 to 8 speak of the same experiments."""

from __future__ import annotations

from verify.engine.instance import Instance
from verify.engine.scene import Box, Scene
from verify.scenes.metrics import cfl_accuracy

Rows = dict[str, Instance]

CURVES = Scene(
    name="accuracy by epoch",
    shapes=tuple({"epochs": n} for n in (5, 6, 8)),
    space=lambda shape: {"curve": Box(0, 1, (shape["epochs"],))},
    compute=lambda shape, values: {
        "reported": cfl_accuracy(values["curve"]),
        "last_five": values["curve"][:, -5:].mean(axis=-1),
    },
)
