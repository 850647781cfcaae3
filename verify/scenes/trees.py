"""Formulas of certificates as nested lists; facts about vectors are written with them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import sympy as sp

from verify.engine.certificates.formulas import Tree
from verify.engine.model.scene import Condition
from verify.engine.model.sums import Bounded, Sums


def square(vector: Tree) -> Tree:
    """Squared length."""
    return ["dot", vector, vector]


def times(*factors: Tree) -> Tree:
    """A product."""
    return ["*", *factors]


def vocabulary(means: Mapping[sp.Expr, Tree], symbols: Mapping[str, str]) -> Callable[..., Sums]:
    """A function ``fact(relation, *bounded)`` that states a relation between some of these quantities, as in `Sums`."""

    def fact(relation: Condition, *bounded: Bounded) -> Sums:
        spoken = {quantity: form for quantity, form in means.items() if relation.has(quantity)}
        return Sums(relation, spoken, symbols, bounded=bounded)

    return fact


__all__ = ["Tree", "square", "times", "vocabulary"]
