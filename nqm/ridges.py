"""Sums of positive and negative Huber functions along directions: valleys and ridges that cross, with constants in closed
form.

They are rational if their parameters are, and their gradients are bounded. A ridge that crosses a valley at an oblique angle
makes a path turn; a sum over coordinates cannot do this.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from nqm.arguments import require_broadcastable, require_finite, require_positive, set_parameters
from nqm.bounded import NOISELESS
from nqm.federation import chosen_tasks
from nqm.fields import Array, abs_, amax, broadcast_to, dot, expand, kind, maximum, minimum, norm, where
from nqm.known import Ball, Constant, Unbounded
from nqm.noise import Noise
from nqm.selection import check_clients, check_task, select
from nqm.spectrum import eigenvalue_range
from nqm.steepest import client_spread, longest_sum, task_spread
from nqm.world import Objective, World, check_sigma, set_world


@dataclass(frozen=True)
class Ridges(World):
    """Ridges: sum_j bend_j h_j(direction_j'x - offset_j), with h_j(s) = s^2/2 up to |s| = width_j and straight beyond.

    Where `bend` is positive the loss has a valley along direction_j'x = offset_j, where it is negative a ridge. The Hessian
    is the sum of bend_j direction_j direction_j' over those j that are less than a width away. So it lies between the sum
    over the ridges and the sum over the valleys.

    Parameters
    ----------
    direction : (world..., K, M, J, d) array
        Of any length.
    bend, offset, width : float or (world..., K, M, J) array
        Widths are > 0.
    noise : Noise
    """

    direction: Array
    bend: Array
    offset: Array
    width: Array
    noise: Noise = NOISELESS

    def __post_init__(self) -> None:
        numbers = ("bend", "offset", "width")
        set_world(self, {name: getattr(self, name) for name in ("direction", *numbers)})
        if self.direction.ndim < 4:
            raise ValueError(
                f"`direction` must have axes (..., task, client, ridge, dim), got shape {tuple(self.direction.shape)}."
            )
        require_finite("direction", self.direction)
        each = tuple(self.direction.shape[:-1])
        for name in numbers:
            value = getattr(self, name)
            require_finite(name, value)
            require_broadcastable(name, value, each, "(world..., task, client, ridge)")
            set_parameters(self, {name: broadcast_to(value, each)})
        require_positive("width", self.width)
        check_sigma(self)

    @property
    def shape(self) -> tuple[int, ...]:
        return (*self.direction.shape[:-2], self.direction.shape[-1])

    def at(self, task: int, clients: Any = None) -> Objective:
        task = check_task(task, self.n_tasks)
        clients = check_clients(clients, self.n_clients, len(self.batch_shape))
        direction = select(self.direction, task, clients, 2)
        bend, offset, width = (
            select(part, task, clients, 1) for part in (self.bend, self.offset, self.width)
        )

        def distances(x: Array) -> tuple[Array, Array]:
            """Signed distance of `x` from each ridge (..., n, J), and the same clipped to the width."""
            far = dot(direction, x[..., None, :]) - offset
            return far, maximum(minimum(far, width), -width)

        def loss(x: Array) -> Array:
            far, near = distances(x)
            return (bend * near * (far - near / 2)).sum(axis=-1)

        def grad(x: Array) -> Array:
            return (expand(bend * distances(x)[1]) * direction).sum(axis=-2)

        return Objective(loss, grad, scale=self.noise.scale(task, clients))

    def curvature_range(self, region: Ball | None) -> tuple[Constant, Constant]:
        squares = self.direction[..., :, None] * self.direction[..., None, :]
        highest, deepest = (
            eigenvalue_range((expand(maximum(part, 0 * part), 2) * squares).sum(axis=-3))[1]
            for part in (self.bend, -self.bend)
        )
        note = "Attained where all valleys cross and no ridge is near, or the other way round."
        return Constant(-deepest, *self._how(region, note)), Constant(highest, *self._how(region, note))

    def gradient_bound(self, region: Ball | None) -> Constant:
        each = expand(self.bend * self.width) * self.direction
        note = "Attained far away, on the steepest side of all of them."
        return Constant(longest_sum(each), *self._how(region, note))

    def client_spread(self, region: Ball | None) -> Constant:
        return client_spread(self._steepest(), region)

    def task_spread(self, region: Ball | None) -> Constant:
        return task_spread(self._steepest(), region)

    def infimum(self, tasks: Iterable[int] | None) -> Constant:
        deepest = expand(amax(-self.bend[..., chosen_tasks(self, tasks), :, :], (-1, -2, -3)), 0)
        ridged, zero = deepest > 0, 0 * deepest
        if kind(zero) not in ("torch", "float") and ridged.any():
            raise Unbounded("A loss with a ridge may have no infimum, and no Fraction is -inf.")
        value = where(ridged, zero - math.inf, zero) if ridged.any() else zero
        return Constant(value, "certified", note="0 where nothing is a ridge, else no bound is known.")

    def _steepest(self) -> Array:
        """Largest norm of the sum of all terms of a gradient, (world..., K, M)."""
        return (abs_(self.bend) * self.width * norm(self.direction)).sum(axis=-1)

    def _how(self, region: Ball | None, note: str) -> tuple[str, str | Ball, str]:
        alone = region is None and self.direction.shape[-2] == 1
        return "exact" if alone else "certified", region or "R^d", note
