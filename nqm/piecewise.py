"""Losses whose curvature is constant on pieces: quadratics, Huber-like and one-sided losses, convex or not.

They attain the worst cases of many first-order methods on smooth functions, and stay rational.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from nqm.arguments import require_broadcastable, require_finite
from nqm.federation import chosen_tasks
from nqm.fields import Array, amax, amin, concatenate, maximum, sqrt, stack, where, zeros_like
from nqm.known import Ball, Constant, Unbounded
from nqm.noise import Noise, Rademacher
from nqm.selection import check_clients, check_task, select
from nqm.world import Objective, World, check_sigma, set_world

NOISELESS = Rademacher(0)


@dataclass(frozen=True)
class PiecewiseQuadratic(World):
    """Sums over the coordinates of losses with gradient `tilt` and value 0 at the origin, and piecewise curvature.

    Parameters
    ----------
    tilt : (world..., K, M, d) array
        Gradient at the origin. Where tilts cancel and no curvature is negative, the origin minimises the sum.
    curvature : (world..., K, M, d, J + 1) array
        Second derivative on the pieces, from left to right; one piece is a quadratic.
    knots : (world..., K, M, d, J) array
        Where the pieces meet, in increasing order.
    noise : Noise

    Notes
    -----
    In one dimension, curvature (0, L, 0) is the Huber loss and (0, L) the one-sided quadratic: the worst cases of
    gradient descent on smooth convex functions (Drori and Teboulle, 2014, Theorem 2).
    """

    tilt: Array
    curvature: Array
    knots: Array
    noise: Noise = NOISELESS

    def __post_init__(self) -> None:
        set_world(self, {"tilt": self.tilt, "curvature": self.curvature, "knots": self.knots})
        for name in ("tilt", "curvature", "knots"):
            require_finite(name, getattr(self, name))
        shape, pieces = self.shape, self.curvature.shape[-1]
        if len(shape) < 3:
            raise ValueError(f"`tilt` must have axes (..., task, client, dim), got shape {shape}.")
        require_broadcastable(
            "curvature", self.curvature, (*shape, pieces), "(world..., task, client, dim, piece)"
        )
        require_broadcastable(
            "knots", self.knots, (*shape, pieces - 1), "(world..., task, client, dim, piece - 1)"
        )
        if bool((self.knots[..., 1:] < self.knots[..., :-1]).any()):
            raise ValueError("`knots` must not decrease along their last axis.")
        check_sigma(self)

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.tilt.shape)

    def at(self, task: int, clients: Any = None) -> Objective:
        task = check_task(task, self.n_tasks)
        clients = check_clients(clients, self.n_clients, len(self.batch_shape))
        tilt = select(self.tilt, task, clients, 1)
        curvature, knots = (select(part, task, clients, 2) for part in (self.curvature, self.knots))
        return Objective(
            loss=lambda x: _loss(tilt, curvature, knots, x),
            grad=lambda x: _slope(tilt, curvature, knots, x),
            scale=self.noise.scale(task, clients),
        )

    def curvature_range(self, region: Ball | None) -> tuple[Constant, Constant]:
        note = "The curvatures of all pieces; some may lie outside a ball."
        known = "exact" if region is None else "certified"
        each = zeros_like(self.tilt)[..., None] + self.curvature
        ends = (amin(each, (-1, -2)), amax(each, (-1, -2)))
        return Constant(ends[0], known, "R^d", note), Constant(ends[1], known, "R^d", note)

    def gradient_bound(self, region: Ball | None) -> Constant:
        self._require_flat("B", self.curvature)
        slopes = self._slopes_at_knots()
        return Constant(sqrt(amax(slopes**2, -1).sum(axis=-1)), "exact", "R^d", _AT_KNOTS)

    def client_spread(self, region: Ball | None) -> Constant:
        self._require_flat("sigma_G2", self.curvature - self.curvature.mean(axis=-3)[..., None, :, :])
        slopes = self._slopes_at_knots()
        gap = slopes - slopes.mean(axis=-3)[..., None, :, :]
        return Constant(amax(amax(gap**2, -1).sum(axis=-1), (-1, -2)), "exact", "R^d", _AT_KNOTS)

    def task_spread(self, region: Ball | None) -> Constant:
        curvature, slopes = self.curvature.mean(axis=-3), self._slopes_at_knots().mean(axis=-3)
        self._require_flat("sigma_T2", curvature[..., :, None, :, :] - curvature[..., None, :, :, :])
        gap = slopes[..., :, None, :, :] - slopes[..., None, :, :, :]
        return Constant(amax(amax(gap**2, -1).sum(axis=-1), (-1, -2)), "exact", "R^d", _AT_KNOTS)

    def infimum(self, tasks: Iterable[int] | None) -> Constant:
        total = self.tilt.mean(axis=-2)[..., chosen_tasks(self, tasks), :].sum(axis=-2)
        if bool((total != 0).any()) or bool((self.curvature < 0).any()):
            raise Unbounded(
                "the least loss is known only where the tilts of the tasks cancel and no curvature is negative: "
                "then the origin is a minimiser."
            )
        return Constant(
            0 * total.sum(axis=-1), "exact", note="The loss at the origin, where the gradient is 0."
        )

    def _require_flat(self, name: str, curvature: Array) -> None:
        if bool((curvature[..., 0] != 0).any()) or bool((curvature[..., -1] != 0).any()):
            raise Unbounded(f"`{name}` is infinite on R^d: what it bounds grows for ever on an outer piece.")

    def _slopes_at_knots(self) -> Array:
        """Gradients (world..., K, M, d, P) at all knots of all tasks and clients, and at the origin."""
        *worlds, K, M, d = self.shape
        own = zeros_like(self.tilt)[..., None] + concatenate([self.knots, 0 * self.curvature[..., :1]], -1)
        points = stack([own[..., k, m, :, :] for k in range(K) for m in range(M)], -2)
        points = points.reshape(*worlds, 1, 1, d, -1)
        return _slope(self.tilt[..., None], self.curvature[..., None, :], self.knots[..., None, :], points)


def least_mean_loss(world: PiecewiseQuadratic, task: int = 0) -> Array:
    """Least value of the mean loss of all clients on one task, whose outer pieces bend upwards.

    A minimiser of a coordinate is a knot, or the stationary point of a piece: one Newton step from a knot at its end.

    Returns
    -------
    (world...) array
        If an outer piece has negative curvature there is no least value, and the number is meaningless.
    """
    tilt, curvature, knots = (
        world.tilt[..., task, :, :],
        world.curvature[..., task, :, :, :],
        world.knots[..., task, :, :, :],
    )
    n_clients = tilt.shape[-2]
    total = 0 * tilt[..., 0, 0]
    for j in range(tilt.shape[-1]):
        bends, ends, slopes = curvature[..., :, j, :], knots[..., :, j, :], tilt[..., :, j]
        points = [ends[..., m, k] for m in range(n_clients) for k in range(knots.shape[-1])] or [total]
        candidates = list(points)
        for x in points:
            slope = _slope(slopes, bends, ends, x[..., None]).mean(axis=-1)
            for beyond in (x[..., None, None] >= ends, x[..., None, None] > ends):
                rises = where(beyond, bends[..., 1:] - bends[..., :-1], 0 * ends).sum(axis=-1)
                bend = (bends[..., 0] + rises).mean(axis=-1)
                upward = bend > 0
                candidates.append(where(upward, x - slope / where(upward, bend, 0 * bend + 1), x))
        one = slopes[..., None], bends[..., None, :], ends[..., None, :]
        heights = [_loss(one[0], one[1], one[2], x[..., None, None]).mean(axis=-1) for x in candidates]
        total = total + amin(stack(heights, -1), -1)
    return total


_AT_KNOTS = "Largest at a knot, coordinate by coordinate; beyond the outer knots nothing changes."


def _slope(tilt: Array, curvature: Array, knots: Array, x: Array) -> Array:
    """Derivative at x (...) of the loss whose pieces lie on a further, last axis."""
    beyond = maximum(x[..., None] - knots, 0 * knots) - maximum(-knots, 0 * knots)
    return tilt + curvature[..., 0] * x + ((curvature[..., 1:] - curvature[..., :-1]) * beyond).sum(axis=-1)


def _loss(tilt: Array, curvature: Array, knots: Array, x: Array) -> Array:
    """Sum over the coordinates of the integral of `_slope` from 0."""
    past = maximum(-knots, 0 * knots)
    area = maximum(x[..., None] - knots, 0 * knots) ** 2 / 2 - past**2 / 2 - past * x[..., None]
    bent = ((curvature[..., 1:] - curvature[..., :-1]) * area).sum(axis=-1)
    return (tilt * x + curvature[..., 0] * x**2 / 2 + bent).sum(axis=-1)
