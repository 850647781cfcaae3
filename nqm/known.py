"""A constant with its evidence and the region in which it holds."""

from __future__ import annotations

from dataclasses import dataclass

from nqm.arguments import of_one_kind, require_finite, require_nonnegative, set_parameters
from nqm.fields import Array, sq

HOW_KNOWN = ("exact", "certified", "sampled")


class Unbounded(ValueError):
    """A constant has no finite value on the given region."""


@dataclass(frozen=True)
class Ball:
    """Points within a distance of a centre.

    Parameters
    ----------
    centre : (world..., d) array
    radius : float or (world...) array
        >= 0.
    """

    centre: Array
    radius: Array

    def __post_init__(self) -> None:
        set_parameters(self, of_one_kind({"centre": self.centre, "radius": self.radius}))
        require_finite("centre", self.centre)
        require_finite("radius", self.radius)
        require_nonnegative("radius", self.radius)
        if self.centre.ndim == 0:
            raise ValueError(f"`centre` must have axes (..., dim), got the number {self.centre}.")

    def contains(self, x: Array) -> Array:
        """Whether points (..., world..., d) lie in the ball, without tolerance."""
        return sq(x - self.centre) <= self.radius**2


@dataclass(frozen=True)
class Constant:
    """A number, or one for each world of a batch, that is known to bound the quantity it is named after.

    Parameters
    ----------
    value : (world...) array
    known : "exact", "certified" or "sampled"
        The supremum itself up to rounding; a proved upper bound of it (of a lower constant such as mu or an
        infimum: a proved lower bound); or only the largest value seen.
    where : "R^d" or Ball, or words
        The region in which it holds; for a sampled constant a description of the sampled points.
    note : str
        How it was computed.
    """

    value: Array
    known: str
    where: str | Ball = "R^d"
    note: str = ""

    def __post_init__(self) -> None:
        if self.known not in HOW_KNOWN:
            raise ValueError(f"`known` must be one of {', '.join(HOW_KNOWN)}, got {self.known!r}.")
