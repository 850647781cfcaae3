"""Degenerate instances: a quantity of the relation is zero, so an author could dismiss the counterexample as trivial."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import sympy as sp

from nqm.fields import to_float
from verify.engine.model.scene import Condition

TINY = 1e-12
"""A float up to this absolute value counts as zero."""
USUAL = (1e-6, 1e6)
"""Absolute values between these limits are ordinary numbers."""


def zeros(relation: Condition, values: Mapping[str, Any], batch: int) -> dict[str, np.ndarray]:
    """By name of a quantity of the relation: mask of the instances at which it is zero, (batch,)."""
    return {name: size <= TINY for name, size in _sizes(relation, values, batch).items()}


def unusual(relation: Condition, values: Mapping[str, Any], batch: int) -> np.ndarray:
    """Number of quantities of the relation that are zero, or outside `USUAL`, at each instance of a batch, (batch,)."""
    low, high = USUAL
    strange = [(size < low) | (size > high) for size in _sizes(relation, values, batch).values()]
    counted: np.ndarray = np.sum([np.zeros(batch, dtype=bool), *strange], axis=0)
    return counted


def _sizes(relation: Condition, values: Mapping[str, Any], batch: int) -> dict[str, np.ndarray]:
    """By name, the largest absolute value that a quantity of the relation has on its further axes, (batch,)."""
    named = sorted({symbol.name for symbol in relation.free_symbols} & values.keys())
    counted = {indexed.base.name for indexed in relation.atoms(sp.Indexed)}
    return {name: _largest(values[name], batch, counted=name in counted) for name in named}


def _largest(value: Any, batch: int, *, counted: bool) -> np.ndarray:
    """For an indexed quantity, the axis before the batch is its index."""
    sizes = abs(to_float(value))
    if counted and sizes.ndim > 1:
        sizes = np.moveaxis(sizes, 0, -1)
    if sizes.size == 0:
        return np.zeros(batch)
    if sizes.ndim == 0 or len(sizes) != batch:
        return np.broadcast_to(sizes.max(), batch)
    found: np.ndarray = sizes.reshape(batch, -1).max(axis=1)
    return found
