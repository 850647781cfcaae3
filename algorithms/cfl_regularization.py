"""CFL-Regularization: CFL whose past losses are kept to second order, on streams of tasks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from algorithms.algorithm import Algorithm, Local, State
from algorithms.arrays import Array
from algorithms.fedavg import fedavg
from algorithms.hyperparameters import against, count
from algorithms.penalty import Parts, keep, nothing_past, past_gradient, recall, second_order

Present = Callable[[int], Array]
"""Task from 0 -> weight p of the current loss, a number or (sweep..., world..., run); the earlier ones share the
rest alike."""


def equal(task: int) -> float:
    """All tasks weigh the same, the optimum of Theorem 4.1 without information loss."""
    return 1 / (task + 1)


def cfl_regularization(
    local_lr: Array,
    n_clients: int,
    present: Present = equal,
    parts: Parts = second_order,
    global_lr: Array = 1,
) -> Algorithm:
    """CFL with a diagonal second-order approximation of every past task's loss at the model that ended it.

    Parameters
    ----------
    local_lr, global_lr : number or array (sweep..., world..., run), > 0
        eta_l and eta_g.
    n_clients : int
        Number M of clients.
    present : Present
        Weight of the current task; 1 in every task is FedAvg.
    parts : Parts
        What is kept of a task's loss: `algorithms.penalty.second_order`, on all coordinates or, by
        `on_coordinates`, those of the top layers.

    Notes
    -----
    Source: CFL (Guo, Lin, Tang), Eq. (3) and Appendix C.1.2, options ii and iii.
    """
    count("n_clients", n_clients, at_least=1)
    plain = fedavg(local_lr, global_lr)

    def begin_task(state: State, task: int) -> State:
        return {**state, "task": task}

    def local_step(state: State, local: Local, g: Array) -> Local:
        if state["task"] == 0:
            return plain.local_step(state, local, g)
        p = against(present(state["task"]), 2)
        return plain.local_step(state, local, p * g + (1 - p) * past_gradient(local) / state["task"])

    return replace(
        plain,
        name="CFL-Regularization",
        init=lambda theta0: nothing_past(theta0, n_clients),
        begin_task=begin_task,
        begin_round=recall,
        local_step=local_step,
        end_task=keep(parts),
    )


def examples(number: Callable[[float], Array], n_clients: int) -> tuple[Algorithm, ...]:
    """Instances on which the shared tests run; `number` makes a hyper-parameter of a float."""
    return (cfl_regularization(number(0.125), n_clients, lambda task: number(0.75), global_lr=number(1.5)),)
