"""Facts about sums of the weights of any number of rounds (CFL, Lemma B.4, Eq. (33), Theorem 4.7).

A sum begins with the current round, or with no round, and grows by one round after the other. Weights are arbitrary, but for
those of the paper, of which all past ones are equal.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import sympy as sp

from bounds.catalogue import relations
from bounds.cfl import weight_sums as b
from bounds.cfl.correlated import p_cross, p_now, p_square
from bounds.cfl.nonconvex_text import square_later, square_t
from bounds.cfl.symbols import D2, F2, G2, R2, t
from bounds.cfl.weights_text import fedavg
from bounds.relations import eq, ge, gt, le
from verify.engine.model.scene import Condition, Follows, Rounds
from verify.engine.model.sums import Sums
from verify.scenes.norms_of_sums import follows
from verify.scenes.summands import before, definition, over_summands, summed

AnyNumber = Sums | Rounds | Follows
weight, other = sp.symbols("weight other_weight", real=True)
"""The weights of two rounds."""
past, whole, products = sp.symbols("past_weights all_weights products", real=True)
"""Sum of the past weights, of all weights, and of a weight times each of the others so far."""
rounds = sp.Symbol("past_rounds", real=True)
"""Number of past rounds."""
_spread_of = sp.Symbol("spread_of", real=True)
_denominator, _drift = sp.symbols("denominator drift", real=True)
line = relations("cfl")


def added(
    relation: Condition,
    sums: Mapping[sp.Symbol, tuple[sp.Expr, sp.Expr]],
    facts: Iterable[AnyNumber] = (),
    each: Iterable[sp.Symbol] = (weight,),
    through: tuple[Condition, ...] = (),
    given: tuple[Condition, ...] = (),
) -> Rounds:
    """A relation between sums as a fact about any number of rounds.

    Parameters
    ----------
    sums : mapping
        Sum -> its value before the first round, and its value in terms of the value one round before.
    facts : iterable of facts
        Relations that hold in every round.
    each : iterable of Symbol
        Quantities that differ between rounds.
    """
    begun = {total: (before(total), start) for total, (start, _) in sums.items()}
    free = {quantity: (before(quantity), None) for quantity in each}
    steps = (definition(eq(total, grown)) for total, (_, grown) in sums.items())
    return over_summands(relation, {**begun, **free}, *steps, *facts, given=given, through=through)


def grows(total: sp.Symbol, by: sp.Expr, start: sp.Expr = sp.S.Zero) -> tuple[sp.Expr, sp.Expr]:
    """A sum to which each round adds a summand, for `added`."""
    return start, before(total) + by


def earlier(fact: AnyNumber, *quantities: sp.Symbol) -> Follows:
    """A fact with quantities as they were one round before."""
    ago = {quantity: before(quantity) for quantity in quantities}
    return follows(fact.relation.xreplace(ago), (fact, ago))


_COUNTED = {past: grows(past, weight), rounds: grows(rounds, sp.S.One)}

# ---------------------------------------------------------------------------------------------------- any weights

_SQUARES = added(
    eq(b.q_square, b.q_now**2 + b.q_past2),
    {b.q_square: grows(b.q_square, weight**2, b.q_now**2), b.q_past2: grows(b.q_past2, weight**2)},
)
_DIFFERENCES = summed(
    eq(_spread_of, rounds * other**2 - 2 * other * past + b.q_past2),
    {_spread_of: (other - weight) ** 2, rounds: sp.S.One, past: weight, b.q_past2: weight**2},
    (weight,),
)
"""Squared differences of a weight to all before it."""
_SPREAD = added(
    eq(rounds * b.q_past2, past**2 + b.q_spread),
    {**_COUNTED, b.q_past2: grows(b.q_past2, weight**2), b.q_spread: grows(b.q_spread, _spread_of)},
    (
        follows(
            eq(_spread_of, before(rounds) * weight**2 - 2 * weight * before(past) + before(b.q_past2)),
            (_DIFFERENCES, {other: weight, **{of: before(of) for of in (rounds, past, b.q_past2)}}),
        ),
    ),
    (weight, _spread_of),
)
_OFF = added(
    eq(b.q_off2, _denominator**2 * b.q_past2 - 2 * _denominator * _drift * past + rounds * _drift**2),
    {
        **_COUNTED,
        b.q_past2: grows(b.q_past2, weight**2),
        b.q_off2: grows(b.q_off2, (_denominator * weight - _drift) ** 2),
    },
)
_TIMES = summed(eq(products, other * past), {products: other * weight, past: weight}, (weight,))
"""Products of a weight with all before it."""
SQUARED_SUM = added(
    eq(whole**2, b.q_cross + b.q_square),
    {
        b.q_cross: grows(b.q_cross, 2 * products),
        b.q_square: grows(b.q_square, weight**2),
        whole: grows(whole, weight),
    },
    (follows(eq(products, weight * before(whole)), (_TIMES, {other: weight, past: before(whole)})),),
    (weight, products),
)


def _products(cross: sp.Symbol, square: sp.Symbol) -> Follows:
    """Products of different weights are what squares leave of one."""
    return follows(
        eq(cross, 1 - square), (SQUARED_SUM, {b.q_cross: cross, b.q_square: square, whole: sp.S.One})
    )


def _off(id: str, drift: sp.Symbol) -> Follows:
    """Squared distances of past weights from the best ones, where `drift` is the drift."""
    letters = {_denominator: b.common(drift), _drift: drift, past: 1 - b.q_now, rounds: t - 1}
    return follows(line(id), (_OFF, letters))


def least_hints(drift: sp.Symbol) -> tuple[Condition, ...]:
    """Hints for "the value of any weights is at least the minimum": multiplied by the squared denominator, and as stated."""
    below, value_there = b.common(drift), drift * b.q_square + R2 * (1 - b.q_now) ** 2
    value = drift * (drift + (t - 1) * R2)
    return (le(below * value, below**2 * value_there), le(value, below * value_there))


PAST_SQUARES = follows(line("lemB.4/past"), _SQUARES)
_OFF_BEST = _off("lemB.4/off", D2)
LEAST = follows(
    line("lemB.4/least"), PAST_SQUARES, _OFF_BEST, given=(gt(b.common(D2), 0),), through=least_hints(D2)
)
PRODUCTS = _products(b.q_cross, b.q_square)
OF_ANY_WEIGHTS = (
    PAST_SQUARES,
    follows(line("lemB.4/spread"), (_SPREAD, {past: 1 - b.q_now, rounds: t - 1})),
    _OFF_BEST,
    PRODUCTS,
)
_NO_WEIGHT = definition(eq(weight, 0))
_NO_PAST, _NO_SQUARES = (
    added(eq(total, 0), {total: grows(total, summand)}, (_NO_WEIGHT,))
    for total, summand in ((past, weight), (b.q_past2, weight**2))
)
CURRENT_ALONE = follows(
    line("rem4.5.special"),
    _NO_PAST,
    _NO_SQUARES,
    definition(eq(fedavg, G2 + R2 * past**2 + D2 * (b.q_past2 + 1))),
)
"""The current round has the weight 1, and each past round has none."""

# ------------------------------------------------------------------------------------------ weights of Theorem 4.7

DEFINED = gt(b.common(b.M2), 0)
_ALIKE = added(
    eq(p_square, p_now**2 + rounds * b.p_old**2),
    {p_square: grows(p_square, b.p_old**2, p_now**2), rounds: grows(rounds, sp.S.One)},
    each=(),
)
_WEIGHTS: tuple[tuple[Sums, dict[sp.Symbol, sp.Expr]], ...] = tuple(
    (definition(eq(*each)), {}) for each in ((p_now, b.current_weight(b.M2)), (b.p_old, b.past_weight(b.M2)))
)
_SQUARE = Follows(
    eq(p_square, b.current_weight(b.M2) ** 2 + (t - 1) * b.past_weight(b.M2) ** 2),
    (*_WEIGHTS, (_ALIKE, {rounds: t - 1})),
    (DEFINED,),
)
_PRODUCTS = _products(p_cross, p_square)
OF_OVERLAP_SUMS = (
    PAST_SQUARES,
    PRODUCTS,
    _off("eq33/off", b.M2),
    _PRODUCTS,
    definition(line("thm4.7.variance/objective")),
    Follows(line("thm4.7.variance/lemma"), (*_WEIGHTS, (_SQUARE, {})), (DEFINED,)),
    follows(line("thm4.7.c_O/products"), _PRODUCTS, _SQUARE, given=(DEFINED,)),
)


# -------------------------------------------------------------------------------------------- weights of Lemma B.4

_WEIGHED = gt(b.common(D2), 0)
_now, _next = b.common(D2), b.common(D2).subs(t, t + 1)


def _square_of_best(square: sp.Symbol, number: sp.Expr) -> Follows:
    """Squared weights of a round, by its number."""
    denominator, current, old = (
        part.subs(t, number) for part in (_now, b.current_weight(D2), b.past_weight(D2))
    )
    return Follows(
        eq(square * denominator**2, (number - 1) * D2**2 + ((number - 1) * R2 + D2) ** 2),
        (
            (_ALIKE, {p_square: square, rounds: number - 1}),
            *((definition(eq(*each)), {}) for each in ((p_now, current), (b.p_old, old))),
        ),
        (_WEIGHED,),
        (gt(denominator, 0), eq(p_now * denominator, (number - 1) * R2 + D2), eq(b.p_old * denominator, D2)),
    )


_fall = D2**2 * t * (t + 1) + 2 * D2 * R2 * (2 * t**2 - 1) + 3 * R2**2 * t * (t - 1)
FALLING_SQUARES = follows(
    line("nc.observations.optimal"),
    _square_of_best(square_t, t),
    _square_of_best(square_later, t + 1),
    given=(_WEIGHED,),
    through=(
        gt(_next, 0),
        ge(_fall, 0),
        eq((square_t - square_later) * _now**2 * _next**2, D2**2 * _fall),
        ge((square_t - square_later) * _now**2 * _next**2, 0),
        le(square_later, square_t),
    ),
)

# ------------------------------------------------------------------------------------------- problem (33), solved

_level, _all_past = sp.symbols("level all_past_weights", real=True)
_ROW = definition(eq(_level, b.M2 * b.p_old + R2 * _all_past + F2))
"""The row of a past round in the equations that the solution meets: all rows are equal, and the weights sum to one."""
_LAST_ROW = b.M2 * p_now + F2
_ROWS = added(
    eq(rounds * (_level - R2 * _all_past - F2), b.M2 * past),
    {past: grows(past, b.p_old), rounds: grows(rounds, sp.S.One)},
    (_ROW,),
    (b.p_old,),
)
_CHOSEN = gt(b.M2, 0)
PRESENT = follows(
    line("eq33.current"),
    (_ROWS, {_level: _LAST_ROW, _all_past: 1 - p_now, past: 1 - p_now, rounds: t - 1}),
    given=(_CHOSEN,),
    through=(eq(p_now * b.common(b.M2), (t - 1) * R2 + b.M2),),
)
PAST = follows(
    line("eq33.past"),
    PRESENT,
    (_ROW, {_level: _LAST_ROW, _all_past: 1 - p_now}),
    given=(_CHOSEN,),
    through=(eq(b.M2 * b.p_old, b.M2 * p_now - R2 * (1 - p_now)),),
)
OF_OVERLAP = (PAST, PRESENT)
