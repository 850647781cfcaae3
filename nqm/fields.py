"""Elementary functions that mean the same on every kind of array.

One formula serves Monte Carlo and proof: `torch` tensors, NumPy float arrays, and NumPy object arrays of
`fractions.Fraction` (exact), of intervals (rigorous enclosures) or of SymPy expressions (symbolic). Addition,
multiplication, division, ``@``, integer powers, indexing, ``sum`` and ``mean`` already work on all of them;
whatever else a model needs is here, and nothing here decides anything about the model.

Two traps that every caller has to know:

- ``0.5 * Fraction(1, 3)`` is a float. Write ``x / 2``. A float that slips into an exact array is reported by
  `kind`, never accepted.
- NumPy turns a reduction to zero dimensions of an object array into the bare element. All functions here take
  bare elements too; use `expand` where you would have written ``[..., None]``.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import reduce
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
    to_exact,
    to_float,
    to_interval,
    to_symbolic,
    to_torch,
    upper,
)

__all__ = [
    "Array",
    "Irrational",
    "abs_",
    "amax",
    "amin",
    "broadcast_to",
    "certainly",
    "concatenate",
    "constant",
    "dot",
    "exp",
    "expand",
    "kind",
    "log",
    "logcosh",
    "lower",
    "maximum",
    "minimum",
    "norm",
    "power",
    "sq",
    "sqrt",
    "stack",
    "take",
    "tanh",
    "to_exact",
    "to_float",
    "to_interval",
    "to_symbolic",
    "to_torch",
    "upper",
    "where",
    "zeros_like",
]

# ------------------------------------------------------------------------------------- elementary functions


def _apply(name: str, x: Array) -> Array:
    of_kind = kind(x)
    if of_kind == "torch":
        return _on_torch(name, x)
    if of_kind == "float":
        return _ON_FLOAT[name](np.asarray(x, dtype=float))[()]
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


def abs_(x: Array) -> Array:
    """Absolute value."""
    return _apply("abs", x)


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


def _float_logcosh(x: np.ndarray) -> np.ndarray:
    near_zero = np.log1p(np.sinh(np.clip(x, -1, 1)) ** 2) / 2
    return np.where(np.abs(x) < 1, near_zero, np.logaddexp(x, -x) - math.log(2))


_ON_FLOAT: dict[str, Callable[[Any], Any]] = {
    "sqrt": np.sqrt,
    "exp": np.exp,
    "log": np.log,
    "tanh": np.tanh,
    "logcosh": _float_logcosh,
    "abs": np.abs,
}


def _exact_root(value: Fraction, degree: int) -> Fraction:
    from sympy import integer_nthroot

    value = Fraction(value)
    if value < 0:
        raise ValueError(f"The root of a negative number was asked for: {value}.")
    top, top_is_exact = integer_nthroot(value.numerator, degree)
    bottom, bottom_is_exact = integer_nthroot(value.denominator, degree)
    if not (top_is_exact and bottom_is_exact):
        raise Irrational(f"{value} ** (1/{degree}) is irrational; convert with `to_interval` first.")
    return Fraction(int(top), int(bottom))


def _exact_only_at(name: str, point: int, result: int) -> Callable[[Any], Fraction]:
    def evaluate(value: Any) -> Fraction:
        if value != point:
            raise Irrational(f"{name}({value}) is irrational; convert with `to_interval` first.")
        return Fraction(result)

    return evaluate


_ON_EXACT: dict[str, Callable[[Any], Any]] = {
    "sqrt": lambda value: _exact_root(value, 2),
    "exp": _exact_only_at("exp", 0, 1),
    "log": _exact_only_at("log", 1, 0),
    "tanh": _exact_only_at("tanh", 0, 0),
    "logcosh": _exact_only_at("logcosh", 0, 0),
    "abs": abs,
}


def _increasing(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Evaluate at both ends: the naive formula on a wide interval would overestimate its range."""
    return lambda x: _hull(function(x.a), function(x.b))


def _hull(a: Any, b: Any) -> Any:
    return INTERVALS.make_mpf((a._mpi_[0], b._mpi_[1]))


# mpmath computes exp and ln with a few more digits and then rounds outward, so that an end may be wrong by a
# part of its last place. Widening by 64 places is safe, and costs 2 of 77 digits.
_LAST_PLACES = INTERVALS.mpf(2) ** (6 - INTERVAL_BITS)
_WIDENING = _hull(1 - _LAST_PLACES, 1 + _LAST_PLACES)


def _interval_exp(x: Any) -> Any:
    return INTERVALS.one if x == 0 else INTERVALS.exp(x) * _WIDENING


def _interval_log(x: Any) -> Any:
    return INTERVALS.ln(x) * _WIDENING


def _interval_logcosh(x: Any) -> Any:
    of_positive = _increasing(lambda t: t + _interval_log((1 + _interval_exp(-2 * t)) / 2))
    return _element_extremum("max")(of_positive(abs(x)), 0)


_ON_INTERVAL: dict[str, Callable[[Any], Any]] = {
    "sqrt": INTERVALS.sqrt,
    "exp": _interval_exp,
    "log": _interval_log,
    "tanh": _increasing(lambda t: 1 - 2 / (_interval_exp(2 * t) + 1)),
    "logcosh": _interval_logcosh,
    "abs": abs,
}


def _on_symbol(name: str, value: Any) -> Any:
    import sympy as sp

    value = sp.sympify(value)
    return (
        sp.log(sp.cosh(value)) if name == "logcosh" else getattr(sp, "Abs" if name == "abs" else name)(value)
    )


def power(x: Array, exponent: Any) -> Array:
    """`x` to a constant power: an int, a Fraction or a SymPy Rational.

    Fractions stay exact: a root that is irrational raises `Irrational`. A fractional power needs x >= 0.
    """
    exponent = fraction(exponent)
    if exponent.denominator == 1:
        # NumPy refuses negative integer powers of integers only; every kind here is a field
        return x ** int(exponent) if exponent >= 0 else 1 / x ** int(-exponent)
    of_kind = kind(x)
    if of_kind in ("torch", "float"):
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


# ------------------------------------------------------------------------------------------ order and choice


def maximum(a: Array, b: Array) -> Array:
    """Larger of two arrays, elementwise with broadcasting; of intervals the enclosure of the larger one."""
    return _extremum("max", a, b)


def minimum(a: Array, b: Array) -> Array:
    """Smaller of two arrays, elementwise with broadcasting; of intervals the enclosure of the smaller one."""
    return _extremum("min", a, b)


def _extremum(name: str, a: Array, b: Array) -> Array:
    kinds = {kind(a), kind(b)}
    if "torch" in kinds:
        import torch

        tensor = a if kind(a) == "torch" else b
        pair = [torch.as_tensor(x, dtype=tensor.dtype, device=tensor.device) for x in (a, b)]
        return getattr(torch, f"{name}imum")(*pair)
    if kinds == {"float"}:
        return getattr(np, f"{name}imum")(a, b)
    return np.frompyfunc(_element_extremum(name), 2, 1)(a, b)


def _element_extremum(name: str) -> Callable[[Any, Any], Any]:
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


def amax(x: Array, axis: int | Sequence[int]) -> Array:
    """Largest entry along one axis or several."""
    return _reduced("max", x, axis)


def amin(x: Array, axis: int | Sequence[int]) -> Array:
    """Smallest entry along one axis or several."""
    return _reduced("min", x, axis)


def _reduced(name: str, x: Array, axis: int | Sequence[int]) -> Array:
    axes = tuple(axis) if isinstance(axis, Sequence) else (axis,)
    if kind(x) in ("torch", "float"):
        return getattr(sys.modules["torch"] if kind(x) == "torch" else np, f"a{name}")(x, axes)
    choose = np.frompyfunc(_element_extremum(name), 2, 1)
    last_first = sorted((a % x.ndim for a in axes), reverse=True)
    return reduce(lambda partial, a: choose.reduce(partial, axis=a), last_first, x)


def certainly(condition: Array) -> Array:
    """Boolean array of a comparison; one of intervals that is undecided counts as false."""
    return condition if hasattr(condition, "detach") else np.asarray(condition).astype(bool)


def where(condition: Array, a: Array, b: Array) -> Array:
    """`a` where the condition (a comparison in the same library) is certainly true, else `b`."""
    if "torch" in (kind(a), kind(b)):
        import torch

        return torch.where(condition, a, b)
    return np.where(certainly(condition), a, b)


# ------------------------------------------------------------------------------------------------- geometry


def dot(a: Array, b: Array) -> Array:
    """Inner product over the last axis."""
    return (a * b).sum(axis=-1)


def sq(x: Array) -> Array:
    """Squared Euclidean norm over the last axis."""
    return (x**2).sum(axis=-1)  # x**2, not x*x: the square of an interval does not reach below 0


def norm(x: Array) -> Array:
    """Euclidean norm over the last axis; of Fractions only where it is rational, else `Irrational`.

    Of tensors with the subgradient 0 at the origin, where the square root alone would give NaN.
    """
    if kind(x) == "torch":
        import torch

        return torch.linalg.vector_norm(x, dim=-1)
    return sqrt(sq(x))


# -------------------------------------------------------------------------------------------------- shapes


def expand(x: Array, n_axes: int = 1) -> Array:
    """`x` with `n_axes` axes of length 1 appended; accepts bare elements."""
    if kind(x) != "torch" and not isinstance(x, np.ndarray):
        x = np.asarray(x, dtype=float if kind(x) == "float" else object)
    return x[(..., *(None,) * n_axes)]


def stack(arrays: Sequence[Array], axis: int) -> Array:
    """Arrays of equal shape along a new axis."""
    return _joined("stack", arrays, axis)


def concatenate(arrays: Sequence[Array], axis: int) -> Array:
    """Arrays one after another along an axis."""
    return _joined("concatenate", arrays, axis)


def _joined(name: str, arrays: Sequence[Array], axis: int) -> Array:
    library = sys.modules["torch"] if kind(arrays[0]) == "torch" else np
    return getattr(library, name)(list(arrays), axis)


def zeros_like(x: Array) -> Array:
    """Zeros of the shape and kind of `x`."""
    if kind(x) == "torch":
        return sys.modules["torch"].zeros_like(x)
    zeros = {
        "float": lambda: np.zeros(np.shape(x)),
        "exact": lambda: to_exact(np.zeros(np.shape(x))),
        "interval": lambda: to_interval(np.zeros(np.shape(x))),
        "symbolic": lambda: to_symbolic(np.zeros(np.shape(x))),
    }
    return zeros[kind(x)]()


def constant(values: Any, like: Array) -> Array:
    """Exact numbers (whole numbers, Fractions) as an array that mixes with `like`."""
    if kind(like) == "torch":
        return like.new_tensor(to_float(values))
    return np.array(values, dtype=float if kind(like) == "float" else object)


def broadcast_to(x: Array, shape: Sequence[int]) -> Array:
    """`x` seen with a larger shape, without a copy."""
    if kind(x) == "torch":
        return x.expand(tuple(shape))
    return np.broadcast_to(x, tuple(shape))


def take(x: Array, index: Array, axis: int) -> Array:
    """Entries of `x` along an axis; that axis is replaced by the axes of `index` (integers, any shape)."""
    if kind(x) != "torch":
        return np.take(x, np.asarray(index), axis=axis)
    import torch

    axis = axis % x.ndim
    index = torch.as_tensor(index, device=x.device)
    chosen = x.index_select(axis, index.reshape(-1))
    return chosen.reshape(x.shape[:axis] + index.shape + x.shape[axis + 1 :])
