"""Scenes: CFL: what its text reads out of its tables of results, as far as the printed numbers decide it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bounds.cfl.tables import TABLE_4, Accuracies
from nqm.fields import amax, amin
from verify.engine.instance import Instance
from verify.engine.scene import Box, Scene, Shape, Values

Named = Mapping[str, Any]
Rows = Mapping[str, Instance]
BASELINES = ("FedAvg", "FedProx", "MimeLite")


# ------------------------------------------------------------------------------- which methods are better


def compared(shape: Shape, values: Named) -> Values:
    """Accuracies of methods (batch, a) and of others (batch, b), with deviations."""
    return {
        "ours": amin(values["these"], -1),
        "theirs": amax(values["those"], -1),
        "ours_low": amin(values["these"] - values["these_deviation"], -1),
        "theirs_high": amax(values["those"] + values["those_deviation"], -1),
    }


COMPARED = Scene(
    name="accuracies of two groups of methods",
    shapes=tuple({"a": a, "b": b} for a in (1, 2, 3, 4) for b in (1, 2, 3, 4)),
    space=lambda shape: {
        **{f"these{part}": Box(0, 100, (shape["a"],)) for part in ("", "_deviation")},
        **{f"those{part}": Box(0, 100, (shape["b"],)) for part in ("", "_deviation")},
    },
    compute=compared,
)


def cfl_methods(found: Accuracies) -> list[str]:
    """All methods of a row that are no baselines."""
    return [method for method in found if method not in BASELINES]


four = TABLE_4["accuracy"]


# ------------------------------------------------------------------------------------------------- the claims

CAUSE = (
    "Table 4 prints the accuracy of the generative method and nothing about the quality of its samples; the text calls "
    "the connection a hypothesis"
)
CURVES = "{} is drawn from numbers that are not printed, and its experiment has no published records"
