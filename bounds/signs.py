"""SymPy's rule for the sign of a sum, repaired: SymPy 1.14 takes 1/(m n) - 1 for nonnegative if m and n are counts.

The rule bounds a quotient by its value at the least counts, as if this were its least value. So `Max(1, 1/(m*n))` would become
1/(m n), and `1/(m*n) >= 1` would become true, before any check reads them. Here quotients of several symbols have no such bound.
"""

from __future__ import annotations

from typing import Any

from sympy.core import exprtools

_RULE = exprtools._monotonic_sign  # noqa: SLF001


def value_closest_to_zero(formula: Any) -> Any:
    """The value of SymPy's rule; None for quotients of several symbols."""
    if len(formula.free_symbols) > 1 and not formula.is_polynomial():
        return None
    return _RULE(formula)


exprtools._monotonic_sign = value_closest_to_zero  # noqa: SLF001
