"""CFL, Appendix C.1.1: facts about samples that local data sets along a pointer share, for any sizes, steps and numbers of rounds."""

from __future__ import annotations

import sympy as sp

from bounds.catalogue import relations
from bounds.cfl.algorithms import faded, local_size, pointer_step, shared, shared_pair
from bounds.relations import eq, ge, le
from verify.engine.model.scene import Condition, Follows, Rounds
from verify.scenes.letters import named
from verify.scenes.norms_of_sums import NUMBER, AnyNumber, counted, follows, renamed
from verify.scenes.summands import SUMMANDS, added, before, changing, definition, summed

_SHORT = le(pointer_step, local_size)
_common, _missing, _each = named("common, missing, each", real=True)
_later = sp.Symbol("rounds later", integer=True, positive=True)
_places = sp.Symbol("places", integer=True, nonnegative=True)
_NOT = summed(eq(_missing, 0), {_missing: _each}, (_each,), definition(eq(_each, 0)))
"""Places of the earlier data set before the start of the later one."""


def _counted(number: sp.Expr, given: tuple[Condition, ...] = ()) -> Follows:
    """Each place of the earlier data set from the start of the later one on counts."""
    return counted(
        eq(_common, SUMMANDS),
        number,
        changing(_common, free=(_each,)),
        added(_common, _each),
        definition(eq(_each, 1)),
        given=given,
    )


_relation = relations("cfl")


def _pair(relation: Condition, *facts: AnyNumber, through: tuple[Condition, ...]) -> Follows:
    """A relation about the data sets of two rounds."""
    return follows(
        relation,
        _counted(_places),
        _NOT,
        definition(eq(shared_pair, (_missing + _common) / local_size)),
        follows(
            eq(_places, sp.Max(0, local_size - _later * pointer_step)),
            definition(eq(_places, sp.Max(0, local_size - _later * pointer_step))),
        ),
        *facts,
        given=(_SHORT,),
        through=through,
    )


_share = pointer_step / local_size
_FADED = Rounds(
    ge(faded, 1 - SUMMANDS * _share),
    SUMMANDS,
    {NUMBER: SUMMANDS},
    {NUMBER: NUMBER + 1},
    {faded: (before(faded), sp.S.One)},
    (definition(eq(faded, (1 - _share) * before(faded))),),
    (_SHORT,),
    (ge(1 - _share, 0), ge((1 - _share) * before(faded), (1 - _share) * (1 - (NUMBER - 1) * _share))),
)
"""Bernoulli's inequality."""
ON_RING = follows(
    _relation("overlap/ring"),
    _counted(local_size - pointer_step, (_SHORT,)),
    _NOT,
    definition(eq(shared, _missing + _common)),
    given=(_SHORT,),
)
"""The ring is long enough for both data sets, so that the next one does not come back to the beginning of the first."""
FIRST_PASS: tuple[AnyNumber, ...] = (
    _pair(
        _relation("overlap.case1/first-pass"),
        through=(
            le(local_size - _later * pointer_step, local_size - pointer_step),
            le(_places, local_size - pointer_step),
        ),
    ),
    _pair(
        _relation("overlap.case2/first-pass"),
        renamed(_FADED, {SUMMANDS: _later}),
        through=(le(local_size - _later * pointer_step, local_size * faded), le(_places, local_size * faded)),
    ),
)
