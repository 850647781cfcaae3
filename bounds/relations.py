"""Relations that SymPy does not evaluate.

SymPy's `Le`, `Eq` and so on first try to decide the relation from the assumptions on its symbols. This takes longer
than building the rest of a statement, and it replaces a decided relation by `true` or `false`. The toolkit judges
relations later, so it needs them unevaluated.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import sympy as sp

COMPARE: Mapping[type, Callable[[Any, Any], Any]] = {
    sp.Le: lambda a, b: a <= b,
    sp.Lt: lambda a, b: a < b,
    sp.Ge: lambda a, b: a >= b,
    sp.Gt: lambda a, b: a > b,
    sp.Eq: lambda a, b: a == b,
    sp.Ne: lambda a, b: a != b,
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


def ne(one: Any, other: Any) -> sp.Ne:
    """``one`` differs from ``other``."""
    return sp.Ne(one, other, evaluate=False)


SIGNS: Mapping[str, Callable[[Any, Any], Any]] = {"<=": le, "<": lt, ">=": ge, ">": gt, "==": eq, "!=": ne}
"""Relations by their signs in Python."""


@lru_cache(maxsize=4096)
def text_of(part: sp.Basic) -> str:
    """The formula or relation as SymPy prints it. Cached, because printing takes longer than checking most counterexamples, and
    a statement, its records and its counterexamples show the same sides.
    """
    if not isinstance(part, sp.Rel):
        return str(part)
    left, right = map(text_of, part.args)
    name = {sp.Eq: "Eq", sp.Ne: "Ne"}.get(type(part))
    return f"{name}({left}, {right})" if name else f"{left} {part.rel_op} {right}"


def links(chain: Sequence[Any]) -> tuple[Any, ...]:
    """Relations between neighbours of a chain: ``(a, "<=", b, "<", c)`` is ``a <= b`` and ``b < c``.

    Raises
    ------
    ValueError
        If sides and signs do not alternate, or there are fewer than two sides.
    """
    sides, signs = chain[::2], chain[1::2]
    if len(sides) != len(signs) + 1 or len(sides) < 2 or not all(sign in SIGNS for sign in signs):
        raise ValueError(
            f'`chain` must be sides with a sign between each two, such as (a, "<=", b, "<", c), with signs among '
            f"{', '.join(SIGNS)}, got {tuple(chain)}"
        )
    return tuple(SIGNS[sign](a, b) for a, sign, b in zip(sides, signs, sides[1:], strict=False))
