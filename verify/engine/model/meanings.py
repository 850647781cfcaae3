"""Assumptions of a fact: the quantity that each symbol stands for, and the sign that a condition gives it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

import sympy as sp

from verify.engine.model.arithmetic import side_by_side
from verify.engine.model.scene import Condition, Fact, Values
from verify.engine.proof.extremes import plain

Right: TypeAlias = tuple[Condition, ...]
"""A condition, and the definition that relates it to a quantity, if it needs one."""
Meant: TypeAlias = Mapping[sp.Symbol, tuple[sp.Expr, Right]]
"""Symbol -> the formula that it stands for, and the justification of its sign (`sign_of`)."""


def formulas_of_symbols(fact: Fact, values: Values) -> Meant:
    """The quantities that the symbols of a fact's assumptions stand for, entry by entry."""
    return {
        symbol: (formula, tuple(right))
        for name, (quantity, *right) in fact.assumed.items()
        for symbol, formula in zip(values[name].ravel(), values[quantity].ravel(), strict=True)
    }


def spoken_of(condition: Condition, values: Values) -> bool:
    """Whether a scene computes all quantities of a condition."""
    return all(symbol.name in values for symbol in condition.free_symbols)


def sign_of(symbol: sp.Symbol, formula: sp.Expr, condition: Condition) -> Condition:
    """The sign that a condition gives to the formula of a symbol: nonnegative, or positive if the condition is strict.

    If the symbol may have either sign, an equation makes the formula zero.
    """
    if isinstance(condition, sp.Eq) and not symbol.is_nonnegative:
        return sp.Eq(0, plain(formula), evaluate=False)
    kind = sp.Gt if isinstance(condition, sp.Lt | sp.Gt) else sp.Ge
    return kind(plain(formula), 0, evaluate=False)


def entries_of(condition: Condition, values: Values) -> Iterator[Condition]:
    """A relation between the quantities of a scene, entry by entry."""
    left, right = (side.ravel() for side in side_by_side(condition.args, values, "symbolic", 1))
    for pair in zip(left, right, strict=True):
        yield condition.func(*map(plain, pair), evaluate=False)


def justification(right: Right) -> str:
    """The justification of a sign, in the form used by certificates."""
    return f"condition {' through '.join(map(str, right))}"
