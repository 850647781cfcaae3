"""Instances: one choice of every parameter of a scene, and both sides of a statement there.

An `Instance` holds exact fractions only, so it can be written down, read back and evaluated in any arithmetic.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp

from nqm.fields import lower, upper
from verify.engine.model.arithmetic import bounds_of, convert, side_by_side
from verify.engine.model.scene import Condition, Scene, Shape, quantities
from verify.engine.work.errors import UsageError

Exact = np.ndarray  # object array of Fraction
_NUMBER = re.compile(r"-?(0|[1-9]\d*)(/\d*[1-9]\d*|(\.\d+)?([eE][-+]?\d{1,3})?)")


@dataclass(frozen=True, eq=False)
class Instance:
    """Whole-number shape, real parameters and computed step sizes, all exact; arrays without a batch axis.

    Two instances are equal if they have the same numbers.
    """

    shape: Shape
    parameters: Mapping[str, Exact]
    sizes: Mapping[str, Exact]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Instance) and self._numbers == other._numbers

    def __hash__(self) -> int:
        return hash(self._numbers)

    @cached_property
    def _numbers(self) -> str:
        return repr(self.record())

    def record(self) -> dict[str, Any]:
        """Plain JSON: fractions as text."""
        return {
            "shape": dict(self.shape),
            "parameters": {name: _text(value) for name, value in self.parameters.items()},
            "steps": {name: _text(value) for name, value in self.sizes.items()},
        }

    @staticmethod
    def from_record(record: Mapping[str, Any]) -> Instance:
        """Instance from its record.

        Raises
        ------
        UsageError
            If a part is missing or not a number.
        """
        try:
            return Instance(
                shape={name: _whole(value) for name, value in record["shape"].items()},
                parameters={name: _exact(value) for name, value in record["parameters"].items()},
                sizes={name: _exact(value) for name, value in record["steps"].items()},
            )
        except KeyError as error:
            raise UsageError(
                f"an instance needs `shape`, `parameters` and `steps`; {error} is missing"
            ) from error
        except (TypeError, AttributeError, ValueError, OverflowError) as error:
            raise UsageError(f"an instance holds a number that cannot be read: {error}") from error

    def values(self, scene: Scene, kind: str) -> dict[str, Any]:
        """Every quantity at this instance, with a batch axis of length 1, in arithmetic `kind`.

        Raises
        ------
        nqm.fields.Irrational
            In exact arithmetic, if a quantity is irrational.
        """
        parameters, sizes = (
            convert({name: value[None] for name, value in part.items()}, kind)
            for part in (self.parameters, self.sizes)
        )
        return quantities(scene, self.shape, parameters, sizes)


@dataclass(frozen=True)
class Sides:
    """Both sides of a relation at an instance: enclosures, and whether it certainly holds or certainly fails."""

    relation: Condition
    small: tuple[float, float]
    large: tuple[float, float]
    holds: bool
    fails: bool

    @property
    def written(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """The left side and the right side, in the order in which the relation is written."""
        turned = isinstance(self.relation, sp.Ge | sp.Gt)
        return (self.large, self.small) if turned else (self.small, self.large)

    @property
    def slack(self) -> float:
        """Margin, relative to the size of both sides; negative where the relation fails."""
        scale = abs(self.small[1]) + abs(self.large[0])
        return (self.large[0] - self.small[1]) / scale if scale else 0.0


def oriented(relation: Condition) -> tuple[sp.Expr, sp.Expr]:
    """The side that is claimed to be small, and the other."""
    if isinstance(relation, sp.Ge | sp.Gt):
        return relation.rhs, relation.lhs
    return relation.lhs, relation.rhs


def sides(relation: Condition, values: Mapping[str, Any], kind: str) -> Sides:
    """Both sides at the values of one instance (batch axis of length 1), worst case over trailing axes."""
    small, large = (part[0] for part in side_by_side(oriented(relation), values, kind, 1))
    pairs = list(zip(small, large, strict=True))
    sign = {sp.Ge: sp.Le, sp.Gt: sp.Lt}.get(type(relation), type(relation))
    holds = all(_certain(_HOLDS[sign](a, b)) for a, b in pairs)
    broken = [pair for pair in pairs if _certain(_FAILS[sign](*pair))]
    ends = [(bounds_of(a), bounds_of(b)) for a, b in broken or pairs]
    shown = max(ends, key=lambda pair: _EXCESS.get(sign, _above)(*pair))
    return Sides(relation, *shown, holds, bool(broken))


def _above(a: tuple[float, float], b: tuple[float, float]) -> float:
    """By how much the first side may reach beyond the second one."""
    return a[1] - b[0]


def _apart(a: tuple[float, float], b: tuple[float, float]) -> float:
    """By how much two sides may differ."""
    return max(_above(a, b), _above(b, a))


def _differ(a: Any, b: Any) -> bool:
    return _certain(a > b) or _certain(a < b)


def _same(a: Any, b: Any) -> bool:
    """Whether two numbers are equal; of intervals, whether each holds but one number."""
    return bool(lower(a) == upper(b) and upper(a) == lower(b))


_HOLDS: Mapping[type, Callable[[Any, Any], Any]] = {
    sp.Le: operator.le,
    sp.Lt: operator.lt,
    sp.Eq: operator.eq,
    sp.Ne: _differ,
}
_FAILS: Mapping[type, Callable[[Any, Any], Any]] = {
    sp.Le: operator.gt,
    sp.Lt: operator.ge,
    sp.Eq: _differ,
    sp.Ne: _same,
}
_EXCESS: Mapping[type, Callable[..., float]] = {sp.Eq: _apart, sp.Ne: lambda a, b: -_apart(a, b)}
"""By relation: the distance of two sides from meeting it, for relations other than "first <= second"."""


def _certain(answer: Any) -> bool:
    """An interval comparison that cannot be decided is None, and not certain."""
    return answer is not None and bool(answer)


def _text(value: Exact) -> Any:
    return np.vectorize(str, otypes=[object])(value).tolist()


def _exact(value: Any) -> Exact:
    array = np.array(value, dtype=object)
    found: Exact = np.vectorize(_number, otypes=[object])(array)
    return found


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(f"a size must be a whole number, got {value!r}")
    return value


def _number(entry: Any) -> Fraction:
    text = str(entry)
    if len(text) > 400 or not _NUMBER.fullmatch(text):
        raise ValueError(f"must be a fraction or decimal of at most 400 characters, got {text[:40]!r}")
    return Fraction(text)


def fractions_near(x: Fraction) -> list[Fraction]:
    """Simpler numbers near `x`, simplest first."""
    ladder = [
        Fraction(0),
        Fraction(1),
        Fraction(-1),
        Fraction(2),
        Fraction(-2),
        Fraction(1, 2),
        Fraction(-1, 2),
    ]
    near = [x.limit_denominator(n) for n in (1, 2, 4, 8, 10, 16, 64, 100, 1000, 10000, 1000000)]
    if x:
        digits = int(np.floor(np.log10(abs(float(x)))))
        near += [round(x * Fraction(10) ** (k - digits)) * Fraction(10) ** (digits - k) for k in (0, 1, 2, 3)]
    near.sort(key=lambda one: (one.denominator, abs(one.numerator)))
    return list(dict.fromkeys([*ladder, *near, x]))
