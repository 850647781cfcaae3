"""iCaRL-FL: representative exemplars of each class are replayed with the current task, and the old classes are distilled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from algorithms.algorithm import Algorithm, State, over_slots
from algorithms.hyperparameters import against, strength
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


@dataclass(frozen=True)
class Incremental:
    """Data and exemplars with one binary loss: labels for the new classes, the teacher's outputs for the old ones."""

    data: Any
    teacher: Array
    task: int
    lam: Array

    def stochastic_grad(self, x: Array, u: IntArray) -> Array:
        """Gradient on a minibatch, (..., n, d)."""
        found: Array = self.data.binary_grad(x, u, self.teacher, against(self.lam, 2), self.task)
        return found

    def requests(self, u: IntArray) -> Any:
        """All minibatches of a round, see `algorithms.simulate.in_one_go`."""
        return self.data.binary(u, self.teacher, against(self.lam, 2), self.task)


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
        Strength of the teacher, the server's model at the end of the previous task; the source: 1.

    Notes
    -----
    Every class has a sigmoid of its own. The distillation uses new data and exemplars alike. Source:
    Rebuffi et al. (2017), iCaRL: Incremental classifier and representation learning, Algorithms 2-4; run with FedAvg
    in C-FLAG, Section 7 (iCARL-FL).
    """
    strength("lam", lam)
    plain = replay(local_lr, memory_share, n_clients, capacity, rule, global_lr)

    def init(theta0: Array) -> State:
        return {**plain.init(theta0), "teacher": theta0}

    def begin_task(state: State, task: int) -> State:
        return {**state, "teacher": state["theta"], "task": task}

    def objective(world: Any, state: State, task: int, clients: IntArray) -> Mixed:
        found: Mixed = plain.objective(world, state, task, clients)
        teacher = over_slots(state["teacher"], clients.shape[-1])
        data, exemplars = (Incremental(of, teacher, task, lam) for of in (found.current, found.memory))
        return replace(found, current=data, memory=exemplars)

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
    """Empty: the method needs representations of samples and is tested on networks."""
    return ()
