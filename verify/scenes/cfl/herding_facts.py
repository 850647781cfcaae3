"""CFL, Algorithm 3: facts about core sets in which each sample is chosen at most once, for any number of samples and choices.

The offset of a sample is the mean feature less its own. `short` is the sum of the offsets of the choices so far; offsets of all
samples sum to zero.
"""

from __future__ import annotations

import sympy as sp

from bounds.catalogue import statement
from bounds.cfl import approximations as b
from bounds.relations import eq, le
from verify.engine.model.sums import Sums
from verify.scenes.cfl.client_sums import assumed
from verify.scenes.letters import named
from verify.scenes.norms_of_sums import NUMBER, AnyNumber, counted, follows, renamed
from verify.scenes.summands import SUMMANDS, added, before, changing, definition, summed
from verify.scenes.trees import Tree, square, times

chosen2, other2 = named("chosen2, other2", nonnegative=True)
NEAREST = le(chosen2, other2)
"""The choice of the algorithm: no sample that is left leads to a smaller squared distance of the sums."""
_left, _rest = (
    sp.Symbol("left", integer=True, positive=True),
    sp.Symbol("left afterwards", integer=True, nonnegative=True),
)
"""Number of samples that are left before a choice, and after it."""
_short2, _taken2 = named("short2, taken2", nonnegative=True)
_sum2, _number, _rest2 = named("sum of squares, number of sums, rest2", real=True)
_total: Tree = ["total", "off"]
_AVERAGE = Sums(
    eq(_sum2, (_left - 2) * _short2 + _rest2),
    {
        _left: "r",
        _sum2: ["each", "r", ["-", "off", _total], ["-", "off", _total]],
        _short2: square(_total),
        _rest2: ["each", "r", "off", "off"],
    },
    {"r": "count", "off": "family r"},
)
"""Offsets of the samples that are left; they sum to the opposite of `short`."""
_LEAST = summed(le(_number * chosen2, _sum2), {_number: sp.S.One, _sum2: other2}, (other2,), assumed(NEAREST))
_CHOICE = follows(
    le(_left * chosen2, (_left - 2) * _short2 + b.n_local * b.spread2),
    renamed(_LEAST, {_number: _left}),
    _AVERAGE,
    follows(le(_rest2, b.n_local * b.spread2), definition(eq(_rest2, b.n_local * b.spread2 - _taken2))),
)
_SHORT = counted(
    le(_short2, SUMMANDS * b.spread2),
    b.m_kept,
    changing(_short2, free=(chosen2, _rest)),
    definition(eq(_short2, chosen2)),
    definition(eq(b.n_local, NUMBER + _rest)),
    renamed(_CHOICE, {_short2: before(_short2), _left: _rest + 1}),
    given=(le(b.m_kept, b.n_local),),
    through=(
        le(_rest * before(_short2), _rest * (NUMBER - 1) * b.spread2),
        le((_rest + 1) * _short2, (_rest + 1) * NUMBER * b.spread2),
    ),
)
_offsets: Tree = ["-", times("n", times(["/", "1", "n"], ["total", "phi"])), ["total", "phi"]]
"""The sum of the offsets of all samples."""
OF_NEW_CHOICES: tuple[AnyNumber, ...] = (
    follows(
        statement("cfl.alg3/once").compared,
        renamed(_SHORT, {_short2: b.m_kept**2 * b.miss2}),
        given=(le(b.m_kept, b.n_local),),
    ),
    counted(
        statement("cfl.alg3.distinct/once").compared.xreplace({b.m_kept: SUMMANDS}),
        b.m_kept,
        changing(b.distinct),
        added(b.distinct, sp.S.One),
    ),
    Sums(
        statement("cfl.alg3.whole/once").compared,
        {b.miss2: ["/", square(_offsets), ["^", "n", "2"]]},
        {"n": "count", "phi": "family n"},
        given=(eq(b.m_kept, b.n_local),),
    ),
)
"""Each choice is a sample that was not chosen before, so that n choices are all samples."""
