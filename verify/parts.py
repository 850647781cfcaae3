"""Ready parts for algorithms of your own: compressors, clipping, momentum, and unequal numbers of local steps.

Functions act on arrays (..., d) of every kind of number, so that runs stay exact. For claims about all losses of a class,
`compressed`, `unbiased` and `clipped` of `verify.first_order` are the same parts with formal vectors.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from algorithms.algorithm import Algorithm, Local, State, is_vector
from nqm.fields import Array, IntArray, abs_, chosen, like, maximum, minimum, norm, where, zeros_like


def top(x: Array, k: int) -> Array:
    """Top-k compressor: the k entries of largest size, and 0 elsewhere; of entries of equal size, all or none are kept."""
    size = abs_(x)
    larger = sum(
        chosen(operator.gt, size[..., j : j + 1] + 0 * size, size, 0 * size + 1, 0 * size)
        for j in range(x.shape[-1])
    )
    return chosen(operator.lt, larger, zeros_like(larger) + k, x, 0 * x)


def scaled_sign(x: Array) -> Array:
    """Sign compressor: the signs of the entries times their mean size."""
    return abs_(x).mean(axis=-1)[..., None] * sign(x)


def sign(x: Array) -> Array:
    """Signs of the entries, 0 for 0."""
    none = 0 * x
    return chosen(operator.gt, x, none, none + 1, none) - chosen(operator.lt, x, none, none + 1, none)


def clip_entries(x: Array, radius: Any) -> Array:
    """Entries cut to the range from -radius to radius."""
    return maximum(minimum(x, 0 * x + radius), 0 * x - radius)


def clip(x: Array, radius: Any) -> Array:
    """The vector, scaled down to the length `radius` if it is longer."""
    length = norm(x)[..., None]
    return x * radius / maximum(length, 0 * length + radius)


def of_gradients(
    make: Callable[..., Algorithm], change: Callable[[Array], Array]
) -> Callable[..., Algorithm]:
    """A method whose local steps see changed gradients, such as ``of_gradients(fedavg, sign)``."""

    def changed(**hyper: Any) -> Algorithm:
        plain = make(**hyper)

        def query(oracle: Any, x: Array, u: Array) -> Any:
            return change(plain.query(oracle, x, u))

        return replace(plain, name=f"{plain.name}, changed gradients", query=query)

    return _as(make, changed)


def unequal(make: Callable[..., Algorithm], steps: Sequence[int]) -> Callable[..., Algorithm]:
    """A method in which client m rests after ``steps[m]`` of the local steps of a round.

    The size E of the run must be at least the largest of `steps`.
    """
    most = np.array(steps)

    def resting(**hyper: Any) -> Algorithm:
        plain = make(**hyper)

        def begin_round(state: State, clients: IntArray, oracle: Any) -> Local:
            return {**plain.begin_round(state, clients, oracle), "limit": most[clients], "made_steps": 0}

        def local_step(state: State, local: Local, seen: Any) -> Local:
            moved = plain.local_step(state, local, seen)
            works = like(moved["x"], (local["limit"] > local["made_steps"])[..., None].astype(int)) == 1
            kept = {
                name: where(works, value, local[name])
                if is_vector(value) and value is not local[name]
                else value
                for name, value in moved.items()
            }
            return {**kept, "limit": local["limit"], "made_steps": local["made_steps"] + 1}

        return replace(plain, begin_round=begin_round, local_step=local_step)

    return _as(make, resting)


def _as(make: Callable[..., Algorithm], other: Callable[..., Algorithm]) -> Callable[..., Algorithm]:
    """The function `other` with the name and the hyper-parameters of `make`."""
    import inspect

    other.__name__ = make.__name__
    other.__signature__ = inspect.signature(make)  # type: ignore[attr-defined]
    return other
