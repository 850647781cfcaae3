"""CFL-Regularization: CFL whose past losses are kept to second order, on streams of tasks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from algorithms.algorithm import Algorithm, Local, State
from algorithms.corrections import Affine
from algorithms.fedavg import fedavg
from algorithms.hyperparameters import against, count, fraction
from algorithms.penalty import (
    Parts,
    in_common,
    keep,
    nothing_past,
    on_coordinates,
    past_gradient,
    recall,
    second_order,
    with_squared_gradient,
)
from nqm.fields import Array, like

Present = Callable[[int], Array]
"""Task from 0 -> weight p of the current loss, a number or (sweep..., world..., run); the earlier ones share the
rest alike."""


def equal(task: int) -> float:
    """All tasks weigh the same, the optimum of Theorem 4.1 without information loss."""
    return 1 / (task + 1)


def constant(past: Array) -> Present:
    """The earlier tasks together have the weight `past`, in [0, 1), from the second task on."""
    fraction("past", past)
    return lambda task: 1 - past


def cfl_regularization(
    local_lr: Array,
    n_clients: int,
    present: Present = equal,
    parts: Parts = second_order,
    global_lr: Array = 1,
    chosen: Any = 1,
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
        What is kept of a task's loss: `algorithms.penalty.second_order`.
    chosen : (d,) array of 0 and 1, or 1
        Coordinates on which the past is kept, such as those of the top layers; 1 for all. On the others a step
        descends the current loss alone, with its full weight.

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
        past = (1 - against(present(state["task"]), 2)) * like(g, np.asarray(chosen))
        return plain.local_step(state, local, g + past * (past_gradient(local) / state["task"] - g))

    return replace(
        plain,
        name="CFL-Regularization",
        init=lambda theta0: nothing_past(theta0, n_clients),
        begin_task=begin_task,
        begin_round=recall,
        local_step=Affine(local_step),
        end_task=keep(on_coordinates(parts, chosen)),
    )


def cfl_regularization_of_layers(
    local_lr: Array, past: Array, n_clients: int, head: Any, parts: Parts = second_order, global_lr: Array = 1
) -> Algorithm:
    """CFL-Regularization of some layers, with a constant weight of the past.

    Parameters
    ----------
    local_lr, n_clients, parts, global_lr
        As in `cfl_regularization`.
    past : number or array (sweep..., world..., run), in [0, 1)
        Weight of all earlier tasks together, from the second task on; 0 is FedAvg.
    head : (d,) array of 0 and 1, or 1
        Coordinates on which the past is kept, those of the top layers; 1 for all.

    Notes
    -----
    Source: CFL (Guo, Lin, Tang), Appendix C.1.2: "we only add regularization terms to the top layers". Weights of
    1 on the last layer and 0.1 on the last block are printed, but not against what.
    """
    whole = cfl_regularization(local_lr, n_clients, constant(past), parts, global_lr, head)
    return replace(whole, name="CFL-Regularization (of layers)")


def examples(number: Callable[[float], Array], n_clients: int) -> tuple[Algorithm, ...]:
    """Instances on which the shared tests run; `number` makes a hyper-parameter of a float."""
    step, past = number(0.125), number(0.25)
    return (
        cfl_regularization(step, n_clients, constant(past), global_lr=number(1.5)),
        cfl_regularization_of_layers(
            step, past, n_clients, np.array([1, 0]), in_common(with_squared_gradient)
        ),
    )
