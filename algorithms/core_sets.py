"""Core sets: samples that represent a data set.

Source: CFL (Guo, Lin, Tang), Algorithm 3, after Rebuffi et al. (2017). Features are floats or Fractions.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nqm.fields import IntArray

EQUAL = 16
"""Units in the last place of 1 by which squared distances differ that would be equal but for rounding."""

Candidates = Callable[[np.ndarray, IntArray], np.ndarray]
"""(squared distances (..., n) that each sample would lead to, samples chosen so far (..., k)) -> the same, inf where a
sample may not be chosen."""


def every_sample(squares: np.ndarray, chosen: IntArray) -> np.ndarray:
    """A sample may be chosen again, as Algorithm 3 is printed."""
    return squares


def new_samples(squares: np.ndarray, chosen: IntArray) -> np.ndarray:
    """Each sample is chosen at most once."""
    left = squares.copy()
    np.put_along_axis(left, chosen, np.inf, axis=-1)
    return left


def first_of_equal(squares: np.ndarray, chosen: IntArray) -> np.ndarray:
    """As `new_samples` for features of length 1. Of features that are equal up to rounding the first is chosen.

    Squares of features of length 1 are known to a few units in the last place of 1.
    """
    left = new_samples(squares, chosen)
    least = left.min(axis=-1, keepdims=True)
    return np.where(left <= least + EQUAL * np.finfo(left.dtype).eps, least, left)


def herded(features: np.ndarray, size: int, candidates: Candidates = every_sample) -> IntArray:
    """Samples chosen one by one, each so that the mean feature comes as close as possible to that of the data set.

    Parameters
    ----------
    features : (..., n, d) array
    size : int
        Number m of choices; at most n if `candidates` is `new_samples`.

    Returns
    -------
    (..., m) array of int
        In the order of choice; the first of several equally good samples.

    Raises
    ------
    ValueError
        If `size` is less than 1.
    """
    if size < 1:
        raise ValueError(f"`size` must be at least 1, got {size}.")
    mean, total = features.sum(axis=-2) / features.shape[-2], 0 * features.sum(axis=-2)
    chosen = np.empty((*features.shape[:-2], size), dtype=int)
    for k in range(size):
        off = mean[..., None, :] - (features + total[..., None, :]) / (k + 1)
        best = np.argmin(candidates((off**2).sum(axis=-1), chosen[..., :k]), axis=-1)
        total = total + np.take_along_axis(features, best[..., None, None], axis=-2)[..., 0, :]
        chosen[..., k] = best
    return chosen


def by_class(features: np.ndarray, labels: np.ndarray) -> IntArray:
    """Order (..., n) of the samples: every class by herding, the first of all classes before the second of any.

    Source: Rebuffi et al. (2017), iCaRL, Algorithm 4, for each class.

    Parameters
    ----------
    features : (..., n, q) array
        Normalised to length 1, as in the source.
    labels : (n,) or (..., n) array of int
        -1 where there is no sample; the order has -1 after the last one.

    Notes
    -----
    Of samples that are equally good up to rounding the first is chosen, so that the order does not depend on the machine.
    """
    *leading, n, q = features.shape
    labels = np.broadcast_to(labels, (*leading, n)).reshape(-1, n)
    features = features / np.maximum(np.linalg.norm(features, axis=-1, keepdims=True), 1e-12)
    row, place = np.nonzero(labels >= 0)
    by_set = np.lexsort((labels[row, place], row))  # a set is a class of a row
    row, place = row[by_set], place[by_set]
    label = labels[row, place]
    starts = np.flatnonzero(np.r_[True, (np.diff(row) != 0) | (np.diff(label) != 0)][: len(row)])
    sizes = np.diff(starts, append=len(row))
    turn = np.arange(len(row)) - np.repeat(starts, sizes)
    for size in np.unique(sizes):  # all sets of one size at once
        own = starts[sizes == size][:, None] + np.arange(size)
        members = features.reshape(-1, n, q)[row[own], place[own]]
        place[own] = np.take_along_axis(place[own], herded(members, size, first_of_equal), axis=-1)
    in_turns = np.lexsort((label, turn, row))
    order = np.full((len(labels), n), -1)
    order[row, _counted(row)] = place[in_turns]
    return order.reshape(*leading, n)


def _counted(rows: IntArray) -> IntArray:
    """How many entries of the same row come before each, where rows are sorted."""
    return np.arange(len(rows)) - np.searchsorted(rows, rows)
