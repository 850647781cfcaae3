"""Vectors that clients keep between the rounds in which they take part: entries (..., run, M, d) of the state."""

from __future__ import annotations

from typing import Any

import numpy as np

from algorithms.algorithm import over_slots
from nqm.fields import Array, IntArray, broadcast_to, is_tensor


def for_every_client(model: Array, n_clients: int) -> Array:
    """(..., run, d) -> (..., run, M, d): the same vector for every client."""
    return over_slots(model, n_clients)


def of_clients(entry: Array, clients: IntArray) -> Array:
    """Entries of the clients of a round.

    Parameters
    ----------
    entry : (..., run, M, d) array
        The vectors of all clients.
    clients : (run, n) or (n,) array of int
        Clients of each run, or of all runs.

    Returns
    -------
    (..., run, n, d) array
    """
    return entry[(..., *_places(clients, entry, entry.shape[-3]), slice(None))]


def with_clients(entry: Array, clients: IntArray, values: Array) -> Array:
    """`entry` (..., run, M, d) with the entries of the clients of a round replaced by `values` (..., run, n, d)."""
    leading = np.broadcast_shapes(tuple(entry.shape[:-2]), tuple(values.shape[:-2]))
    whole = broadcast_to(entry, (*leading, *entry.shape[-2:]))
    changed: Any = whole.clone() if is_tensor(whole) else whole.copy()
    changed[(..., *_places(clients, changed, leading[-1]), slice(None))] = values
    return changed


def _places(clients: IntArray, entry: Array, n_runs: int) -> tuple[Any, ...]:
    """Index of the clients along the axes of runs and clients, on the device of `entry`."""
    there = getattr(clients, "there", None) if is_tensor(entry) else None
    index: Any = (
        np.array(clients) if there is None else there
    )  # tensors are not indexed with read-only arrays
    if index.ndim == 1:
        return (index,)
    if n_runs == 1:
        return (0 * index, index)
    every = np.arange(n_runs) if there is None else there.new_ones(n_runs).cumsum(0) - 1
    return (every[:, None], index)
