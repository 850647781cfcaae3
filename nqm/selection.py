"""Parameters of one task for the clients that take part, aligned with the axes of `x`."""

from __future__ import annotations

from typing import Any

import numpy as np

from nqm.arguments import require_index
from nqm.fields import Array, take


def select(parameter: Array, task: int, clients: np.ndarray | None, n_trailing: int) -> Array:
    """Entries of `parameter` for one task and for all clients or the given ones.

    Parameters
    ----------
    parameter : (world..., K, M, trailing...) array
    task : int
        0..K-1.
    clients : (n,) or (n_runs, n) int array, or None for all M in order
        Deeper index arrays are allowed if there are no world axes.
    n_trailing : int
        Number of trailing axes.

    Returns
    -------
    (world..., n, trailing...) array without world axes, else (world..., run, n, trailing...), with ``run`` of
    length 1 where all runs have the same clients: the axis of runs stands between the worlds and the clients.
    """
    of_task = _of_task(parameter, task, n_trailing)
    has_worlds = of_task.ndim > 1 + n_trailing
    if clients is None:
        return _with_run_axis(of_task, n_trailing) if has_worlds else of_task
    chosen = take(of_task, clients, axis=-1 - n_trailing)
    return _with_run_axis(chosen, n_trailing) if has_worlds and clients.ndim == 1 else chosen


def select_slots(parameter: Array, task: int, clients: np.ndarray | None, n_trailing: int) -> Array:
    """As `select` for clients that are the same in all runs, without an axis for the runs."""
    of_task = _of_task(parameter, task, n_trailing)
    return of_task if clients is None else take(of_task, clients, axis=-1 - n_trailing)


def _of_task(parameter: Array, task: int, n_trailing: int) -> Array:
    rest = (slice(None),) * (1 + n_trailing)
    return parameter[(..., task, *rest)]


def _with_run_axis(chosen: Array, n_trailing: int) -> Array:
    rest = (slice(None),) * (1 + n_trailing)
    return chosen[(..., None, *rest)]


def check_task(task: int, n_tasks: int) -> int:
    """`task` as an int, or ValueError if it is not in 0..n_tasks-1."""
    require_index("task", int(task), n_tasks)
    return int(task)


def check_clients(clients: Any, n_clients: int, n_world_axes: int) -> np.ndarray | None:
    """`clients` as a NumPy int array; None stays None.

    Raises
    ------
    ValueError
        If entries are not integers in 0..n_clients-1, or the array has more axes than (run, slot) in a batch
        of worlds, where it would be unclear which of them is which.
    """
    if clients is None:
        return None
    index = np.asarray(clients.cpu() if hasattr(clients, "cpu") else clients)
    if index.dtype.kind not in "iu":
        raise ValueError(f"`clients` must hold integers, got dtype {index.dtype}.")
    if index.size and (index.min() < 0 or index.max() >= n_clients):
        raise ValueError(f"`clients` must be in 0..{n_clients - 1}, got {index.min()}..{index.max()}.")
    if index.ndim == 0 or (n_world_axes and index.ndim > 2):
        raise ValueError(f"`clients` must have axes (run, slot) or (slot,), got shape {index.shape}.")
    return index


def check_kept(kept: Any, n_samples: int) -> np.ndarray:
    """Indices of stored samples (..., m), -1 for none, as a NumPy array with at least one place for each client.

    Raises
    ------
    ValueError
        If a number is not in -1..n_samples-1.
    """
    kept = np.asarray(kept)
    if kept.size and (kept.min() < -1 or kept.max() >= n_samples):
        raise ValueError(f"`kept` must be in -1..{n_samples - 1}, got {kept.min()}..{kept.max()}.")
    return kept if kept.shape[-1] else np.full((*kept.shape[:-1], 1), -1)
