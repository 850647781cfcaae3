"""Slacks of inequalities about lengths and extremes, for facts; for example the excess of a detour over the straight line."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nqm.fields import Array, norm
from verify.engine.model.expressions import Detour, Excess, Least
from verify.engine.proof.triangles import plain


def detour(vectors: Sequence[Array]) -> Array:
    """The slack `Detour` (triangle inequality) of corresponding vectors (..., 1)."""
    return np.vectorize(Detour, otypes=[object])(*np.broadcast_arrays(*vectors))[..., 0]


def excess(number: Array, others: Sequence[Array]) -> Array:
    """The slack `Excess` of a number compared with others."""
    return np.vectorize(Excess, otypes=[object])(*np.broadcast_arrays(number, *others))


def least(numbers: Sequence[Array]) -> Array:
    """`Least` of nonnegative numbers."""
    return np.vectorize(Least, otypes=[object])(*np.broadcast_arrays(*numbers))


def length(vector: Array) -> Array:
    """Length of a vector (..., 1) in the normal form that certificates use for lengths."""
    return np.vectorize(plain, otypes=[object])(norm(vector))


def around(one: Array, other: Array) -> Array:
    """(|x| + |y|)^2 - |x - y|^2 of vectors (..., 1)."""
    return detour([one, -other]) * (length(one) + length(other) + length(one - other))
