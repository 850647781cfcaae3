"""Relations that SymPy does not evaluate.

SymPy's `Le`, `Eq` and so on first try to decide the relation from the assumptions on its symbols. This takes longer
than building the rest of a statement, and it replaces a decided relation by `true` or `false`. The toolkit judges
relations later, so it needs them unevaluated.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import sympy as sp

COMPARE: Mapping[type, Callable[[Any, Any], Any]] = {
    sp.Le: lambda a, b: a <= b,
    sp.Lt: lambda a, b: a < b,
    sp.Ge: lambda a, b: a >= b,
    sp.Gt: lambda a, b: a > b,
    sp.Eq: lambda a, b: a == b,
}
"""Comparison of two values, by the kind of relation."""


def le(smaller: Any, larger: Any) -> sp.Le:
    """``smaller <= larger``."""
    return sp.Le(smaller, larger, evaluate=False)


def lt(smaller: Any, larger: Any) -> sp.Lt:
    """``smaller < larger``."""
    return sp.Lt(smaller, larger, evaluate=False)


def ge(larger: Any, smaller: Any) -> sp.Ge:
    """``larger >= smaller``."""
    return sp.Ge(larger, smaller, evaluate=False)


def gt(larger: Any, smaller: Any) -> sp.Gt:
    """``larger > smaller``."""
    return sp.Gt(larger, smaller, evaluate=False)


def eq(one: Any, other: Any) -> sp.Eq:
    """``one = other``."""
    return sp.Eq(one, other, evaluate=False)
