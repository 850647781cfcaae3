"""Worlds with bounded gradients on all of R^d: linear, log-cosh and pseudo-Huber losses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from nqm.arguments import (
    require_broadcastable,
    require_finite,
    require_nonnegative,
    require_positive,
    set_parameters,
)
from nqm.fields import Array, broadcast_to, dot, expand, logcosh, sq, sqrt, tanh
from nqm.noise import Noise, Rademacher
from nqm.selection import check_clients, check_task, select
from nqm.world import Objective, World, check_sigma, set_world

NOISELESS = Rademacher(0)


@dataclass(frozen=True)
class Linear(World):
    """Linear losses: slope'x.

    Parameters
    ----------
    slope : (world..., K, M, d) array
        The gradients.
    noise : Noise
    """

    slope: Array
    noise: Noise = NOISELESS

    def __post_init__(self) -> None:
        set_world(self, {"slope": self.slope})
        require_finite("slope", self.slope)
        if self.slope.ndim < 3:
            raise ValueError(
                f"`slope` must have axes (..., task, client, dim), got {tuple(self.slope.shape)}."
            )
        check_sigma(self)

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.slope.shape)

    def at(self, task: int, clients: Any = None) -> Objective:
        task = check_task(task, self.n_tasks)
        clients = check_clients(clients, self.n_clients, len(self.batch_shape))
        slope = select(self.slope, task, clients, 1)
        return Objective(
            loss=lambda x: dot(slope, x),
            grad=lambda x: broadcast_to(slope, _broadcast_shape(slope, x)),
            scale=self.noise.scale(task, clients),
        )


@dataclass(frozen=True)
class LogCosh(World):
    """Log-cosh losses: height * width * sum_j log cosh((x_j - c_j) / width), with |gradient_j| < height.

    Parameters
    ----------
    height : float or (world..., K, M) array
        Bound of each gradient coordinate, >= 0.
    width : float or (world..., K, M) array
        Distance over which the gradient turns, > 0. The largest curvature is height / width.
    centre : (world..., K, M, d) array
        Minimiser of each loss, whose least value is 0.
    noise : Noise
    """

    height: Array
    width: Array
    centre: Array
    noise: Noise = NOISELESS

    def __post_init__(self) -> None:
        _set_bounded(self)

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.centre.shape)

    def at(self, task: int, clients: Any = None) -> Objective:
        task = check_task(task, self.n_tasks)
        clients = check_clients(clients, self.n_clients, len(self.batch_shape))
        height, width = (expand(select(p, task, clients, 0)) for p in (self.height, self.width))
        centre = select(self.centre, task, clients, 1)
        return Objective(
            loss=lambda x: (height * width * logcosh((x - centre) / width)).sum(axis=-1),
            grad=lambda x: height * tanh((x - centre) / width),
            scale=self.noise.scale(task, clients),
        )


@dataclass(frozen=True)
class PseudoHuber(World):
    """Pseudo-Huber losses: height * (sqrt(width^2 + |x - c|^2) - width), with |gradient| < height.

    Parameters
    ----------
    height : float or (world..., K, M) array
        Bound of the gradient norm, >= 0.
    width : float or (world..., K, M) array
        Distance over which the gradient turns, > 0. The largest curvature is height / width.
    centre : (world..., K, M, d) array
        Minimiser of each loss, whose least value is 0.
    noise : Noise
    """

    height: Array
    width: Array
    centre: Array
    noise: Noise = NOISELESS

    def __post_init__(self) -> None:
        _set_bounded(self)

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.centre.shape)

    def at(self, task: int, clients: Any = None) -> Objective:
        task = check_task(task, self.n_tasks)
        clients = check_clients(clients, self.n_clients, len(self.batch_shape))
        height, width = (select(p, task, clients, 0) for p in (self.height, self.width))
        centre = select(self.centre, task, clients, 1)

        def loss(x: Array) -> Array:
            squared = sq(x - centre)
            # sqrt(w^2 + r^2) - w cancels for small r
            return height * squared / (sqrt(width**2 + squared) + width)

        def grad(x: Array) -> Array:
            difference = x - centre
            return difference * expand(height / sqrt(width**2 + sq(difference)))

        return Objective(loss, grad, scale=self.noise.scale(task, clients))


def _set_bounded(world: LogCosh | PseudoHuber) -> None:
    set_world(world, {"height": world.height, "width": world.width, "centre": world.centre})
    shape = world.shape
    if len(shape) < 3:
        raise ValueError(f"`centre` must have axes (..., task, client, dim), got shape {shape}.")
    for name in ("height", "width"):
        value = getattr(world, name)
        require_finite(name, value)
        require_broadcastable(name, value, shape[:-1], "(world..., task, client)")
        set_parameters(world, {name: broadcast_to(value, shape[:-1])})
    require_finite("centre", world.centre)
    require_nonnegative("height", world.height)
    require_positive("width", world.width)
    check_sigma(world)


def _broadcast_shape(a: Array, b: Array) -> tuple[int, ...]:
    import numpy as np

    return np.broadcast_shapes(tuple(a.shape), tuple(b.shape))
