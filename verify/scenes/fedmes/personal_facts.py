"""Facts about the distances of a round: local steps on (2) contract every coordinate by a factor given by its curvature.

They hold for any number of local steps and of coordinates, by induction over both.
"""

from __future__ import annotations

import sympy as sp

import bounds.fedmes.personal as b
from bounds.fedmes import symbols as letters
from bounds.relations import eq, ge, le
from verify.engine.model.scene import Condition, Follows, Rounds
from verify.engine.model.sums import Sums
from verify.scenes.letters import named
from verify.scenes.norms_of_sums import AnyNumber, equal_norms, follows, renamed
from verify.scenes.summands import (
    SUMMANDS,
    added,
    before,
    by_definition,
    changing,
    definition,
    over_summands,
    summed,
)
from verify.scenes.trees import Tree, square, vocabulary

LOCAL = le(b.end_from_centre2, b.left**2 * b.from_centre2)
FLOOR = ge(b.end_from_centre2, b.least_left**2 * b.from_centre2)
CENTRE = le(b.centre_moved2, (letters.lam / (letters.c + letters.lam)) ** 2 * b.off2)
BY_CENTRE = eq(b.error2, b.end_from_centre2 + b.centre_moved2 + 2 * b.between)
CROSSED = le(b.between**2, b.end_from_centre2 * b.centre_moved2)
OWN = le(b.own_left2, b.left**2 * b.error_before2)
DRAWN = le(b.drawn2, ((1 - b.left) * letters.lam / (letters.c + letters.lam)) ** 2 * b.off2)
BY_OWN = eq(b.error2, b.own_left2 + b.drawn2 + 2 * b.together)
OWN_CROSSED = le(b.together**2, b.own_left2 * b.drawn2)
NOT_ALL = le(b.left, 1)
CURVATURE = sp.Symbol("h", positive=True)
BENT = (le(letters.c, CURVATURE), le(CURVATURE, letters.L))
"""The definitions of c and L: they bound every client's curvature h from below and above."""

LEFT = eq(b.left, (1 - letters.eta_1 * (letters.c + letters.lam)) ** b.E)
LEAST_LEFT = eq(b.least_left, (1 - letters.eta_1 * (letters.L + letters.lam)) ** b.E)
STAYED = eq(b.end_from_centre, b.from_centre)
STAYED_OWN = eq(b.error, b.error_start)


def squares(*norms: sp.Symbol) -> tuple[sp.Eq, ...]:
    """The glossary's squares of norms."""
    return tuple(eq(letters.FEDMES[f"{norm.name}2"].symbol, norm**2) for norm in norms)


NEXT = eq(b.off2_next, b.off_next**2)
NORMS = (
    *squares(
        b.error, b.error_before, b.end_from_centre, b.from_centre, b.centre_moved, b.own_left, b.drawn, b.off
    ),
    NEXT,
)
AT_ITS_PACE = by_definition(b.PACED)

# ------------------------------------------------------------------------------------------------ local steps

_step, _bound, _share, _pull = named("step, bound, share of all, pull", nonnegative=True)
"""Factors of a coordinate in one local step and in all, a bound on the former; lambda, which is not negative."""
_eta, _c, _L = letters.eta_1, letters.c, letters.L
CONTRACTS = (b.SHORT, b.PULLED, *BENT)


def _power(relation: Condition, share: sp.Symbol, factor: sp.Expr) -> Follows:
    """The share that all steps leave, as a power."""
    value = sp.Symbol("one power", real=True)
    powers = factor**SUMMANDS
    growing = Rounds(
        eq(share, powers),
        SUMMANDS,
        {value: powers},
        {value: factor * value},
        {share: (before(share), sp.S.One)},
        (definition(eq(share, factor * before(share))),),
    )
    return follows(relation, (growing, {SUMMANDS: b.E}))


def _ordered(relation: Condition, known: Condition, largest: sp.Symbol) -> Rounds:
    """Shares of all steps are ordered as those of one step."""
    return over_summands(
        relation,
        {name: (before(name), sp.S.One) for name in (_share, largest)},
        definition(eq(_share, _step * before(_share))),
        definition(eq(largest, _bound * before(largest))),
        given=(known,),
    )


def _fact_at(fact: AnyNumber, letters_: dict[sp.Symbol, sp.Expr], given: tuple[Condition, ...]) -> Follows:
    """A fact about numbers, at formulas that lie in their domains under these conditions."""
    relation = fact.relation.func(*(side.xreplace(letters_) for side in fact.relation.args), evaluate=False)
    return follows(relation, (fact, letters_), given=given)


_OWN_STEP = 1 - _eta * (CURVATURE + letters.lam)
_AT_MOST = _fact_at(
    _ordered(le(_share, b.left), le(_step, _bound), b.left),
    {_step: _OWN_STEP, _bound: 1 - _eta * (_c + letters.lam)},
    CONTRACTS,
)
_AT_LEAST = _fact_at(
    _ordered(ge(_share, b.least_left), ge(_step, _bound), b.least_left),
    {_step: _OWN_STEP, _bound: 1 - _eta * (_L + letters.lam)},
    CONTRACTS,
)
_NOT_ALL = _fact_at(
    over_summands(
        NOT_ALL,
        {b.left: (before(b.left), sp.S.One)},
        definition(eq(b.left, _bound * before(b.left))),
        given=(le(_bound, 1),),
    ),
    {_bound: 1 - _eta * (_c + letters.lam)},
    CONTRACTS,
)
_sum, _sum_most = named("sum of shares, largest sum", nonnegative=True)
_earlier = {_share: before(_share), b.left: before(b.left)}
_SUMS = over_summands(
    le(_sum, _sum_most),
    {**changing(_sum, _sum_most), **{name: (before(name), sp.S.One) for name in (_share, b.left)}},
    added(_sum, _eta * before(_share)),
    added(_sum_most, _eta * before(b.left)),
    renamed(_ordered(le(_share, b.left), le(_step, _bound), b.left), _earlier),
    given=(le(_step, _bound),),
    through=(le(_eta * before(_share), _eta * before(b.left)),),
)


def _geometric(share: sp.Symbol, total: sp.Symbol, curve: sp.Symbol) -> Rounds:
    """What all steps take off a coordinate is its curvature times a sum of shares."""
    return over_summands(
        eq(1 - share, (curve + _pull) * total),
        {**changing(total), share: (before(share), sp.S.One)},
        added(total, _eta * before(share)),
        definition(eq(share, (1 - _eta * (curve + _pull)) * before(share))),
    )


_ratio = sp.Symbol("ratio", nonnegative=True)
"""Factor of a coordinate."""
# ------------------------------------------------------------------------------------------------ all coordinates

_coordinate = sp.Symbol("coordinate", real=True)


def _over_coordinates(relation: Condition, share: sp.Symbol, fact: AnyNumber) -> Rounds:
    """The square of a vector, each of whose coordinates is another's times a factor, by the square of the other."""
    most, other = fact.relation.rhs, next(s for s in relation.rhs.free_symbols if str(s) in _OTHERS)
    way = relation.func
    return summed(
        relation,
        {relation.lhs: (share * _coordinate) ** 2, other: _coordinate**2},
        (share, _coordinate),
        fact,
        through=(
            way(share**2, most**2, evaluate=False),
            way(share**2 * _coordinate**2, most**2 * _coordinate**2, evaluate=False),
        ),
    )


_OTHERS = ("from_centre2", "off2", "error_before2")
_AGREED = follows(_AT_MOST.relation, _AT_MOST, given=(*CONTRACTS, b.AGREE))
_AGREED_LEAST = follows(_AT_LEAST.relation, _AT_LEAST, given=(*CONTRACTS, b.AGREE))
"""With the constraint (4) no client corrects its steps."""


def _with_pull(relation: Condition) -> Condition:
    return relation.func(*(side.xreplace({letters.lam: _pull}) for side in relation.args), evaluate=False)


def _at_lam(relation: Condition, fact: AnyNumber, given: tuple[Condition, ...]) -> Follows:
    """A fact about a pull that is not negative, for lambda."""
    return follows(relation, (fact, {_pull: letters.lam}), given=given)


_PULLED = tuple(map(_with_pull, (b.SHORT, *BENT)))
_MOVED = follows(
    le(_ratio, _pull / (_c + _pull)), definition(eq(_ratio, _pull / (CURVATURE + _pull))), given=BENT[:1]
)
_TAKEN = follows(
    le(_ratio, _pull * _sum_most),
    definition(eq(_ratio, _pull * (1 - _share) / (CURVATURE + _pull))),
    _geometric(_share, _sum, CURVATURE),
    _fact_at(_SUMS, {_step: 1 - _eta * (CURVATURE + _pull), _bound: 1 - _eta * (_c + _pull)}, _PULLED),
    given=_PULLED,
    through=(eq(_ratio, _pull * _sum), le(_pull * _sum, _pull * _sum_most)),
)
_DRAWN = follows(
    _with_pull(DRAWN),
    _over_coordinates(le(b.drawn2, (_pull * _sum_most) ** 2 * b.off2), _ratio, _TAKEN),
    _geometric(b.left, _sum_most, _c),
    through=(eq((1 - b.left) * _pull / (_c + _pull), _pull * _sum_most),),
)

# ------------------------------------------------------------------------------------------------ ways between models

_WAYS: dict[sp.Symbol, Tree] = {
    b.error2: square(["+", "one", "other"]),
    b.between: ["dot", "one", "other"],
    b.together: ["dot", "one", "other"],
    b.end_from_centre2: square("one"),
    b.own_left2: square("one"),
    b.centre_moved2: square("other"),
    b.drawn2: square("other"),
}
_way = vocabulary(_WAYS, {"one": "vector", "other": "vector"})
"""A relation between the ways that lead to the personal optimum."""


def _square(relation: Condition) -> Sums:
    """The square of a norm."""
    return Sums(relation, dict.fromkeys(relation.args, square("vector")), {"vector": "vector"})


OF_ANY: tuple[AnyNumber, ...] = (
    _power(LEFT, b.left, 1 - _eta * (_c + letters.lam)),
    _power(LEAST_LEFT, b.least_left, 1 - _eta * (_L + letters.lam)),
    *map(_square, NORMS),
)
"""Facts about rounds of any algorithm: shares and squares."""
AROUND: tuple[AnyNumber, ...] = (
    _way(BY_CENTRE),
    _at_lam(CENTRE, _over_coordinates(_with_pull(CENTRE), _ratio, _MOVED), (b.PULLED, BENT[0])),
    _way(CROSSED),
    *OF_ANY,
)
"""Facts about the way to the personal optimum by the regularised one, wherever local work ends."""
FROM_DOWNLOAD = (
    *AROUND,
    _over_coordinates(LOCAL, _share, _AGREED),
    _over_coordinates(FLOOR, _share, _AGREED_LEAST),
)
"""Facts about local work that starts at the downloaded model."""
FROM_OWN: tuple[AnyNumber, ...] = (
    _way(BY_OWN),
    _over_coordinates(OWN, _share, _AT_MOST),
    _at_lam(DRAWN, _DRAWN, CONTRACTS),
    _way(OWN_CROSSED),
    _NOT_ALL,
    *OF_ANY,
)
"""Facts about local work that starts at a client's own model."""
STILL = equal_norms(b.end_from_centre, b.from_centre, "model", "model")
STILL_OWN = equal_norms(b.error, b.error_start, "model", "model")
"""A model that does not move."""
