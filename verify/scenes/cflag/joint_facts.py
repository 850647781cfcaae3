"""Facts about rounds on memory and current data as one data set (C-FLAG, Lemma 3): descent, and errors of delayed gradients."""

from __future__ import annotations

import sympy as sp

from bounds.catalogue import statement
from bounds.cflag import joint as b
from bounds.cflag.drift_sharp import growth
from bounds.cflag.symbols import Dht, E, L, beta, fd2, gg, gg2, gh2, h_next, h_now, s2
from bounds.relations import eq, ge, le
from verify.engine.model.sums import Sums
from verify.scenes.cflag.drift_sums_facts import SQUARE, SQUARE_OF_TOTAL, SUMMED, apart, total, total_change
from verify.scenes.cflag.growth_facts import ALL, CURVE
from verify.scenes.cflag.so_far import facts_of
from verify.scenes.cflag.terms import (
    BOTH,
    JOINT,
    OF_BOTH,
    joint_lift,
    joint_turn,
    joint_way,
    joint_way2,
    sample_turn,
    sample_way,
)
from verify.scenes.norms_of_sums import follows, renamed
from verify.scenes.summands import definition
from verify.scenes.trees import Tree, square, times

ALONG = ge(b.js, (E - sp.Rational(4, 7) * beta * L * E**2) * gh2)
LENGTH = le(b.js2, sp.Rational(64, 49) * E**2 * gh2)
"""For beta <= 1/(4LE), the sum of the delayed gradients of a round is E times the gradient, up to the share 4/7 beta L E."""
DESCENT = le(h_next - h_now, -beta * (gh2 + b.js) + L / 2 * beta**2 * (gh2 + 2 * b.js + b.js2))
"""The descent lemma for the update of Eq. (68)."""


_x, _along = beta * L * E, sp.Symbol("along", real=True)
_VECTORS = {"E": "count", "sum": "vector", "g": "vector"}


_SMOOTH = Sums(
    le(sample_turn, L * sample_way),
    {sample_turn: "turn", sample_way: "way", joint_turn: "turn", joint_way: "way"},
    {"turn": "nonnegative", "way": "nonnegative"},
    (JOINT, OF_BOTH),
)
"""The change of the gradient of any sample of memory and current data."""
_difference: Tree = ["-", "sum", ["*", "E", "g"]]
_TURNED = (
    Sums(
        eq(b.js, E * gh2 + _along),
        {b.js: ["dot", "g", "sum"], gh2: square("g"), _along: ["dot", "g", _difference]},
        _VECTORS,
    ),
    Sums(
        le(_along**2, gg**2 * apart**2),
        {_along: ["dot", "g", _difference], gg**2: square("g"), apart**2: square(_difference)},
        _VECTORS,
    ),
)
_GRADIENT = renamed(SQUARE, {gg2: gh2})
_APART = follows(
    le(apart, sp.Rational(4, 7) * beta * L * E**2 * gg),
    *(total_change(_SMOOTH), CURVE, ALL),
    given=b.QUARTER,
    through=(
        le(_x, sp.Rational(1, 4)),
        le((growth - 1 - _x) * (6 - 2 * _x), 3 * _x**2),
        le(growth - 1 - _x, sp.Rational(4, 7) * _x**2),
    ),
)
_LIFTED = definition(eq(joint_lift, h_next - h_now + beta * (gh2 + b.js)))
_MOVED = Sums(
    eq(joint_way2, beta**2 * (gh2 + 2 * b.js + b.js2)),
    {
        joint_way2: square(times("beta", ["+", "g", "sum"])),
        **{gh2: square("g"), b.js: ["dot", "g", "sum"], b.js2: square("sum")},
    },
    _VECTORS,
)
"""The loss after a step of Eq. (68) minus its tangent, and the squared step."""
ON_BOTH = (
    follows(ALONG, _APART, *_TURNED, _GRADIENT, given=b.QUARTER, through=(ge(_along, -gg * apart),)),
    follows(
        LENGTH,
        *(SUMMED, _APART, renamed(SQUARE_OF_TOTAL, {s2: b.js2}), _GRADIENT),
        given=b.QUARTER,
        through=(le(total, sp.Rational(8, 7) * E * gg),),
    ),
    follows(DESCENT, _LIFTED, _MOVED, given=(OF_BOTH, BOTH), through=(le(joint_lift, L / 2 * joint_way2),)),
)
_CURRENT: Tree = ["-", ["*", ["+", "1", "q"], "joint"], ["*", "q", "kept"]]
"""The gradient of the current data: that of memory and current data is (q kept + current)/(1 + q)."""
CURRENT = Sums(
    statement("cflag.lem3.current/memory").compared,
    {gg2: square(_CURRENT), gh2: square("joint"), fd2: square("kept"), b.kept_share: "q"},
    {"joint": "vector", "kept": "vector", "q": "nonnegative"},
)
FALL = eq(Dht, b.h_first - h_now)
SO_FAR = (*facts_of(b.gh2_sum, b.gh2_sum_next, gh2, b.gh2_least, b.gh2_least_next), definition(FALL))
