"""Elementary functions of every kind of array: square roots, exponentials, waves, powers, and the larger of two.

One table for each kind of number implements the functions. `nqm.fields` exports every public function of this module.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from numbers import Integral
from typing import Any

import numpy as np

from nqm.kinds import (
    INTERVAL_BITS,
    INTERVALS,
    Array,
    Irrational,
    elementwise,
    fraction,
    kind,
    lower,
    to_symbolic,
)


def _apply(name: str, x: Array) -> Array:
    of_kind = kind(x)
    if of_kind == "torch":
        return _on_torch(name, x)
    if of_kind == "float":
        return _ON_FLOAT[name](
            x if isinstance(x, np.ndarray) and x.dtype.kind == "f" else np.asarray(x, dtype=float)
        )[()]
    if of_kind == "exact":
        return elementwise(_ON_EXACT[name])(x)
    if of_kind == "interval":
        return elementwise(lambda value: _ON_INTERVAL[name](INTERVALS.convert(value)))(x)
    return elementwise(lambda value: _on_symbol(name, value))(x)


def sqrt(x: Array) -> Array:
    """Square root; of Fractions only where it is rational, else `Irrational`."""
    return _apply("sqrt", x)


def exp(x: Array) -> Array:
    """Exponential; of Fractions only at 0, else `Irrational`."""
    return _apply("exp", x)


def log(x: Array) -> Array:
    """Natural logarithm; of Fractions only at 1, else `Irrational`."""
    return _apply("log", x)


def tanh(x: Array) -> Array:
    """Hyperbolic tangent; of Fractions only at 0, else `Irrational`."""
    return _apply("tanh", x)


def logcosh(x: Array) -> Array:
    """log(cosh(x)) without overflow or cancellation; of Fractions only at 0, else `Irrational`."""
    return _apply("logcosh", x)


def sin(x: Array) -> Array:
    """Sine; of Fractions only at 0, else `Irrational`."""
    return _apply("sin", x)


def cos(x: Array) -> Array:
    """Cosine; of Fractions only at 0, else `Irrational`."""
    return _apply("cos", x)


def abs_(x: Array) -> Array:
    """Absolute value."""
    return _apply("abs", x)


def floor(x: Array) -> Array:
    """Largest whole number that is not larger."""
    return _apply("floor", x)


def _on_torch(name: str, x: Any) -> Any:
    import torch

    if name != "logcosh":
        return getattr(torch, name)(x)
    # log(1 + sinh(x)^2)/2 keeps its digits near 0, where the other form cancels. The clamp keeps the unused
    # branch finite, so that its gradient is not NaN. Both are smooth in use: second derivatives are right
    # too.
    near_zero = torch.log1p(torch.sinh(x.clamp(-1, 1)) ** 2) / 2
    far = x.abs() + torch.log1p(torch.exp(-2 * x.abs())) - math.log(2)
    return torch.where(x.abs() < 1, near_zero, far)


def _float_logcosh(x: Array) -> Array:
    near_zero = np.log1p(np.sinh(np.clip(x, -1, 1)) ** 2) / 2
    return np.where(np.abs(x) < 1, near_zero, np.logaddexp(x, -x) - np.log(x.dtype.type(2)))


_ON_FLOAT: dict[str, Callable[[Any], Any]] = {
    "sqrt": np.sqrt,
    "exp": np.exp,
    "log": np.log,
    "tanh": np.tanh,
    "logcosh": _float_logcosh,
    "sin": np.sin,
    "cos": np.cos,
    "abs": np.abs,
    "floor": np.floor,
}


def _number_text(value: Any) -> str:
    """A number for a message: itself where that is short, else a decimal beside it (Python refuses to print huge ones)."""
    size = Fraction(value).numerator.bit_length() + Fraction(value).denominator.bit_length()
    return str(value) if size < 100 else f"about {float(value):.6g}"


def _exact_root(value: Fraction, degree: int) -> Fraction:
    from sympy import integer_nthroot

    value = Fraction(value)
    if value < 0:
        raise ValueError(f"The root of a negative number was asked for: {_number_text(value)}.")
    top, top_is_exact = integer_nthroot(value.numerator, degree)
    bottom, bottom_is_exact = integer_nthroot(value.denominator, degree)
    if not (top_is_exact and bottom_is_exact):
        raise Irrational(
            f"{_number_text(value)} ** (1/{degree}) is irrational; convert with `to_interval` first."
        )
    return Fraction(int(top), int(bottom))


def _exact_only_at(name: str, point: int, result: int) -> Callable[[Any], Fraction]:
    def evaluate(value: Any) -> Fraction:
        if value != point:
            raise Irrational(
                f"{name}({_number_text(value)}) is irrational; convert with `to_interval` first."
            )
        return Fraction(result)

    return evaluate


_ON_EXACT: dict[str, Callable[[Any], Any]] = {
    "sqrt": lambda value: _exact_root(value, 2),
    "exp": _exact_only_at("exp", 0, 1),
    "log": _exact_only_at("log", 1, 0),
    "tanh": _exact_only_at("tanh", 0, 0),
    "logcosh": _exact_only_at("logcosh", 0, 0),
    "sin": _exact_only_at("sin", 0, 0),
    "cos": _exact_only_at("cos", 0, 1),
    "abs": abs,
    "floor": lambda value: Fraction(math.floor(value)),
}


def _increasing(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Evaluate at both ends: the naive formula on a wide interval would overestimate its range."""
    return lambda x: _hull(function(x.a), function(x.b))


def _hull(a: Any, b: Any) -> Any:
    return INTERVALS.make_mpf((a._mpi_[0], b._mpi_[1]))


# mpmath computes exp, ln, sin and cos with a few more digits and then rounds outward, so that an end may be wrong by a
# part of its last place. Widening by 64 places is safe, and costs 2 of 77 digits.
_LAST_PLACES = INTERVALS.mpf(2) ** (6 - INTERVAL_BITS)
_WIDENING = _hull(1 - _LAST_PLACES, 1 + _LAST_PLACES)


def _interval_exp(x: Any) -> Any:
    return INTERVALS.one if x == 0 else INTERVALS.exp(x) * _WIDENING


def _interval_log(x: Any) -> Any:
    return INTERVALS.ln(x) * _WIDENING


def _interval_logcosh(x: Any) -> Any:
    of_positive = _increasing(lambda t: t + _interval_log((1 + _interval_exp(-2 * t)) / 2))
    return extremum("max")(of_positive(abs(x)), 0)


_ON_INTERVAL: dict[str, Callable[[Any], Any]] = {
    "sqrt": INTERVALS.sqrt,
    "exp": _interval_exp,
    "log": _interval_log,
    "tanh": _increasing(lambda t: 1 - 2 / (_interval_exp(2 * t) + 1)),
    "logcosh": _interval_logcosh,
    "sin": lambda x: INTERVALS.sin(x) * _WIDENING,
    "cos": lambda x: INTERVALS.cos(x) * _WIDENING,
    "abs": abs,
    "floor": _increasing(lambda t: INTERVALS.mpf(math.floor(lower(t)))),
}


def _on_symbol(name: str, value: Any) -> Any:
    import sympy as sp

    value = sp.sympify(value)
    return (
        sp.log(sp.cosh(value)) if name == "logcosh" else getattr(sp, "Abs" if name == "abs" else name)(value)
    )


def _float_power(x: Array, exponent: Fraction) -> Array:
    """A fractional power of floats; of an exponent beyond floats the limit: 0, 1 or infinite, and nan for negative numbers."""
    x = (
        np.float64(x) if np.ndim(x) == 0 else x
    )  # a plain negative number of Python would become a complex one
    try:
        return x ** float(exponent)
    except OverflowError:
        return np.where(x < 0, math.nan, x ** (math.inf if exponent > 0 else -math.inf))


def power(x: Array, exponent: Any) -> Array:
    """`x` to a constant power: an int, a Fraction or a SymPy Rational.

    Fractions stay exact: a root that is irrational raises `Irrational`. A fractional power needs x >= 0.
    """
    exponent = fraction(exponent)
    if exponent.denominator == 1:
        # NumPy refuses negative integer powers of integers only; every kind here is a field
        return x ** int(exponent) if exponent >= 0 else 1 / x ** int(-exponent)
    of_kind = kind(x)
    if of_kind == "float":
        return _float_power(x, exponent)
    if of_kind == "torch":
        return x ** float(exponent)
    if of_kind == "exact":
        return elementwise(lambda value: _exact_root(value, exponent.denominator) ** exponent.numerator)(x)
    if of_kind == "interval":
        return elementwise(lambda value: _interval_power(INTERVALS.convert(value), exponent))(x)
    return x ** to_symbolic(exponent)[()]


def _interval_power(x: Any, exponent: Fraction) -> Any:
    if exponent.denominator == 2:
        return INTERVALS.sqrt(x) ** exponent.numerator
    return _interval_exp(_interval_log(x) * exponent)


def extremum(name: str) -> Callable[[Any, Any], Any]:
    pick: Callable[..., Any] = {"max": max, "min": min}[name]

    def choose(a: Any, b: Any) -> Any:
        if hasattr(a, "_mpi_") or hasattr(b, "_mpi_"):
            a, b = INTERVALS.convert(a), INTERVALS.convert(b)
            return _hull(pick(a.a, b.a), pick(a.b, b.b))
        if isinstance(a, (Fraction, Integral)) and isinstance(b, (Fraction, Integral)):
            return pick(a, b)
        import sympy as sp

        return {"max": sp.Max, "min": sp.Min}[name](a, b)

    return choose
