"""Worlds with bounded gradients on all of R^d: linear, log-cosh and pseudo-Huber losses."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from nqm.arguments import (
    require_broadcastable,
    require_finite,
    require_nonnegative,
    require_positive,
    set_parameters,
)
from nqm.bounded_constants import huber_gap, logcosh_gap
from nqm.federation import chosen_tasks
from nqm.fields import (
    Array,
    abs_,
    amax,
    amin,
    broadcast_to,
    dot,
    expand,
    kind,
    logcosh,
    maximum,
    norm,
    power,
    sq,
    sqrt,
    tanh,
    where,
    zeros_like,
)
from nqm.infimum import certified_infimum, huber_near_minimiser, logcosh_near_minimiser
from nqm.known import Ball, Constant, Unbounded
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
            grad=lambda x: broadcast_to(slope, np.broadcast_shapes(tuple(slope.shape), tuple(x.shape))),
            scale=self.noise.scale(task, clients),
        )

    def curvature_range(self, region: Ball | None) -> tuple[Constant, Constant]:
        zero = Constant(zeros_like(self.slope[..., 0]), "exact", region or "R^d", "Linear losses are flat.")
        return zero, zero

    def gradient_bound(self, region: Ball | None) -> Constant:
        return Constant(norm(self.slope), "exact", region or "R^d", "The gradient is constant.")

    def client_spread(self, region: Ball | None) -> Constant:
        gap = self.slope - self.slope.mean(axis=-2)[..., None, :]
        return Constant(amax(sq(gap), (-1, -2)), "exact", region or "R^d", "The gradients are constant.")

    def task_spread(self, region: Ball | None) -> Constant:
        slope = self.slope.mean(axis=-2)
        gap = slope[..., :, None, :] - slope[..., None, :, :]
        return Constant(amax(sq(gap), (-1, -2)), "exact", region or "R^d", "The gradients are constant.")

    def infimum(self, tasks: Iterable[int] | None) -> Constant:
        total = self.slope.mean(axis=-2)[..., chosen_tasks(self, tasks), :].sum(axis=-2)
        cancels = (total == 0).all(axis=-1)
        zero = expand(zeros_like(self.slope[..., 0, 0, 0]), 0)
        if kind(zero) not in ("torch", "float") and not cancels.all():
            raise Unbounded(
                "The total loss has no infimum: the slopes do not cancel, and no Fraction is -inf."
            )
        value = zero if cancels.all() else where(cancels, zero, zero - math.inf)
        return Constant(value, "exact", note="0 where the slopes cancel exactly, else unbounded below.")


@dataclass(frozen=True)
class AnyBounded(World):
    """Base of losses around a centre whose gradients are bounded and change direction within some width.

    Parameters
    ----------
    height : float or (world..., K, M) array
        Bound of each gradient coordinate (`LogCosh`) or of the gradient norm (`PseudoHuber`), >= 0.
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
        set_world(self, {"height": self.height, "width": self.width, "centre": self.centre})
        shape = self.shape
        if len(shape) < 3:
            raise ValueError(f"`centre` must have axes (..., task, client, dim), got shape {shape}.")
        for name in ("height", "width"):
            value = getattr(self, name)
            require_finite(name, value)
            require_broadcastable(name, value, shape[:-1], "(world..., task, client)")
            set_parameters(self, {name: broadcast_to(value, shape[:-1])})
        require_finite("centre", self.centre)
        require_nonnegative("height", self.height)
        require_positive("width", self.width)
        check_sigma(self)

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.centre.shape)

    @abstractmethod
    def curvature_within(self, region: Ball) -> tuple[Array, Array]:
        """Lowest and highest curvature of each client over a ball, (world..., K, M)."""

    def curvature_range(self, region: Ball | None) -> tuple[Constant, Constant]:
        top = self.height / self.width
        lowest, highest = (zeros_like(top), top) if region is None else self.curvature_within(region)
        how = ("exact", region or "R^d", "Largest at the centre; decreasing with the distance.")
        return Constant(lowest, *how), Constant(highest, *how)


class LogCosh(AnyBounded):
    """Log-cosh losses: height * width * sum_j log cosh((x_j - c_j) / width), with |gradient_j| < height."""

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

    def curvature_within(self, region: Ball) -> tuple[Array, Array]:
        top = self.height / self.width
        near, far = (x / self.width[..., None] for x in _coordinate_distances(region, self.centre))
        return top * (1 - tanh(amax(far, -1)) ** 2), top * (1 - tanh(amin(near, -1)) ** 2)

    def gradient_bound(self, region: Ball | None) -> Constant:
        if region is None:
            corner = self.height * sqrt(zeros_like(self.height) + self.dim)
            return Constant(corner, "exact", note="Approached far away along a diagonal.")
        far = _coordinate_distances(region, self.centre)[1]
        farthest = self.height * norm(tanh(far / self.width[..., None]))
        known = "exact" if self.dim == 1 else "certified"
        return Constant(farthest, known, region, "At the corner of the smallest box around the ball.")

    def client_spread(self, region: Ball | None) -> Constant:
        heights, widths = (_pairs(p[..., None], -2) for p in (self.height, self.width))
        gaps = logcosh_gap(heights, widths, _differences(self.centre, -2)).mean(axis=-2)
        return _spread(amax(sq(gaps), (-1, -2)), region, self.n_clients <= 2 and _equal_clients(self))

    def task_spread(self, region: Ball | None) -> Constant:
        heights, widths = (_pairs(p[..., None], -3) for p in (self.height, self.width))
        gaps = logcosh_gap(heights, widths, _differences(self.centre, -3)).mean(axis=-2)
        return _spread(amax(sq(gaps), (-1, -2)), region, self.n_clients == 1 and _equal_tasks(self))

    def infimum(self, tasks: Iterable[int] | None) -> Constant:
        chosen = chosen_tasks(self, tasks)
        return certified_infimum(self, self.height, self.width, self.centre, chosen, logcosh_near_minimiser)


class PseudoHuber(AnyBounded):
    """Pseudo-Huber losses: height * (sqrt(width^2 + |x - c|^2) - width), with |gradient| < height."""

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

    def curvature_within(self, region: Ball) -> tuple[Array, Array]:
        top = self.height / self.width
        near, far = _distances(region, self.centre)
        # Along the radius h w^2 / (w^2 + r^2)^(3/2), across it h / (w^2 + r^2)^(1/2), which exists for d > 1
        lowest = top * power(1 + (far / self.width) ** 2, Fraction(-3, 2))
        across = Fraction(-3, 2) if self.dim == 1 else Fraction(-1, 2)
        return lowest, top * power(1 + (near / self.width) ** 2, across)

    def gradient_bound(self, region: Ball | None) -> Constant:
        if region is None:
            return Constant(self.height, "exact", note="Approached far away.")
        far = _distances(region, self.centre)[1]
        farthest = self.height * far / sqrt(self.width**2 + far**2)
        return Constant(farthest, "exact", region, "At the farthest point from the centre.")

    def client_spread(self, region: Ball | None) -> Constant:
        heights, widths = (_pairs(p, -1) for p in (self.height, self.width))
        gaps = huber_gap(heights, widths, _differences(self.centre, -2)).mean(axis=-1)
        return _spread(amax(gaps**2, (-1, -2)), region, self.n_clients <= 2 and _equal_clients(self))

    def task_spread(self, region: Ball | None) -> Constant:
        heights, widths = (_pairs(p, -2) for p in (self.height, self.width))
        gaps = huber_gap(heights, widths, _differences(self.centre, -3)).mean(axis=-1)
        return _spread(amax(gaps**2, (-1, -2)), region, self.n_clients == 1 and _equal_tasks(self))

    def infimum(self, tasks: Iterable[int] | None) -> Constant:
        chosen = chosen_tasks(self, tasks)
        return certified_infimum(self, self.height, self.width, self.centre, chosen, huber_near_minimiser)


def _distances(region: Ball, centre: Array) -> tuple[Array, Array]:
    """Least and largest distance of each centre from a point of the ball, (world..., K, M)."""
    middle = norm(region.centre[..., None, None, :] - centre)
    radius = region.radius[..., None, None]
    return maximum(middle - radius, 0), middle + radius


def _coordinate_distances(region: Ball, centre: Array) -> tuple[Array, Array]:
    """As `_distances` for each coordinate, (world..., K, M, d)."""
    middle = abs_(region.centre[..., None, None, :] - centre)
    radius = region.radius[..., None, None, None]
    return maximum(middle - radius, 0), middle + radius


def _pairs(x: Array, axis: int) -> tuple[Array, Array]:
    """`x` twice, so that the two broadcast to all pairs along an axis (negative)."""
    rest = (slice(None),) * (-axis - 1)
    return x[(..., slice(None), None, *rest)], x[(..., None, slice(None), *rest)]


def _differences(x: Array, axis: int) -> Array:
    first, second = _pairs(x, axis)
    return first - second


def _equal_clients(world: AnyBounded) -> bool:
    return all(bool((p == p[..., :1]).all()) for p in (world.height, world.width))


def _equal_tasks(world: AnyBounded) -> bool:
    return all(bool((p == p[..., :1, :]).all()) for p in (world.height, world.width))


def _spread(value: Array, region: Ball | None, attained: bool) -> Constant:  # noqa: FBT001
    note = "Triangle inequality over pairs of clients; holds on all of R^d."
    if attained and region is None:
        return Constant(value, "exact", note="Attained halfway between the centres.")
    return Constant(value, "certified", region or "R^d", note)
