"""SPECIAL over tasks that repeat in the same order: exact proximal steps on Huber losses."""

from __future__ import annotations

from functools import partial

from nqm.federation import task_grad, task_loss
from nqm.fields import dot
from verify.engine.model.scene import Named, Proved, Shape, Values
from verify.scenes.special.random_order import ORDERS, OTHER_STEPS, Step, huber, pool, proximal
from verify.scenes.special.surrogate_tasks import of_path
from verify.scenes.special.task_facts import LAGGED, ON_PATH
from verify.scenes.special.terms import SENT, terms_at


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


_SIZES = ((1, 1), (1, 2), (2, 2), (3, 3), (2, 4))
"""Numbers of tasks of a cycle, and of all steps."""
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
        (ON_PATH, LAGGED),
        (SENT,),
        lambda shape, values: terms_at(pool(shape, values), values["centre"]),
    ),
)
CYCLES_PLACEBOS = tuple(
    CYCLES.variant(f"{name} over tasks that come again and again", compute=partial(in_cycles, step=step))
    for name, step in OTHER_STEPS
)
