"""Values of expressions, in any arithmetic.

`evaluate` walks a SymPy expression once and does its sums, products and powers on whatever numbers it is
given: floats, NumPy arrays, tensors, exact fractions, intervals. `Arithmetic` supplies the few operations
that Python's operators do not cover.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache, reduce
from itertools import count
from math import inf
from numbers import Integral
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
    maximum, minimum, absolute, exp, log, floor : callable
        Elementwise.
    """

    number: Callable[[sp.Number], Any]
    power: Callable[[Any, Any], Any]
    maximum: Callable[[Any, Any], Any]
    minimum: Callable[[Any, Any], Any]
    absolute: Callable[[Any], Any]
    exp: Callable[[Any], Any]
    log: Callable[[Any], Any]
    floor: Callable[[Any], Any] = math.floor


LONGEST = 2**20
"""Bits up to which whole numbers are multiplied out."""
FACTORIALS = 2**16
"""Up to which number factorials are multiplied out: they have about `LONGEST` bits."""
FITTING = 2**1000
"""Up to which size whole numbers meet floats, which end at 2^1024, as they are."""


def as_float(number: sp.Number) -> float:
    """The nearest float; infinity for numbers beyond the range of floats."""
    try:
        return float(number)
    except OverflowError:
        return inf if number > 0 else -inf


FLOATS = Arithmetic(
    number=as_float,
    power=lambda base, exponent: np.asarray(base, dtype=float) ** as_float(exponent),
    maximum=np.maximum,
    minimum=np.minimum,
    absolute=np.abs,
    exp=np.exp,
    log=np.log,
    floor=np.floor,
)


def evaluate(expression: sp.Basic, values: Mapping[str, Any], arithmetic: Arithmetic = FLOATS) -> Any:
    """Value of `expression` where each free symbol takes the value under its name.

    The index of a sum or product is not a free symbol, even if a free symbol has the same name. If there are several
    limits, the last one belongs to the outermost sum, as in SymPy. An empty sum is 0, and an empty product is 1.

    Parameters
    ----------
    values : mapping of str to number or array
        By symbol name; arrays broadcast. An indexed symbol ``Delta[tau]`` takes ``values["Delta"][tau]``. Values in
        limits and indices must be Python ints or symbols. With a symbol as a limit the sum is returned as a symbolic
        sum.

    Raises
    ------
    KeyError
        If a symbol has no value.
    Undefined
        If an index lies outside its sequence, or a limit is not a whole number.
    Unsupported
        If the expression holds a function that is not supported.
    """
    return _value(expression, _Place(values, arithmetic))


class Undefined(LookupError):
    """A formula has no value: an index lies outside its sequence, or a limit of a sum is not a whole number."""


class Unsupported(TypeError):
    """A formula holds a function that cannot be evaluated."""


@dataclass(frozen=True)
class _Place:
    """The point at which a formula is evaluated: values of free symbols by name, of indices by symbol."""

    values: Mapping[str, Any]
    arithmetic: Arithmetic
    indices: Mapping[sp.Symbol, Any] = field(default_factory=dict)

    def __getitem__(self, symbol: sp.Symbol) -> Any:
        return self.indices[symbol] if symbol in self.indices else self.values[symbol.name]

    def inside(self, index: sp.Symbol, value: Any) -> _Place:
        return replace(self, indices={**self.indices, index: value})


def _value(expression: sp.Basic, place: _Place) -> Any:
    """The value of a formula; whole numbers of up to about 300 digits are Python ints."""
    value = _computed(expression, place)
    if type(value) is int and abs(value) > FITTING:
        return place.arithmetic.number(sp.Integer(value))
    return value


def _computed(expression: sp.Basic, place: _Place) -> Any:
    args, arithmetic = expression.args, place.arithmetic

    def recurse(part: sp.Basic) -> Any:
        return _value(part, place)

    if isinstance(expression, sp.Symbol):
        return place[expression]
    if isinstance(expression, sp.Rational | sp.Float):
        return int(expression) if expression.is_Integer else arithmetic.number(expression)
    if isinstance(expression, sp.NumberSymbol):  # e, pi
        return arithmetic.number(expression)
    if isinstance(expression, sp.Add):
        return reduce(operator.add, map(recurse, args))
    if isinstance(expression, sp.Mul):
        return _product(expression, recurse, arithmetic)
    if isinstance(expression, sp.Pow):
        return _power(expression, place)
    if isinstance(expression, sp.Max):
        return reduce(_of_one_kind(max, arithmetic.maximum, arithmetic), map(recurse, args))
    if isinstance(expression, sp.Min):
        return reduce(_of_one_kind(min, arithmetic.minimum, arithmetic), map(recurse, args))
    if isinstance(expression, sp.Abs):
        return _of_one_kind(abs, arithmetic.absolute, arithmetic)(recurse(args[0]))
    if isinstance(expression, sp.exp | sp.log):
        inner = recurse(args[0])
        known = arithmetic.number(sp.Integer(inner)) if isinstance(inner, int) else inner
        return (arithmetic.exp if isinstance(expression, sp.exp) else arithmetic.log)(known)
    if isinstance(expression, sp.floor):
        return _of_one_kind(int, arithmetic.floor, arithmetic)(recurse(args[0]))
    if isinstance(expression, sp.ceiling):
        return -_of_one_kind(int, arithmetic.floor, arithmetic)(-recurse(args[0]))
    if isinstance(expression, sp.factorial):
        return _factorial(expression, place)
    if isinstance(expression, sp.binomial):
        return _binomial(expression, place)
    if isinstance(expression, sp.Sum | sp.Product):
        return _series(expression, expression.limits, place)
    if isinstance(expression, sp.Indexed):
        return _entry(expression, place)
    raise Unsupported(
        f"cannot evaluate {expression.func.__name__} in {expression}: formulas have +, *, /, powers, Abs, Max, Min, exp, log, "
        "floor, ceiling, factorial, binomial, Sum, Product and entries of sequences; write it by these"
    )


def _of_one_kind(
    plain: Callable[..., Any], general: Callable[..., Any], arithmetic: Arithmetic
) -> Callable[..., Any]:
    """An operation on Python ints directly, or on operands that are first converted to the kind of `arithmetic`.

    Without the conversion, NumPy integers would turn fractions into floats; so would an integer in an array of
    fractions when it is divided.
    """

    def operation(*numbers: Any) -> Any:
        whole = [isinstance(number, int) for number in numbers]
        if all(whole):
            return plain(*numbers)
        pairs = zip(numbers, whole, strict=True)
        return general(*(arithmetic.number(sp.Integer(n)) if is_whole else n for n, is_whole in pairs))

    return operation


def _series(expression: sp.Expr, limits: Sequence[Any], place: _Place) -> Any:
    """A sum or product over the indices of `limits`; the last one is the outermost."""
    if not limits:
        return _value(expression.function, place)
    index, *ends = limits[-1]
    low, high = (_whole(end, f"a limit of {expression}", place) for end in ends)
    inner = limits[:-1]
    if isinstance(low, sp.Expr) or isinstance(high, sp.Expr):  # the number of terms is a symbol
        body = expression.func(expression.function, *inner) if inner else expression.function
        fresh = _fresh(index, [low, high, *(place[s] for s in body.free_symbols - {index} if s.is_Symbol)])
        return expression.func(_value(body, place.inside(index, fresh)), (fresh, low, high))
    join, empty = (operator.add, 0) if isinstance(expression, sp.Sum) else (operator.mul, 1)
    parts = (_series(expression, inner, place.inside(index, step)) for step in range(low, high + 1))
    return reduce(join, parts, empty)


def _fresh(index: sp.Symbol, values: Sequence[Any]) -> sp.Symbol:
    """The index, renamed if a symbol in `values` has the same name."""
    taken = {s.name for v in values if isinstance(v, sp.Basic) for s in v.free_symbols if s.is_Symbol}
    names = (f"{index.name}{'_' * k}" for k in count())
    return sp.Symbol(next(name for name in names if name not in taken), **index.assumptions0)


def _factorial(expression: sp.Expr, place: _Place) -> Any:
    """n! of a whole number; it is not defined below 0."""
    number = _whole(expression.args[0], f"the number in {expression}", place)
    if isinstance(number, sp.Expr):
        return sp.factorial(number)
    _require_multiplied_out(expression, number)
    return math.factorial(number)


def _binomial(expression: sp.Expr, place: _Place) -> Any:
    """n (n - 1) ... (n - k + 1)/k!, which is 0 for k < 0; n may be any number unless it is a whole number below 0."""
    number, chosen = expression.args
    below = _whole(chosen, f"the lower number of {expression}", place)
    above = _of_whole_numbers(number, place)
    above = _value(number, place) if above is None else above
    if isinstance(below, sp.Expr) or isinstance(above, sp.Expr):
        return sp.binomial(above, below)
    if below < 0:
        return 0
    if isinstance(above, int):
        _require_multiplied_out(expression, above)
        return math.comb(above, below)
    _require_multiplied_out(expression, below)
    falling = reduce(operator.mul, (above - k for k in range(below)), place.arithmetic.number(sp.Integer(1)))
    return falling / place.arithmetic.number(sp.factorial(below))


def _require_multiplied_out(expression: sp.Expr, number: int) -> None:
    if not 0 <= number <= FACTORIALS:
        raise ZeroDivisionError(f"{expression} is computed from 0 to {FACTORIALS}, not at {number}")


def _entry(expression: sp.Indexed, place: _Place) -> Any:
    """An entry of a sequence; raises `Undefined` for indices before the first or after the last entry."""
    name, (index, *more) = expression.base.label.name, expression.indices
    if more:
        raise Undefined(f"`{expression}` must have one index, got {len(more) + 1}; number the entries")
    entries = place.values[name]
    step = _whole(index, f"the index of {expression}", place)
    if isinstance(step, sp.Expr):
        return entries[step]
    if not np.ndim(entries):
        raise Undefined(
            f"`{name}` must be a sequence, as {expression} asks for an entry, got one number; give a scene that computes it"
        )
    if not 0 <= step < len(entries):
        raise Undefined(
            f"`{expression}` must have an index from 0 to {len(entries) - 1}, got {step}; change the index or "
            "the limits of the sum, or let the scene compute more entries"
        )
    return entries[step]


def _whole(expression: sp.Expr, what: str, place: _Place) -> Any:
    """A whole number, exactly; symbols and formulas of symbols are returned unchanged."""
    value = _of_whole_numbers(expression, place)
    if value is None:
        value = _value(expression, place)
        if isinstance(value, sp.Expr) and value.free_symbols:
            return value
    try:
        exact = Fraction(str(value))
    except ValueError:
        exact = Fraction(1, 2)
    if exact.denominator != 1:
        raise Undefined(f"{what} must be a whole number, got {value} for {expression}; use sizes and indices")
    return int(exact)


def _of_whole_numbers(expression: sp.Expr, place: _Place) -> Any:
    """The value as an int or a fraction if it depends only on whole numbers; otherwise None."""
    if not all(s.is_Symbol and isinstance(place[s], Integral) for s in expression.free_symbols):
        return None
    try:
        return _value(expression, replace(place, arithmetic=_FRACTIONS))
    except TypeError:
        return None


def _fraction_of(number: sp.Number) -> Fraction:
    if not number.is_Rational:
        raise TypeError(f"{number} is no fraction")
    return Fraction(int(number.p), int(number.q))


def _no_fraction(*numbers: Any) -> Any:
    raise TypeError("a root, exponential or logarithm is no fraction")


_FRACTIONS = Arithmetic(_fraction_of, _no_fraction, max, min, abs, _no_fraction, _no_fraction)


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


def _power(expression: sp.Pow, place: _Place) -> Any:
    arithmetic, exponent = place.arithmetic, expression.exp
    base = _value(expression.base, place)
    irrational = not exponent.free_symbols and not isinstance(exponent, sp.Number)
    if exponent.free_symbols or irrational:
        value = _of_whole_numbers(exponent, place)
        if value is None:
            value = _value(exponent, place)
        if isinstance(value, sp.Expr) and value.free_symbols:  # any number of rounds
            return base**value
        if np.ndim(value) or irrational:  # neither a whole number nor a fraction
            known = arithmetic.number(sp.Integer(base)) if isinstance(base, int) else base
            return arithmetic.exp(value * arithmetic.log(known))
        exponent = sp.Rational(value if isinstance(value, int | Fraction) else str(value))
    if exponent.is_Integer and exponent >= 0:
        return _whole_power(base, int(exponent), arithmetic)
    if isinstance(base, int):
        base = arithmetic.number(sp.Integer(base))
    if exponent.is_Integer:
        return arithmetic.number(sp.Integer(1)) / _whole_power(base, int(-exponent), arithmetic)
    return arithmetic.power(base, exponent)


def _whole_power(base: Any, exponent: int, arithmetic: Arithmetic) -> Any:
    """A power. If the power of a whole number had too many digits, the kind of `arithmetic` is used; beyond the range of floats it
    is 0, 1 or infinite.
    """
    if isinstance(base, int) and base.bit_length() * exponent > LONGEST:
        base = arithmetic.number(sp.Integer(base))
    try:
        return base**exponent
    except OverflowError:  # the power is beyond floats, or the exponent is: the limit is 0, 1 or infinite
        grown = abs(base) ** inf
        return grown if exponent % 2 == 0 else base * grown
