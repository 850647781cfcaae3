"""Families of losses for the user's own theorems: `worlds.strongly_convex(clients=(1, 2), dim=(1, 2))`.

Losses have piecewise constant curvature. They include known worst cases (Huber-like and one-sided losses for convex
functions), and all numbers stay rational. Clients differ by linear terms that sum to zero. If the losses are convex, the
origin therefore minimises their mean, and the optimum is known exactly.

Every function takes the sizes to try: numbers of `clients`, dimensions `dim`, and kinds of noise `noisy` (0: none, 1: symmetric,
2: skewed).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise, product
from typing import Any, ClassVar, Literal

import numpy as np

from nqm.fields import Array, amax, concatenate, like, maximum, sq, zeros_like
from nqm.kinds import to_exact
from nqm.noise import Axis
from nqm.piecewise import PiecewiseQuadratic
from verify.client_worlds import ClientWorld, kinked, turned_quadratics
from verify.engine.model.scene import Box, Named, Shape, Values

MEANINGS = {
    "noisy": "0: exact gradients, 1: symmetric noise, 2: skewed noise",
    "largest": "largest curvature of a loss",
    "share": "curvature of each piece of each loss, from the least (0) to the largest (1)",
    "knot": "where the first piece of each loss ends",
    "width": "lengths of the pieces between the first and the last",
    "tilt": "linear term of each client's loss, before its mean over clients is subtracted",
    "sigma": "standard deviation of the noise",
    "turn": "tangent of half the angle by which the axes of each client's Hessian are turned",
    "near": "how much the slope of each loss grows at the origin, on the right and on the left",
    "far": "how much more it grows at the outer kinks",
    "edge": "distances of the outer kinks from the origin",
    "room": "by which share constants such as L are larger than they must be",
}
"""What the numbers of an instance of a family mean."""
SKEWED = 2
"""The value of `noisy` for rare, large noise in one direction of each axis."""


@dataclass(frozen=True)
class Family:
    """A family of losses from which a search chooses.

    Attributes
    ----------
    name : str
    convexity : "strong", "weak" or "none"
        Lower bound of the curvature: mu > 0, 0, or -L.
    pieces : int
        Number of pieces of constant curvature in every coordinate.
    clients, dim, noisy : sequence of int
        Sizes to try: numbers of clients, dimensions, and 0, 1 or 2 for exact gradients, symmetric noise or skewed noise.
    """

    name: str
    convexity: Literal["strong", "weak", "none"]
    pieces: int
    clients: Sequence[int]
    dim: Sequence[int]
    noisy: Sequence[int]
    any_curvature: ClassVar[bool] = True
    """Whether every piece of every loss may have any curvature in the range."""

    def __post_init__(self) -> None:
        check_sizes("clients", self.clients, 1)
        check_sizes("dim", self.dim, 1)
        check_sizes("noisy", self.noisy, 0, SKEWED)

    @property
    def steps(self) -> tuple[str, ...]:
        """Constants that are chosen like step sizes, within the limits of a statement: ``mu = L/10`` is met by construction."""
        return ("mu",) if self.convexity == "strong" else ()

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """Every combination of sizes, smallest first."""
        sizes = (dict(zip("Md", pair, strict=True)) for pair in product(self.clients, self.dim))
        found = [{**size, "noisy": noisy} for size in sizes for noisy in self.noisy]
        return tuple(sorted(found, key=lambda shape: sum(shape.values())))

    def space(self, shape: Shape) -> dict[str, Box]:
        """Parameters of the losses, of the noise, and the slack in the constants; for `steps`, a share of the limit."""
        each = (shape["M"], shape["d"])
        share = Box(0, 1, (self._hessians(shape), shape["d"], self.pieces))
        boxes = {"largest": Box(0.125, 4, scale="log"), "share": share}
        if self.convexity == "strong":
            boxes["mu"] = Box(0.05, 1, scale="log")
        if self.pieces > 1:
            boxes |= {"knot": Box(-2, 2, each), "width": Box(0, 2, (*each, self.pieces - 2))}
        if shape["M"] > 1:
            boxes["tilt"] = Box(-2, 2, each)
        if shape["noisy"]:
            boxes["sigma"] = Box(0, 1)
        return {**boxes, "room": Box(0, 0)}

    def build(self, shape: Shape, values: Named) -> Any:
        """The batch of worlds at these parameters."""
        low, high = (end[:, None, None, None] for end in self._range(values))
        shared = low + values["share"] * (high - low)
        flat = zeros_like(shared[..., 0])
        tilt = self._tilt(shape, values) + flat
        curvature = shared + zeros_like(tilt)[..., None]
        knots = curvature[..., :0]
        if self.pieces > 1:
            steps = [values["knot"]]
            for piece in range(self.pieces - 2):
                steps.append(steps[-1] + values["width"][..., piece])
            knots = concatenate([step[..., None] for step in steps], -1)
        noise = self._noise(shape, values, curvature[:, :, 0, 0])
        return PiecewiseQuadratic(tilt[:, None], curvature[:, None], knots[:, None], noise)

    def constants(self, shape: Shape, values: Named) -> Values:
        """L; sigma2 and zeta2 if some size has noise or several clients.

        A constant that is zero at all sizes is left out, because a bound with this constant would be tested only at zero.
        """
        more = 1 + values["room"]
        found = {"L": values["largest"] * more}
        if any(self.noisy):
            found["sigma2"] = (values["sigma"] ** 2 if shape["noisy"] else 0 * values["room"]) * more
        if max(self.clients) > 1:
            spread = sq(self._tilt(shape, values) + 0 * values["largest"][:, None, None])
            found["zeta2"] = spread.sum(axis=-1) / shape["M"] * more
        return found

    def through(
        self, knots: Sequence[Sequence[Fraction]], tilts: Sequence[Fraction], shape: Shape
    ) -> dict[str, np.ndarray] | None:
        """The member with given losses along the first coordinate, and the least curvature along all others.

        The curvature of a loss is the least of the class up to its first knot, then the largest up to the next knot, and so
        on. The shortest pieces are left out if there are too many. None if the family does not have such losses.
        """
        if not self.any_curvature or self.pieces == 1:
            return None
        most = self.pieces - 1
        kept = [_with_at_most(most, each) for each in knots]
        exact = {
            name: np.full(box.shape, Fraction(0), dtype=object) for name, box in self.space(shape).items()
        }
        exact["share"][:, 0, 1:-1:2] = Fraction(1)
        for client, (each, tilt) in enumerate(zip(kept, tilts, strict=True)):
            ends = [*each, *[each[-1] if each else Fraction(0)] * (most - len(each))]
            exact["knot"][client, 0] = ends[0]
            exact["width"][client, 0] = [b - a for a, b in pairwise(ends)]
            if "tilt" in exact:
                exact["tilt"][client, 0] = tilt
        return exact

    def _hessians(self, shape: Shape) -> int:
        """Number of clients with a Hessian of their own."""
        return shape["M"]

    def _tilt(self, shape: Shape, values: Named) -> Any:
        """The linear terms of the clients' losses, which sum to zero."""
        if shape["M"] == 1:
            return 0
        tilt = values["tilt"]
        return tilt - (tilt.sum(axis=1) / shape["M"])[:, None]

    def _noise(self, shape: Shape, values: Named, each: Array) -> Axis:
        """The noise, with one standard deviation for all clients; `each` has the axes (batch, clients)."""
        sigma = zeros_like(each)[:, None]
        return Axis(sigma + values["sigma"][:, None, None] if shape["noisy"] else sigma)

    def _range(self, values: Named) -> tuple[Array, Array]:
        """Least and largest curvature that a loss may have."""
        high = values["largest"]
        if self.convexity == "strong":
            return values["mu"], high
        return (0 * high if self.convexity == "weak" else -high), high


class BoundedBelow(Family):
    """Losses whose outer pieces have a curvature of at least L/2, so that a minimum exists."""

    any_curvature: ClassVar[bool] = False

    def build(self, shape: Shape, values: Named) -> PiecewiseQuadratic:
        share = values["share"]
        outer = like(share, [3, *(0 for _ in range(self.pieces - 2)), 3])
        width = like(share, [4, *(1 for _ in range(self.pieces - 2)), 4])
        return super().build(shape, {**values, "share": (share + outer) / width})


class Smooth(Family):
    """Losses of any curvature between -L and L, bent upwards far away, so that a minimum exists.

    The curvature is L beyond a distance from the outer knots that the search chooses. Models of a run may stay within it,
    so the family has every run on pieces that go on for ever.
    """

    def space(self, shape: Shape) -> dict[str, Box]:
        return {**super().space(shape), "reach": Box(0.25, 64, (shape["M"], shape["d"]), scale="log")}

    def build(self, shape: Shape, values: Named) -> PiecewiseQuadratic:
        world, reach = super().build(shape, values), values["reach"][:, None, ..., None]
        inner, outer = world.curvature, values["largest"][:, None, None, None, None]
        left, right = world.knots[..., :1] - reach, world.knots[..., -1:] + reach
        bent = concatenate([outer + 0 * inner[..., :1], inner, outer + 0 * inner[..., :1]], -1)
        return replace(world, curvature=bent, knots=concatenate([left, world.knots, right], -1))

    def through(
        self, knots: Sequence[Sequence[Fraction]], tilts: Sequence[Fraction], shape: Shape
    ) -> dict[str, np.ndarray] | None:
        found = super().through(knots, tilts, shape)
        if found is not None:
            found["reach"][...] = Fraction(64)
        return found


class Shifted(Family):
    """Losses with one Hessian for all clients; they differ only by their linear terms."""

    any_curvature: ClassVar[bool] = False

    def _hessians(self, shape: Shape) -> int:
        return 1


class Flattening(Family):
    """Losses with three pieces whose outer ones are linear, so that gradients are bounded."""

    any_curvature: ClassVar[bool] = False

    def build(self, shape: Shape, values: Named) -> PiecewiseQuadratic:
        middle = zeros_like(values["share"]) + like(values["share"], [0, 1, 0])
        return super().build(shape, {**values, "share": values["share"] * middle})

    def constants(self, shape: Shape, values: Named) -> Values:
        """The constants of the base class and G2; the gradient is largest at a knot."""
        world = self.build(shape, values)
        left, right = (world.at(0).grad(world.knots[..., j])[:, 0] for j in range(2))
        largest = amax(maximum(left**2, right**2).sum(axis=-1), 1)
        return {**super().constants(shape, values), "G2": largest * (1 + values["room"])}


class Common(Family):
    """Losses of clients that all have the origin as a minimiser, so that no client pulls away from it."""

    def space(self, shape: Shape) -> dict[str, Box]:
        return {name: box for name, box in super().space(shape).items() if name != "tilt"}

    def constants(self, shape: Shape, values: Named) -> Values:
        """The constants of the base class without zeta2, which is 0."""
        found = super().constants(shape, values)
        return {name: value for name, value in found.items() if name != "zeta2"}

    def _tilt(self, shape: Shape, values: Named) -> Any:
        return 0 * values["largest"][:, None, None]


class Turned(Family):
    """Strongly convex quadratics in the plane whose Hessians have axes of their own."""

    any_curvature: ClassVar[bool] = False

    def space(self, shape: Shape) -> dict[str, Box]:
        return {**super().space(shape), "turn": Box(-2, 2, (shape["M"],))}

    def build(self, shape: Shape, values: Named) -> ClientWorld:
        low, high = (end[:, None, None] for end in self._range(values))
        curvature = low + values["share"][..., 0] * (high - low)
        tilt = self._tilt(shape, values) + zeros_like(curvature)
        noise = self._noise(shape, values, curvature[..., 0])
        return turned_quadratics(curvature, values["turn"], tilt, noise)


class Kinked(Family):
    """Convex, piecewise linear losses: not smooth, but no subgradient of a client is longer than the root of G2."""

    any_curvature: ClassVar[bool] = False

    def space(self, shape: Shape) -> dict[str, Box]:
        sides = (shape["M"], shape["d"], 2)
        kept = {n: box for n, box in super().space(shape).items() if n in ("tilt", "sigma", "room")}
        slopes = {name: Box(0, 2, sides) for name in ("near", "far", "edge")}
        return {"largest": Box(1, 1), **kept, **slopes}

    def build(self, shape: Shape, values: Named) -> ClientWorld:
        tilt = self._tilt(shape, values) + zeros_like(values["near"][..., 0])
        noise = self._noise(shape, values, tilt[..., 0])
        return kinked(values["near"], values["far"], values["edge"], tilt, noise)

    def constants(self, shape: Shape, values: Named) -> Values:
        """G2 and sigma2; zeta2 is the mean squared subgradient that the oracle returns at the optimum. There is no L."""
        found = {name: value for name, value in super().constants(shape, values).items() if name != "L"}
        steep, tilt = values["near"] + values["far"], self._tilt(shape, values)
        ends = [(tilt + sign * steep[..., side]) ** 2 for side, sign in enumerate((1, -1))]
        largest = amax(maximum(*ends).sum(axis=-1), 1)
        return {**found, "G2": largest * (1 + values["room"])}


def skewed_atoms(dim: int) -> tuple[np.ndarray, np.ndarray]:
    """Outcomes of noise with mean 0 and expected squared norm 1, and their probabilities.

    Along each axis it is 2 in one direction with probability 1/5, and 1/2 in the other direction else.
    """
    unit = to_exact(np.eye(dim))
    chances = [Fraction(1, 5 * dim)] * dim + [Fraction(4, 5 * dim)] * dim
    return np.concatenate([2 * unit, -unit / 2]), np.array(chances, dtype=object)


def _with_at_most(most: int, knots: Sequence[Fraction]) -> list[Fraction]:
    """At most this number of knots; those at the ends of the shortest pieces are left out first."""
    kept = list(knots)
    while len(kept) > most:
        shortest = min(range(len(kept) - 1), key=lambda k: kept[k + 1] - kept[k])
        del kept[shortest : shortest + 2]
    return kept


def check_sizes(name: str, sizes: Any, least: int, most: int | None = None) -> None:
    """Raise a ValueError unless `sizes` are whole numbers between `least` and `most`, and at least one."""
    listed = isinstance(sizes, Sequence) and not isinstance(sizes, str) and len(sizes) > 0
    if not listed or not all(
        isinstance(size, int) and least <= size and (most is None or size <= most) for size in sizes
    ):
        rule = f"whole numbers >= {least}" if most is None else f"whole numbers from {least} to {most}"
        raise ValueError(f"`{name}` must be a sequence of {rule}, as ({least},), got {sizes!r}")


def quadratics(
    clients: Sequence[int] = (1,), dim: Sequence[int] = (1, 2), noisy: Sequence[int] = (0,)
) -> Family:
    """Strongly convex quadratics x'Hx/2 + b'x with diagonal H between mu and L."""
    return Family("quadratics", "strong", 1, clients, dim, noisy)


def shifted(
    clients: Sequence[int] = (1, 2), dim: Sequence[int] = (1, 2), noisy: Sequence[int] = (0,)
) -> Family:
    """Quadratics with one Hessian for all clients: their gradients differ from the mean by zeta2 in mean square, everywhere."""
    return Shifted("shifted quadratics", "strong", 1, clients, dim, noisy)


def strongly_convex(
    clients: Sequence[int] = (1,), dim: Sequence[int] = (1, 2), noisy: Sequence[int] = (0,)
) -> Family:
    """Smooth and strongly convex losses: curvature between mu and L on three pieces."""
    return Family("strongly convex losses", "strong", 3, clients, dim, noisy)


def convex(clients: Sequence[int] = (1,), dim: Sequence[int] = (1, 2), noisy: Sequence[int] = (0,)) -> Family:
    """Smooth and convex losses: curvature between 0 and L on three pieces, Huber-like and one-sided ones among them."""
    return Family("convex losses", "weak", 3, clients, dim, noisy)


def bounded_gradients(
    clients: Sequence[int] = (1,), dim: Sequence[int] = (1, 2), noisy: Sequence[int] = (0,)
) -> Family:
    """Smooth and convex losses that are linear far from the origin, as Huber's: no squared gradient of a client exceeds
    G2.
    """
    return Flattening("losses with bounded gradients", "weak", 3, clients, dim, noisy)


def bounded_below(
    clients: Sequence[int] = (1,), dim: Sequence[int] = (1, 2), noisy: Sequence[int] = (0,)
) -> Family:
    """As `smooth`, with three pieces, the outer two with a curvature of at least L/2."""
    return BoundedBelow("smooth losses bounded below", "none", 3, clients, dim, noisy)


def smooth(clients: Sequence[int] = (1,), dim: Sequence[int] = (1, 2), noisy: Sequence[int] = (0,)) -> Family:
    """Smooth losses, convex or not: curvature between -L and L on three pieces, and L far away, so that a minimum exists."""
    return Smooth("smooth losses", "none", 3, clients, dim, noisy)


def common_minimiser(
    clients: Sequence[int] = (2,), dim: Sequence[int] = (1, 2), noisy: Sequence[int] = (0,)
) -> Family:
    """As `strongly_convex`, with one minimiser for all clients: `zeta2` is 0."""
    return Common("strongly convex losses with a common minimiser", "strong", 3, clients, dim, noisy)


def turned(clients: Sequence[int] = (1, 2), noisy: Sequence[int] = (0,)) -> Family:
    """Strongly convex quadratics in the plane, with axes of their own for each client's Hessian."""
    return Turned("turned quadratics", "strong", 1, clients, (2,), noisy)


def lipschitz(
    clients: Sequence[int] = (1,), dim: Sequence[int] = (1, 2), noisy: Sequence[int] = (0,)
) -> Family:
    """Convex losses with kinks, piecewise linear: no squared subgradient of a client exceeds G2."""
    return Kinked("convex losses with kinks", "weak", 3, clients, dim, noisy)
