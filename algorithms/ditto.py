"""Ditto: every client trains a model of its own that is pulled to the global model, beside FedAvg."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from algorithms.algorithm import Algorithm, Local, State, download
from algorithms.clients import for_every_client, of_clients, with_clients
from algorithms.fedavg import fedavg
from algorithms.fedmes import personal_models
from algorithms.hyperparameters import against, step_size, strength
from nqm.fields import Array, IntArray

Gradient = Callable[[Array], Array]
"""(..., n, d) -> (..., n, d): gradient of a minibatch at any point."""


def on_a_minibatch(oracle: Any, x: Array, u: Array) -> Gradient:
    """Gradient of the drawn minibatch as a function of the point, for methods that need it at several."""
    return lambda point: oracle.stochastic_grad(point, u)


def ditto(local_lr: Array, personal_lr: Array, lam: Array, n_clients: int, global_lr: Array = 1) -> Algorithm:
    """Ditto with FedAvg as the solver of the global model.

    In every local step a client moves the global model by its gradient g there, x - local_lr*g(x), and its own model by v -
    personal_lr*(g(v) + lam*(v - theta)), theta being the model it downloaded. The personal models continue from the end of
    the client's last round.

    Parameters
    ----------
    local_lr, personal_lr, global_lr : number or array (sweep..., world..., run), > 0
        Step sizes of the global model at the clients, of the personal models, and of the server.
    lam : number or array, >= 0
        Strength of the pull; 0 trains alone.
    n_clients : int
        Number M of clients.

    Notes
    -----
    State entry ``"personal"`` (..., run, M, d). Source: Li et al. (2021), Ditto, Algorithm 1, with both
    solvers on the same minibatches.
    """
    local_lr = step_size("local_lr", local_lr)
    personal_lr, lam = step_size("personal_lr", personal_lr), strength("lam", lam)
    plain = fedavg(local_lr, global_lr)

    def begin_round(state: State, clients: IntArray, oracle: Any) -> Local:
        return {**download(state, clients, oracle), "v": of_clients(state["personal"], clients)}

    def local_step(state: State, local: Local, gradient: Gradient) -> Local:
        v = local["v"]
        pulled = gradient(v) + against(lam, 2) * (v - state["theta"][..., None, :])
        shared = plain.local_step(state, local, gradient(local["x"]))
        return {**shared, "v": v - against(personal_lr, 2) * pulled}

    def aggregate(state: State, local: Local, clients: IntArray) -> State:
        averaged = plain.aggregate(state, local, clients)
        return {**averaged, "personal": with_clients(state["personal"], clients, local["v"])}

    return replace(
        plain,
        name="Ditto",
        init=lambda theta0: {"theta": theta0, "personal": for_every_client(theta0, n_clients)},
        begin_round=begin_round,
        query=on_a_minibatch,
        local_step=local_step,
        aggregate=aggregate,
        served=personal_models,
    )


def examples(number: Callable[[float], Array], n_clients: int) -> tuple[Algorithm, ...]:
    """Instances on which the shared tests run; `number` makes a hyper-parameter of a float."""
    return (ditto(number(0.125), number(0.25), number(0.5), n_clients, number(1.5)),)
