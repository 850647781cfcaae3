"""Degenerate instances: a quantity of which a relation speaks is zero there, so its author could wave them away."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from verify.engine.scene import Condition

TINY = 1e-12
"""Sizes up to which a float counts as zero."""
USUAL = (1e-6, 1e6)
"""Sizes between which nobody doubts that a number is meant."""


def zeros(relation: Condition, values: Mapping[str, Any], batch: int) -> dict[str, torch.Tensor]:
    """By name, which instances of a batch have a quantity of the relation that is zero, (batch,)."""
    return {name: size <= TINY for name, size in _sizes(relation, values, batch).items()}


def unusual(relation: Condition, values: Mapping[str, Any], batch: int) -> torch.Tensor:
    """How many quantities of the relation are zero, or beyond `USUAL`, at each instance of a batch, (batch,)."""
    low, high = USUAL
    strange = [(size < low) | (size > high) for size in _sizes(relation, values, batch).values()]
    return torch.stack([torch.zeros(batch, dtype=torch.bool), *strange]).sum(dim=0)


def _sizes(relation: Condition, values: Mapping[str, Any], batch: int) -> dict[str, torch.Tensor]:
    """By name, the largest absolute value that a quantity of the relation has on its further axes, (batch,)."""
    named = sorted({symbol.name for symbol in relation.free_symbols} & values.keys())
    return {name: _largest(values[name], batch) for name in named}


def _largest(value: Any, batch: int) -> torch.Tensor:
    array = value.detach() if isinstance(value, torch.Tensor) else torch.as_tensor(np.asarray(value, float))
    if array.numel() == 0:
        return torch.zeros(batch, dtype=array.dtype)
    if array.ndim == 0 or array.shape[0] != batch:
        return array.abs().max().expand(batch)
    return array.abs().reshape(batch, -1).amax(dim=1)
