"""Scenes of CFL, Section 5.3: its metric, and numbers that two of its tables share."""

from __future__ import annotations

from bounds.cfl.metrics import APPLICABLE
from bounds.cfl.tables import TABLE_5, TABLE_6, TABLE_7
from verify.engine.checks.table import row
from verify.engine.model.instance import Instance
from verify.engine.model.scene import Box, Scene
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


def in_table_6(alpha: str) -> Rows:
    """Rows that pair means and deviations on CIFAR10 in Table 5 with those of Table 6 for one alpha."""
    again = TABLE_6[f"alpha = {alpha}"]
    return {
        f"{part} of {method}": row({}, {"cell": one, "cell_again": other})
        for method, number in TABLE_5["CIFAR10"].items()
        if method in again
        for part, one, other in (
            ("mean", number.value, again[method].value),
            ("deviation", number.deviation, again[method].deviation),
        )
    }


def applied() -> Rows:
    """Rows that state whether a method is applicable and whether the tables contain it, by scenario and method."""
    shown = {"stateful": TABLE_6["alpha = 0.1"], "stateless": TABLE_7["accuracy"]}
    return {
        f"{method}, {scenario} clients": row(
            {}, {"applies": str(int(applies)), "shown": str(int(method in shown[scenario]))}
        )
        for scenario, methods in APPLICABLE.items()
        for method, applies in methods.items()
    }
