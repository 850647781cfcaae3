"""Slacks of lengths and extremes, for facts: what a detour has more than the straight way, and the like."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nqm.fields import Array, norm
from verify.engine.expressions import Detour, Excess, Least
from verify.engine.triangles import plain


def detour(vectors: Sequence[Array]) -> Array:
    """`Detour` of vectors (..., 1) that belong together."""
    return np.vectorize(Detour, otypes=[object])(*np.broadcast_arrays(*vectors))[..., 0]


def excess(number: Array, others: Sequence[Array]) -> Array:
    """`Excess` of a number among others."""
    return np.vectorize(Excess, otypes=[object])(*np.broadcast_arrays(number, *others))


def least(numbers: Sequence[Array]) -> Array:
    """`Least` of nonnegative numbers."""
    return np.vectorize(Least, otypes=[object])(*np.broadcast_arrays(*numbers))


def length(vector: Array) -> Array:
    """Length of a vector (..., 1) in the one form in which certificates compare lengths."""
    return np.vectorize(plain, otypes=[object])(norm(vector))


def around(one: Array, other: Array) -> Array:
    """(|x| + |y|)^2 - |x - y|^2 of vectors (..., 1)."""
    return detour([one, -other]) * (length(one) + length(other) + length(one - other))
