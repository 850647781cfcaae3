"""The kinds of numbers in which a scene can be evaluated, and conversions between them.

- "float": NumPy's float64, for random instances;
- "torch": float64 tensors, for gradient ascent;
- "long": NumPy's longest floats, to distinguish a violation from rounding;
- "exact": fractions, for confirming;
- "interval": outward-rounded intervals, where fractions do not suffice (roots, hyperbolic functions);
- "symbolic": SymPy expressions, for proving.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
import sympy as sp

from bounds.evaluate import Arithmetic, as_float, evaluate
from nqm import fields
from nqm.kinds import INTERVALS


def as_printed(number: sp.Number) -> sp.Rational:
    """A number as a fraction; a decimal means exactly its digits, not the nearest binary fraction."""
    return sp.Rational(str(number)) if isinstance(number, sp.Float) else sp.Rational(number)


def as_written(number: float | Fraction) -> Fraction:
    """The same for a plain number: the shortest decimal that rounds to it. The conversion is monotone."""
    return number if isinstance(number, Fraction) else Fraction(str(number))


def exactly(values: Any) -> np.ndarray:
    """Floats as the fractions of their shortest decimals."""
    found: np.ndarray = np.vectorize(as_written, otypes=[object])(np.asarray(values, dtype=float))
    return found


def _boxed(x: Any) -> np.ndarray:
    """A plain number of any kind as an array with one entry."""
    box = np.empty(1, dtype=object)
    box[0] = x
    return box


def _interval(number: sp.Number) -> Any:
    # An array, because an interval to the left of an array does not delegate the operation to the array.
    if number in (sp.E, sp.pi):
        return _boxed(+(INTERVALS.e if number == sp.E else INTERVALS.pi))
    ratio = as_printed(number)
    return _boxed(INTERVALS.mpf(int(ratio.p)) / INTERVALS.mpf(int(ratio.q)))


def _fraction(number: sp.Number) -> Fraction:
    if isinstance(number, sp.NumberSymbol):
        raise fields.Irrational(f"{number} is no fraction")
    ratio = as_printed(number)
    return Fraction(int(ratio.p), int(ratio.q))


def _is_array(x: Any) -> bool:
    return fields.is_tensor(x) or isinstance(x, np.ndarray)


def _arithmetic(number: Callable[[sp.Number], Any], array: Callable[[Any], Any] = _boxed) -> Arithmetic:
    """Arithmetic of numbers of one kind; `array` makes an array of one of a plain number."""
    return Arithmetic(
        number=number,
        power=fields.power,
        maximum=fields.maximum,
        minimum=fields.minimum,
        absolute=fields.abs_,
        exp=lambda x: fields.exp(x if _is_array(x) else array(x)),
        log=lambda x: fields.log(x if _is_array(x) else array(x)),
        floor=lambda x: fields.floor(x if _is_array(x) else array(x)),
    )


ARITHMETIC: Mapping[str, Arithmetic] = {
    "float": _arithmetic(as_float, lambda x: np.array([x], dtype=float)),
    "torch": _arithmetic(as_float, lambda x: fields.to_torch(np.array([x], dtype=float))),
    "long": _arithmetic(lambda number: np.longdouble(str(number.n(30)))),
    "exact": _arithmetic(_fraction),
    "interval": _arithmetic(_interval),
    "symbolic": _arithmetic(lambda number: number),
}

_CONVERT: Mapping[str, Callable[[Any], Any]] = {
    "float": lambda x: np.asarray(x, dtype=float),
    "torch": lambda x: fields.to_torch(np.asarray(x, dtype=float)),
    "exact": fields.to_exact,
    "interval": fields.to_interval,
    "symbolic": fields.to_symbolic,
}


def convert(values: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """Arrays of Fractions (batch, ...) as arrays of another kind."""
    return {name: converted(value, kind) for name, value in values.items()}


def converted(value: Any, kind: str) -> Any:
    """An array of Fractions or of plain numbers as one of another kind."""
    return _CONVERT[kind](value)


def bounds_of(x: Any) -> tuple[float, float]:
    """Lower and upper end of a number of any kind, as floats for display."""
    return float(fields.lower(x)), float(fields.upper(x))


def side(expression: sp.Expr, values: Mapping[str, Any], kind: str, batch: int) -> Any:
    """Value of an expression as (batch, k): quantities with fewer trailing axes are repeated along the missing ones.

    An indexed quantity ``Delta[tau]`` holds its index on the axis before the batch.
    """
    return side_by_side((expression,), values, kind, batch)[0]


@np.errstate(all="ignore")
def side_by_side(
    expressions: Sequence[sp.Expr], values: Mapping[str, Any], kind: str, batch: int
) -> list[Any]:
    """Values of expressions, all as (batch, k) with the same k, so that corresponding entries have the same index."""
    axes = max(1, *(_axes(expression, values) for expression in expressions))
    found = [_evaluated(expression, values, kind, axes) for expression in expressions]
    shape = np.broadcast_shapes((batch, *(1,) * (axes - 1)), *(tuple(x.shape) for x in found))
    whole = [fields.broadcast_to(x, shape) for x in found]
    return [x.reshape(batch, -1) for x in whole]


@lru_cache(maxsize=8192)
def _indexed(expression: sp.Expr) -> frozenset[str]:
    return frozenset(str(base.label) for base in expression.atoms(sp.IndexedBase))


def _names(expression: sp.Expr, values: Mapping[str, Any]) -> frozenset[str]:
    return _free(expression) & values.keys()


@lru_cache(maxsize=8192)
def _free(expression: sp.Expr) -> frozenset[str]:
    return frozenset(s.name for s in expression.free_symbols if isinstance(s, sp.Symbol))


def _axes(expression: sp.Expr, values: Mapping[str, Any]) -> int:
    indexed = _indexed(expression)
    return max((np.ndim(values[n]) - (n in indexed) for n in _names(expression, values)), default=0)


def _evaluated(expression: sp.Expr, values: Mapping[str, Any], kind: str, axes: int) -> Any:
    indexed = _indexed(expression)
    padded = {
        name: values[name] if name in indexed or not np.ndim(values[name]) else _pad(values[name], axes)
        for name in _names(expression, values)
    }
    return _array(evaluate(expression, padded, ARITHMETIC[kind]), axes, kind)


def _pad(x: Any, axes: int) -> Any:
    return x.reshape(tuple(x.shape) + (1,) * (axes - x.ndim))


def _array(x: Any, axes: int, kind: str) -> Any:
    """A number of any kind as an array with `axes` axes; an indexed quantity may lack the last ones."""
    if not _is_array(x):
        x = np.array([x], dtype=float) if kind == "float" else _boxed(x)
    return _pad(x, axes) if x.ndim < axes else x
