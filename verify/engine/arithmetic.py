"""The kinds of numbers in which a scene can be evaluated, and how to get from one to another.

- "torch": float64 tensors, for searching;
- "long": NumPy's longest floats, for telling a violation from rounding;
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
import torch

from bounds.evaluate import Arithmetic, evaluate
from nqm import fields
from nqm.kinds import INTERVALS


def as_printed(number: sp.Number) -> sp.Rational:
    """A number as a fraction; a decimal is what its digits say, not the binary fraction next to it."""
    return sp.Rational(str(number)) if isinstance(number, sp.Float) else sp.Rational(number)


def _interval(number: sp.Number) -> Any:
    # An array, because an interval on the left of an array does not leave the operation to the array.
    box = np.empty(1, dtype=object)
    if number in (sp.E, sp.pi):
        box[0] = +(INTERVALS.e if number == sp.E else INTERVALS.pi)
        return box
    ratio = as_printed(number)
    box[0] = INTERVALS.mpf(int(ratio.p)) / INTERVALS.mpf(int(ratio.q))
    return box


def _fraction(number: sp.Number) -> Fraction:
    if isinstance(number, sp.NumberSymbol):
        raise fields.Irrational(f"{number} is no fraction")
    ratio = as_printed(number)
    return Fraction(int(ratio.p), int(ratio.q))


def _numbers(x: Any) -> Any:
    """A plain number as an array of one."""
    if isinstance(x, torch.Tensor | np.ndarray):
        return x
    return torch.tensor([x], dtype=torch.float64) if isinstance(x, float) else np.array([x], dtype=object)


def _arithmetic(number: Callable[[sp.Number], Any]) -> Arithmetic:
    return Arithmetic(
        number=number,
        power=fields.power,
        maximum=fields.maximum,
        minimum=fields.minimum,
        absolute=fields.abs_,
        exp=lambda x: fields.exp(_numbers(x)),
        log=lambda x: fields.log(_numbers(x)),
    )


ARITHMETIC: Mapping[str, Arithmetic] = {
    "torch": _arithmetic(float),
    "long": _arithmetic(lambda number: np.longdouble(str(number.n(30)))),
    "exact": _arithmetic(_fraction),
    "interval": _arithmetic(_interval),
    "symbolic": _arithmetic(lambda number: number),
}

_CONVERT: Mapping[str, Callable[[Any], Any]] = {
    "torch": lambda x: torch.as_tensor(np.asarray(x, dtype=float), dtype=torch.float64),
    "exact": fields.to_exact,
    "interval": fields.to_interval,
    "symbolic": fields.to_symbolic,
}


def convert(values: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """Arrays of Fractions (batch, ...) as arrays of another kind."""
    return {name: _CONVERT[kind](value) for name, value in values.items()}


def bounds_of(x: Any) -> tuple[float, float]:
    """Lower and upper end of a number of any kind, as floats for display."""
    return float(fields.lower(x)), float(fields.upper(x))


def side(expression: sp.Expr, values: Mapping[str, Any], kind: str, batch: int) -> Any:
    """Value of an expression as (batch, k): quantities with fewer trailing axes are repeated along the missing ones.

    An indexed quantity ``Delta[tau]`` holds its index on the axis before the batch.
    """
    return side_by_side((expression,), values, kind, batch)[0]


def side_by_side(
    expressions: Sequence[sp.Expr], values: Mapping[str, Any], kind: str, batch: int
) -> list[Any]:
    """Values of expressions, all as (batch, k) with the same k: entries that belong together stand together."""
    axes = max(1, *(_axes(expression, values) for expression in expressions))
    found = [_evaluated(expression, values, kind, axes) for expression in expressions]
    shape = np.broadcast_shapes((batch, *(1,) * (axes - 1)), *(tuple(x.shape) for x in found))
    whole = [x.expand(shape) if isinstance(x, torch.Tensor) else np.broadcast_to(x, shape) for x in found]
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
    return _array(evaluate(expression, padded, ARITHMETIC[kind]), axes)


def _pad(x: Any, axes: int) -> Any:
    return x.reshape(tuple(x.shape) + (1,) * (axes - x.ndim))


def _array(x: Any, axes: int) -> Any:
    """A number of any kind as an array with `axes` axes; an indexed quantity may lack the last ones."""
    if not isinstance(x, torch.Tensor | np.ndarray):
        boxed = np.empty((1,), dtype=object)
        boxed[0] = x
        x = boxed
    return _pad(x, axes) if x.ndim < axes else x
