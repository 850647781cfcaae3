"""FedTrack: local steps along the server's gradient, corrected by sample gradients that are refreshed in turn.

The gradient of a client is a mean over samples: all of them are computed at the download, and every later step
computes that of one sample again, so that the others are delayed (incrementally aggregated gradients).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from algorithms.algorithm import Algorithm, Local, State, download, start
from algorithms.clients import for_every_client, of_clients
from algorithms.combining import displacement, of_each
from algorithms.corrections import descend
from algorithms.hyperparameters import count, step_size
from algorithms.newest import Newest, Visits
from nqm.fields import Array, IntArray, is_tensor, like, where

Weights = Sequence[Any] | np.ndarray | None
"""Weight p_i of every client, (M,) numbers > 0 that sum to 1; None for equal ones."""


def client_weights(weights: Weights, n_clients: int) -> np.ndarray:
    """`weights` as an array (M,), or ones where there are none.

    Raises
    ------
    ValueError
        If they are not M positive numbers that sum to 1 (to 1e-9, if they are floats).
    """
    count("n_clients", n_clients, at_least=1)
    if weights is None:
        return np.ones(n_clients, dtype=int)
    given = np.asarray(weights)
    if given.shape != (n_clients,) or not (given > 0).all() or abs(given.sum() - 1) > 1e-9:
        raise ValueError(f"`weights` must be {n_clients} numbers > 0 that sum to 1, got {weights!r}.")
    return given


def shares(weights: np.ndarray, clients: IntArray, reference: Array) -> Array:
    """Weights (M,) or (run, M) of the clients of a round, scaled to sum to 1, (run, n, 1) or (n, 1), as `reference` is."""
    chosen = of_each(reference, weights, clients)
    return chosen / chosen.sum(axis=-2)[..., None, :]


@dataclass(frozen=True)
class Sample:
    """One sample of each slot's client, or one block of samples.

    Attributes
    ----------
    index : (run, n) array of int
        -1 in slots that rest.
    grad : (x (..., n, d), index (run, n)) -> (..., n, d)
        Gradients of samples at any model; gradients of slots with index -1 are not used.
    """

    index: IntArray
    grad: Callable[[Array, IntArray], Array]


def visited_sample(oracle: Any, x: Array, u: IntArray) -> Sample:
    """The sample that a local step visits: the first of the indices drawn for it. Nothing is computed yet.

    Where a component is a block of samples, it is the block at that index, modulo the client's number of blocks.
    """
    blocks = oracle.n_components
    drawn: Any = u[..., 0]
    if is_tensor(blocks):  # on a device
        there = getattr(drawn, "there", None)
        drawn = like(blocks, drawn) if there is None else there
    return Sample(where(drawn >= 0, drawn % blocks, -1), oracle.component_grad)


def refreshed(local: Local, sample: Sample) -> Local:
    """Local state with the gradient of `sample` computed again at the local model (C-FLAG, Eq. 5).

    Before this, the gradient of the sample is the one at the server's model. It is not stored but computed when it is
    subtracted.
    """
    fresh = sample.grad(local["x"], sample.index)
    last = local["each"].at(sample.index, lambda index: sample.grad(local["start"], index))
    return {
        **local,
        "delayed": local["delayed"] + (fresh - last) / local["samples"],
        "each": local["each"].then(sample.index, fresh),
    }


def fedtrack(local_lr: Array, n_clients: int, weights: Weights = None) -> Algorithm:
    """FedTrack with full gradients at the server's model, exchanged before local work.

    Clients step along grad g(theta) - grad g_i(theta) + g_i', where g_i' is their delayed gradient. For worlds of
    samples. With one local step this is gradient descent on the weighted loss.

    Parameters
    ----------
    local_lr : number or array (sweep..., world..., run), > 0
        beta.
    n_clients : int
        Number M of clients, all of which send gradients.
    weights : (M,) numbers or None
        p. In rounds in which not all work, the server scales the weights of those who do to sum to 1.

    Notes
    -----
    Local entries: ``"shift"``, the part of the step that stays; ``"each"``, the gradients that were computed again, and
    ``"delayed"``, the mean of the newest of all samples; ``"summed"``, the sum of these means over the ``"steps"`` so far. Source: Mitra et al. (2021), as described in C-FLAG, Eq. (4)-(5).
    """
    descent = descend(step_size("local_lr", local_lr))
    p = client_weights(weights, n_clients)

    def prepare(state: State, oracle: Any) -> State:
        own = oracle.grad(for_every_client(state["theta"], n_clients))
        return {
            **state,
            "own_grads": own,
            "grad": weighted_mean(own, state.get("sizes", p), np.arange(n_clients)),
        }

    def begin_round(state: State, clients: IntArray, oracle: Any) -> Local:
        local = download(state, clients, oracle)
        own = of_clients(state["own_grads"], clients)
        shift = state["grad"][..., None, :] - own
        tracking = {"start": local["x"], "shift": shift, "delayed": own, "summed": 0 * own, "steps": 0}
        blocks = oracle.n_components
        each = Visits() if is_tensor(blocks) else Newest.none_yet(tuple(own.shape[-3:-1]), np.max(blocks))
        samples = like(own, blocks)[..., None]
        return {**local, **tracking, "each": each, "samples": samples, "first": True}

    def local_step(state: State, local: Local, seen: Sample) -> Local:
        now = local if local["first"] else refreshed(local, seen)
        moved = descent(state, now, now["shift"] + now["delayed"])
        return {**moved, "summed": now["summed"] + now["delayed"], "steps": now["steps"] + 1, "first": False}

    def aggregate(state: State, local: Local, clients: IntArray) -> State:
        return {
            **state,
            "theta": state["theta"]
            + weighted_mean(displacement(state, local), state.get("sizes", p), clients),
        }

    return Algorithm(
        name="FedTrack",
        init=start,
        prepare=prepare,
        begin_round=begin_round,
        query=visited_sample,
        local_step=local_step,
        aggregate=aggregate,
    )


def weighted_mean(values: Array, weights: np.ndarray, clients: IntArray) -> Array:
    """Mean over the slots (..., n, d) with the weights of their clients, (..., d)."""
    return (shares(weights, clients, values) * values).sum(axis=-2)


def examples(number: Callable[[float], Array], n_clients: int) -> tuple[Algorithm, ...]:
    """Instances on which the shared tests run; `number` makes a hyper-parameter of a float."""
    return (fedtrack(number(0.125), n_clients),)
