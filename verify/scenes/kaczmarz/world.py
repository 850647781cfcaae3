"""The randomised Kaczmarz method for two equations in the plane: whole runs, with every course of the rows."""

from __future__ import annotations

from bounds.kaczmarz.theorem import c
from bounds.relations import eq, le
from nqm.fields import dot, sq
from verify.engine.model.scene import Box, Named, Scene, Shape, Values
from verify.scenes.letters import named
from verify.scenes.on_a_line import SWITCH

least, uneven, apart = named("determinant, uneven, inconsistency", real=True)
ASSUMED = (le(c * (1 - c), least), eq(uneven, 0), eq(apart, 0))
"""A rate of at most the least squared singular value over the sum of squares; chances in proportion to squares; a solution."""


def _space(shape: Shape) -> dict[str, Box]:
    return {
        "rows": Box(-2, 2, (2, 2)),
        "error": Box(-2, 2, (2,)),
        "c": Box(0.001, 0.5, scale="log"),
        "uneven": SWITCH,
        "apart": Box(-2, 2, (2,)),
        "differ": SWITCH,
    }


def _run(shape: Shape, values: Named) -> Values:
    rows, error = values["rows"], values["error"]
    sizes = [sq(rows[:, k]) for k in (0, 1)]
    total = sizes[0] + sizes[1]
    shift = values["differ"][:, None] * values["apart"]
    first = (1 - values["uneven"]) * sizes[0] / total + values["uneven"]
    courses = [(0 * total + 1, error)]
    for _ in range(shape["t"]):
        courses = [
            (share * chance, e - ((dot(rows[:, k], e) - shift[:, k]) / sizes[k])[:, None] * rows[:, k])
            for share, e in courses
            for k, chance in ((0, first), (1, 1 - first))
        ]
    determinant = rows[:, 0, 0] * rows[:, 1, 1] - rows[:, 0, 1] * rows[:, 1, 0]
    return {
        "determinant": (determinant / total) ** 2,
        "inconsistency": sq(shift),
        "distance2_0": sq(error),
        "distance2": sum(share * sq(e) for share, e in courses),
    }


WORLD = Scene(
    name="two random equations", shapes=tuple({"t": t} for t in (1, 2, 3)), space=_space, compute=_run
)
