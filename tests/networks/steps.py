"""Plain gradient steps instead of Adam's, so that tests can compare the size of gradients that servers use."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from torch import Tensor

from algorithms.optimisers import Moments
from tests.networks.test_systems import DRAWS


@dataclass(frozen=True)
class Plain:
    """Steps along the gradient itself."""

    lr: float

    def start(self, x: Tensor) -> Moments:
        return Moments(0 * x, 0 * x, 0 * x[..., :1])

    def step(self, x: Tensor, g: Tensor, at: Moments) -> tuple[Tensor, Moments]:
        return x - self.lr * g, at


def plain_steps(patch: pytest.MonkeyPatch, module: Any) -> list[tuple[float, ...]]:
    """A module that makes plain steps from now on, and the arguments that it would have given to Adam."""
    asked: list[tuple[float, ...]] = []

    def made(*numbers: float) -> Plain:
        asked.append(numbers)
        return Plain(numbers[0])

    patch.setattr(module, "Adam", made)
    return asked


def slopes(loss: Callable[..., Tensor], *points: Tensor) -> tuple[Tensor, ...]:
    """Gradients of a loss with respect to each of its arguments."""
    leaves = [point.detach().clone().requires_grad_() for point in points]
    return torch.autograd.grad(loss(*leaves), leaves)


def normals(task: int, key: int, *shape: int) -> Tensor:
    """Normal draws for the work after the first round of a task, (run, *shape)."""
    return torch.as_tensor(DRAWS.normals(task, 0)(key, *shape), dtype=torch.float32)


def looked_at(here: Any, theta: Tensor, task: int) -> tuple[Tensor, Tensor]:
    """Mean and variance (q,) of the features of one model (d,) over a task in which all clients have the same weight."""
    means, squares = [], []
    for client in range(here.n_clients):
        rows = here.at(task).rows[client]
        features = here.model.features(theta, here.samples.images[rows[rows >= 0]])
        means.append(features.mean(0))
        squares.append((features**2).mean(0))
    mean, square = torch.stack(means).mean(0), torch.stack(squares).mean(0)
    return mean, square - mean**2
