"""How the server combines what the clients send, and how it holds on to what it had."""

from __future__ import annotations

from collections.abc import Callable

from algorithms.algorithm import Local, State
from algorithms.hyperparameters import against
from nqm.fields import Array, IntArray


def mean_of_sampled(updates: Array) -> Array:
    """(..., n, d) -> (..., d): mean over the sampled clients."""
    return updates.sum(axis=-2) / updates.shape[-2]


def mean_of_all(n_clients: int) -> Callable[[Array], Array]:
    """Mean over all `n_clients` clients; a client that was not sampled counts as an update of zero."""

    def mean(updates: Array) -> Array:
        if updates.shape[-2] > n_clients:
            raise ValueError(f"`n_clients` is {n_clients}, but {updates.shape[-2]} clients were sampled.")
        return updates.sum(axis=-2) / n_clients

    return mean


def displacement(state: State, local: Local) -> Array:
    """How far each client has moved from the server's model, (..., n, d)."""
    return local["x"] - state["theta"][..., None, :]


def averaged(state: State, local: Local, global_lr: Array) -> Array:
    """Server model after a step of `global_lr` along the mean displacement, (..., d)."""
    return state["theta"] + against(global_lr, 1) * mean_of_sampled(displacement(state, local))


def server_average(global_lr: Array) -> Callable[[State, Local, IntArray], State]:
    """Aggregation of FedAvg with a server step size."""

    def aggregate(state: State, local: Local, clients: IntArray) -> State:
        return {**state, "theta": averaged(state, local, global_lr)}

    return aggregate


def blend(model: Array, anchor: Array, lam: Array) -> Array:
    """argmin_u |u - model|^2 + lam*|u - anchor|^2, for (..., d) vectors. Source: SPECIAL, Eq. (5)-(6)."""
    lam = against(lam, 1)
    return (model + lam * anchor) / (1 + lam)


def start_with_anchor(theta0: Array) -> State:
    """State with a model and an anchor, which is the start until a task has ended."""
    return {"theta": theta0, "anchor": theta0}


def anchor_here(state: State, task: int) -> State:
    """The model at the start of a task becomes the anchor: the final model of the previous task."""
    return {**state, "anchor": state["theta"], "task": task}
