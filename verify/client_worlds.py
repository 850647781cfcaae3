"""Losses of clients beyond `nqm.piecewise`: quadratics with turned axes, and convex losses with kinks.

The optimum of the mean loss is the origin, where every loss is 0.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from nqm.fields import Array, chosen, maximum, stack, zeros_like
from nqm.noise import Noise
from nqm.selection import select
from nqm.world import Objective

Pick = Callable[[Array, int], Array]
"""``pick(parameter, trailing axes)`` -> the entries of the clients that take part."""


@dataclass(frozen=True)
class ClientWorld:
    """One task of several clients.

    Attributes
    ----------
    n_clients : int
    losses, slopes : callable
        ``losses(x, pick)``, ``slopes(x, pick)`` -> losses (..., n) and gradients (..., n, d) of clients at x (..., n, d).
    noise : Noise
    """

    n_clients: int
    losses: Callable[[Array, Pick], Array]
    slopes: Callable[[Array, Pick], Array]
    noise: Noise

    def at(self, task: int, clients: Any = None) -> Objective:
        """The losses of some clients (default: all); the interface of the worlds of `nqm`."""

        def pick(parameter: Array, trailing: int) -> Array:
            return select(parameter[:, None], task, clients, trailing)

        return Objective(
            loss=lambda x: self.losses(x, pick),
            grad=lambda x: self.slopes(x, pick),
            scale=self.noise.scale(task, clients),
        )

    def loss(self, x: Array, task: int) -> Array:
        """Losses of all clients."""
        return self.at(task).loss(x)

    def grad(self, x: Array, task: int) -> Array:
        """Gradients of all clients."""
        return self.at(task).grad(x)


def turned_quadratics(curvature: Array, turn: Array, tilt: Array, noise: Noise) -> ClientWorld:
    """Losses x'Hx/2 + b'x in the plane, where H has its own axes for each client.

    Parameters
    ----------
    curvature : (world, M, 2) array
        Eigenvalues of H.
    turn : (world, M) array
        Tangent of half the angle by which the axes are turned, so that all numbers stay rational.
    tilt : (world, M, 2) array
        Gradients b at the origin.
    """
    cos, sin = (1 - turn**2) / (1 + turn**2), 2 * turn / (1 + turn**2)
    one, other = curvature[..., 0], curvature[..., 1]
    diagonal = stack([one * cos**2 + other * sin**2, one * sin**2 + other * cos**2], -1)
    cross = ((one - other) * cos * sin)[..., None]

    def bent(x: Array, pick: Pick) -> Array:
        return pick(diagonal, 1) * x + pick(cross, 1) * stack([x[..., 1], x[..., 0]], -1)

    return ClientWorld(
        tilt.shape[1],
        lambda x, pick: (x * bent(x, pick) / 2 + pick(tilt, 1) * x).sum(axis=-1),
        lambda x, pick: bent(x, pick) + pick(tilt, 1),
        noise,
    )


def kinked(near: Array, far: Array, edge: Array, tilt: Array, noise: Noise) -> ClientWorld:
    """Sums over coordinates of convex, piecewise linear losses with kinks at the origin and on both sides of it.

    Parameters
    ----------
    near, far : (world, M, d, 2) arrays
        How much the slope grows at the origin, and how much more at the edge, on the right and on the left.
    edge : (world, M, d, 2) array
        Distances of the outer kinks.
    tilt : (world, M, d) array
        Linear terms of the losses.
    """

    def losses(x: Array, pick: Pick) -> Array:
        total, none = pick(tilt, 1) * x, zeros_like(x)
        for side, way in enumerate((x, -x)):
            first, more, end = (pick(part[..., side], 1) for part in (near, far, edge))
            total = total + first * maximum(way, none) + more * maximum(way - end, none)
        return total.sum(axis=-1)

    def slopes(x: Array, pick: Pick) -> Array:
        total, none = pick(tilt, 1) + zeros_like(x), zeros_like(x)
        for side, sign in enumerate((1, -1)):
            first, more, end = (pick(part[..., side], 1) + none for part in (near, far, edge))
            total = total + sign * chosen(operator.gt, sign * x, none, first, none)
            total = total + sign * chosen(operator.gt, sign * x, end, more, none)
        return total

    return ClientWorld(tilt.shape[1], losses, slopes, noise)
