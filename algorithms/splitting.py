"""How a data set is split over clients and rounds.

Random draws are input: numbers in [0, 1), and class weights that were drawn from a Dirichlet distribution. All numbers
may be floats or Fractions.

Source: CFL (Guo, Lin, Tang), Appendix C.1.1 (overlap) and Algorithms 4 to 6.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from algorithms.arrays import IntArray
from algorithms.hyperparameters import count

Weights = list[Any]
"""Weights of the classes that may be drawn."""

Renormalise = Callable[[Sequence[Any], int], Weights]
"""(weights, place of the class that is used up) -> weights from then on."""


class Stuck(Exception):
    """A class was drawn that holds no sample, or that does not exist."""


# ------------------------------------------------------------------------------------- classes used up (5)


def in_place(weights: Sequence[Any], used_up: int) -> Weights:
    """Each weight over the sum of the others as they are by then: Algorithm 5 as printed."""
    found = list(weights)
    for j in range(len(found)):
        if j != used_up:
            found[j] = found[j] / _others(found, used_up)
    return found


def at_once(weights: Sequence[Any], used_up: int) -> Weights:
    """Each weight over the sum of the others as they were; the used-up class keeps its weight."""
    total = _others(weights, used_up)
    return [w if j == used_up else w / total for j, w in enumerate(weights)]


def by_division(weights: Sequence[Any], used_up: int) -> Weights:
    """As `in_place`, with ``sum(theta/theta[i])`` read as a sum of quotients."""
    found = list(weights)
    for j in range(len(found)):
        if j != used_up:
            found[j] = found[j] / sum(w / found[used_up] for w in found)
    return found


def removed(weights: Sequence[Any], used_up: int) -> Weights:
    """Weights of the other classes alone, over their sum."""
    total = _others(weights, used_up)
    return [w / total for j, w in enumerate(weights) if j != used_up]


def _others(weights: Sequence[Any], used_up: int) -> Any:
    return sum(w for j, w in enumerate(weights) if j != used_up)


# --------------------------------------------------------------------------------------- clients (6), rounds (4)


def split(
    supply: Sequence[int],
    weights: Sequence[Sequence[Any]],
    draws: Sequence[Sequence[Any]],
    names: Sequence[int],
    renormalise: Renormalise,
) -> IntArray:
    """Algorithm 6: clients take samples one by one, each of a class drawn with the client's weights.

    Parameters
    ----------
    supply : sequence of int
        Samples of each class. Those of one class are alike here: which one is taken does not matter.
    weights : (M, C) nested sequence
        Class weights of each client, > 0.
    draws : (M, N) nested sequence
        What each client draws for each of its N samples, in [0, 1).
    names : sequence of int
        The list G: class that a place in the weights stands for.
    renormalise : Renormalise
        Algorithm 5.

    Returns
    -------
    (M, C) array of int
        Samples of each class that each client got.

    Raises
    ------
    Stuck
        Where a client draws a place that stands for no class with samples.
    """
    left, given = list(supply), np.zeros((len(weights), len(supply)), dtype=int)
    names = list(names)
    for client, (theta, drawn) in enumerate(zip(weights, draws, strict=True)):
        for u in drawn:
            place = _place(theta, u)
            name = names[place] if place < len(names) else len(left)
            if name >= len(left) or not left[name]:
                raise Stuck(f"client {client} drew class {name} of {len(left)}, which has no samples.")
            given[client, name] += 1
            left[name] -= 1
            if not left[name]:
                del names[place]
                theta = renormalise(theta, place)
    return given


def _place(weights: Sequence[Any], u: Any) -> int:
    """Place whose part of the whole weight holds `u`."""
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
    """Start of the local data set in every round; at the end of the sequence it is its first sample again."""
    starts = [0]
    for _ in range(rounds - 1):
        moved = starts[-1] + count("step", step, at_least=1)
        starts.append(moved if moved < total else 0)
    return starts


def going_round(total: int, step: int, rounds: int) -> list[int]:
    """Start of the local data set in every round, on a sequence whose end is joined to its beginning."""
    return [r * count("step", step, at_least=1) % total for r in range(rounds)]


def window(start: int, size: int, total: int) -> frozenset[int]:
    """Samples of a local data set, on a sequence whose end is joined to its beginning."""
    return frozenset((start + j) % total for j in range(size))
