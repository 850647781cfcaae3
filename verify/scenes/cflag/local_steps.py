"""One round of local steps along incrementally aggregated gradients, on finite sums whose smoothness is known.

C-FLAG, Eq. (4) and (5): client i starts with the gradients of all its samples at the server's model. In every step it evaluates
one sample and keeps the older gradients of the others. The sample is random, so every order of refreshing is possible, and an
adversary may choose it.

Shapes have ``N`` clients, ``S`` samples of each, ``E`` local steps, ``d`` dimensions, ``curved`` (0: quadratic losses
of either curvature, everything rational; 1: pseudo-Huber losses of either sign). Everything works on every kind of
array, with any leading axes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np

from nqm.fields import Array, abs_, certainly, dot, like, sq, sqrt, stack
from verify.engine.model.scene import Box, Named, Shape

Components = Callable[[Array], Array]
"""Gradients of all samples at one model per client, (..., N, d) -> (..., N, S, d)."""


# --------------------------------------------------------------------------------------------- finite sums


@dataclass(frozen=True)
class Samples:
    """Losses slope'x + x'Hx/2, or slope'x + bend * pseudo-Huber(x - centre), with their smoothness constants.

    In two dimensions H = bend I + twist R, R a reflection: every symmetric matrix, with the norm |bend| + |twist|.

    Attributes
    ----------
    slope : (..., N, S, d) array
        Linear terms; shape (..., N, 1, d) if the samples of a client have the same.
    bend : (..., N, S) array
        Curvature of either sign.
    twist, axis : (..., N, S) array or None
        R has the entries cos, sin, sin, -cos of twice the angle whose tangent is `axis`.
    centre, width : (..., N, S, d) array, (..., N, S) array, or None
        Point of largest curvature of the pseudo-Huber loss, and the distance at which it becomes linear.
    """

    slope: Array
    bend: Array
    twist: Array | None = None
    axis: Array | None = None
    centre: Array | None = None
    width: Array | None = None

    def smoothness(self) -> Array:
        """Smallest smoothness constant of each sample, (..., N, S)."""
        return abs_(self.bend) if self.twist is None else abs_(self.bend) + abs_(self.twist)

    def components(self, x: Array) -> Array:
        """Gradients of all samples at one model per client, (..., N, d) -> (..., N, S, d)."""
        return self.slope + self._bent(x[..., None, :])

    def grad(self, x: Array) -> Array:
        """Gradients of the clients, the means over their samples, (..., N, d) -> (..., N, d)."""
        return mean_of(self.components(x))

    def loss(self, x: Array) -> Array:
        """Losses of the clients, (..., N, d) -> (..., N)."""
        x = x[..., None, :]
        if self.width is None or self.centre is None:
            bowl = dot(x, self._bent(x)) / 2
        else:
            far2 = sq(x - self.centre)
            bowl = self.bend * far2 / (sqrt(1 + far2 / self.width**2) + 1)
        return (dot(self.slope, x) + bowl).sum(axis=-1) / self.bend.shape[-1]

    def _bent(self, x: Array) -> Array:
        if self.width is not None and self.centre is not None:
            away = x - self.centre
            return away * (self.bend / sqrt(1 + sq(away) / self.width**2))[..., None]
        straight = self.bend[..., None] * x
        if self.twist is None or self.axis is None:
            return straight
        cos, sin = (part / (1 + self.axis**2) for part in (1 - self.axis**2, 2 * self.axis))
        first, second = x[..., 0], x[..., 1]
        return straight + self.twist[..., None] * stack(
            [cos * first + sin * second, sin * first - cos * second], -1
        )


def samples_space(shape: Shape) -> dict[str, Box]:
    """Parameters of the losses of all clients."""
    N, S, d = shape["N"], shape["S"], shape["d"]
    losses = {"slope": Box(-2, 2, (N, S, d)), "bend": Box(-2, 2, (N, S))}
    if shape["curved"]:
        return {**losses, "centre": Box(-1, 1, (N, S, d)), "width": Box(0.1, 10, (N, S), scale="log")}
    return losses if d == 1 else {**losses, "twist": Box(-2, 2, (N, S)), "axis": Box(-1, 1, (N, S))}


def samples_of(values: Named) -> Samples:
    """The losses at parameters of `samples_space`."""
    return Samples(*(values.get(name) for name in ("slope", "bend", "twist", "axis", "centre", "width")))


# ------------------------------------------------------------------------------------- orders of refreshing


def order_space(shape: Shape) -> dict[str, Box]:
    """The sample that each client evaluates at each of the steps 1 to E - 1."""
    last, steps = shape["S"] - 1, max(shape["E"] - 1, 1)  # with one step there is no choice
    return {"order": Box(0, last, (shape["N"], steps), levels=tuple(range(shape["S"])))}


def refreshed(shape: Shape, order: Array) -> list[Array]:
    """The samples that are evaluated at each step: `order` of `order_space` -> E - 1 arrays (..., N, S) of 0 and 1."""
    masks = stack([1 * certainly(order == j) for j in range(shape["S"])], -1)
    numbers = like(order, masks) if isinstance(order, np.ndarray) else masks.to(order.dtype)
    return [numbers[..., step, :] for step in range(shape["E"] - 1)]


def orders(shape: Shape) -> np.ndarray:
    """Every order of refreshing of all clients, (order, N, E - 1) ints."""
    N, S, steps = shape["N"], shape["S"], shape["E"] - 1
    return np.array(list(product(range(S), repeat=N * steps)), dtype=int).reshape(S ** (N * steps), N, steps)


def all_orders(shape: Shape, reference: Array) -> list[Array]:
    """`refreshed` for every order, in the arithmetic of `reference`: E - 1 arrays (order, N, S)."""
    drawn = (orders(shape)[..., None] == np.arange(shape["S"])).astype(int)
    return [like(reference, drawn[..., step, :]) for step in range(shape["E"] - 1)]


# ------------------------------------------------------------------------------------------------ the round


@dataclass(frozen=True)
class Round:
    """Local work of all clients in one round.

    Attributes
    ----------
    points : E + 1 arrays (..., N, d)
        Local models x_{t,0}, ..., x_{t,E}.
    components : E arrays (..., N, S, d)
        Gradients of all samples at x_{t,k}.
    used : E arrays (..., N, S, d)
        Gradients in use at step k.
    evaluated : E arrays (..., N, S, d)
        Models x_{t,tau_{k,j}} at which they were evaluated.
    p : (..., N) array
        Weights of the clients.
    """

    points: list[Array]
    components: list[Array]
    used: list[Array]
    evaluated: list[Array]
    p: Array

    @cached_property
    def delayed(self) -> list[Array]:
        """Means of the gradients in use, Eq. (5): E arrays (..., N, d)."""
        return [mean_of(each) for each in self.used]

    @cached_property
    def exact(self) -> list[Array]:
        """Gradients of the clients at x_{t,k}: E arrays (..., N, d)."""
        return [mean_of(each) for each in self.components]

    @cached_property
    def errors(self) -> list[Array]:
        """Gradient errors e_{t,k}, Eq. (31): E arrays (..., N, d)."""
        return [late - now for late, now in zip(self.delayed, self.exact, strict=True)]

    @cached_property
    def global_gradient(self) -> Array:
        """Weighted gradient of all clients at the server's model, (..., d)."""
        return self.average(mean_of(self.components[0]))

    def average(self, x: Array) -> Array:
        """Weighted sum over the clients, (..., N, d) -> (..., d)."""
        return (self.p[..., None] * x).sum(axis=-2)


def local_round(components: Components, start: Array, beta: Array, p: Array, fresh: Sequence[Array]) -> Round:
    """E local steps of every client, Eq. (4), along incrementally aggregated gradients, Eq. (5).

    Parameters
    ----------
    components : callable
        Gradients of all samples at one model per client.
    start : (..., N, d) array
        The server's model, once for each client.
    beta : array that broadcasts with `start`
        Step size.
    p : (..., N) array
        Weights of the clients.
    fresh : E - 1 arrays (..., N, S)
        1 for the samples that are evaluated at the steps 1 to E - 1, 0 for the others.
    """
    points, seen = [start], [components(start)]
    used, evaluated = [seen[0]], [start[..., None, :] + 0 * seen[0]]
    own = mean_of(seen[0])
    correction = (p[..., None] * own).sum(axis=-2)[..., None, :] - own
    for step in range(len(fresh) + 1):
        points.append(points[-1] - beta * (correction + mean_of(used[-1])))
        if step < len(fresh):
            # zero times an interval is exactly zero, so unused gradients do not widen intervals
            now, late = fresh[step][..., None], 1 - fresh[step][..., None]
            seen.append(components(points[-1]))
            used.append(late * used[-1] + now * seen[-1])
            evaluated.append(late * evaluated[-1] + now * points[-1][..., None, :])
    return Round(points, seen, used, evaluated, p)


def mean_of(components: Array) -> Array:
    """Mean over the samples, (..., N, S, d) -> (..., N, d)."""
    return components.sum(axis=-2) / components.shape[-2]
