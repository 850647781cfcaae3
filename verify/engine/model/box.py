"""Ranges of the parameters of a scene."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from numbers import Real
from typing import Any, Literal

from verify.engine.model.arithmetic import as_written

UNBOUNDED = 10**9
"""End of a range that means "no end": the claim includes all larger numbers."""


@dataclass(frozen=True)
class Box:
    """The range of one parameter: `shape` numbers between `low` and `high`.

    `scale` says how the range is searched: "linear", or "log" for positive quantities whose size is open. `levels`, where
    given, are the only values allowed (signs, switches). A decimal means exactly its digits: 1/20 lies in a range that
    begins at 0.05. With `vectors`, each entry stands for a vector of any dimension (`verify.engine.model.abstract`).
    """

    low: float
    high: float
    shape: tuple[int, ...] = ()
    scale: Literal["linear", "log"] = "linear"
    levels: tuple[float, ...] = ()
    vectors: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.shape, tuple):
            raise ValueError(f"`shape` must be a tuple of whole numbers, got {self.shape!r}")
        if not all(isinstance(end, Real) for end in (self.low, self.high)):
            raise ValueError(f"`low` and `high` must be numbers, got {self.low!r} and {self.high!r}")
        if not self.low <= self.high:
            raise ValueError(f"`low` must be at most `high`, got {self.low} and {self.high}")
        if self.scale == "log" and self.low <= 0:
            raise ValueError(f"`low` must be positive on a log scale, got {self.low}")

    @property
    def ends(self) -> tuple[Fraction, Fraction]:
        """Both ends as exact fractions of their decimals."""
        return as_written(self.low), as_written(self.high)

    def __contains__(self, number: Any) -> bool:
        """Whether the parameter, or an entry of it, may be a number."""
        exact, (low, high) = as_written(number), self.ends
        return exact in map(as_written, self.levels) if self.levels else low <= exact <= high

    def covers(self, other: Box) -> bool:
        """Whether all numbers of another range are in this one."""
        return (
            self.shape == other.shape
            and all(number in self for number in other.levels or other.ends)
            and (not self.levels or bool(other.levels) or other.low == other.high)
        )
