"""The largest lhs/rhs that points in given worlds attain, by random trials and ascent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from verify.engine.model.claim import Claim
from verify.engine.model.scene import Shape, quantities
from verify.engine.search.adversary import margins
from verify.engine.search.sampling import sample

Parameters = Mapping[str, torch.Tensor]


def best_ratios(
    claim: Claim,
    shape: Shape,
    places: tuple[str, ...],
    rng: np.random.Generator,
    worlds: int,
    points: int = 32,
) -> np.ndarray:
    """Largest lhs/rhs found in each of `worlds` random worlds, (worlds,); 0 where the constant is 0."""
    assert claim.scene is not None
    space = claim.scene.space(shape)
    somewhere = {name: space[name] for name in places}
    where = _tensors(sample(space, rng, worlds))
    best = _ratios(claim, shape, where)
    for _ in range(points):
        tried = {**where, **_tensors(sample(somewhere, rng, worlds))}
        ratio = _ratios(claim, shape, tried)
        where = {
            name: torch.where(_along(ratio > best, value), value, where[name])
            for name, value in tried.items()
        }
        best = torch.maximum(best, ratio)
    moving = tuple(name for name in places if not space[name].levels)
    return torch.maximum(best, _climbed(claim, shape, where, moving)).numpy()


def _climbed(
    claim: Claim, shape: Shape, where: Parameters, moving: tuple[str, ...], iterations: int = 60
) -> torch.Tensor:
    """The largest ratio during the ascent. Constants hold everywhere, so points may leave the boxes."""
    leaves = {name: where[name].clone().requires_grad_() for name in moving}
    optimiser = torch.optim.Adam(leaves.values(), lr=0.03)
    best = torch.zeros(len(next(iter(where.values()))), dtype=torch.float64)
    for _ in range(iterations):
        ratio = _ratios(claim, shape, {**where, **leaves})
        best = torch.maximum(best, ratio.detach())
        if not ratio.requires_grad:
            break
        optimiser.zero_grad()
        torch.autograd.backward(-ratio.sum())
        for leaf in leaves.values():
            if leaf.grad is not None:
                leaf.grad.nan_to_num_(0.0, 0.0, 0.0)
        optimiser.step()
    return best


def _ratios(claim: Claim, shape: Shape, parameters: Parameters) -> torch.Tensor:
    assert claim.scene is not None
    values = quantities(claim.scene, shape, parameters, {})
    ratio: torch.Tensor = margins(claim.relation, values, len(next(iter(parameters.values()))))[1]
    return ratio.nan_to_num(0.0)


def _tensors(drawn: Mapping[str, np.ndarray]) -> dict[str, Any]:
    return {name: torch.as_tensor(value) for name, value in drawn.items()}


def _along(mask: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    return mask.reshape((-1,) + (1,) * (value.ndim - 1))
