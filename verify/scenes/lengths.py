"""Slacks of inequalities about lengths and extremes, for facts; for example the excess of a detour over the straight line."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nqm.fields import Array
from verify.engine.model.expressions import Detour, Excess, Least


def detour(vectors: Sequence[Array]) -> Array:
    """The slack `Detour` (triangle inequality) of corresponding vectors (..., 1)."""
    return np.vectorize(Detour, otypes=[object])(*np.broadcast_arrays(*vectors))[..., 0]


def excess(number: Array, others: Sequence[Array]) -> Array:
    """The slack `Excess` of a number compared with others."""
    return np.vectorize(Excess, otypes=[object])(*np.broadcast_arrays(number, *others))


def least(numbers: Sequence[Array]) -> Array:
    """`Least` of nonnegative numbers."""
    return np.vectorize(Least, otypes=[object])(*np.broadcast_arrays(*numbers))
