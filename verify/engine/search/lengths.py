"""How many terms the sums and products of a relation have at given sizes, because long ones take minutes to compute."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import sympy as sp

from verify.engine.model.scene import Condition, Shape

MOST_FACTORS = 1 << 16
"""Limit on factors of a factorial or power of whole numbers, which conditions compute exactly."""
MOST_TERMS = 1 << 13
"""Largest number of terms that a search computes; 1/j summed to 2^n would have 2^40 at n = 40."""


def is_short(relation: Condition, shape: Shape) -> bool:
    """Whether the sums and products of a relation have at most `MOST_TERMS` terms at some sizes."""
    return not relation.has(sp.Sum, sp.Product) or terms(relation, _sizes(relation, shape)) <= MOST_TERMS


def is_quick(condition: Condition, shape: Shape) -> bool:
    """Whether a condition is short at some sizes, and has no factorial or power of a number with more than `MOST_FACTORS` factors."""
    return _is_quick(condition, tuple(shape.items()))


@lru_cache(maxsize=8192)
def _is_quick(condition: Condition, shape_items: tuple[tuple[str, int], ...]) -> bool:
    shape = dict(shape_items)
    sizes = _sizes(condition, shape)
    factors = [
        *(part.args[0] for part in condition.atoms(sp.factorial)),
        *(part.exp for part in condition.atoms(sp.Pow)),
    ]
    return is_short(condition, shape) and all(
        abs(number) <= MOST_FACTORS for part in factors if (number := part.subs(sizes)).is_Rational
    )


def _sizes(relation: Condition, shape: Shape) -> dict[sp.Basic, sp.Expr]:
    """The symbols of a relation that are sizes, with their values."""
    return {s: sp.Integer(shape[s.name]) for s in relation.free_symbols if s.name in shape}


def terms(formula: sp.Basic, values: Mapping[sp.Basic, sp.Expr]) -> int:
    """The number of terms of the sums and products in a formula; an inner sum counts as long as at the last outer index.

    A sum whose number of terms is not known counts as one term.
    """
    if not isinstance(formula, sp.Sum | sp.Product):
        return sum(terms(part, values) for part in formula.args if part.has(sp.Sum, sp.Product))
    number, inside = 1, dict(values)
    for index, low, high in reversed(formula.limits):
        first, last = (end.subs(inside) for end in (low, high))
        length = last - first + 1
        number *= max(int(length), 0) if length.is_Integer else 1
        inside[index] = last
    return number * max(terms(formula.function, inside), 1)
