"""Formulas of certificates as nested lists; facts about vectors are written with them."""

from __future__ import annotations

from verify.engine.certificates.formulas import Tree


def square(vector: Tree) -> Tree:
    """Squared length."""
    return ["dot", vector, vector]


def times(*factors: Tree) -> Tree:
    """A product."""
    return ["*", *factors]


__all__ = ["Tree", "square", "times"]
