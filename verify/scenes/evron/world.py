"""Regression tasks with one sample each in the plane, in cycles; with a joint solution or without."""

from __future__ import annotations

from bounds.evron.cyclic import end, fall, origin, start, tasks, total
from bounds.evron.symbols import F
from bounds.relations import eq, le
from nqm.fields import amax, dot, sq, stack
from verify.engine.model.scene import Box, Named, Scene, Shape, Values
from verify.scenes.letters import named
from verify.scenes.on_a_line import SWITCH

longest, apart = named("longest row, inconsistency", nonnegative=True)
ASSUMED = (le(longest, 1), eq(apart, 0))
"""Rows of length at most 1, and a joint solution."""
LETTERS = {start: origin, fall: origin - end, total: tasks * F}
"""Definitions; the error at the start of any cycle is at most that at the start of training."""


def _space(shape: Shape) -> dict[str, Box]:
    tasks = shape["tasks"]
    return {
        "rows": Box(-2, 2, (tasks, 2)),
        "longer": Box(0.5, 40, levels=(0.5, 1, 1.4, 40)),
        "joint": Box(-2, 2, (2,)),
        "further": Box(0.5, 40, levels=(0.5, 1, 1.4, 40)),
        "apart": Box(-20, 20, (tasks,)),
        "differ": SWITCH,
    }


def _cycles(shape: Shape, values: Named) -> Values:
    """The forgetting after some cycles from the model 0: the mean loss of all tasks."""
    tasks, cycles = shape["tasks"], shape["n"]
    rows = values["longer"][:, None, None] * values["rows"] / 2
    joint = values["further"][:, None] * values["joint"] / 2
    shift = values["differ"][:, None] * values["apart"]
    targets = stack([dot(rows[:, m], joint) + shift[:, m] for m in range(tasks)], 1)
    models = [0 * joint]
    for m in [*range(tasks)] * cycles:
        row = rows[:, m]
        models.append(models[-1] + ((targets[:, m] - dot(row, models[-1])) / sq(row))[:, None] * row)
    losses = [(dot(rows[:, m], models[-1]) - targets[:, m]) ** 2 for m in range(tasks)]
    return {
        "longest row": amax(stack([sq(rows[:, m]) for m in range(tasks)], 1), 1),
        "inconsistency": sq(shift),
        "origin": sq(joint),
        "first": sq(models[1] - joint),
        "F": sum(losses) / tasks,
    }


def _world(name: str, *sizes: tuple[int, int]) -> Scene:
    return Scene(
        name=name,
        shapes=tuple({"tasks": T, "n": n, "k": T * n} for T, n in sizes),
        space=_space,
        compute=_cycles,
    )


TWO = _world("two tasks in turn in the plane", (2, 1), (2, 2), (2, 4))
MANY = _world("tasks in cycles in the plane", (2, 1), (2, 3), (3, 1), (3, 2), (4, 3))
