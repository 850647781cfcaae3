"""Families of losses that are closed under weighted sums, so the losses of data sets, memories and federations belong to
them, too.

`Quadratics` are sums over coordinates. `Bowls` are losses in the plane: a quadratic with any axes and eigenvalues of any
signs, plus any multiple of the pseudo-Huber loss sqrt(1 + |x|^2) - 1, which is not quadratic.

Constants are known exactly. The Hessian of the pseudo-Huber loss is the identity at the origin, tends to 0 far away, and
lies between the two elsewhere. So the norm of the Hessian of a bowl is largest at the origin or far away. Its gradient at x
is (H + t I) x - v with t = bowl / sqrt(1 + |x|^2).

Source: families of this project, for C-FLAG (*On the Convergence of Continual Federated Learning Using Incrementally
Aggregated Gradients*), Assumptions 1 and 2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from nqm.fields import Array, abs_, amax, concatenate, maximum, minimum, norm, sq, sqrt, stack

if TYPE_CHECKING:
    from typing_extensions import Self


@dataclass(frozen=True)
class Quadratics:
    """Losses h x^2/2 - v x + w, summed over coordinates; arrays of one shape (..., d)."""

    h: Array
    v: Array
    w: Array

    def grad(self, x: Array) -> Array:
        """Gradients at x, (..., d)."""
        return self.h * x - self.v

    def loss(self, x: Array) -> Array:
        """Losses at x, (..., d) -> (...)."""
        return (self.h * x**2 / 2 - self.v * x + self.w).sum(axis=-1)

    def steepest(self) -> Array:
        """Largest norm of the Hessian over all points, (...): the smallest smoothness constant."""
        return amax(abs_(self.h), -1)

    def least(self) -> Array:
        """Smallest values (...), if all curvatures are positive."""
        return (self.w - self.v**2 / (2 * self.h)).sum(axis=-1)

    def mean(self, axis: int) -> Self:
        """Mean loss along an axis."""
        return self._each(lambda part: part.sum(axis=axis) / part.shape[axis])

    def weighted(self, share: Array, axis: int) -> Self:
        """Sum of the losses along an axis (negative), with weights (...) that have no axis d."""
        return self._each(lambda part: (part * share[..., None]).sum(axis=axis))

    def picked(self, chosen: Array) -> Self:
        """Of losses (batch, 1, N, S) those that `chosen` (path, N, m, S) marks with 1, (batch, path, N, m)."""
        return self._each(lambda part: (part[:, :, :, None] * chosen[None, ..., None]).sum(axis=4))

    def joined(self, other: Self) -> Self:
        """These losses and the others, along the axis of samples."""
        pairs = ((getattr(self, part.name), getattr(other, part.name)) for part in fields(self))
        return type(self)(*(concatenate(list(pair), -2) for pair in pairs))

    def less(self, other: Self) -> Self:
        """The differences of these losses and the others."""
        return type(self)(*(getattr(self, part.name) - getattr(other, part.name) for part in fields(self)))

    def on_one_path(self) -> Self:
        """Losses (batch, ...) with an axis of paths, (batch, 1, ...)."""
        return self._each(lambda part: part[:, None])

    def _each(self, change: Callable[[Array], Array]) -> Self:
        return type(self)(*(change(getattr(self, part.name)) for part in fields(self)))


def around(h: Array, centre: Array) -> Quadratics:
    """Losses h (x - centre)^2/2."""
    return Quadratics(h, h * centre, h * centre**2 / 2)


@dataclass(frozen=True)
class Bowls(Quadratics):
    """Losses x'Hx/2 - v'x + w, and `bowl` times the pseudo-Huber loss, in the plane.

    Attributes
    ----------
    h, v, w : (..., 2) arrays
        Diagonal of H, the linear part, and a constant, summed over its two entries.
    cross, bowl : (..., 1) arrays
        Off-diagonal entry of H; signed multiple of the pseudo-Huber loss.
    """

    cross: Array
    bowl: Array

    def grad(self, x: Array) -> Array:
        swapped = stack([x[..., 1], x[..., 0]], -1)
        return self.h * x + self.cross * swapped - self.v + self.bowl * x / sqrt(1 + sq(x))[..., None]

    def loss(self, x: Array) -> Array:
        far2 = sq(x)
        huber = self.bowl[..., 0] * far2 / (sqrt(1 + far2) + 1)
        plain = (self.h * x**2 / 2 - self.v * x + self.w).sum(axis=-1)
        return plain + self.cross[..., 0] * x[..., 0] * x[..., 1] + huber

    def steepest(self) -> Array:
        return maximum(self.longest(0), self.longest(1))

    def least(self) -> Array:
        """Values at the origin (...): the smallest ones of convex losses without a linear part."""
        return self.w.sum(axis=-1)

    def hessian(self, t: int) -> tuple[Array, Array, Array]:
        """Entries 11, 12, 22 of H + t bowl I, each (...): the Hessian at the origin (t = 1), and far away (t = 0)."""
        more = t * self.bowl[..., 0]
        return self.h[..., 0] + more, self.cross[..., 0], self.h[..., 1] + more

    def longest(self, t: int) -> Array:
        """Largest absolute value of an eigenvalue of H + t bowl I, (...)."""
        first, cross, last = self.hessian(t)
        return length(first, cross, cross, last)

    def flattest(self) -> Array:
        """Smallest absolute value of an eigenvalue of H + t bowl I over all t in [0, 1], (...), if all have one sign; else
        <= 0.
        """
        ends = []
        for t in (0, 1):
            first, cross, last = self.hessian(t)
            ends.append((abs_(first + last) - norm(stack([first - last, 2 * cross], -1))) / 2)
        return minimum(*ends)


def length(first: Array, upper: Array, lower: Array, last: Array) -> Array:
    """Spectral norm of the matrices ((first, upper), (lower, last)): their largest singular value."""
    kept = norm(stack([first + last, lower - upper], -1))
    turned = norm(stack([first - last, lower + upper], -1))
    return (kept + turned) / 2


def bowls(along: Array, across: Array, axis: Array, centre: Array, bowl: Array) -> Bowls:
    """Bowls with these eigenvalues of H (...) and axes as in `turned`, with `bowl` (...) times the pseudo-Huber loss.

    Without the pseudo-Huber loss, they have the value zero and a stationary point at `centre` (..., 2).
    """
    first, cross, last = symmetric_matrices(along, across, axis)
    swapped = stack([centre[..., 1], centre[..., 0]], -1)
    h = stack([first, last], -1)
    v = h * centre + cross[..., None] * swapped
    return Bowls(h, v, v * centre / 2, cross[..., None], bowl[..., None])


def symmetric_matrices(along: Array, across: Array, axis: Array) -> tuple[Array, Array, Array]:
    """Entries 11, 12, 22 of the symmetric matrices with these eigenvalues, rational where they and `axis` are.

    `axis` is the tangent of the angle by which the eigenvector of `along` is turned from the first coordinate.
    """
    cos, sin = (1 - axis**2) / (1 + axis**2), 2 * axis / (1 + axis**2)
    middle, apart = (along + across) / 2, (along - across) / 2
    return middle + apart * cos, apart * sin, middle - apart * cos


def largest_ratio(top: Bowls, bottom: Bowls) -> Array:
    """Least c (...) with |top'(x)| <= c |bottom'(x)| everywhere, for losses without linear part whose Hessians share their axes.

    Along an axis the ratio is one of linear functions of t, which is largest at an end. The Hessians of `bottom` are nowhere
    singular.
    """
    return maximum(_ratio_at(0, top, bottom), _ratio_at(1, top, bottom))


def _ratio_at(t: int, top: Bowls, bottom: Bowls) -> Array:
    """Spectral norm of the matrix of `top` times the inverse of that of `bottom`."""
    a, b, c = top.hessian(t)
    p, q, r = bottom.hessian(t)
    singular = p * r - q**2
    return length(a * r - b * q, b * p - a * q, b * r - c * q, c * p - b * q) / abs_(singular)


def ratio_bound(top: Bowls, bottom: Bowls) -> Array:
    """A c (...) with |top'(x)| <= c |bottom'(x)| everywhere, for losses without linear part with any axes.

    The Hessians of `bottom` have one sign, and are nowhere singular.
    """
    return top.steepest() / bottom.flattest()
