"""SPECIAL over tasks drawn with replacement from a pool: exact proximal steps in every order; common prefixes are computed once.

Huber losses in each coordinate have a closed form of the proximal step.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import product

from nqm.constants import constants
from nqm.federation import task_grad, task_loss
from nqm.fields import Array, maximum, minimum, stack
from nqm.piecewise import PiecewiseQuadratic
from nqm.world import World
from verify.engine.model.scene import Box, Named, Proved, Scene, Shape, Values
from verify.scenes.special.surrogate_tasks import of_path
from verify.scenes.special.task_facts import ANEW, ON_PATH
from verify.scenes.special.terms import SENT, terms_at

Order = tuple[int, ...]


def huber(tasks: int, d: int) -> dict[str, Box]:
    """Parameters of Huber losses in each coordinate, of the initial model, of a reference point and of steps."""
    return {
        "height": Box(0.1, 2, (tasks, d)),
        "width": Box(0.05, 5, (tasks, d), scale="log"),
        "centre": Box(-2, 2, (tasks, d)),
        **dict.fromkeys(("start", "compare"), Box(-2, 2, (d,))),
        "s": Box(0.01, 10, scale="log"),
        "room": Box(0, 0),
    }


def pool(shape: Shape, values: Named) -> World:
    """Huber losses of one client for each task of the pool, (batch,) worlds; their slopes end at `height`."""
    height, width, centre = (values[name] for name in ("height", "width", "centre"))  # (batch, pool, d)
    steep = height / width
    flat = 0 * steep
    knots = stack([centre - width, centre + width], -1)
    return PiecewiseQuadratic(
        *(
            part[:, :, None]
            for part in (height * _clipped(-centre / width), stack([flat, steep, flat], -1), knots)
        )
    )


def _clipped(x: Array) -> Array:
    return maximum(minimum(x, 1 + 0 * x), -1 + 0 * x)


def proximal(values: Named, point: Array, task: int) -> Array:
    """Exact proximal step of length s from points (batch, 1, d) on a task of the pool."""
    s = values["s"][:, None, None]
    height, width, centre = (values[name][:, None, task] for name in ("height", "width", "centre"))
    return point - s * height * _clipped((point - centre) / (width + s * height))


Step = Callable[[Named, Array, int], Array]
"""(parameters, points, task) -> points after the task."""


def orders(shape: Shape) -> list[Order]:
    """All orders of K tasks, each any of the pool; equally likely."""
    return list(product(range(shape["pool"]), repeat=shape["K"]))


def in_every_order(shape: Shape, values: Named, step: Step = proximal) -> Values:
    """Quantities of each order, (batch, order), and their means."""
    world, K, z = pool(shape, values), shape["K"], values["compare"][:, None]
    models: dict[Order, Array] = {(): values["start"][:, None]}
    for length in range(1, K + 1):
        for past in product(range(shape["pool"]), repeat=length):
            models[past] = step(values, models[past[:-1]], past[-1])
    gradient = lambda point, task: task_grad(world, point, task)  # noqa: E731

    def played(order: Order) -> Values:
        path = [models[order[:k]] for k in range(K + 1)]
        before, there = ([gradient(path[k + now], order[k]) for k in range(K)] for now in (0, 1))
        return of_path(path, path[1:], z, before, there, [gradient(path[K], j) for j in order[:-1]])

    found = [played(order) for order in orders(shape)]
    lost = {
        past: stack([task_loss(world, model, j) - task_loss(world, z, j) for j in range(shape["pool"])], -1)[
            :, 0
        ]
        for past, model in models.items()
        if len(past) < K
    }
    slopes = stack([each["regret_slope"] for each in found], -1)
    return {"far0": found[0]["far0"], "regret_slope": slopes, **averaged(shape, lost)}


def averaged(shape: Shape, lost: dict[Order, Array]) -> Values:
    """Regrets and their means, from the excess loss of each model over the reference point on each task: by past, (batch, pool)."""
    K, every = shape["K"], orders(shape)
    regrets = [sum(lost[order[:k]][:, order[k]] for k in range(K)) / K for order in every]
    whole = [sum(lost[order[:k]].sum(axis=-1) / shape["pool"] for k in range(K)) / K for order in every]
    return {
        "regret": stack(regrets, -1),
        "regret_mean": sum(regrets) / len(every),
        "risk": sum(whole) / len(every),
    }


def scene_constants(shape: Shape, values: Named) -> Values:
    """The bound of gradients, and the least curvature."""
    found = constants(pool(shape, values))
    return {"g_sup": found["B"].value, "B": found["B"].value * (1 + values["room"]), "low": found["mu"].value}


def _any(pool: int, K: int) -> Shape:
    return {"pool": pool, "K": K}


ORDERS = Scene(
    name="exact proximal steps over tasks that are drawn anew",
    told={
        "pool": "tasks that are drawn from",
        "height": "largest slopes of the Huber losses, task by task, coordinate by coordinate",
        "width": "distance from its centre at which a loss goes on straight",
        "centre": "where each task's loss is least",
        "start": "the model before the first task",
        "compare": "the point of comparison",
        "room": "share by which constants are larger than they must be",
    },
    shapes=tuple(
        {**_any(pool, K), "d": d}
        for pool, K, d in ((1, 1, 1), (2, 1, 1), (2, 2, 1), (3, 2, 1), (2, 3, 1), (2, 2, 2), (3, 3, 1))
    ),
    space=lambda shape: huber(shape["pool"], shape["d"]),
    known=scene_constants,
    room="room",
    compute=Proved(
        in_every_order,
        (ON_PATH, ANEW),
        (SENT,),
        lambda shape, values: terms_at(pool(shape, values), values["centre"]),
    ),
)


def _uphill(values: Named, point: Array, task: int) -> Array:
    return point + (point - proximal(values, point, task))


def _nowhere(values: Named, point: Array, task: int) -> Array:
    return point


OTHER_STEPS: tuple[tuple[str, Step], ...] = (("ascent", _uphill), ("standing still", _nowhere))
"""Non-learning baselines: steps that replace the proximal ones."""
PLACEBOS = tuple(
    ORDERS.variant(f"{name} over tasks that are drawn anew", compute=partial(in_every_order, step=step))
    for name, step in OTHER_STEPS
)
