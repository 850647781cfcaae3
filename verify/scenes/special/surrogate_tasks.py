"""SPECIAL over the tasks as a proximal method: paths of proximal steps.

A path is drawn backwards from the last model, so that nothing has to be solved: the model before a proximal step is the
one after it plus s times the gradient there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from nqm.federation import task_grad, task_loss
from nqm.fields import Array, amax, dot, norm, stack
from verify.engine.model.scene import Box, Named, Proved, Scene, Shape, Values
from verify.scenes.federated import build, sizes, world_space
from verify.scenes.parameters import column
from verify.scenes.special.surrogate import scene_constants
from verify.scenes.special.task_facts import FORGOTTEN, LARGEST, OFF_PATH, ON_PATH, STRIDE
from verify.scenes.special.terms import DEFINES, terms

Arrays = Sequence[Array]


def of_path(path: Arrays, exact: Arrays, z: Array, before: Arrays, there: Arrays, at_end: Arrays) -> Values:
    """Quantities of a path of models (batch, 1, d) before the first task and after each, from the gradients of K tasks.

    Parameters
    ----------
    exact : K arrays
        Exact proximal steps from the first K models.
    z : array
        Point of comparison.
    before, there, at_end : K, K and K - 1 arrays
        Gradients of each task at the model before it, at the proximal step, and at the last model.
    """
    K = len(exact)
    turned = [dot(before[k], path[k] - exact[k]) + dot(there[k], exact[k] - z) for k in range(K)]
    steep = [dot(at_end[j], path[K] - path[j + 1])[:, 0] / (K - 1 - j) for j in range(K - 1)]
    return {
        "far0": norm(path[0] - z)[:, 0],
        "strode": stack([norm(y - x)[:, 0] for x, y in pairwise(path)], axis=-1),
        "regret_slope": sum(turned)[:, 0] / K,
        **({"forgot_slope": stack(steep, axis=-1)} if steep else {}),
        **{name: amax(each, -1) for name, each in misses(path, exact, z).items()},
    }


def misses(path: Arrays, exact: Arrays, z: Array) -> Values:
    """How far each model is from the exact proximal step, and each exact step from the point of comparison, (batch, K)."""
    lengths = lambda vectors: stack([norm(x)[:, 0] for x in vectors], axis=-1)  # noqa: E731
    return {
        "missed_by": lengths([y - x for x, y in zip(exact, path[1:], strict=True)]),
        "apart": lengths([x - z for x in exact]),
    }


# ------------------------------------------------------------------------------------------ paths in worlds


def over_tasks(shape: Shape, values: Named, path: Arrays, exact: Arrays) -> Values:
    """Losses before each task is trained, and of earlier tasks at the end, compared with a reference point."""
    world, K, z = build(shape, values), shape["K"], values["compare"][:, None]
    loss = lambda point, task: task_loss(world, point, task)[:, 0]  # noqa: E731
    excess = [loss(path[k], k) - loss(z, k) for k in range(K)]
    growth = [(loss(path[K], j) - loss(path[j + 1], j)) / (K - 1 - j) for j in range(K - 1)]
    gradients = (
        [task_grad(world, path[k], k) for k in range(K)],
        [task_grad(world, exact[k], k) for k in range(K)],
        [task_grad(world, path[K], j) for j in range(K - 1)],
    )
    found = {**of_path(path, exact, z, *gradients), "regret": sum(excess) / K}
    return {**found, **({"forgot": stack(growth, axis=-1)} if growth else {})}


def proximal_path(shape: Shape, values: Named, off: Array) -> tuple[Arrays, Arrays]:
    """Models that differ by `off` (batch, K, d) from the exact proximal steps, and these steps."""
    world, s = build(shape, values), column(values["s"], 2)
    return drawn_back(values["last"][:, None], off, s, lambda point, task: task_grad(world, point, task))


def drawn_back(
    last: Array, off: Array, s: Array, gradient: Callable[[Array, int], Array]
) -> tuple[Arrays, Arrays]:
    path, exact = [last], []
    for task in reversed(range(off.shape[1])):
        exact.append(path[-1] - off[:, task][:, None])
        path.append(exact[-1] + s * gradient(exact[-1], task))
    return path[::-1], exact[::-1]


def _exact_steps(shape: Shape, values: Named) -> Values:
    none = stack([0 * values["last"]] * shape["K"], axis=1)
    return over_tasks(shape, values, *proximal_path(shape, values, none))


def _missed_steps(shape: Shape, values: Named) -> Values:
    """A path in which every model differs from the exact proximal step."""
    return over_tasks(shape, values, *proximal_path(shape, values, -values["off"]))


def _each_miss(shape: Shape, values: Named) -> Values:
    """Terms of the largest misses."""
    found = misses(*proximal_path(shape, values, -values["off"]), values["compare"][:, None])
    return {**terms(shape, values), "missed_each": found["missed_by"], "apart_each": found["apart"]}


def _tasks_space(shape: Shape) -> dict[str, Box]:
    points = {name: Box(-2, 2, (shape["d"],)) for name in ("last", "compare")}
    return {**world_space(shape), **points, "s": Box(0.01, 10, scale="log")}


# ------------------------------------------------------------------------------------------------- the scenes

TASKS = Scene(
    name="proximal steps over tasks",
    shapes=tuple(
        {**sizes(K=K, d=d, curved=curved)}
        for K, d, curved in (
            (1, 1, 0),
            (2, 1, 0),
            (3, 1, 0),
            (1, 1, 1),
            (2, 1, 1),
            (4, 1, 1),
            (2, 2, 1),
            (3, 2, 1),
        )
    ),
    space=_tasks_space,
    known=scene_constants,
    compute=Proved(_exact_steps, (ON_PATH, STRIDE, FORGOTTEN), DEFINES, terms),
    room="room",
)
MISSED = TASKS.variant(
    "inexact proximal steps over tasks",
    space=lambda shape: {**_tasks_space(shape), "off": Box(-1, 1, (shape["K"], shape["d"]))},
    compute=Proved(_missed_steps, (OFF_PATH,), (*DEFINES, *LARGEST), _each_miss),
)


def _other_steps(direction: int) -> Callable[[Shape, Named], Values]:
    """Baselines: explicit steps uphill (-1) or no steps (0) instead of proximal steps, with errors `off`."""

    def compute(shape: Shape, values: Named) -> Values:
        world, s = build(shape, values), column(values["s"], 2)
        off = values.get("off", stack([0 * values["last"]] * shape["K"], axis=1))
        path, wanted = [values["last"][:, None]], []
        for task in range(shape["K"]):
            wanted.append(path[-1] - direction * s * task_grad(world, path[-1], task))
            path.append(wanted[-1] + off[:, task : task + 1])
        return over_tasks(shape, values, path, wanted)

    return compute


TASKS_PLACEBOS = tuple(
    TASKS.variant(f"{name} over tasks", compute=_other_steps(direction))
    for name, direction in (("ascent", -1), ("standing still", 0))
)
TASKS_STILL = TASKS_PLACEBOS[1]
MISSED_PLACEBOS = tuple(
    MISSED.variant(f"{name} over tasks, missed", compute=_other_steps(direction))
    for name, direction in (("ascent", -1), ("standing still", 0))
)
