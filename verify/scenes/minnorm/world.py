"""Solutions of least distance in the plane, where each task projects on one of two axes at random."""

from __future__ import annotations

import sympy as sp

from bounds.minnorm.theorem import T, e, q
from bounds.relations import eq
from verify.engine.model.scene import Box, Named, Scene, Shape, Values
from verify.scenes.letters import named

i = sp.Symbol("i", integer=True)
tilt, cross = sp.Symbol("tilt", real=True), sp.Symbol("cross", real=True)
ASSUMED = (eq(tilt, 0), eq(cross, 0))
"""Inputs without a preferred direction, and noise that nothing else depends on."""
end, begin, goals = named("end, begin, weighed goals", nonnegative=True)
r = sp.Symbol("r", positive=True)
LETTERS = {e[T]: end, e[0]: begin, sp.Sum(r ** (T - i) * q[i], (i, 1, T)): goals}


def _space(shape: Shape) -> dict[str, Box]:
    return {
        "start": Box(-2, 2, (2,)),
        "goal": Box(-2, 2, (shape["T"], 2)),
        "tilt": Box(-0.4, 0.4, levels=(-0.4, 0, 0, 0.25)),
        "cross": Box(0, 1, levels=(0, 0, 1)),
        "noise": Box(0, 2),
    }


def _tasks(shape: Shape, values: Named) -> Values:
    """Expected squared errors: of each coordinate, the part that is projected in a task is moved to its optimum."""
    half = 0 * values["noise"] + 1
    half = half / 2
    chances = (half + values["tilt"], half - values["tilt"])
    squares = [values["start"][:, j] ** 2 for j in (0, 1)]
    for t in range(shape["T"]):
        squares = [
            (1 - chance) * square + chance * values["goal"][:, t, j] ** 2 + values["noise"] / 2
            for j, (chance, square) in enumerate(zip(chances, squares, strict=True))
        ]
        squares[0] = squares[0] + values["cross"] * values["noise"]
    return {
        "r": half,
        "begin": sum(values["start"][:, j] ** 2 for j in (0, 1)),
        "end": squares[0] + squares[1],
        "weighed goals": sum(
            half ** (shape["T"] - 1 - t) * (values["goal"][:, t] ** 2).sum(axis=1) for t in range(shape["T"])
        ),
    }


WORLD = Scene(
    name="random axes in the plane", shapes=tuple({"T": T} for T in (1, 2, 4)), space=_space, compute=_tasks
)
