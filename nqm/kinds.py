"""The kinds of numbers that an array may hold, and conversions between them."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from fractions import Fraction
from numbers import Integral
from typing import Any

import numpy as np
from mpmath import libmp
from mpmath.ctx_iv import MPIntervalContext

Array = Any
"""A torch tensor, a NumPy array of floats, or a NumPy object array (see `nqm.fields`)."""

IntArray = np.ndarray
"""NumPy array of integers: indices of clients or of samples."""

INTERVAL_BITS = 256


class Irrational(ArithmeticError):
    """An exact result is not a rational number; evaluate with `to_interval` instead."""


class Overlapping(ArithmeticError):
    """A comparison of overlapping intervals is undecided; evaluate with `to_exact` instead."""


class _Intervals(MPIntervalContext):  # type: ignore[misc]
    """mpmath's interval arithmetic with a fixed precision that also takes fractions and NumPy integers.

    A context of our own: `mpmath.iv` has a global precision that any import may change, cannot be combined
    with `Fraction`, fails in ``array.mean()``, which divides by a NumPy integer, and silently takes an array
    of two entries for the ends of one interval.
    """

    def __init__(self) -> None:
        self.small: dict[int, Any] = {}
        super().__init__()
        for name in ("add", "sub", "mul", "truediv", "pow", "lt", "le", "gt", "ge", "eq", "ne"):
            method = f"__{name}__"
            setattr(self.mpf, method, _leaving_arrays_to_numpy(getattr(self.mpf, method)))
        for name in ("add", "sub", "mul"):
            method = f"__{name}__"
            setattr(
                self.mpf, method, self._directly(getattr(libmp, f"mpi_{name}"), getattr(self.mpf, method))
            )
        self.prec = INTERVAL_BITS
        self.small |= {k: self.convert(k) for k in range(-64, 65)}

    def _directly(self, ends: Callable[..., Any], operation: Callable[[Any, Any], Any]) -> Callable[..., Any]:
        """An operation that skips the checks of its arguments if both are intervals."""
        own, make = self.mpf, self.make_mpf
        return lambda a, b: make(ends(a._mpi_, b._mpi_, INTERVAL_BITS)) if type(b) is own else operation(a, b)

    def convert(self, x: Any) -> Any:
        if type(x) is self.mpf:
            return x
        if type(x) is int and x in self.small:
            return self.small[x]
        if isinstance(x, Fraction):
            return self._mpq((x.numerator, x.denominator))
        return super().convert(int(x) if isinstance(x, Integral) else x)


def _leaving_arrays_to_numpy(operation: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda a, b: NotImplemented if isinstance(b, np.ndarray) else operation(a, b)


INTERVALS = _Intervals()


def is_tensor(x: Array) -> bool:
    """Whether `x` is a torch tensor (decided without importing torch, which takes seconds)."""
    return hasattr(x, "new_tensor")


def is_exact(x: Array) -> bool:
    """Whether `x` holds Python objects (Fractions, intervals, expressions) instead of floats."""
    return not is_tensor(x) and np.asarray(x).dtype == object


def kind(x: Array) -> str:
    """Kind of an array or bare element: "torch", "float", "exact", "interval" or "symbolic".

    Integers count as exact inside object arrays and as float elsewhere.

    Raises
    ------
    TypeError
        If an object array holds floats (the result would only look exact), or elements of no known kind.
    """
    if is_tensor(x):
        return "torch"
    array = np.asarray(x)
    if array.dtype != object:
        return "float"
    kinds = {_element_kind(t) for t in set(map(type, array.flat))}
    for candidate in ("symbolic", "interval", "exact"):
        if candidate in kinds:
            return candidate
    return "exact"  # no elements


def _element_kind(element_type: type) -> str:
    sympy = sys.modules.get("sympy")  # SymPy integers also count as Integral: ask for them first
    if sympy is not None and issubclass(element_type, sympy.Basic):
        return "symbolic"
    if issubclass(element_type, (Fraction, Integral)):
        return "exact"
    if hasattr(element_type, "ctx"):
        return "interval"
    raise TypeError(
        f"Object arrays must hold Fractions, intervals or SymPy expressions, but one holds "
        f"{element_type.__name__}. A float in exact arithmetic hides rounding errors: convert inputs with "
        f"`to_exact`, and write x / 2 rather than 0.5 * x."
    )


def elementwise(function: Callable[[Any], Any]) -> Callable[[Array], Array]:
    """Function of one element, made to act on each element of an object array."""
    made: Callable[[Array], Array] = np.frompyfunc(function, 1, 1)
    return made


def to_exact(x: Any) -> np.ndarray:
    """Object array of Fractions equal to `x`: numbers, strings such as "1/3", nested lists, float arrays.

    A float becomes the binary fraction that it represents (0.1 becomes 3602879701896397/2**55).
    """
    values = np.asarray(_plain(x), dtype=object)
    return np.asarray(elementwise(fraction)(values), dtype=object)


def fraction(value: Any) -> Fraction:
    """Fraction equal to one finite number, SymPy number or string such as "1/3"."""
    if isinstance(value, np.integer):
        value = int(value)
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"Only finite numbers have an exact value, got {value}.")
    if getattr(value, "is_Rational", False):  # a SymPy number
        return Fraction(int(value.p), int(value.q))
    return Fraction(value)


def to_interval(x: Any) -> np.ndarray:
    """Object array of intervals that enclose `x` (anything that `to_exact` takes, or intervals)."""

    def enclose(value: Any) -> Any:
        return INTERVALS.convert(value if hasattr(value, "_mpi_") else fraction(value))

    return np.asarray(elementwise(enclose)(np.asarray(_plain(x), dtype=object)), dtype=object)


def to_symbolic(x: Any) -> np.ndarray:
    """Object array of SymPy numbers or expressions; floats become the rational numbers that they represent."""
    import sympy as sp

    def convert(value: Any) -> Any:
        if isinstance(value, sp.Basic):
            return value
        exact = fraction(value)
        return sp.Rational(exact.numerator, exact.denominator)

    return np.asarray(elementwise(convert)(np.asarray(_plain(x), dtype=object)), dtype=object)


def to_float(x: Array) -> np.ndarray:
    """NumPy float64 array closest to `x` (midpoints of intervals, values of SymPy numbers)."""
    if kind(x) == "torch":
        return np.asarray(x.detach().cpu().double())
    if kind(x) == "interval":
        x = elementwise(lambda value: float(INTERVALS.convert(value).mid))(x)
    return np.asarray(x).astype(np.float64)


def to_torch(x: Array) -> Array:
    """float64 tensor closest to `x`; tensors are returned as they are."""
    import torch

    return x if isinstance(x, torch.Tensor) else torch.tensor(to_float(x))


def lower(x: Array) -> Array:
    """Largest known lower bound of `x`: left ends of intervals, as Fractions; other kinds unchanged."""
    return _endpoint(x, 0)


def upper(x: Array) -> Array:
    """Smallest known upper bound of `x`: right ends of intervals, as Fractions; other kinds unchanged."""
    return _endpoint(x, 1)


def _endpoint(x: Array, side: int) -> Array:
    if kind(x) != "interval":
        return x
    return elementwise(lambda value: _binary_fraction(INTERVALS.convert(value)._mpi_[side]))(x)


def _binary_fraction(mpf: tuple[int, int, int, int]) -> Fraction:
    sign, mantissa, exponent, _bits = mpf
    if not mantissa and exponent:  # mpmath's encoding of infinities and NaN
        raise ValueError(f"An interval end is not finite: {mpf}.")
    return Fraction((-1) ** sign * int(mantissa)) * Fraction(2) ** exponent


def _plain(x: Any) -> Any:
    return x.detach().cpu().numpy() if hasattr(x, "detach") else x
