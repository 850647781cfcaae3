"""How FedMeS predicts: the nearest remembered samples vote, and their vote is mixed with the model's output.

Pure functions on the distances between representations, so that any metric serves. Source: FedMeS, Section
4.3. Leading axes are free: clients, runs, queries.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from algorithms.hyperparameters import count, share
from nqm.fields import Array, broadcast_to, exp, is_exact, is_tensor, like


def distances(queries: Array, remembered: Array) -> Array:
    """Euclidean distances of representations, (..., q, p) and (..., m, p) -> (..., q, m).

    Raises
    ------
    TypeError
        In exact arithmetic, where roots are irrational.
    """
    if is_exact(queries) or is_exact(remembered):
        raise TypeError("`distances` takes square roots: give floats or tensors, not exact numbers.")
    if is_tensor(queries):
        import torch

        # All differences at once would need too much memory, and |q|^2 - 2 q.m + |m|^2 cancels where samples are close.
        return torch.cdist(queries, remembered, compute_mode="donot_use_mm_for_euclid_dist")
    difference = queries[..., :, None, :] - remembered[..., None, :, :]
    return (difference**2).sum(axis=-1) ** 0.5


def neighbours(distance: Array, K: int) -> Array:
    """Places of the `K` nearest remembered samples, nearest first (Eq. 8).

    Eq. (8) leaves the order of equally distant samples open; here it is that of the memory.

    Parameters
    ----------
    distance : (..., m) array
        From a query to every place of the memory.
    K : int
        Number of neighbours, at least 1.

    Returns
    -------
    (..., K) array of int
        A tensor if `distance` is one.

    Raises
    ------
    ValueError
        If a memory is empty, or holds fewer than `K` samples.
    """
    count("K", K, at_least=1)
    size = distance.shape[-1]
    if size == 0:
        raise ValueError("`distance` is of a memory that is empty: there is no neighbour to ask.")
    if size < K:
        raise ValueError(f"`K` must be at most the number of remembered samples, {size}, got {K}.")
    if is_tensor(distance):
        return distance.argsort(dim=-1, stable=True)[..., :K]
    return np.argsort(distance, axis=-1, kind="stable")[..., :K]


def laplacian(distance: Array) -> Array:
    """exp(-distance) over that of the first, (..., K) -> (..., K): the kernel that Eq. (9) prints.

    A Gaussian kernel would square the distance. Eq. (9) leaves a common factor open; relative to the nearest
    neighbour, far ones do not all count zero.
    """
    return exp(distance[..., :1] - distance)


def kernel_estimate(
    distance: Array, labels: Array, n_classes: int, kernel: Callable[[Array], Array] = laplacian
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
    if not distance.shape[-1]:
        raise ValueError("`distance` must be to at least one neighbour, got none.")
    if 0 not in labels.shape and (labels.min() < 0 or labels.max() >= n_classes):
        raise ValueError(f"`labels` must be in 0..{n_classes - 1}, got {labels.min()}..{labels.max()}.")
    total = _by_label(kernel(distance), labels, n_classes)
    return total / total.sum(axis=-1)[..., None]


def _by_label(weight: Array, labels: Array, n_classes: int) -> Array:
    """Sum of the weights of each label, (..., K) and (..., K) -> (..., n_classes)."""
    if not is_tensor(weight):
        votes = like(weight, (labels[..., None] == np.arange(n_classes)).astype(int))
        return (weight[..., None] * votes).sum(axis=-2)
    import torch

    shape = np.broadcast_shapes(tuple(weight.shape), tuple(labels.shape))
    weight = broadcast_to(weight, shape)
    labels = broadcast_to(torch.as_tensor(labels, device=weight.device), shape)
    total = weight.new_zeros(*shape[:-1], n_classes)
    # One neighbour after the other, because an accelerator adds values for the same place in an undefined order.
    for voter in range(weight.shape[-1]):
        place = slice(voter, voter + 1)
        total = total.scatter_add(-1, labels[..., place], weight[..., place])
    return total


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
