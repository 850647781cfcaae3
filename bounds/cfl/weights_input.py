"""What the weights of past rounds are computed from: parameters by rule, scaled so that no product overflows."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

SUM_TOLERANCE = 1e-9
"""Largest error of sum p, relative to sum |p|: space for solvers, none for weights rounded to four digits."""


def common_denominator(t: int, D2: Array, R2: Array) -> Array:
    return t * D2 + (t - 1) * R2


def with_decay(t: int, alpha: ArrayLike, D2: ArrayLike, R2: ArrayLike) -> tuple[Array, Array, Array, Array]:
    """Validated alpha, D2 / scale, R2 / scale and scale."""
    decay = decay_factor(alpha)
    drift, loss, scale = scaled(t, D2, R2)
    decay, drift, loss, scale = np.broadcast_arrays(decay, drift, loss, scale)
    return decay, drift, loss, scale


def scaled(t: int, D2: ArrayLike, R2: ArrayLike) -> tuple[Array, Array, Array]:
    """D2 / scale, R2 / scale, scale: a power of two near the larger, so that no product overflows."""
    round_number(t)
    drift, loss = np.broadcast_arrays(*nonnegative(D2=D2, R2=R2))
    larger = np.maximum(drift, loss)
    if t > 1 and np.any(larger == 0):
        raise ValueError(
            f"`D2` and `R2` must not both be 0, because then every p is optimal, got D2 = {drift},"
            f" R2 = {loss} (for overlapping data D2 - F2 stands for D2)"
        )
    scale = np.ldexp(1.0, np.frexp(np.where(larger > 0, larger, 1.0))[1] - 1)
    return drift / scale, loss / scale, scale


def round_number(t: int) -> None:
    if not isinstance(t, Integral) or t < 1:
        raise ValueError(f"`t` must be a whole number >= 1 (the current round), got {t}")


def decay_factor(alpha: ArrayLike) -> Array:
    return real_array("alpha", alpha, "in [0, 1)", lambda x: (x >= 0) & (x < 1))


def nonnegative(**values: ArrayLike) -> tuple[Array, ...]:
    return tuple(
        real_array(name, value, "finite and >= 0", lambda x: x >= 0) for name, value in values.items()
    )


def real_array(name: str, value: ArrayLike, rule: str, holds: Callable[[Array], Any]) -> Array:
    array = np.asarray(value, dtype=float)
    if not np.all(np.isfinite(array) & holds(array)):
        raise ValueError(f"`{name}` must be {rule}, got {array}")
    return array


def summing_to_one(p: ArrayLike) -> Array:
    weights = real_array("p", p, "finite", np.isfinite)
    if weights.ndim == 0 or weights.shape[-1] == 0:
        raise ValueError(f"`p` must hold a weight for each of t >= 1 rounds on its last axis, got {weights}")
    total = weights.sum(axis=-1)
    if np.any(np.abs(total - 1) > SUM_TOLERANCE * np.abs(weights).sum(axis=-1)):
        raise ValueError(f"`p` must sum to one over its last axis, got sums {total}")
    return weights
