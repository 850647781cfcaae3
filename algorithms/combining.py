"""Aggregation at the server, and regularisation towards earlier models."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from algorithms.algorithm import Algorithm, Local, State
from algorithms.clients import of_clients
from algorithms.hyperparameters import against
from nqm.fields import Array, IntArray, is_tensor, like, take


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


def weighed(local: Local, updates: Array) -> Array:
    """Updates (..., n, d) times the weights of their clients, whose mean is 1; unchanged if all weights are equal."""
    return updates * local["share"] if "share" in local else updates


def of_everyone(state: State, mean: Array, entry: Array) -> Array:
    """Mean over all clients of the vectors they keep, (..., d): `mean`, or the mean of `entry` (..., M, d) weighted by
    samples if clients are weighted by them.
    """
    if "sizes" not in state:
        return mean
    sizes = like(entry, state["sizes"])[..., None]
    return (sizes * entry).sum(axis=-2) / sizes.sum(axis=-2)


def displacement(state: State, local: Local) -> Array:
    """Displacement of each client from the server's model, (..., n, d)."""
    return local["x"] - state["theta"][..., None, :]


def averaged(state: State, local: Local, global_lr: Array) -> Array:
    """Server model after a step of `global_lr` along the mean displacement, (..., d)."""
    return state["theta"] + against(global_lr, 1) * mean_of_sampled(
        weighed(local, displacement(state, local))
    )


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
    """Initial state with a model and an anchor; the anchor is the start until the first task has ended."""
    return {"theta": theta0, "anchor": theta0}


def anchor_here(state: State, task: int) -> State:
    """The model at the start of a task becomes the anchor: the final model of the previous task."""
    return {**state, "anchor": state["theta"], "task": task}


def by_size(algorithm: Algorithm, sizes: IntArray) -> Algorithm:
    """`algorithm` whose means over clients are weighted by the samples that they have in the task.

    State entry ``"sizes"`` (run, M); local entry ``"share"`` (..., n, 1). Source: McMahan et al. (2017), Algorithm 1, with the
    sum over those that take part.

    Parameters
    ----------
    sizes : (K, run, M) array of int, >= 1
    """
    check_sizes(sizes)

    def begin_task(state: State, task: int) -> State:
        return {**algorithm.begin_task(state, task), "sizes": sizes[task]}

    def begin_round(state: State, clients: IntArray, oracle: Any) -> Local:
        local = algorithm.begin_round(state, clients, oracle)
        chosen = of_each(local["x"], state["sizes"], clients)
        return {**local, "share": chosen * clients.shape[-1] / chosen.sum(axis=-2)[..., None, :]}

    return replace(algorithm, begin_task=begin_task, begin_round=begin_round)


def of_each(reference: Array, numbers: Any, clients: IntArray) -> Array:
    """Numbers (M,) or (run, M) of the clients (n,) or (run, n) of a round, (n, 1) or (run, n, 1), as `reference` is."""
    each = like(reference, numbers)[..., None]
    if each.ndim > 2:
        return of_clients(each, clients)
    there = getattr(clients, "there", None) if is_tensor(each) else None
    return take(each, clients if there is None else there, -2)


def check_sizes(sizes: IntArray) -> None:
    """Raise ValueError unless every client has a sample in every task."""
    if np.ndim(sizes) != 3 or (np.asarray(sizes) < 1).any():
        raise ValueError(
            f"`sizes` must be whole numbers >= 1 of shape (tasks, runs, clients), got {np.shape(sizes)}."
        )
