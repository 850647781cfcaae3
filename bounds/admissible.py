"""Where the conditions of a statement are met, on arrays of points: the answer is a mask, not an error.

Points are given as one array for each symbol name; the arrays broadcast against each other. An expression without a
value (division by zero, a root or logarithm of a negative number) evaluates to NaN. A condition with NaN on either
side is not met.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray
from sympy.core.relational import Relational

from bounds.evaluate import evaluate
from bounds.symbols import domain_of

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Values = Mapping[str, Any]
EQUAL = 1e-9
"""Relative difference up to which two floating-point sides of an equation count as equal."""


class ConditionNotMet(ValueError):
    """Raised when a statement is evaluated at a point that breaks one of its conditions."""


@dataclass(frozen=True)
class Limit:
    """One condition as a number: its slack, which is negative exactly where the condition fails.

    Attributes
    ----------
    text : str
        The condition as it is printed.
    names : frozenset of str
        The quantities that occur in it.
    slack : callable
        Maps values to the array of larger side minus smaller side; NaN where a side has no value.
    strict : bool
        Whether the condition also fails at slack 0.
    equation : bool
        Whether the condition is an equation, which holds only at slack 0.
    """

    text: str
    names: frozenset[str]
    slack: Callable[[Values], Floats]
    strict: bool = False
    equation: bool = False

    def met(self, values: Values) -> Mask:
        """Mask of the points at which the condition holds; an equation holds up to rounding."""
        slack = self.slack(values)
        if self.equation:
            return np.asarray(abs(slack) <= EQUAL)
        return np.asarray(slack > 0 if self.strict else slack >= 0)


def values_of(expression: sp.Basic, values: Values) -> Floats:
    """Values of an expression at points given as arrays; NaN where the expression has no value.

    Sums whose number of terms differs from point to point, and indexed quantities, are evaluated point by point.
    """
    used = {name: values[name] for name in _names(expression)}
    shape = np.broadcast_shapes(*(np.shape(value) for value in used.values()))
    with np.errstate(all="ignore"):
        if not expression.has(sp.Sum):
            return np.broadcast_to(_value(expression, {n: _plain(v) for n, v in used.items()}), shape)
        arrays = {name: np.broadcast_to(value, shape) for name, value in used.items()}
        points = [{name: _plain(array[i]) for name, array in arrays.items()} for i in np.ndindex(shape)]
        return np.array([_value(expression, point) for point in points], dtype=float).reshape(shape)


def limits(symbols: Iterable[sp.Symbol], conditions: Iterable[Relational]) -> list[Limit]:
    """Limits from the domains of symbols, then from conditions. Conditions on indexed quantities are left out."""
    domains = [_domain(symbol) for symbol in symbols if domain_of(symbol) != "real"]
    return domains + [_limit(condition) for condition in conditions if not condition.has(sp.Indexed)]


def applicable(some: Iterable[Limit], names: Collection[str]) -> list[Limit]:
    """The limits in which only quantities with these names occur."""
    return [limit for limit in some if limit.names <= set(names)]


def _domain(symbol: sp.Symbol) -> Limit:
    """The limits that the domain of a symbol sets; a count is a whole number."""
    name, names = symbol.name, frozenset({symbol.name})
    if domain_of(symbol) != "count":
        strict = domain_of(symbol) == "positive"
        return Limit(
            f"{name} {'>' if strict else '>='} 0", names, lambda values: _floats(values[name]), strict
        )

    def slack(values: Values) -> Floats:
        number = _floats(values[name])
        return np.where(number == np.round(number), number - 1, -1.0)

    return Limit(f"{name} a whole number >= 1", names, slack)


def _limit(condition: Relational) -> Limit:
    large, small = condition.args if isinstance(condition, sp.Ge | sp.Gt) else reversed(condition.args)

    def slack(values: Values) -> Floats:
        one, other = values_of(large, values), values_of(small, values)
        finite = np.isfinite(one) & np.isfinite(other)  # an infinite side, such as 1/0, has no value
        difference = np.subtract(one, other, where=finite, out=np.full(finite.shape, np.nan))
        if isinstance(condition, sp.Ne):
            return np.asarray(abs(difference))
        if not isinstance(condition, sp.Eq):
            return np.asarray(difference)
        size = np.maximum(abs(one), abs(other))
        return np.asarray(difference / np.where(size > 0, size, 1.0))

    strict = isinstance(condition, sp.Lt | sp.Gt | sp.Ne)
    return Limit(str(condition), _names(condition), slack, strict, isinstance(condition, sp.Eq))


@lru_cache(maxsize=65536)
def _names(expression: sp.Basic) -> frozenset[str]:
    return frozenset(s.name for s in expression.free_symbols if isinstance(s, sp.Symbol))


def _floats(value: Any) -> Floats:
    return np.asarray(value, dtype=float)


def _value(expression: sp.Basic, values: Values) -> Any:
    try:
        found = evaluate(expression, values)
    except (ZeroDivisionError, OverflowError):  # raised by Python's integers; floats give NaN or infinity
        return np.nan
    return np.asarray(found, dtype=float)


def _plain(value: Any) -> Any:
    """A whole number as an int, because a summation limit must be an int; everything else as floats."""
    if np.ndim(value) == 0 and float(value).is_integer() and abs(value) < 2**53:
        return int(value)
    return np.asarray(value, dtype=float)
