"""SPECIAL over the tasks as a proximal method: paths of proximal steps, and facts about them for any gradients.

A path is drawn backwards from the last model, so that nothing has to be solved: the model before a proximal step is the
one after it plus s times the gradient there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

from bounds.catalogue import statement
from bounds.relations import le
from bounds.special import surrogate as of
from nqm.federation import task_grad, task_loss
from nqm.fields import Array, amax, dot, norm, sq, stack
from verify.engine.model.scene import Assumption, Box, Fact, Named, Proved, Scene, Shape, Values
from verify.scenes.federated import build, sizes, world_space
from verify.scenes.lengths import around, detour, excess, length
from verify.scenes.parameters import column
from verify.scenes.special.drift_facts import pairs_apart
from verify.scenes.special.surrogate import known
from verify.scenes.special.terms import DEFINES, OF_LENGTH, OF_SENT, terms

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
        "missed_by": _largest([y - x for x, y in zip(exact, path[1:], strict=True)]),
        "apart": _largest([x - z for x in exact]),
    }


def _largest(vectors: Arrays) -> Array:
    return amax(stack([norm(x)[:, 0] for x in vectors], axis=-1), -1)


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


def _tasks_space(shape: Shape) -> dict[str, Box]:
    points = {name: Box(-2, 2, (shape["d"],)) for name in ("last", "compare")}
    return {**world_space(shape), **points, "s": Box(0.01, 10, scale="log")}


# --------------------------------------------------------------------------------------------- any gradients


def _any_path(shape: Shape, values: Named) -> Values:
    """Arbitrary gradients of M clients before each task, at the proximal step and at the end, with the slacks of the bound B."""
    K, M = shape["K"], shape["M"]
    s, clients, z = values["s"], values["grad"], values["compare"][:, None]  # clients: (1, 3, K, M, d)
    before, there, at_end = ([clients[:, w, k].mean(axis=1)[:, None] for k in range(K)] for w in range(3))
    path, exact = drawn_back(values["last"][:, None], values["off"], column(s, 2), lambda point, k: there[k])
    found = of_path(path, exact, z, before, there, at_end[: K - 1])
    one = lambda x: x[:, 0]  # noqa: E731

    def short(w: int, k: int) -> Array:
        """B^2 minus the squared gradient of a task."""
        apart = pairs_apart([clients[:, w, k, m] for m in range(M)])
        return values["room"][:, w, k].mean(axis=-1) + apart / M**2

    def reach(k: int) -> Array:
        """B minus the norm of a task's gradient at the proximal step."""
        return values["room_length"][:, k].mean(axis=-1) + detour([clients[:, 1, k, m] for m in range(M)]) / M

    bent = [one(sq(before[k] - there[k])) + short(0, k) for k in range(K)]
    lengths = [(length(exact[k] - z)[:, 0], length(path[k + 1] - exact[k])[:, 0]) for k in range(K)]
    far, off = ([pair[i] for pair in lengths] for i in range(2))
    most = off[0] + excess(off[0], off) if K > 1 else off[0]
    beyond = lambda k, lengths: excess(lengths[k], lengths) if K > 1 else 0 * s  # noqa: E731
    missed = [
        around(one(exact[k] - z), one(exact[k] - path[k + 1]))
        + 2 * beyond(k, far) * most
        + (2 * far[k] + off[k] + most) * beyond(k, off)
        for k in range(K)
    ]
    steep = [
        sum((short(2, j) + short(1, k) + one(sq(at_end[j] + there[k]))) / 2 for k in range(j + 1, K))
        / (K - 1 - j)
        for j in range(K - 1)
    ]
    regret = (s / 2 * sum(bent) + one(sq(path[K] - z)) / (2 * s)) / K
    return {
        **found,
        "sent2_each": sq(clients),
        "left": values["B"] ** 2 - sq(clients),
        "left_length": values["B"] - norm(clients[:, 1]),
        "slack_regret": regret,
        "slack_inexact": regret + sum(missed) / (2 * s * K),
        "slack_stride": stack([s * reach(k) for k in range(K)], axis=-1),
        **({"slack_forgot": s[:, None] * stack(steep, axis=-1)} if steep else {}),
    }


def _any(K: int, M: int) -> Shape:
    return {"K": K, "M": M, "d": 1}


_PATHS = Scene(
    name="tasks with any gradients, and models off the proximal steps",
    shapes=tuple(_any(K, M) for K, M in ((1, 1), (2, 1), (1, 2), (2, 2))),
    space=lambda shape: {
        **dict.fromkeys(("s", "B"), Box(0.1, 1)),
        **dict.fromkeys(("last", "compare"), Box(-1, 1, (shape["d"],))),
        "off": Box(-1, 1, (shape["K"], shape["d"])),
        "grad": Box(-1, 1, (3, shape["K"], shape["M"], shape["d"])),
        "room": Box(0.1, 1, (3, shape["K"], shape["M"])),
        "room_length": Box(0.1, 1, (shape["K"], shape["M"])),
    },
    compute=_any_path,
    covers="an identity between arbitrary gradients and models, where what Assumption 4.1 leaves is taken as it is; both sides "
    "are quadratic forms, the same in every coordinate, and lengths, of which a detour is no shorter",
)
_ON_PATH = _PATHS.variant(
    "tasks with any gradients",
    shapes=(*_PATHS.shapes, _any(3, 1), _any(4, 1)),
    compute=lambda shape, values: _any_path(shape, {**values, "off": 0 * values["off"]}),
)
_SEVERAL = replace(_ON_PATH, shapes=tuple(shape for shape in _ON_PATH.shapes if shape["K"] > 1))
_left: dict[str, Assumption] = {"room": ("left", *OF_SENT), "room_length": ("left_length", *OF_LENGTH)}
SLOPE = le(of.regret_slope, statement("special.tasks.regret").rhs)
MISSED_SLOPE = le(of.regret_slope, statement("special.tasks.regret/inexact").rhs)
FORGOT_SLOPE = le(of.forgot_slope, statement("special.tasks.forgetting").rhs)
ON_PATH = Fact(SLOPE, _ON_PATH, "slack_regret", _left)
_FACTS = (
    ON_PATH,
    Fact(statement("special.tasks.stride").compared, _ON_PATH, "slack_stride", _left),
    Fact(FORGOT_SLOPE, _SEVERAL, "slack_forgot", _left),
)


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
    known=known,
    compute=Proved(_exact_steps, _FACTS, DEFINES, terms),
    room="room",
)
MISSED = TASKS.variant(
    "inexact proximal steps over tasks",
    space=lambda shape: {**_tasks_space(shape), "off": Box(-1, 1, (shape["K"], shape["d"]))},
    compute=Proved(_missed_steps, (Fact(MISSED_SLOPE, _PATHS, "slack_inexact", _left),), DEFINES, terms),
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
