"""iCaRL-FL: exemplars that stand for their class, replayed beside a distilled current task."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from algorithms.algorithm import Algorithm, State, over_slots
from algorithms.hyperparameters import strength
from algorithms.lwf import Taught
from algorithms.memory import Rule, remember
from algorithms.prediction import by_nearest_mean
from algorithms.replay import Mixed, replay
from nqm.fields import Array, IntArray


def herded(rule: Rule) -> Callable[[Any, State, int, IntArray | None], State]:
    """End of a task in which every client keeps its most representative samples, not random ones.

    The world ranks them: ``herding(theta (run, d), task)`` -> (run, M, S), the samples whose mean representation
    comes closest to that of their class first, -1 after the last.
    """

    def end_task(world: Any, state: State, task: int, order: IntArray | None) -> State:
        return remember(rule)(world, state, task, world.herding(state["theta"], task))

    return end_task


def icarl(
    local_lr: Array,
    lam: Array,
    memory_share: Array,
    n_clients: int,
    capacity: int,
    rule: Rule,
    global_lr: Array = 1,
) -> Algorithm:
    """iCaRL inside FedAvg; clients predict by the nearest mean representation.

    For worlds whose samples have representations: networks.

    Parameters
    ----------
    local_lr, memory_share, n_clients, capacity, rule, global_lr
        As in `algorithms.replay.replay`.
    lam : number or array (sweep..., world..., run), >= 0
        Strength of the teacher, the server's model at the end of the previous task.

    Notes
    -----
    Source: Rebuffi et al. (2017), iCaRL: Incremental classifier and representation learning, Algorithms 2-4; run
    with FedAvg in C-FLAG, Section 7 (iCARL-FL).
    """
    strength("lam", lam)
    plain = replay(local_lr, memory_share, n_clients, capacity, rule, global_lr)

    def init(theta0: Array) -> State:
        return {**plain.init(theta0), "teacher": theta0}

    def begin_task(state: State, task: int) -> State:
        return {**state, "teacher": state["theta"], "task": task}

    def objective(world: Any, state: State, task: int, clients: IntArray) -> Mixed:
        found: Mixed = plain.objective(world, state, task, clients)
        teacher = lam, over_slots(state["teacher"], clients.shape[-1])
        return replace(found, current=Taught(found.current, (teacher,) if state["task"] else ()))

    return replace(
        plain,
        name="iCaRL",
        init=init,
        begin_task=begin_task,
        objective=objective,
        end_task=herded(rule),
        infer=by_nearest_mean,
    )


def examples(number: Callable[[float], Array], n_clients: int) -> tuple[Algorithm, ...]:
    """None: its samples must have representations, so that it is tested on networks."""
    return ()
