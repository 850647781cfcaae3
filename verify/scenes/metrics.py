"""Metrics of continual learning, each as its paper defines it.

They are functions of accuracies a (..., tasks, tasks): row i contains the accuracy on every task after task i was learnt, in any
unit. Leading axes are runs; for FedMeS the last of them are the clients. Floats, tensors, fractions, intervals and symbols are
accepted. If two papers define the same quantity, one function documents both names.

Every function raises `ValueError` if the matrix is not square or a value that it uses is not a number. Functions that compare an
earlier task with a later one also raise it if there is only one task.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nqm.fields import Array, amax, amin, kind, maximum, minimum, stack, to_float


def learnt(a: Array) -> Array:
    """Accuracy on every task right after it was learnt, a[i, i]: (..., tasks)."""
    tasks = range(_tasks(a))
    return a[..., tasks, tasks]


def final(a: Array) -> Array:
    """Accuracy on every task after the last one: (..., tasks)."""
    _tasks(a)
    return a[..., -1, :]


def changes(a: Array) -> Array:
    """Change of every earlier task's accuracy from when it was learnt to the end: (..., tasks - 1)."""
    _tasks(a, least=2)
    return (final(a) - learnt(a))[..., :-1]


def acc(a: Array) -> Array:
    """Mean final accuracy. Source: SPECIAL, Eq. (10), ACC; C-FLAG, Section 7, Acc."""
    return final(a).mean(axis=-1)


def special_bwt(a: Array) -> Array:
    """Backward transfer, the mean of `changes`. Source: SPECIAL, Eq. (10)."""
    return changes(a).mean(axis=-1)


def special_worst_drop(a: Array) -> Array:
    """Smallest of `changes`. Source: SPECIAL, Section 5 and Table 8."""
    return amin(changes(a), axis=-1)


def cflag_forget(a: Array) -> Array:
    """Mean loss of accuracy of the earlier tasks. Source: C-FLAG, Section 7, Forget."""
    _tasks(a, least=2)
    return (learnt(a) - final(a))[..., :-1].mean(axis=-1)


def fedmes_average(a: Array) -> Array:
    """A_{k,t}, the mean accuracy on the first t tasks after task t, for every t: (..., tasks).

    Source: FedMeS, Section 5.1, with a_{t,t} among the accuracies although the text defines a_{t,i} for i < t.
    """
    return stack([a[..., t, : t + 1].mean(axis=-1) for t in range(_tasks(a))], -1)


def fedmes_acc_client(a: Array) -> Array:
    """Acc_Client, the mean of A_{k,t} over the tasks t. Source: FedMeS, Section 5.1."""
    return fedmes_average(a).mean(axis=-1)


def fedmes_acc_task(a: Array) -> Array:
    """Acc_Task_t, the mean of A_{k,t} over the clients, for every t: (..., tasks). Source: FedMeS, Section 5.1."""
    _require_clients(a)
    return fedmes_average(a).mean(axis=-2)


def fedmes_acc_all(a: Array) -> Array:
    """Acc_ALL as printed, for every t that it leaves open: (..., tasks).

    Source: FedMeS, Section 5.1: the sum runs over clients j and tasks i, its terms A_{j,t} do not depend on i.
    """
    _require_clients(a)
    average, tasks = fedmes_average(a), _tasks(a)
    return sum(average for _ in range(tasks)).sum(axis=-2) / (tasks * average.shape[-2])


def fedmes_acc_all_mean(a: Array) -> Array:
    """Acc_ALL with A_{j,i} in place of A_{j,t}: the mean over clients and tasks. Source: FedMeS, Section 5.1."""
    _require_clients(a)
    return fedmes_acc_client(a).mean(axis=-1)


def fedmes_acc_all_final(a: Array) -> Array:
    """Acc_ALL with t = T, "after completing the training process of all tasks". Source: FedMeS, Section 5.1."""
    return fedmes_acc_all(a)[..., -1]


def fedmes_forgetting(a: Array) -> Array:
    """F_t^k, for t = 2, ..., T: (..., tasks - 1).

    As printed, the maximum is over all earlier j, including those before task i was learnt.

    Source: FedMeS, Section 5.1.
    """
    _require_earlier(a)
    return _later(a, lambda t: amax(a[..., :t, :t] - a[..., t : t + 1, :t], axis=-2).mean(axis=-1))


def learnt_forgetting(a: Array) -> Array:
    """`fedmes_forgetting` with the largest difference over j >= i only, once task i was learnt."""

    def at(t: int) -> Array:
        best = [amax(a[..., i:t, i], axis=-1) for i in range(t)]
        return (stack(best, -1) - a[..., t, :t]).mean(axis=-1)

    return _later(a, at)


def chaudhry_forgetting(a: Array) -> Array:
    """Mean over the earlier tasks of best earlier accuracy minus current accuracy, for t = 2, ..., T: (..., tasks - 1).

    The maximum is over all earlier rows, as in the formula max over l in {1, ..., t - 1}. If accuracies on a task count only
    once it was learnt, the measure is `learnt_forgetting`.

    Source: Chaudhry et al., Riemannian Walk for Incremental Learning (2018), the forgetting measure.
    """
    _require_earlier(a)
    return _later(a, lambda t: (amax(a[..., :t, :t], axis=-2) - a[..., t, :t]).mean(axis=-1))


def cfl_accuracy(curve: Array, best: int = 5) -> Array:
    """Mean accuracy of the `best` best epochs of a curve (..., epochs). Source: CFL, Section 5.2.

    Raises
    ------
    ValueError
        If the curve has fewer epochs, or an accuracy is not a number.
    """
    epochs = curve.shape[-1] if np.ndim(curve) else 0
    if not 1 <= best <= epochs:
        raise ValueError(f"`best` must be in 1..{epochs}, the epochs of `curve`, got {best}")
    _require_numbers("curve", curve)
    rising = [curve[..., e] for e in range(epochs)]
    for placed in range(best):
        for e in range(epochs - 1 - placed):
            rising[e], rising[e + 1] = minimum(rising[e], rising[e + 1]), maximum(rising[e], rising[e + 1])
    return sum(rising[-best:]) / best


def _later(a: Array, at: Callable[[int], Array]) -> Array:
    """`at(t)` for every row t after the first, along a last axis."""
    return stack([at(t) for t in range(1, _tasks(a, least=2))], -1)


def _require_earlier(a: Array) -> None:
    """Refuse NaN in the rows and columns of the earlier tasks, also above the diagonal."""
    _tasks(a, least=2)
    _require_numbers("a", a[..., :-1, :-1])


def _require_clients(a: Array) -> None:
    _tasks(a)
    if np.ndim(a) < 3:
        raise ValueError(
            f"`a` must have an axis of clients, (..., clients, tasks, tasks); got shape {tuple(a.shape)}"
        )


def _tasks(a: Array, least: int = 1) -> int:
    """Number of tasks of a matrix that is square, long enough, and holds numbers on and below its diagonal."""
    shape = tuple(np.shape(a))
    if len(shape) < 2 or shape[-1] != shape[-2]:
        raise ValueError(f"`a` must be square, (..., tasks, tasks), row i after task i; got shape {shape}")
    if shape[-1] < least:
        raise ValueError(
            f"`a` must hold at least {least} tasks to compare an earlier with a later one, got {shape[-1]}"
        )
    _require_numbers("a", a, np.tri(shape[-1], dtype=bool))
    return int(shape[-1])


def _require_numbers(name: str, values: Array, where: np.ndarray | None = None) -> None:
    """Refuse NaN where `where` (on the last axes) is true; only floats can be NaN."""
    if kind(values) not in ("torch", "float"):
        return
    missing = np.isnan(to_float(values)) & (True if where is None else where)
    if missing.any():
        raise ValueError(f"`{name}` must hold numbers, got NaN at {tuple(map(int, np.argwhere(missing)[0]))}")
