"""Sums of any number of summands: what is so of each is so of all, added one after the other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import sympy as sp

from bounds.relations import eq
from verify.engine.certificates.formulas import tree
from verify.engine.scene import Condition, Rounds
from verify.engine.sums import Sums

SUMMANDS = sp.Symbol("summands", integer=True, nonnegative=True)
"""How many have been added."""


def before(quantity: sp.Symbol) -> sp.Symbol:
    """A quantity one round earlier; a sum without its last summand, which may be nothing. No letter of anybody's is called so."""
    said = dict(quantity._assumptions_orig)
    if said.pop("positive", False):
        said["nonnegative"] = True
    return sp.Symbol(f"{quantity} before", **said)


def later(quantity: sp.Symbol) -> sp.Symbol:
    """A quantity one round later, as hints on the way there name it."""
    return sp.Symbol(f"{quantity} later", **quantity._assumptions_orig)


def meant(relation: Condition) -> Sums:
    """What a letter stands for, by the formula on the right.

    Raises
    ------
    ValueError
        If the relation is no equation for a letter.
    """
    if not isinstance(relation, sp.Eq) or not relation.lhs.is_Symbol:
        raise ValueError(f"`relation` must be an equation for a letter, got {relation}")
    return Sums(relation, {relation.lhs: tree(relation.rhs)}, {})


def changing(
    *begun: sp.Symbol, free: Iterable[sp.Symbol] = ()
) -> dict[sp.Symbol, tuple[sp.Symbol, sp.Expr | None]]:
    """What changes in every round, as `Rounds` has it: quantities that are nothing before the first, and ones that may be anything."""
    first = dict.fromkeys(free, None) | dict.fromkeys(begun, sp.S.Zero)
    return {quantity: (before(quantity), start) for quantity, start in first.items()}


def summed(
    relation: Condition,
    summands: Mapping[sp.Symbol, sp.Expr],
    each: Iterable[sp.Symbol],
    facts: tuple[Sums | Rounds, ...] = (),
    through: tuple[Condition, ...] = (),
) -> Rounds:
    """A relation between sums as a fact about any number of summands.

    Parameters
    ----------
    relation : Relational
    summands : mapping
        Sum -> its summand.
    each : iterable of Symbol
        Letters in the summands that are another number in each.
    facts : tuple of Sums or Rounds
        Of the letters of each summand.
    through : tuple of Relational
        Hints, as of `Rounds`.
    """
    added = (meant(eq(total, before(total) + summand)) for total, summand in summands.items())
    changes = changing(*summands, free=each)
    return Rounds(relation, SUMMANDS, {}, {}, changes, (*added, *facts), through=through)
