"""FedAGEM: FedAvg whose clients project their gradients so that a step does not raise the loss of their memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from algorithms.algorithm import Algorithm, Local, State
from algorithms.corrections import descend, without_conflict
from algorithms.fedavg import fedavg
from algorithms.hyperparameters import step_size
from algorithms.memory import Rule, empty_memory, first_in_first_out, of_memory, remember
from nqm.fields import Array, IntArray


@dataclass(frozen=True)
class Remembering:
    """The objective of a client with a memory: its loss of the current task, and the loss of the samples it kept."""

    current: Any
    memory: Any


Recall = Callable[[Any, Array, Array], Array]
"""(memory, x (..., n, d), u (..., n, b)) -> gradient of the memory that a local step compares with."""


def whole_memory(memory: Any, x: Array, u: Array) -> Array:
    """Gradient over all samples kept, (..., n, d)."""
    return memory.grad(x)


def memory_minibatch(memory: Any, x: Array, u: Array) -> Array:
    """Gradient over a minibatch of the samples kept, drawn with `u`, (..., n, d)."""
    return memory.stochastic_grad(x, u)


def both_gradients(recall: Recall) -> Callable[[Remembering, Array, Array], tuple[Array, Array]]:
    """Query of the gradients of the current minibatch and of the memory, each (..., n, d)."""

    def query(oracle: Remembering, x: Array, u: Array) -> tuple[Array, Array]:
        return oracle.current.stochastic_grad(x, u), recall(oracle.memory, x, u)

    return query


def current_and_kept(world: Any, state: State, task: int, clients: IntArray) -> Remembering:
    """The current task's losses and those of the memories ``state["kept"]``."""
    return Remembering(world.at(task, clients), world.over(of_memory(state, clients), clients))


def fedagem(
    local_lr: Array,
    n_clients: int,
    capacity: int,
    rule: Rule,
    global_lr: Array = 1,
    recall: Recall = memory_minibatch,
) -> Algorithm:
    """A-GEM inside FedAvg.

    Parameters
    ----------
    local_lr, global_lr : number or array (sweep..., world..., run), > 0
        Step size of the clients, and of the server along the mean displacement.
    n_clients : int
        Number M of clients.
    capacity : int
        Samples that a client can keep; 0 is FedAvg.
    rule : Rule
        Which samples are kept, from `algorithms.memory`.
    recall : Recall
        The gradient of the memory: of a minibatch, as in A-GEM, or `whole_memory`.

    Notes
    -----
    Source: FedMeS, Section 5, after A-GEM (Chaudhry et al., 2019), Algorithm 1.
    """
    descent = descend(step_size("local_lr", local_lr))

    def local_step(state: State, local: Local, seen: tuple[Array, Array]) -> Local:
        return descent(state, local, without_conflict(*seen))

    return replace(
        fedavg(local_lr, global_lr),
        name="FedAGEM",
        init=lambda theta0: {"theta": theta0, "kept": empty_memory(theta0, n_clients, capacity)},
        objective=current_and_kept,
        query=both_gradients(recall),
        local_step=local_step,
        end_task=remember(rule),
    )


def examples(number: Callable[[float], Array], n_clients: int) -> tuple[Algorithm, ...]:
    """Instances on which the shared tests run; `number` makes a hyper-parameter of a float."""
    return (fedagem(number(0.125), n_clients, 2, first_in_first_out(2), number(1.5)),)
