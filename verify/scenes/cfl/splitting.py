"""CFL's split of a data set over clients and rounds, as printed and as presumably intended.

Random draws are input: numbers in [0, 1), and class weights that were drawn from a Dirichlet distribution. All numbers
may be floats or Fractions.

Source: CFL (Guo, Lin, Tang), Appendix C.1.1 (overlap) and Algorithms 4 to 6.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from algorithms.hyperparameters import count
from nqm.fields import IntArray

Weights = list[Any]
"""Weights of the classes that may be drawn."""

Renormalise = Callable[[Sequence[Any], int], Weights]
"""(weights, place of the exhausted class) -> weights from then on."""


# ------------------------------------------------------------------------------------- classes used up (5)


def in_place(weights: Sequence[Any], used_up: int) -> Weights:
    """Each weight divided by the sum of the others in their current, partly updated state: Algorithm 5 as printed."""
    found = list(weights)
    for j in range(len(found)):
        if j != used_up:
            found[j] = found[j] / _others(found, used_up)
    return found


def at_once(weights: Sequence[Any], used_up: int) -> Weights:
    """Each weight divided by the sum of the others before any update; the exhausted class keeps its weight."""
    total = _others(weights, used_up)
    return [w if j == used_up else w / total for j, w in enumerate(weights)]


def by_division(weights: Sequence[Any], used_up: int) -> Weights:
    """Like `in_place`, with ``sum(theta/theta[i])`` interpreted as a sum of quotients."""
    found = list(weights)
    for j in range(len(found)):
        if j != used_up:
            found[j] = found[j] / sum(w / found[used_up] for w in found)
    return found


def removed(weights: Sequence[Any], used_up: int) -> Weights:
    """Weights of the other classes only, divided by their sum."""
    total = _others(weights, used_up)
    return [w / total for j, w in enumerate(weights) if j != used_up]


def _others(weights: Sequence[Any], used_up: int) -> Any:
    return sum(w for j, w in enumerate(weights) if j != used_up)


# --------------------------------------------------------------------------------------- clients (6), rounds (4)


@dataclass(frozen=True)
class Reading:
    """A variant of Algorithm 6.

    Attributes
    ----------
    names : number of classes C -> whole numbers
        The list G: the class at each place of the weights.
    renormalise : Renormalise
        Algorithm 5.
    first : (weights (C,), names left) -> Weights
        Initial weights of a client.
    """

    names: Callable[[int], Sequence[int]]
    renormalise: Renormalise
    first: Callable[[Sequence[Any], Sequence[int]], Weights]


PRINTED = Reading(lambda C: range(C + 1), in_place, lambda weights, names: list(weights))
"""G is [0, 1, .., len(S)]; an exhausted class is removed from G, but its weight stays."""
MEANT = Reading(range, removed, lambda weights, names: [weights[name] for name in names])
"""G lists the classes; an exhausted class is removed from G and from the weights of all clients."""


def split(
    supply: Sequence[int], weights: Sequence[Sequence[Any]], draws: Sequence[Sequence[Any]], reading: Reading
) -> IntArray:
    """Algorithm 6: clients take samples one by one, each of a class drawn with the client's weights.

    A client stops when it draws a place without a class that has samples.

    Parameters
    ----------
    supply : sequence of int
        Number of samples of each class. Samples of one class are not distinguished.
    weights : (M, C) nested sequence
        Class weights of each client, > 0.
    draws : (M, N) nested sequence
        Uniform random numbers of each client for each of its N samples, in [0, 1).
    reading : Reading

    Returns
    -------
    (M, C) array of int
        Number of samples of each class for each client.
    """
    left, names = list(supply), list(reading.names(len(supply)))
    given = np.zeros((len(weights), len(supply)), dtype=int)
    for client, (of_client, drawn) in enumerate(zip(weights, draws, strict=True)):
        theta = reading.first(of_client, names)
        for u in drawn:
            place = _place(theta, u)
            if place >= len(names) or names[place] >= len(left) or not left[names[place]]:
                break
            name = names[place]
            given[client, name] += 1
            left[name] -= 1
            if not left[name]:
                del names[place]
                theta = reading.renormalise(theta, place)
    return given


def next_chances(weights: Sequence[Any], used_up: int, reading: Reading) -> list[Any]:
    """Probability of each class in the next draw, after `used_up` is exhausted as the first class."""
    names = list(reading.names(len(weights)))
    theta = reading.renormalise(reading.first(weights, names), names.index(used_up))
    names.remove(used_up)
    return [
        sum((w for name, w in zip(names, theta, strict=False) if name == c), 0 * theta[0]) / sum(theta)
        for c in range(len(weights))
    ]


def _place(weights: Sequence[Any], u: Any) -> int:
    """The place whose interval in the cumulative weights contains `u`."""
    if not weights:
        return 0
    reached, target = 0 * weights[0], u * sum(weights)
    for place, w in enumerate(weights):
        reached = reached + w
        if target < reached:
            return place
    return len(weights) - 1


# ---------------------------------------------------------------------------------------------- overlap (C.1.1)


def coming_back(total: int, step: int, rounds: int) -> list[int]:
    """Start of the local data set in every round; after the end of the sequence it restarts at the first sample."""
    starts = [0]
    for _ in range(rounds - 1):
        moved = starts[-1] + count("step", step, at_least=1)
        starts.append(moved if moved < total else 0)
    return starts


def going_round(total: int, step: int, rounds: int) -> list[int]:
    """Start of the local data set in every round, on a cyclic sequence."""
    return [r * count("step", step, at_least=1) % total for r in range(rounds)]


def window(start: int, size: int, total: int) -> frozenset[int]:
    """Samples of a local data set, on a cyclic sequence."""
    return frozenset((start + j) % total for j in range(size))
