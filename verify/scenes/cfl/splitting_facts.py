"""CFL, Algorithm 6: facts about samples that clients draw one by one, for any number of classes, clients and samples."""

from __future__ import annotations

import sympy as sp

from bounds.catalogue import statement
from bounds.cfl.algorithms import class_given, class_supply, got, needed, supplied, wanted
from bounds.relations import eq, ge, le
from verify.scenes.letters import named
from verify.scenes.norms_of_sums import NUMBER, counted, follows
from verify.scenes.summands import SUMMANDS, added, before, changing, definition, over_summands

_left, _taken = named("left, taken", real=True)
_drawn, _not_drawn = named("drawn, not drawn", nonnegative=True)
_DRAWN = definition(eq(_drawn, 1 - _not_drawn))
"""Whether the class is drawn, 1 or 0."""
_TAKEN = definition(eq(_taken, _drawn * sp.Min(1, before(_left))))
"""A sample is taken of a class that is drawn, if it has one left."""
_REST = over_summands(
    ge(_left, 0),
    {_left: (before(_left), class_supply), **changing(free=(_drawn, _not_drawn, _taken))},
    definition(eq(_left, before(_left) - _taken)),
    _TAKEN,
    _DRAWN,
    through=(
        ge(sp.Min(1, before(_left)), 0),
        le(sp.Min(1, before(_left)), before(_left)),
        le(_drawn, 1),
        le(_drawn * sp.Min(1, before(_left)), sp.Min(1, before(_left))),
    ),
)
_GIVEN = over_summands(
    eq(class_given, class_supply - _left),
    {
        _left: (before(_left), class_supply),
        class_given: (before(class_given), sp.S.Zero),
        **changing(free=(_taken,)),
    },
    definition(eq(_left, before(_left) - _taken)),
    added(class_given, _taken),
)
DISJOINT = follows(statement("cfl.alg6.disjoint").compared, _REST, _GIVEN)

_earlier, _more, _rest = named("earlier draws, later draws, rest", integer=True, nonnegative=True)
_LEFT = counted(
    eq(_left, supplied - SUMMANDS),
    _earlier,
    {_left: (before(_left), supplied), **changing(free=(_taken, _rest))},
    definition(eq(_left, before(_left) - _taken)),
    definition(eq(_taken, sp.Min(1, before(_left)))),
    definition(eq(supplied, NUMBER + _rest)),
    through=(ge(before(_left), 1), ge(_taken, 1), eq(_taken, 1)),
)
"""A draw is among the classes that have samples left: it takes one if there is any. No more are drawn than there are."""
_ENOUGH = le(needed, supplied)
MEANT = counted(
    eq(got, SUMMANDS),
    wanted,
    changing(got, free=(_taken, _left, _earlier, _more)),
    added(got, _taken),
    follows(
        eq(_taken, 1),
        _LEFT,
        definition(eq(_taken, sp.Min(1, _left))),
        definition(eq(needed, _earlier + 1 + _more)),
        given=(_ENOUGH,),
        through=(ge(_left, 1),),
    ),
)
