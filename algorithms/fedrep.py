"""FedRep: all clients share a representation, and each has a head of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from algorithms.algorithm import Algorithm, Local, State, over_slots
from algorithms.clients import for_every_client, of_clients, with_clients
from algorithms.combining import displacement, mean_of_sampled, weighed
from algorithms.hyperparameters import against, count, step_size
from nqm.fields import Array, IntArray, like


def fedrep(
    local_lr: Array, head: np.ndarray, n_clients: int, head_steps: int, global_lr: Array = 1
) -> Algorithm:
    """FedRep on one flat vector of parameters; `head` marks the entries of the head.

    In a round, a client moves its head alone for the first `head_steps` local steps, then the representation
    alone; the server averages representations.

    Parameters
    ----------
    local_lr, global_lr : number or array (sweep..., world..., run), > 0
        Step size of the clients, and of the server along the mean displacement.
    head : (d,) array of 0 and 1
        1: part of the personal head; all 0, with `head_steps` 0, is FedAvg.
    n_clients : int
        Number M of clients.
    head_steps : int
        Local steps that move the head, at least 0. A round with no more steps than these leaves the
        representation as it is.

    Notes
    -----
    State entry ``"personal"`` (..., run, M, d) holds each client's head; its other coordinates are not used.
    Source: Collins et al. (2021), Exploiting shared representations for personalized federated learning,
    Algorithm 1.
    """
    local_lr, global_lr = step_size("local_lr", local_lr), step_size("global_lr", global_lr)
    count("head_steps", head_steps, at_least=0)
    mask = np.asarray(head)
    if mask.ndim != 1 or not np.isin(mask, (0, 1)).all():
        raise ValueError(f"`head` must be a vector of 0 and 1, one for each parameter, got {head!r}.")
    mask = mask.astype(int)

    def composed(shared: Array, own: Array) -> Array:
        if shared.shape[-1] != len(mask):
            raise ValueError(
                f"`head` must have one entry for each of the {shared.shape[-1]} parameters, got {len(mask)}."
            )
        chosen = like(shared, mask)
        return (1 - chosen) * shared + chosen * own

    def begin_round(state: State, clients: IntArray, oracle: Any) -> Local:
        shared = over_slots(state["theta"], clients.shape[-1])
        start = composed(shared, of_clients(state["personal"], clients))
        return {"x": start, "step": 0, "head": like(start, mask)}

    def local_step(state: State, local: Local, g: Array) -> Local:
        first = like(g, local["step"] < head_steps)
        moved = first * local["head"] + (1 - first) * (1 - local["head"])
        return {**local, "x": local["x"] - against(local_lr, 2) * (moved * g), "step": local["step"] + 1}

    def aggregate(state: State, local: Local, clients: IntArray) -> State:
        shift = mean_of_sampled(weighed(local, displacement(state, local)))
        theta = state["theta"] + against(global_lr, 1) * (like(shift, 1 - mask) * shift)
        return {**state, "theta": theta, "personal": with_clients(state["personal"], clients, local["x"])}

    def served(state: State) -> Array:
        return composed(state["theta"][..., None, :], state["personal"])

    return Algorithm(
        name="FedRep",
        init=lambda theta0: {"theta": theta0, "personal": for_every_client(theta0, n_clients)},
        begin_round=begin_round,
        local_step=local_step,
        aggregate=aggregate,
        served=served,
    )


def examples(number: Callable[[float], Array], n_clients: int) -> tuple[Algorithm, ...]:
    """Instances on which the shared tests run, in two dimensions; `number` makes a hyper-parameter of a float."""
    return (fedrep(number(0.25), np.array([0, 1]), n_clients, 1, number(1.5)),)
