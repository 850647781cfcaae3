"""Values of expressions, in any arithmetic.

`evaluate` walks a SymPy expression once and does its sums, products and powers on whatever numbers it is
given: floats, NumPy arrays, tensors, exact fractions, intervals. `Arithmetic` supplies the few operations
that Python's operators do not cover.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache, reduce
from typing import Any

import numpy as np
import sympy as sp


@dataclass(frozen=True)
class Arithmetic:
    """Operations of one kind of number that are not Python operators.

    Attributes
    ----------
    number : callable
        A SymPy number as a number of this kind.
    power : callable
        ``power(base, exponent)``, `exponent` a Python int or a SymPy Rational.
    maximum, minimum, absolute, exp, log : callable
        Elementwise.
    """

    number: Callable[[sp.Number], Any]
    power: Callable[[Any, Any], Any]
    maximum: Callable[[Any, Any], Any]
    minimum: Callable[[Any, Any], Any]
    absolute: Callable[[Any], Any]
    exp: Callable[[Any], Any]
    log: Callable[[Any], Any]


FLOATS = Arithmetic(
    number=float,
    power=lambda base, exponent: np.asarray(base, dtype=float) ** float(exponent),
    maximum=np.maximum,
    minimum=np.minimum,
    absolute=np.abs,
    exp=np.exp,
    log=np.log,
)


def evaluate(expression: sp.Basic, values: Mapping[str, Any], arithmetic: Arithmetic = FLOATS) -> Any:
    """Value of `expression` where each free symbol takes the value under its name.

    Parameters
    ----------
    values : mapping of str to number or array
        By symbol name; arrays broadcast. An indexed symbol ``Delta[tau]`` takes ``values["Delta"][tau]``.
        Values of summation limits must be Python ints, or letters: then the sum stays a sum.

    Raises
    ------
    KeyError
        If a symbol has no value.
    TypeError
        If the expression holds a function that is not supported.
    """
    args = expression.args

    def recurse(part: sp.Basic) -> Any:
        return evaluate(part, values, arithmetic)

    if isinstance(expression, sp.Symbol):
        return values[expression.name]
    if isinstance(expression, sp.Rational | sp.Float):
        return int(expression) if expression.is_Integer else arithmetic.number(expression)
    if isinstance(expression, sp.NumberSymbol):  # e, pi
        return arithmetic.number(expression)
    if isinstance(expression, sp.Add):
        return reduce(operator.add, map(recurse, args))
    if isinstance(expression, sp.Mul):
        return _product(expression, recurse, arithmetic)
    if isinstance(expression, sp.Pow):
        return _power(expression, values, arithmetic)
    if isinstance(expression, sp.Max):
        return reduce(arithmetic.maximum, map(recurse, args))
    if isinstance(expression, sp.Min):
        return reduce(arithmetic.minimum, map(recurse, args))
    if isinstance(expression, sp.Abs):
        return arithmetic.absolute(recurse(args[0]))
    if isinstance(expression, sp.exp | sp.log):
        inner = recurse(args[0])
        known = arithmetic.number(sp.Integer(inner)) if isinstance(inner, int) else inner
        return (arithmetic.exp if isinstance(expression, sp.exp) else arithmetic.log)(known)
    if isinstance(expression, sp.Sum):
        index, *ends = expression.limits[0]
        low, high = map(recurse, ends)
        if any(
            isinstance(end, sp.Expr) and end.free_symbols for end in (low, high)
        ):  # of how many is a letter
            return sp.Sum(
                evaluate(expression.function, {**values, index.name: index}, arithmetic), (index, low, high)
            )
        steps = range(int(low), int(high) + 1)
        parts = (evaluate(expression.function, {**values, index.name: step}, arithmetic) for step in steps)
        return reduce(operator.add, parts, 0)
    if isinstance(expression, sp.Indexed):
        return values[expression.base.label.name][recurse(expression.indices[0])]
    raise TypeError(f"cannot evaluate {expression.func.__name__} in {expression}")


def _product(expression: sp.Mul, recurse: Callable[[sp.Basic], Any], arithmetic: Arithmetic) -> Any:
    """Numerator over denominator: one division at the end, so exact numbers stay small."""
    numerator, denominator = _fraction(expression)
    if denominator == 1 or not isinstance(numerator, sp.Mul | sp.Symbol | sp.Number):
        return reduce(operator.mul, map(recurse, expression.args))
    return _divide(recurse(numerator), recurse(denominator), arithmetic)


@lru_cache(maxsize=65536)
def _fraction(expression: sp.Mul) -> tuple[sp.Expr, sp.Expr]:
    numerator, denominator = expression.as_numer_denom()
    return numerator, denominator


def _divide(top: Any, bottom: Any, arithmetic: Arithmetic) -> Any:
    if isinstance(top, int) and isinstance(bottom, int):
        if bottom == 0:
            raise ZeroDivisionError(f"{top} is divided by 0")
        return arithmetic.number(sp.Rational(top, bottom))
    return top / bottom


def _power(expression: sp.Pow, values: Mapping[str, Any], arithmetic: Arithmetic) -> Any:
    base = evaluate(expression.base, values, arithmetic)
    exponent = expression.exp
    if exponent.free_symbols:
        value = evaluate(exponent, values, arithmetic)
        if isinstance(value, sp.Expr) and value.free_symbols:  # any number of rounds
            return base**value
        if np.ndim(value):  # no whole number, nor a fraction of one
            known = arithmetic.number(sp.Integer(base)) if isinstance(base, int) else base
            return arithmetic.exp(value * arithmetic.log(known))
        exponent = sp.Rational(str(value))
    if exponent.is_Integer and exponent >= 0:
        return base ** int(exponent)
    if isinstance(base, int):
        base = arithmetic.number(sp.Integer(base))
    if exponent.is_Integer:
        return arithmetic.number(sp.Integer(1)) / base ** int(-exponent)
    return arithmetic.power(base, exponent)
