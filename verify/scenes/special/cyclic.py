"""SPECIAL over tasks that repeat in the same order: exact proximal steps on Huber losses."""

from __future__ import annotations

from functools import partial

from bounds.relations import le
from bounds.special.cyclic import LAG, lag_slope
from nqm.federation import task_grad, task_loss
from nqm.fields import Array, dot, sq
from verify.engine.model.scene import Box, Fact, Named, Proved, Scene, Shape, Values
from verify.scenes.special.random_order import ORDERS, OTHER_STEPS, Step, huber, pool, proximal
from verify.scenes.special.surrogate_tasks import ON_PATH, of_path
from verify.scenes.special.terms import OF_SENT, SENT, terms_at


def in_cycles(shape: Shape, values: Named, step: Step = proximal) -> Values:
    """Losses of K steps before each task and before each cycle, compared with a reference point, and their tangents."""
    world, cycle, K, z = pool(shape, values), shape["cycle"], shape["K"], values["compare"][:, None]
    path = [values["start"][:, None]]
    for k in range(K):
        path.append(step(values, path[-1], k % cycle))
    gradient = lambda point, k: task_grad(world, point, k % cycle)  # noqa: E731
    lost = lambda point, k: (task_loss(world, point, k % cycle) - task_loss(world, z, k % cycle))[:, 0]  # noqa: E731
    begun = [path[k - k % cycle] for k in range(K)]
    before, there = ([gradient(path[k + now], k) for k in range(K)] for now in (0, 1))
    return {
        **of_path(path, path[1:], z, before, there, [gradient(path[K], k) for k in range(K - 1)]),
        "regret": sum(lost(path[k], k) for k in range(K)) / K,
        "cycle_risk": sum(lost(begun[k], k) for k in range(K)) / K,
        "lag_slope": sum(dot(gradient(begun[k], k), begun[k] - path[k])[:, 0] for k in range(K)) / K,
    }


def _any_gradients(shape: Shape, values: Named) -> Values:
    """Arbitrary gradients of each task before its cycle and at its step, with the slacks of the bound B."""
    cycle, K, s = shape["cycle"], shape["K"], values["s"]
    first, there = values["grad"][:, 0], values["grad"][:, 1]  # (batch, K, d)
    room = values["room"]
    pairs = [(k, q) for k in range(K) for q in range(k - k % cycle, k)]
    none = 0 * s
    apart: list[Array] = [sq(first[:, k] - there[:, q]) + room[:, 0, k] + room[:, 1, q] for k, q in pairs]
    return {
        "lag_slope": s * sum((dot(first[:, k], there[:, q]) for k, q in pairs), none) / K,
        "sent2_each": sq(values["grad"]),
        "left": values["B"] ** 2 - sq(values["grad"]),
        "slack": s * sum(apart, none) / (2 * K),
    }


_SIZES = ((1, 1), (1, 2), (2, 2), (3, 3), (2, 4))
"""Numbers of tasks of a cycle, and of all steps."""
_GRADIENTS = Scene(
    name="cycles of tasks with any gradients",
    shapes=tuple({"cycle": cycle, "K": K} for cycle, K in _SIZES),
    space=lambda shape: {
        **dict.fromkeys(("s", "B"), Box(0.1, 1)),
        "grad": Box(-1, 1, (2, shape["K"], 1)),
        "room": Box(0.1, 1, (2, shape["K"])),
    },
    compute=_any_gradients,
    covers="an identity between arbitrary gradients, where what Assumption 4.1 leaves is taken as it is; every pair of steps of a cycle "
    "adds alike, in every coordinate",
)
LAG_SLOPE = le(lag_slope, LAG.rhs)
CYCLES = ORDERS.variant(
    "exact proximal steps over tasks that come again and again",
    told={**ORDERS.told, "cycle": "tasks of a cycle"},
    shapes=tuple(
        {"cycle": cycle, "K": K, "d": d}
        for cycle, K, d in (*((*size, 1) for size in _SIZES), (2, 2, 2), (2, 6, 1))
    ),
    space=lambda shape: huber(shape["cycle"], shape["d"]),
    compute=Proved(
        in_cycles,
        (ON_PATH, Fact(LAG_SLOPE, _GRADIENTS, "slack", {"room": ("left", *OF_SENT)})),
        (SENT,),
        lambda shape, values: terms_at(pool(shape, values), values["centre"]),
    ),
)
CYCLES_PLACEBOS = tuple(
    CYCLES.variant(f"{name} over tasks that come again and again", compute=partial(in_cycles, step=step))
    for name, step in OTHER_STEPS
)
