"""Poles of a bound: places where a denominator is 0, near which the bound may fall to minus infinity.

Floats cannot decide this. Near a pole their denominators are mostly rounding, so that a bound that grows to infinity may
seem to fall. Therefore the zero of a denominator is computed with many digits, and the bound is evaluated at points ever
closer to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import mpmath
import numpy as np
import sympy as sp
from numpy.typing import NDArray
from sympy.core.relational import Relational

from bounds.admissible import values_of
from bounds.evaluate import Arithmetic, evaluate
from bounds.symbols import is_visibly

DIGITS = 400
"""Digits of the arithmetic near a pole: four times as many as the distances below need."""
PLACES = 60
"""Digits of a bound at a point that floats cannot evaluate."""
DISTANCES = (-25, -50, -100)
"""Exponents to the base 10 of distances from a pole, relative to the size of the variable; each is the square of the one
before.
"""
NEAR = 1e-6
"""The zero of a denominator is searched between two floats at which its sign differs, and this share of their size beyond."""
ROUNDING = 1e-12
"""Below this share of the sum of the sizes of its terms, a denominator is mostly rounding."""


class NoLeastValue(ValueError):
    """Raised if a bound has no minimum because it falls to minus infinity.

    Attributes
    ----------
    at : mapping of str to float
        The place: values of the variables. At the place itself the bound has no value.
    """

    def __init__(self, message: str, at: Mapping[str, float]) -> None:
        super().__init__(message)
        self.at = dict(at)


@dataclass(frozen=True)
class Pole:
    """A zero of a denominator near which the bound falls to minus infinity under its conditions.

    Attributes
    ----------
    name, place : str and float
        The variable, and its value at the zero.
    denominator : expression
    side : str
        "below" or "above": from where the variable approaches.
    """

    name: str
    place: float
    denominator: sp.Expr
    side: str

    def __str__(self) -> str:
        return (
            f"the bound falls to minus infinity as `{self.name}` approaches {self.place:.12g} from {self.side}, "
            f"where {self.denominator} is 0"
        )


def vanishes(denominator: sp.Expr, values: Mapping[str, Any]) -> NDArray[np.bool_]:
    """Mask of the points at which a denominator is 0 up to rounding, so that floats give the bound no value."""
    sizes = sum(abs(values_of(term, values)) for term in sp.Add.make_args(denominator))
    return np.asarray(np.isfinite(sizes) & (abs(values_of(denominator, values)) <= ROUNDING * sizes))


def denominators(bound: sp.Expr) -> list[sp.Expr]:
    """Factors of denominators and arguments of logarithms that the domains of their symbols allow to be 0."""
    found: set[sp.Expr] = set()
    for node in sp.preorder_traversal(bound):
        if isinstance(node, sp.Pow) and not is_visibly(node.exp, positive=False):
            found.update(_factors(node.base))
        elif isinstance(node, sp.log):
            found.update(_factors(node.args[0]))
    return sorted(found, key=sp.default_sort_key)


def _factors(base: sp.Expr) -> Iterator[sp.Expr]:
    """Factors that change sign where the expression is 0, if it is a polynomial."""
    base = base.args[0] if isinstance(base, sp.Abs) else base
    parts = sp.factor_list(base)[1] if base.is_polynomial() and base.free_symbols else [(base, 1)]
    return (part for part, _ in parts if part.free_symbols and not is_visibly(part, positive=True))


def pole_between(
    bound: sp.Expr,
    conditions: Sequence[Relational],
    name: str,
    denominator: sp.Expr,
    values: Mapping[str, Any],
    change: tuple[float, float],
    within: tuple[float, float],
) -> Pole | None:
    """The pole of a bound where a denominator changes sign, if the bound falls to minus infinity there.

    Parameters
    ----------
    conditions : sequence of Relational
        Conditions that the points near the pole must meet; all their quantities have values.
    name : str
        The variable.
    values : mapping of str to number
        The other quantities.
    change : (low, high)
        Values of the variable between which the denominator changes sign in floats.
    within : (low, high)
        The searched range of the variable.
    """
    with mpmath.workdps(DIGITS):
        given = {key: _precise(value) for key, value in values.items()}

        def at(x: Any) -> dict[str, Any]:
            return {**given, name: x}

        ends = [mpmath.mpf(change[0]) - NEAR * abs(change[0]), mpmath.mpf(change[1]) + NEAR * abs(change[1])]
        try:
            zero = mpmath.findroot(
                lambda x: _value(denominator, at(x)), ends, solver="anderson", verify=False
            )
        except (ArithmeticError, ValueError):
            return None
        if not (_is_real(zero) and ends[0] <= zero <= ends[1]):
            return None
        for side, sign in (("below", -1), ("above", 1)):
            points = [zero + sign * (abs(zero) or 1) * mpmath.mpf(10) ** power for power in DISTANCES]
            allowed = all(within[0] <= x <= within[1] for x in points) and all(
                _holds(one, at(x)) for one in conditions for x in points
            )
            if allowed and _falls(lambda x: _value(bound, at(x)), points):
                return Pole(name, float(zero), denominator, side)
    return None


def precise(bound: sp.Expr, values: Mapping[str, Any]) -> Any:
    """A bound in numbers without the limits of floats' exponents; infinity where it has no value."""
    with mpmath.workdps(PLACES):
        try:
            found = _value(bound, {key: _precise(value) for key, value in values.items()})
        except (ArithmeticError, ValueError):
            return mpmath.inf
        return found if _is_real(found) else mpmath.inf


def _falls(height: Callable[[Any], Any], points: Sequence[Any]) -> bool:
    """Whether a function falls by ever larger amounts along points whose distance to a place is squared each time. A pole
    and a logarithm do, a function with a limit does not.
    """
    try:
        first, second, third = map(height, points)
    except (ArithmeticError, ValueError):
        return False
    return all(map(_is_real, (first, second, third))) and third < 0 and 0 < first - second <= second - third


def _is_real(value: Any) -> bool:
    return isinstance(value, mpmath.mpf) and bool(mpmath.isfinite(value))


def _holds(condition: Relational, values: Mapping[str, Any]) -> bool:
    """Whether a condition is met in precise numbers. An equation is met if its sides are equal up to the rounding of floats."""
    one, other = (_value(side, values) for side in condition.args)
    if isinstance(condition, sp.Eq):
        return bool(abs(one - other) <= mpmath.mpf("1e-9") * max(abs(one), abs(other)))
    if isinstance(condition, sp.Ne):
        return bool(one != other)
    small, large = (other, one) if isinstance(condition, sp.Ge | sp.Gt) else (one, other)
    return bool(small < large if isinstance(condition, sp.Lt | sp.Gt) else small <= large)


def _value(expression: sp.Expr, values: Mapping[str, Any]) -> Any:
    return mpmath.mpmathify(evaluate(expression, values, _PRECISE))


def _precise(value: Any) -> Any:
    """A whole number as an int, because a summation limit must be an int; everything else as an mpmath number."""
    return int(value) if float(value).is_integer() and abs(value) < 2**53 else mpmath.mpf(float(value))


def _number(number: Any) -> Any:
    exact = sp.sympify(number)
    return (
        mpmath.mpf(int(exact.p)) / int(exact.q)
        if exact.is_Rational
        else mpmath.mpmathify(sp.N(exact, mpmath.mp.dps))
    )


_PRECISE = Arithmetic(
    _number,
    lambda base, exponent: mpmath.power(base, _number(exponent)),
    max,
    min,
    abs,
    mpmath.exp,
    mpmath.log,
    mpmath.floor,
)
