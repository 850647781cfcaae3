"""Memories of samples of earlier tasks, by rule: which samples each client keeps.

A memory is an array ``kept`` (run, M, capacity) of whole numbers in the state. Sample j of task i has the number i*S + j,
where S is the number of samples a client has in a task; an empty place holds -1. The kept samples are chosen from a random
order of the samples, which is drawn before the run.

On a device, ``kept.there`` holds the same memories with other numbers for the samples (`verify.networks.training.masked`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from algorithms.algorithm import State
from algorithms.clients import of_clients
from algorithms.hyperparameters import count
from nqm.fields import Array, IntArray, is_tensor, like, take, take_along, where

EMPTY = -1
"""Marks a place of a memory that holds no sample."""


def empty_memory(theta0: Array, n_clients: int, capacity: int) -> IntArray:
    """Empty memories (run, M, capacity)."""
    count("capacity", capacity, at_least=0)
    return np.full((theta0.shape[-2], n_clients, capacity), EMPTY)


def first_in_first_out(n_new: int) -> Callable[[IntArray, IntArray, int, int], IntArray]:
    """Rule that adds `n_new` random samples of the task and drops the oldest ones beyond the capacity.

    Source: FedMeS, Section 4.1.
    """
    count("n_new", n_new, at_least=1)

    def updated(kept: IntArray, order: IntArray, task: int, n_samples: int) -> IntArray:
        capacity = kept.shape[-1]
        new = _numbers(order[..., :n_new], task, n_samples)
        used = np.concatenate([kept, new], axis=-1)
        # Empty places go first, so that they are dropped before any sample.
        used = np.take_along_axis(used, np.argsort(used != EMPTY, axis=-1, kind="stable"), axis=-1)
        return used[..., used.shape[-1] - capacity :]

    return updated


def ring(n_tasks: int) -> Callable[[IntArray, IntArray, int, int], IntArray]:
    """Rule that gives each of `n_tasks` tasks the same number of places, filled with random samples of it."""
    count("n_tasks", n_tasks, at_least=1)

    def updated(kept: IntArray, order: IntArray, task: int, n_samples: int) -> IntArray:
        share = kept.shape[-1] // n_tasks
        new = _numbers(order[..., :share], task, n_samples)
        changed = kept.copy()
        place = task % n_tasks * share
        changed[..., place : place + new.shape[-1]] = new
        return changed

    return updated


def class_balanced(rule: Rule, labels: Callable[[int], IntArray]) -> Rule:
    """`rule` that takes samples of all classes in turns: the first of every class before the second of any.

    Parameters
    ----------
    rule : Rule
    labels : task -> (M, S) or (run, M, S) array of int
        Of the samples of every client.
    """

    def updated(kept: IntArray, order: IntArray, task: int, n_samples: int) -> IntArray:
        given = np.broadcast_to(labels(task), (*order.shape[:-1], labels(task).shape[-1]))
        own = np.where(order == EMPTY, EMPTY, np.take_along_axis(given, np.maximum(order, 0), axis=-1))
        same = own[..., None] == np.arange(own.max() + 1)
        turn = (np.cumsum(same, axis=-2) * same).sum(axis=-1)
        turn[order == EMPTY] = order.shape[-1] + 1
        in_turns = np.take_along_axis(order, np.argsort(turn, axis=-1, kind="stable"), axis=-1)
        return rule(kept, in_turns, task, n_samples)

    return updated


Rule = Callable[[IntArray, IntArray, int, int], IntArray]
"""(kept, order of the samples of the task, task, samples per task S) -> kept."""


def with_capacities(rule: Rule, capacities: Sequence[int]) -> Rule:
    """`rule` for clients that can keep different numbers of samples; places beyond a client's own stay empty.

    Source: FedMeS, Section 5.3 and Figure 9.

    Parameters
    ----------
    rule : Rule
    capacities : (M,) ints, >= 0
        Of each client. The method has the largest of them as its capacity.

    Raises
    ------
    ValueError
        If the memories have another number of clients, or are too small.
    """
    for places in capacities:
        count("capacities", places, at_least=0)

    def updated(kept: IntArray, order: IntArray, task: int, n_samples: int) -> IntArray:
        if kept.shape[-2] != len(capacities) or kept.shape[-1] < max(capacities):
            raise ValueError(
                f"`capacities` must be those of the {kept.shape[-2]} clients and at most {kept.shape[-1]}, the capacity "
                f"of the method, got {tuple(capacities)}."
            )
        changed = kept.copy()
        for client, places in enumerate(capacities):
            own = np.s_[..., client : client + 1, :]
            changed[own][..., :places] = rule(kept[own][..., :places], order[own], task, n_samples)
        return changed

    return updated


def in_pairs(least: int, most: int, n_clients: int) -> tuple[int, ...]:
    """Capacities of clients in equal steps from `least` to `most`; every two clients have the same capacity.

    Source: FedMeS, Section 5.3: 10 clients with 10 to 50 samples, with a step of 10.
    """
    steps = np.linspace(count("least", least, at_least=0), most, -(-n_clients // 2))
    return tuple(np.rint(steps).astype(int).repeat(2)[:n_clients].tolist())


def remember(rule: Rule) -> Callable[[Any, State, int, IntArray | None], State]:
    """End of a task in which every client updates its memory ``state["kept"]`` by `rule`.

    Raises
    ------
    ValueError
        If the draws hold no order of the samples.
    """

    def end_task(world: Any, state: State, task: int, order: IntArray | None) -> State:
        if order is None:
            raise ValueError(
                "`draws` must give an `order` of the samples, because this method keeps some of them: use "
                "`minibatches`, or set `order`."
            )
        return {**state, "kept": rule(np.array(state["kept"]), order, task, world.n_samples)}

    return end_task


def of_memory(state: State, clients: IntArray) -> IntArray:
    """Memories of the clients of a round, on the device if they are there: clients (run, n) or (n,) -> (run, n, capacity)."""
    kept: Any = getattr(state["kept"], "there", None)
    kept = state["kept"] if kept is None else kept
    found: IntArray = take(kept, clients, -2) if clients.ndim == 1 else of_clients(kept, clients)
    return found


def next_of(kept: Any, size: int, turn: Any) -> Any:
    """The next `size` samples of every memory (..., capacity), in turns: every sample is used once before any is used again.

    A memory with fewer samples gives all of them, and empty places. Tensors stay on their device.
    """
    numbers = np.arange(kept.shape[-1])
    # In the order of these fractions, consecutive samples come from all parts of the memory, and so from all tasks.
    ranks = np.argsort(np.argsort(numbers * 0.6180339887498949 % 1))
    places, ranks = like(kept, numbers), like(kept, ranks)
    n_kept = (kept != EMPTY).sum(-1)[..., None]
    filled_first = take_along(kept, _in_order(1 * (kept == EMPTY)), -1)
    order = _in_order(where(places < n_kept, ranks, len(numbers)))
    drawn = places[:size]
    taken = (turn * size + drawn) % where(n_kept > 0, n_kept, 1)
    chosen = take_along(filled_first, take_along(order, taken, -1), -1)
    return where(drawn < n_kept, chosen, EMPTY)


def every_memory(n_samples: int, size: int) -> IntArray:
    """All sets of `size` of the numbers 0..n_samples-1, one in each row: equally likely uniform memories.

    Raises
    ------
    ValueError
        If `size` is not in 1..n_samples.
    """
    if not 1 <= size <= n_samples:
        raise ValueError(f"`size` must be in 1..{n_samples}, the number of samples, got {size}.")
    return np.array(list(combinations(range(n_samples), size)))


def _in_order(values: Any) -> Any:
    """Places of the values along the last axis, the smallest value first; equal values stay in order."""
    return values.argsort(dim=-1, stable=True) if is_tensor(values) else np.argsort(values, kind="stable")


def _numbers(chosen: IntArray, task: int, n_samples: int) -> IntArray:
    return np.where(chosen == EMPTY, EMPTY, task * n_samples + chosen)
