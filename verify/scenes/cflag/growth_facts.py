"""Growth (1 + beta L)^k of the drift over k local steps, for any number of steps and small step sizes (C-FLAG, Lemma 13)."""

from __future__ import annotations

import sympy as sp

from bounds.cflag.drift_lemmas import QUARTER, STEPS, TWELFTH
from bounds.cflag.drift_sharp import growth
from bounds.cflag.symbols import E, L, beta, k
from bounds.relations import eq, ge, gt, le
from verify.engine.model.scene import Condition, Follows, Rounds
from verify.scenes.norms_of_sums import counted, follows, renamed
from verify.scenes.summands import SUMMANDS, before, changing, definition, over_summands

EARLIER_GROWTH = sp.Symbol("earlier growth", positive=True)
_x, _x0 = beta * L * k, beta * L * before(k)


def earlier(*quantities: sp.Symbol) -> dict[sp.Symbol, sp.Symbol]:
    """The quantities one step earlier."""
    return {quantity: EARLIER_GROWTH if quantity == growth else before(quantity) for quantity in quantities}


GROWS = definition(eq(growth, (1 + beta * L) * EARLIER_GROWTH))
COUNTS = definition(eq(k, before(k) + 1))
GROWTH = {growth: (EARLIER_GROWTH, sp.S.One)}
_STEPS = {**changing(k), **GROWTH}
COUNTED_UP = over_summands(ge(k, 0), changing(k), COUNTS)
FLAT = over_summands(
    le(growth, 1 + beta * L * k * growth),
    _STEPS,
    GROWS,
    COUNTS,
    COUNTED_UP,
    through=(
        le(EARLIER_GROWTH, growth),
        le(k * EARLIER_GROWTH, k * growth),
        le(growth, 1 + beta * L * k * EARLIER_GROWTH),
    ),
)
SLOPE = over_summands(
    le(2 * growth, 2 + beta * L * k * (1 + growth)),
    _STEPS,
    GROWS,
    COUNTS,
    COUNTED_UP,
    renamed(FLAT, earlier(growth, k)),
    through=(
        le(2 * growth, 2 + beta * L * before(k) + beta * L * (before(k) + 2) * EARLIER_GROWTH),
        le(k * growth, k * (1 + beta * L) * EARLIER_GROWTH),
        le(EARLIER_GROWTH, 1 + beta * L * k * EARLIER_GROWTH),
    ),
)
"""The growth over k steps is at most (1 + z k/2)/(1 - z k/2), where z = beta L."""
CURVE = over_summands(
    le(6 * growth, 6 + 4 * _x + _x**2 + 2 * _x * growth),
    _STEPS,
    GROWS,
    COUNTS,
    COUNTED_UP,
    renamed(SLOPE, earlier(growth, k)),
    through=(
        le(6 * growth, 6 + 4 * _x0 + _x0**2 + 2 * _x0 * EARLIER_GROWTH + 6 * beta * L * EARLIER_GROWTH),
        le(4 * beta * L * EARLIER_GROWTH, 2 * beta * L * (2 + _x0 + _x0 * EARLIER_GROWTH)),
        le((_x0 + beta * L) * (1 + beta * L) * EARLIER_GROWTH, _x * growth),
        le((_x0 + beta * L) ** 2, _x**2),
    ),
)


def _small(factor: sp.Rational, step: Condition, most: sp.Rational) -> Follows:
    """The growth over k steps is at most 1 + factor beta L k, if beta L k is at most 1/4 or 1/12."""
    z = beta * L * k
    return follows(
        le(growth - 1, factor * z),
        SLOPE,
        given=(step, *STEPS),
        through=(le(0, z), le(z, most), gt(2 - z, 0), le(growth * (2 - z), (1 + factor * z) * (2 - z))),
    )


SMALL = (
    _small(sp.Rational(8, 7), QUARTER, sp.Rational(1, 4)),
    _small(sp.Rational(24, 23), TWELFTH, sp.Rational(1, 12)),
)
QUARTERED, TWELFTHED = (fact.relation for fact in SMALL)


_POWER = sp.Symbol("power", positive=True)
_POWERS = (1 + beta * L) ** SUMMANDS
AFTER = follows(
    eq(growth, (1 + beta * L) ** E),
    (
        Rounds(
            eq(growth, _POWERS),
            SUMMANDS,
            {_POWER: _POWERS},
            {_POWER: (1 + beta * L) * _POWER},
            GROWTH,
            (GROWS,),
        ),
        {SUMMANDS: E},
    ),
)
ALL = counted(eq(k, SUMMANDS), E, changing(k), COUNTS)
"""The growth, and the number of steps, after all steps of a round."""
