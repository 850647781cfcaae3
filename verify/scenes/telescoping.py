"""Sums over any number of rounds in which neighbouring terms cancel, by induction."""

from __future__ import annotations

import sympy as sp

from bounds.relations import eq
from verify.engine.model.scene import Condition, Follows, Rounds
from verify.scenes.letters import named
from verify.scenes.norms_of_sums import follows
from verify.scenes.summands import SUMMANDS, before, definition

_NUMBER = sp.Symbol("number of summands", nonnegative=True)
_total, _first, _now, _constant, _factor = named("total, first, now, constant, factor")
_TELESCOPED = Rounds(
    eq(_total, _NUMBER * _constant + _factor * (_first - _now)).xreplace({_NUMBER: SUMMANDS}),
    SUMMANDS,
    {_NUMBER: SUMMANDS},
    {_NUMBER: _NUMBER + 1},
    {_total: (before(_total), sp.S.Zero), _now: (before(_now), _first)},
    (definition(eq(_total, before(_total) + _constant + _factor * (before(_now) - _now))),),
)


def telescoped(
    relation: Condition,
    number: sp.Symbol,
    entries: sp.IndexedBase,
    factor: sp.Expr = sp.S.One,
    constant: sp.Expr = sp.S.Zero,
) -> Follows:
    """A sum of a constant and a multiple of the differences of successive entries, by the first and the last entry.

    Parameters
    ----------
    relation : Relational
        With the sum on the left.
    number : Symbol
        Number of summands.
    """
    letters = {
        **{_total: relation.lhs, SUMMANDS: number, _factor: factor, _constant: constant},
        **{_first: entries[0], _now: entries[number]},
    }
    return follows(relation, (_TELESCOPED, letters))
