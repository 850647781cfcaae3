"""How FedMeS predicts: the nearest remembered samples vote, and their vote is mixed with the model's output.

Pure functions on the distances between representations, so that any metric serves. Source: FedMeS, Section
4.3. Leading axes are free: clients, runs, queries.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from algorithms.arrays import Array, IntArray, exp, is_exact, is_tensor, like
from algorithms.hyperparameters import count, share


def distances(queries: Array, remembered: Array) -> Array:
    """Euclidean distances of representations, (..., q, p) and (..., m, p) -> (..., q, m).

    Raises
    ------
    TypeError
        In exact arithmetic, where roots are irrational.
    """
    if is_exact(queries) or is_exact(remembered):
        raise TypeError("`distances` takes square roots: give floats or tensors, not exact numbers.")
    difference = queries[..., :, None, :] - remembered[..., None, :, :]
    return (difference**2).sum(axis=-1) ** 0.5


def neighbours(distance: Array, K: int, held: np.ndarray | None = None) -> IntArray:
    """Places of the `K` nearest remembered samples, nearest first (Eq. 8).

    Eq. (8) leaves the order of equally distant samples open; here it is that of the memory.

    Parameters
    ----------
    distance : (..., m) array
        From a query to every place of the memory.
    K : int
        Number of neighbours, at least 1.
    held : (..., m) array of bool, or None
        Which places hold a sample; None if all do. Empty places are nobody's neighbours.

    Returns
    -------
    (..., K) array of int

    Raises
    ------
    ValueError
        If a memory is empty, or holds fewer than `K` samples.
    """
    count("K", K, at_least=1)
    ranked = np.asarray(distance.detach().cpu() if is_tensor(distance) else distance)
    occupied = np.broadcast_to(True if held is None else held, ranked.shape)
    fewest = int(occupied.sum(axis=-1).min()) if occupied.size else 0
    if fewest == 0:
        raise ValueError("`distance` is of a memory that is empty: there is no neighbour to ask.")
    if fewest < K:
        raise ValueError(f"`K` must be at most the number of remembered samples, {fewest}, got {K}.")
    order = np.argsort(ranked, axis=-1, kind="stable")
    # Empty places move behind all others and keep their order otherwise.
    behind = np.argsort(~np.take_along_axis(occupied, order, axis=-1), axis=-1, kind="stable")
    return np.take_along_axis(order, behind, axis=-1)[..., :K]


def laplacian(distance: Array) -> Array:
    """exp(-distance) over that of the first, (..., K) -> (..., K): the kernel that Eq. (9) prints.

    A Gaussian kernel would square the distance. Eq. (9) leaves a common factor open; relative to the nearest
    neighbour, far ones do not all count zero.
    """
    return exp(distance[..., :1] - distance)


def kernel_estimate(
    distance: Array, labels: IntArray, n_classes: int, kernel: Callable[[Array], Array] = laplacian
) -> Array:
    """Share of each class in the neighbours' votes, weighted by a kernel of their distance (Eq. 9).

    Parameters
    ----------
    distance : (..., K) array
        From the query to its neighbours, nearest first.
    labels : (..., K) array of int
        Their labels, in 0..n_classes-1.
    n_classes : int
    kernel : (..., K) -> (..., K)
        Positive weights, up to a common factor.

    Returns
    -------
    (..., n_classes) array
        Sums to 1.

    Raises
    ------
    ValueError
        If there is no neighbour, or a label is out of range.
    """
    count("n_classes", n_classes, at_least=1)
    labels = np.asarray(labels)
    if not distance.shape[-1]:
        raise ValueError("`distance` must be to at least one neighbour, got none.")
    if labels.size and (labels.min() < 0 or labels.max() >= n_classes):
        raise ValueError(f"`labels` must be in 0..{n_classes - 1}, got {labels.min()}..{labels.max()}.")
    weight = kernel(distance)
    votes = like(weight, (labels[..., None] == np.arange(n_classes)).astype(int))
    total = (weight[..., None] * votes).sum(axis=-2)
    return total / total.sum(axis=-1)[..., None]


def mixture(estimate: Array, output: Array, theta: Array) -> Array:
    """theta*estimate + (1 - theta)*output, (..., n_classes) (Eq. 10).

    `output` should be probabilities: a model's raw scores are on another scale than the estimate.

    Parameters
    ----------
    estimate, output : (..., n_classes) arrays
    theta : number, or array that broadcasts against them
        Strictly between 0 and 1.

    Raises
    ------
    ValueError
        If `theta` is not.
    """
    theta = share("theta", theta)
    return theta * estimate + (1 - theta) * output


def class_means(representations: Array, labels: IntArray, n_classes: int) -> Array:
    """Mean representation of each class, (..., m, p) and (..., m) -> (..., n_classes, p).

    Raises
    ------
    ValueError
        If a class has no sample, so no mean.
    """
    member = (np.asarray(labels)[..., None, :] == np.arange(n_classes)[:, None]).astype(int)
    sizes = member.sum(axis=-1)
    if sizes.min() == 0:
        missing = int(np.argwhere(sizes == 0)[0][-1])
        raise ValueError(f"`labels` must hold every class, but none of class {missing} is remembered.")
    return like(representations, member) @ representations / like(representations, sizes)[..., None]


def nearest_mean(queries: Array, means: Array) -> IntArray:
    """Class whose mean is nearest, (..., q, p) and (..., n_classes, p) -> (..., q); ties go to the lower number."""
    squares = ((queries[..., :, None, :] - means[..., None, :, :]) ** 2).sum(axis=-1)
    return np.argmin(np.asarray(squares.detach().cpu() if is_tensor(squares) else squares), axis=-1)
