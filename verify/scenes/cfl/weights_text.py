"""Scenes of CFL's sentences about its weights: rows of Tables 1, 2 and 9."""

from __future__ import annotations

from itertools import pairwise

from bounds.cfl.tables import TABLE_9
from bounds.cfl.weights_text import TABLE_2
from verify.engine.checks.table import row
from verify.engine.model.scene import Box, Scene
from verify.scenes.cfl.weights import matrix_of, solved

TABLE_2_ROW = Scene(
    name="a row of Table 2",
    shapes=({"t": 4},),
    space=lambda shape: {
        "alpha": Box(0, 0.99),
        "D": Box(0.01, 10),
        "R": Box(0, 10),
        "printed": Box(-1, 1, (shape["t"],)),
    },
    compute=lambda shape, values: {
        "solved": solved(matrix_of(values["alpha"], values["D"] ** 2, values["R"] ** 2, shape["t"])),
        "solved_squares": solved(matrix_of(values["alpha"], values["D"], values["R"], shape["t"])),
    },
)

TABLE_9_ROWS = Scene(
    name="accuracies of Table 9",
    shapes=({"methods": 4},),
    space=lambda shape: {name: Box(0, 100, (shape["methods"],)) for name in ("less", "more")},
    compute=lambda shape, values: {"plain": values["less"][:, 0], "core_set": values["less"][:, 2]},
)
ACCURACIES = {overlap: [n.value for n in printed.values()] for overlap, printed in TABLE_9.items()}

TABLE_1_CL = Scene(
    name="entries of Table 1 for CL", shapes=({},), space=lambda shape: {"general": Box(0, 1, levels=(0, 1))}
)
ROWS_OF_TABLE_2 = {f"row {n}": row({"t": 4}, entries) for n, entries in enumerate(TABLE_2, start=1)}
GROWING_OVERLAP = {
    f"{a} to {b}": row({"methods": 4}, {"less": ACCURACIES[a], "more": ACCURACIES[b]})
    for a, b in pairwise(ACCURACIES)
}
EVERY_OVERLAP = {a: row({"methods": 4}, {"less": found, "more": found}) for a, found in ACCURACIES.items()}
YIN = {"Yin et al.": row({}, {"general": "0"})}
