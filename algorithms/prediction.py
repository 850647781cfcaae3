"""How a client predicts, where its method does more than ask its model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from algorithms.arrays import Array, IntArray, like, take_along, where
from algorithms.hyperparameters import count, share
from algorithms.inference import distances, kernel_estimate, mixture, neighbours


@dataclass(frozen=True)
class Evidence:
    """What a client knows of q queries; leading axes are free.

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
    labels: IntArray
    held: np.ndarray


Inference = Callable[[Evidence], Array]
"""Evidence -> scores of the classes (..., q, C), the highest of which is the prediction."""


def by_neighbours(K: int, theta: float) -> Inference:
    """Mixture of the model's output with the votes of the K nearest remembered samples.

    A client that remembers nothing yet relies on its model; one that remembers fewer than K samples asks them all.

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
        apart = distances(evidence.features, evidence.remembered)
        held = np.broadcast_to(evidence.held[..., None, :], tuple(apart.shape))
        # An empty place is infinitely far away, so that it comes last and its vote counts zero.
        apart = where(like(apart, held.astype(int)) == 1, apart, 0 * apart + float("inf"))
        nearest = neighbours(apart, min(K, held.shape[-1]))
        labels = np.take_along_axis(
            np.broadcast_to(evidence.labels[..., None, :], held.shape), nearest, axis=-1
        )
        labels = np.where(np.take_along_axis(held, nearest, axis=-1), labels, 0)
        votes = kernel_estimate(take_along(apart, nearest, -1), labels, evidence.outputs.shape[-1])
        remembers = like(evidence.outputs, held.any(axis=-1, keepdims=True).astype(int))
        return where(remembers == 1, mixture(votes, evidence.outputs, theta), evidence.outputs)

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
    n_classes = evidence.outputs.shape[-1]
    member = (evidence.labels[..., None, :] == np.arange(n_classes)[:, None]) & evidence.held[..., None, :]
    weights = like(evidence.features, member / np.maximum(member.sum(axis=-1, keepdims=True), 1))
    means = _of_length_one(weights @ _of_length_one(evidence.remembered))
    closeness = _of_length_one(evidence.features) @ means.swapaxes(-1, -2)
    known = like(evidence.features, member.any(axis=-1)[..., None, :].astype(float))
    return where(known > 0, closeness, 0 * closeness - 2)


def _of_length_one(vectors: Array) -> Array:
    return vectors / ((vectors**2).sum(axis=-1)[..., None] ** 0.5 + 1e-12)
