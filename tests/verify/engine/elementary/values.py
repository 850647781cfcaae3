"""Values of formulas of certificates in floats, to test laws at random numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any

import sympy as sp

from verify.engine.certificates.formulas import Tree


def value(formula: Tree, numbers: Mapping[str, float], sums: Mapping[str, sp.Sum] | None = None) -> float:
    """Value of a formula where each symbol has a number; sums by the name under which a formula calls them."""
    if isinstance(formula, str):
        return numbers[formula] if formula in numbers else float(sp.Rational(formula))
    head, *inside = formula
    if head == "call" and inside[0] in (sums or {}):
        total = (sums or {})[inside[0]]
        names = sorted((s for s in total.free_symbols if isinstance(s, sp.Symbol)), key=str)
        at = dict(zip(names, (value(part, numbers, sums) for part in inside[1:]), strict=True))
        whole = {s: round(v) if s.is_integer else sp.Float(v) for s, v in at.items()}
        return float(total.subs(whole).doit())
    if head == "call":
        return _CALLED[inside[0]](*(value(part, numbers, sums) for part in inside[1:]))
    if head == "root":
        return value(inside[1], numbers, sums) ** (1 / int(inside[0]))
    found = [value(part, numbers, sums) for part in inside]
    if head == "-" and len(found) == 1:
        return -found[0]
    return reduce(_OF[head], found)


def _chosen(above: float, below: float) -> int:
    return math.comb(round(above), round(below)) if below >= 0 else 0


_CALLED: Mapping[str, Callable[..., float]] = {
    "exp": math.exp,
    "log": math.log,
    "Exp1": lambda: math.e,
    "floor": math.floor,
    "ceiling": math.ceil,
    "factorial": lambda number: math.factorial(round(number)),
    "binomial": _chosen,
}
_OF: Mapping[str, Callable[[Any, Any], Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "^": lambda a, b: a**b,
    "max": max,
    "min": min,
}


def true(relation: Tree, numbers: Mapping[str, float], sums: Mapping[str, sp.Sum] | None = None) -> bool:
    """Whether a relation holds at some numbers, up to rounding."""
    sign, left, right = relation
    a, b = value(left, numbers, sums), value(right, numbers, sums)
    near = 1e-9 * (1 + abs(a) + abs(b))
    return {"<=": a <= b + near, ">=": b <= a + near, "<": a < b, "=": abs(a - b) <= near}[sign]
