"""Degenerate instances: a quantity of which a relation speaks is zero there, so its author could wave them away."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from verify.engine.scene import Condition

TINY = 1e-12
"""Sizes up to which a float counts as zero."""


def zeros(relation: Condition, values: Mapping[str, Any], batch: int) -> dict[str, torch.Tensor]:
    """By name, which instances of a batch have a quantity of the relation that is zero, (batch,)."""
    named = sorted({symbol.name for symbol in relation.free_symbols} & values.keys())
    return {name: _zero(values[name], batch) for name in named}


def whole(relation: Condition, values: Mapping[str, Any], batch: int) -> torch.Tensor:
    """Mask of the instances at which no quantity of the relation is zero, (batch,)."""
    found = zeros(relation, values, batch)
    return ~torch.stack([torch.zeros(batch, dtype=torch.bool), *found.values()]).any(dim=0)


def _zero(value: Any, batch: int) -> torch.Tensor:
    array = value.detach() if isinstance(value, torch.Tensor) else torch.as_tensor(np.asarray(value, float))
    if array.ndim == 0 or array.shape[0] != batch:
        return torch.full((batch,), bool((array.abs() <= TINY).all()))
    return (array.abs() <= TINY).reshape(batch, -1).all(dim=1)
