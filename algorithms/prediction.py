"""Prediction rules of methods whose clients use more than the output of their model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from algorithms.hyperparameters import count, share
from algorithms.inference import distances, kernel_estimate, mixture, neighbours
from nqm.fields import Array, broadcast_to, like, take_along, where


@dataclass(frozen=True)
class Evidence:
    """The data that a client has for q queries, as tensors or NumPy arrays; leading axes are free.

    Attributes
    ----------
    outputs : (..., q, C) array
        Probabilities that its model gives to the classes.
    features : (..., q, p) array
        Representations of the queries by its model.
    remembered : (..., m, p) array
        Representations of the samples that it kept.
    labels : (..., m) array of int
        Their labels.
    held : (..., m) array of bool
        Which places of the memory hold a sample.
    """

    outputs: Array
    features: Array
    remembered: Array
    labels: Array
    held: Array


Inference = Callable[[Evidence], Array]
"""Evidence -> scores of the classes (..., q, C), the highest of which is the prediction."""


def by_neighbours(K: int, theta: float) -> Inference:
    """Mixture of the model's output with the votes of the K nearest remembered samples.

    A client with an empty memory uses its model alone; a client with fewer than K samples uses all of them.

    Parameters
    ----------
    K : int
        Number of neighbours.
    theta : number, strictly between 0 and 1
        Weight of the neighbours.

    Notes
    -----
    Source: FedMeS, Eq. (8)-(10).
    """
    count("K", K, at_least=1)
    share("theta", theta)

    def infer(evidence: Evidence) -> Array:
        if not evidence.held.any():
            return evidence.outputs
        remembers = evidence.held.any(axis=-1)[..., None]
        # An empty place is infinitely far away, so it comes last and its vote counts zero. If all places are empty,
        # distances stay finite, because the kernel needs a nearest one to compare with.
        near = (evidence.held | ~remembers)[..., None]
        apart = distances(evidence.features, where(near, evidence.remembered, np.inf))
        nearest = neighbours(apart, min(K, apart.shape[-1]))
        labels = where(evidence.held, evidence.labels, 0)
        votes = kernel_estimate(
            take_along(apart, nearest, -1),
            take_along(broadcast_to(labels[..., None, :], apart.shape), nearest, -1),
            evidence.outputs.shape[-1],
        )
        return where(remembers[..., None], mixture(votes, evidence.outputs, theta), evidence.outputs)

    return infer


def by_nearest_mean(evidence: Evidence) -> Array:
    """Scores by the distance from the mean representation of each class that is remembered.

    Representations have length 1, as have their means; a class that is not remembered cannot be predicted, unless
    nothing is remembered at all: then the model decides.

    Notes
    -----
    Source: Rebuffi et al. (2017), iCaRL, Algorithm 1.
    """
    if not evidence.held.any():
        return evidence.outputs
    classes = like(evidence.labels, np.arange(evidence.outputs.shape[-1]))
    member = (evidence.labels[..., None, :] == classes[:, None]) & evidence.held[..., None, :]
    known = member.any(axis=-1)[..., None, :]
    # The result is normalised to length 1, so a sum serves as well as a mean.
    sums = like(evidence.features, member) @ _of_length_one(evidence.remembered)
    closeness = _of_length_one(evidence.features) @ _of_length_one(sums).swapaxes(-1, -2)
    return where(known, closeness, -2)


def _of_length_one(vectors: Array) -> Array:
    return vectors / ((vectors**2).sum(axis=-1)[..., None] ** 0.5 + 1e-12)
