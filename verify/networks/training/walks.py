"""All local steps of a round in one go, where each step is affine: a model stays in the processor's cache from first to last."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from nqm.fields import stack
from verify.networks.training import kernels
from verify.networks.training.fused import plain

Parts = Callable[[], tuple[Tensor, Tensor, Tensor]]
"""keep, rate and push of a step, which broadcast to (..., n, d), see `algorithms.corrections.Affine`."""


@dataclass(frozen=True)
class Asked:
    """What clients ask of their data in all local steps of a round: gradients of minibatches.

    Attributes
    ----------
    world : NetworkWorld
    make : Make
        Whose gradients.
    beside : tuple of (..., n, any) tensors
        What the kernel takes after the models.
    rows, weights : (..., n, E, b) tensors
        Of the minibatches.
    steps : (run, n) array of int
        How many steps each slot makes.
    rest : tuple
        What the kernel takes at the end.
    """

    world: Any
    make: kernels.Make
    beside: tuple[Tensor, ...]
    rows: Tensor
    weights: Tensor
    steps: np.ndarray
    rest: tuple[Any, ...] = ()

    def mixed(self, other: Asked, share: Tensor) -> Asked:
        """Both gradients, of which the other has a share (..., n): that of the samples of both."""
        share = share[..., None, None]
        weights = torch.cat(torch.broadcast_tensors(self.weights * (1 - share), other.weights * share), -1)
        return replace(self, rows=torch.cat([self.rows, other.rows], -1), weights=weights)

    def walk(self, x: Tensor, parts: Parts, others: Sequence[Parts] = (), turns: Any = 0) -> Tensor | None:
        """Where the steps lead from `x` (..., n, d); None if there is no fused kernel for it.

        Parameters
        ----------
        others : sequence of Parts
            Those of further maps.
        turns : (..., n, E) array of int
            Which of all maps comes in which step.
        """
        walk = self.world.walk(self.make)
        if walk is None or not plain(x):
            return None
        maps = [each() for each in (parts, *others)]
        vectors = x, *self.beside, *(part for of_step in maps for part in of_step)
        leading = np.broadcast_shapes(*(part.shape[:-1] for part in vectors), self.weights.shape[:-2])
        start, *beside = (part.expand(*leading, -1).reshape(-1, part.shape[-1]) for part in (x, *self.beside))
        width = max(part.shape[-1] for of_step in maps for part in of_step)
        keep, rate, push = (
            stack([part.expand(*leading, width) for part in of_all], -2).reshape(-1, len(maps), width)
            for of_all in zip(*maps, strict=True)
        )
        shape = self.weights.shape
        rows, weights = (part.expand(shape).reshape(-1, *shape[-2:]) for part in (self.rows, self.weights))
        turn = torch.as_tensor(turns).expand(shape[:-1]).reshape(-1, shape[-2])
        steps = torch.from_numpy(np.broadcast_to(self.steps, shape[:-2]).flatten())
        found = walk(start, *beside, (keep, rate, push, turn, rows, weights, steps), *self.rest)
        return found.reshape(*leading, -1)
