"""What a fact assumes of its own quantities: which symbol stands for which, and the sign that a condition gives it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

import sympy as sp

from verify.engine.arithmetic import side_by_side
from verify.engine.scene import Condition, Fact, Values
from verify.engine.triangles import plain

Right: TypeAlias = tuple[Condition, ...]
"""A condition, and the definition through which it speaks of a quantity, if it needs one."""
Meant: TypeAlias = Mapping[sp.Symbol, tuple[sp.Expr, Right]]
"""Symbol -> the formula that it stands for, and by what right this has its sign (`sign_of`)."""


def meant(fact: Fact, values: Values) -> Meant:
    """What the symbols of a fact's assumptions stand for, entry by entry."""
    return {
        symbol: (formula, tuple(right))
        for name, (quantity, *right) in fact.assumed.items()
        for symbol, formula in zip(values[name].ravel(), values[quantity].ravel(), strict=True)
    }


def spoken_of(condition: Condition, values: Values) -> bool:
    """Whether a scene computes all that a condition speaks of."""
    return all(symbol.name in values for symbol in condition.free_symbols)


def sign_of(symbol: sp.Symbol, formula: sp.Expr, condition: Condition) -> Condition:
    """What a condition is taken to say of a formula for which a symbol stands: nonnegative, or positive if it is strict.

    Where the symbol may have either sign, an equation makes the formula zero.
    """
    if isinstance(condition, sp.Eq) and not symbol.is_nonnegative:
        return sp.Eq(0, plain(formula), evaluate=False)
    kind = sp.Gt if isinstance(condition, sp.Lt | sp.Gt) else sp.Ge
    return kind(plain(formula), 0, evaluate=False)


def entries_of(condition: Condition, values: Values) -> Iterator[Condition]:
    """What a relation says of the quantities of a scene, entry by entry."""
    left, right = (side.ravel() for side in side_by_side(condition.args, values, "symbolic", 1))
    for pair in zip(left, right, strict=True):
        yield condition.func(*map(plain, pair), evaluate=False)


def called(right: Right) -> str:
    """The right to a sign, as a certificate names it."""
    return f"condition {' through '.join(map(str, right))}"
