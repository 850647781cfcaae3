"""Sums of any number of summands: a relation that holds for each summand holds for the sum, by induction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import sympy as sp

from bounds.relations import eq
from bounds.symbols import assumptions_of, renamed
from verify.engine.certificates.formulas import tree
from verify.engine.model.scene import Condition, Fact, Follows, Rounds
from verify.engine.model.sums import Sums

SUMMANDS = sp.Symbol("summands", integer=True, nonnegative=True)
"""Number of summands that have been added."""


def before(quantity: sp.Symbol) -> sp.Symbol:
    """The symbol of a quantity one round earlier, or of a sum without its last summand. No paper uses such a name."""
    said = dict(assumptions_of(quantity))
    if said.pop("positive", False):
        said["nonnegative"] = True
    return sp.Symbol(f"{quantity} before", **said)


def later(quantity: sp.Symbol) -> sp.Symbol:
    """The symbol of a quantity one round later, for use in hints."""
    return renamed(quantity, f"{quantity} later")


def definition(relation: Condition) -> Sums:
    """The definition of a symbol by the formula on the other side, as a fact.

    Raises
    ------
    ValueError
        If no side of an equation is a symbol.
    """
    letters = [side for side in relation.args if side.is_Symbol] if isinstance(relation, sp.Eq) else []
    if not letters:
        raise ValueError(f"`relation` must be an equation for a letter, got {relation}")
    formula = relation.rhs if letters[0] is relation.lhs else relation.lhs
    return Sums(relation, {letters[0]: tree(formula)}, {})


def solved(relation: Condition, letter: sp.Symbol) -> Sums:
    """An equation, linear in a letter, as the definition of this letter."""
    (formula,) = sp.solve(relation, letter)
    return Sums(relation, {letter: tree(formula)}, {})


def by_definition(relation: Condition, *given: Condition) -> Follows:
    """A relation that the definitions of its quantities state, or that follows from the conditions `given`."""
    return Follows(relation, (), given or (relation,))


def changing(
    *begun: sp.Symbol, free: Iterable[sp.Symbol] = ()
) -> dict[sp.Symbol, tuple[sp.Symbol, sp.Expr | None]]:
    """The quantities that change in every round, for `Rounds`: those that start at 0, and those with an arbitrary start."""
    first = dict.fromkeys(free, None) | dict.fromkeys(begun, sp.S.Zero)
    return {quantity: (before(quantity), start) for quantity, start in first.items()}


def added(total: sp.Symbol, summand: sp.Expr) -> Sums:
    """A sum is the sum without its last summand and the last summand."""
    return definition(eq(total, before(total) + summand))


def over_summands(
    relation: Condition,
    changes: Mapping[sp.Symbol, tuple[sp.Symbol, sp.Expr | None]],
    *steps: Fact | Sums | Rounds | Follows,
    given: tuple[Condition, ...] = (),
    through: tuple[Condition, ...] = (),
) -> Rounds:
    """A relation between sums, by induction over the number of summands; the other arguments are those of `Rounds`."""
    return Rounds(relation, SUMMANDS, {}, {}, changes, steps, given, through)


def summed(
    relation: Condition,
    summands: Mapping[sp.Symbol, sp.Expr],
    each: Iterable[sp.Symbol],
    *facts: Fact | Sums | Rounds | Follows,
    given: tuple[Condition, ...] = (),
    through: tuple[Condition, ...] = (),
) -> Rounds:
    """A relation between sums as a fact about any number of summands.

    Parameters
    ----------
    relation : Relational
    summands : mapping
        Sum -> its summand.
    each : iterable of Symbol
        Symbols in the summands with a different value in each.
    facts : Fact, Sums, Rounds or Follows
        Facts about the symbols of each summand.
    given, through : tuple of Relational
        Conditions and hints, as in `Rounds`.
    """
    steps = (*(added(total, summand) for total, summand in summands.items()), *facts)
    return over_summands(relation, changing(*summands, free=each), *steps, given=given, through=through)
