"""Domains of formulas: what a proof may assume about the formulas of its claim and conditions.

An instance counts only if both sides of the claim and of each condition are defined. This does not hold for a premise or a
textbook lemma: a proof that uses one must show that its formulas are defined.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from verify.engine.certificates.formulas import Tree, parts

DEFINED = "defined"
"""The justification for assuming that a formula has a value."""


def domain_conditions(formula: Tree) -> Iterator[Tree]:
    """Relations that hold wherever a formula or relation has a value, inner formulas first.

    A denominator is not zero, factor by factor, and the radicand of a root is nonnegative. A power with a symbolic
    exponent contributes nothing: wherever the exponent is a whole number, negative bases are allowed.
    """
    for part in parts(formula):
        match part:
            case ["/", _, below]:
                yield from _nonzero(below)
            case ["root", _, inside]:
                yield ["<=", "0", inside]
            case ["^", base, str(exponent)] if exponent.startswith("-") and exponent[1:].isdecimal():
                yield from _nonzero(base)


def _nonzero(formula: Tree) -> Iterator[Tree]:
    if isinstance(formula, list) and formula[0] == "*":
        for factor in formula[1:]:
            yield from _nonzero(factor)
    else:
        yield ["!=", formula, "0"]


def assumable(claim: Tree, assumptions: Iterable[tuple[Tree, str]]) -> list[Tree]:
    """Relations that a certificate may assume with the justification `DEFINED`: the domain of the claim and of its
    conditions.

    Parameters
    ----------
    claim : Tree
        The relation to be proved.
    assumptions : iterable of (Tree, str)
        Further assumptions with their justifications: "condition" or "condition NAME" for conditions, others for
        anything else.
    """
    conditions = [relation for relation, by in assumptions if by.partition(" ")[0] == "condition"]
    return [relation for formula in (claim, *conditions) for relation in domain_conditions(formula)]
