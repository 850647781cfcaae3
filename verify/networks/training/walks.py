"""All local steps of a round in one kernel call, if each step is affine: a model stays in the processor's cache throughout."""

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
"""Function that returns keep, rate and push of one step, each broadcastable to (..., n, d); see `algorithms.corrections.Affine`."""


@dataclass(frozen=True)
class Requests:
    """The minibatch gradients that clients need in all local steps of one round.

    Attributes
    ----------
    world : NetworkWorld
    make : Make
        Function that makes the gradient kernel.
    beside : tuple of (..., n, any) tensors
        Arguments of the kernel that follow the models.
    rows, weights : (..., n, E, b) tensors
        Row numbers and weights of the samples in the minibatches.
    steps : (run, n) array of int
        Number of steps of each slot.
    rest : tuple
        Last arguments of the kernel.
    """

    world: Any
    make: kernels.Make
    beside: tuple[Tensor, ...]
    rows: Tensor
    weights: Tensor
    steps: np.ndarray
    rest: tuple[Any, ...] = ()

    def mixed(self, other: Requests, share: Tensor) -> Requests:
        """(1 - share) times these gradients plus share (..., n) times those of `other`.

        A weighted sum of minibatch gradients is the gradient of one minibatch with the samples of both, reweighted.
        """
        share = share[..., None, None]
        weights = torch.cat(torch.broadcast_tensors(self.weights * (1 - share), other.weights * share), -1)
        return replace(self, rows=torch.cat([self.rows, other.rows], -1), weights=weights)

    def walk(self, x: Tensor, parts: Parts, others: Sequence[Parts] = (), turns: Any = 0) -> Tensor | None:
        """Models (..., n, d) after all steps from `x` (..., n, d); None if there is no fused kernel for this case.

        Parameters
        ----------
        parts : Parts
            The first affine map.
        others : sequence of Parts
            Further affine maps.
        turns : (..., n, E) array of int
            Number of the map that each step uses; 0 is `parts`.
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
