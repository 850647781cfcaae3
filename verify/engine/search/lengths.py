"""How many terms the sums and products of a relation have at given sizes, because long ones take minutes to compute."""

from __future__ import annotations

from collections.abc import Mapping

import sympy as sp

from verify.engine.model.scene import Condition, Shape

MOST_TERMS = 1 << 13
"""Largest number of terms that a search computes; 1/j summed to 2^n would have 2^40 at n = 40."""


def is_short(relation: Condition, shape: Shape) -> bool:
    """Whether the sums and products of a relation have at most `MOST_TERMS` terms at some sizes."""
    if not relation.has(sp.Sum, sp.Product):
        return True
    return (
        terms(relation, {s: sp.Integer(shape[s.name]) for s in relation.free_symbols if s.name in shape})
        <= MOST_TERMS
    )


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
