"""Learning without forgetting: clients match the outputs of an earlier model on their data.

A teacher is a model whose outputs on the client's current samples are matched beside their labels.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from algorithms.algorithm import Algorithm, Local, State, over_slots
from algorithms.clients import for_every_client, of_clients, with_clients
from algorithms.fedavg import fedavg
from algorithms.hyperparameters import against, count, strength
from nqm.fields import Array, IntArray, zeros_like

Teacher = tuple[Array, Array]
"""Strength (number or (sweep..., world..., run)), and one model (..., n, d) for every slot."""


@dataclass(frozen=True)
class Taught:
    """The current loss, plus weighted distances from the outputs of teachers."""

    current: Any
    teachers: tuple[Teacher, ...]
    weight: Array = 1

    def grad(self, x: Array) -> Array:
        """Gradient of the current loss alone, (..., n, d)."""
        return self.current.grad(x)

    def stochastic_grad(self, x: Array, u: IntArray) -> Array:
        """Gradient of labels and teachers on a minibatch, (..., n, d)."""
        found: Array = self.current.taught_grad(x, u, *self._strengths_and_teachers())
        return found

    def requests(self, u: IntArray) -> Any:
        """All minibatches of a round, see `algorithms.simulate.in_one_go`; None where the data do not offer that."""
        taught = getattr(self.current, "taught", None)
        return None if taught is None else taught(u, *self._strengths_and_teachers())

    def _strengths_and_teachers(self) -> tuple[Array, list[Teacher]]:
        """Strength of the labels, and that of each teacher with its model, against (..., n, d)."""
        teachers = [(against(strength, 2), model) for strength, model in self.teachers]
        return against(self.weight, 2), teachers


def lwf(local_lr: Array, lam: Array, global_lr: Array = 1) -> Algorithm:
    """LwF-FL: the teacher is the server's model at the end of the previous task.

    Parameters
    ----------
    local_lr, global_lr : number or array (sweep..., world..., run), > 0
        Step size of the clients, and of the server along the mean displacement.
    lam : number or array, >= 0
        Strength of the teacher from the second task on; 0 is FedAvg.

    Notes
    -----
    Source: Li and Hoiem (2016), Learning without forgetting, run with FedAvg in C-FLAG, Section 7 (LwF-FL).
    """
    strength("lam", lam)

    def begin_task(state: State, task: int) -> State:
        return {**state, "teacher": state["theta"], "task": task}

    def objective(world: Any, state: State, task: int, clients: IntArray) -> Any:
        current = world.at(task, clients)
        if not state["task"]:
            return current
        return Taught(current, ((lam, over_slots(state["teacher"], clients.shape[-1])),))

    return replace(
        fedavg(local_lr, global_lr),
        name="LwF",
        init=lambda theta0: {"theta": theta0, "teacher": theta0},
        begin_task=begin_task,
        objective=objective,
    )


def flwf_2t(local_lr: Array, alpha: Array, beta: Array, n_clients: int, global_lr: Array = 1) -> Algorithm:
    """FLwF-2T: one teacher is the client's own model of the previous task, the other the server's of this round.

    From the second task on a step descends alpha*(labels) + beta*(own teacher) + (1 - alpha - beta)*(server's teacher).
    A client that has not taken part yet has no model of its own: the server's at the end of the previous task
    stands in for it.

    Parameters
    ----------
    local_lr, global_lr : number or array (sweep..., world..., run), > 0
        Step size of the clients, and of the server along the mean displacement (the source: 1).
    alpha, beta : numbers or arrays, >= 0
        Weights of the labels and of the own teacher, whose sum is at most 1.
    n_clients : int
        Number M of clients.

    Notes
    -----
    State entries ``"last"`` and ``"own"`` (..., run, M, d): a client's newest local model, and that of the
    previous task; ``"met"`` (..., run, M, 1): 1 for clients that took part. Source: Usmanova et al. (2021), A
    distillation-based approach integrating continual learning and federated learning for pervasive services,
    Section 4. That the three weights sum to 1 is one interpretation of SPECIAL's two numbers, 0.5 and 0.25.
    """
    strength("alpha", alpha)
    strength("beta", beta)
    strength("1 - alpha - beta", 1 - alpha - beta)
    count("n_clients", n_clients, at_least=1)
    plain = fedavg(local_lr, global_lr)

    def init(theta0: Array) -> State:
        each = for_every_client(theta0, n_clients)
        return {"theta": theta0, "last": each, "own": each, "met": zeros_like(each[..., :1])}

    def begin_task(state: State, task: int) -> State:
        everywhere = for_every_client(state["theta"], n_clients)
        own = everywhere + state["met"] * (state["last"] - everywhere)
        return {**state, "own": own, "task": task}

    def objective(world: Any, state: State, task: int, clients: IntArray) -> Any:
        current = world.at(task, clients)
        if not state["task"]:
            return current
        own = beta, of_clients(state["own"], clients)
        server = 1 - alpha - beta, over_slots(state["theta"], clients.shape[-1])
        return Taught(current, (own, server), alpha)

    def aggregate(state: State, local: Local, clients: IntArray) -> State:
        averaged = plain.aggregate(state, local, clients)
        met = with_clients(state["met"], clients, 0 * local["x"][..., :1] + 1)
        return {**averaged, "last": with_clients(state["last"], clients, local["x"]), "met": met}

    return replace(
        plain, name="FLwF-2T", init=init, begin_task=begin_task, objective=objective, aggregate=aggregate
    )


def examples(number: Callable[[float], Array], n_clients: int) -> tuple[Algorithm, ...]:
    """Instances on which the shared tests run; `number` makes a hyper-parameter of a float."""
    return (
        lwf(number(0.125), number(0.5), number(1.5)),
        flwf_2t(number(0.125), number(0.25), number(0.125), n_clients),
    )
