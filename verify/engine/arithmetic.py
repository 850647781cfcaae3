"""The kinds of numbers in which a scene can be evaluated, and how to get from one to another.

- "torch": float64 tensors, for searching;
- "exact": fractions, for confirming;
- "interval": outward-rounded intervals, where fractions do not suffice (roots, hyperbolic functions);
- "symbolic": SymPy expressions, for proving.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp
import torch

from bounds.evaluate import Arithmetic, evaluate
from nqm import fields
from nqm.kinds import INTERVALS


def _interval(number: sp.Number) -> Any:
    # An array, because an interval on the left of an array does not leave the operation to the array.
    ratio = sp.Rational(number)
    box = np.empty(1, dtype=object)
    box[0] = INTERVALS.mpf(int(ratio.p)) / INTERVALS.mpf(int(ratio.q))
    return box


def _fraction(number: sp.Number) -> Fraction:
    ratio = sp.Rational(number)
    return Fraction(int(ratio.p), int(ratio.q))


def _arithmetic(number: Callable[[sp.Number], Any]) -> Arithmetic:
    return Arithmetic(
        number=number,
        power=fields.power,
        maximum=fields.maximum,
        minimum=fields.minimum,
        absolute=fields.abs_,
    )


ARITHMETIC: Mapping[str, Arithmetic] = {
    "torch": _arithmetic(float),
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
    indexed = {str(base.label) for base in expression.atoms(sp.IndexedBase)}
    names = {
        symbol.name for symbol in expression.free_symbols if isinstance(symbol, sp.Symbol)
    } & values.keys()
    axes = max((np.ndim(values[name]) - (name in indexed) for name in names), default=0)
    padded = {
        name: values[name] if name in indexed or not np.ndim(values[name]) else _pad(values[name], axes)
        for name in names
    }
    return _flat(evaluate(expression, padded, ARITHMETIC[kind]), batch)


def _pad(x: Any, axes: int) -> Any:
    return x.reshape(tuple(x.shape) + (1,) * (axes - x.ndim))


def _flat(x: Any, batch: int) -> Any:
    if isinstance(x, torch.Tensor):
        return x.expand(batch, *x.shape[1:]).reshape(batch, -1) if x.ndim else x.expand(batch, 1)
    if not isinstance(x, np.ndarray):
        boxed = np.empty((1,), dtype=object)
        boxed[0] = x
        x = boxed
    return np.broadcast_to(x, (batch, *x.shape[1:])).reshape(batch, -1)
