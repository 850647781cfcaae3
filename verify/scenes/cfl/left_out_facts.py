"""Facts about weights of past rounds that are not negative, for any number of kept rounds and of rounds left out.

With rounds 1 to m and the current one kept, k = t - m, the slope of J towards a round m + s that is left out is
D^2 (1 - alpha^s) (alpha^(k-s) y - x), where y is the current weight and x the weighted past. It is least at s = 1, where it
is, up to a positive factor, what the weight of round m + 1 lacks of being nonnegative in the next larger problem.
"""

from __future__ import annotations

import sympy as sp

from bounds.cfl.symbols import D2, R2, alpha
from bounds.cfl.weight_sums import q, tilt
from bounds.relations import eq, ge, le, lt
from verify.engine.model.scene import Follows, Rounds
from verify.scenes.cfl.client_sums import assumed
from verify.scenes.cfl.solved_facts import (
    ALL_MIXED,
    SUMMED,
    all_change,
    all_fade,
    all_mixed,
    all_past,
    early,
    last,
)
from verify.scenes.cfl.weight_sums import added, rounds
from verify.scenes.letters import named
from verify.scenes.norms_of_sums import follows
from verify.scenes.summands import before, definition, summed

SLOPE = ge(tilt, 0)
REFUSED = ge(sp.Symbol("refused", real=True), 0)
"""What "as large as their signs allow" says: one more round would get a negative weight, or there is none."""
_refused = REFUSED.lhs
_kept = sp.Symbol("further kept rounds", nonnegative=True)
"""m - 1."""
_share, _larger_share = named("share, share of larger problem", positive=True)
_kept_power, _far_power, _near_power = named(
    "power to current, power to later, power to earlier", nonnegative=True
)
"""alpha to k - 1, to k - s and to s - 1: from round m + 1 and m + s to the current one, and from m + 1 to m + s."""
_current, _lift, _lifts, _crossed, _out, _now_change = named(
    "current weight, slope, slopes, products with weights left out, weights left out",
    "change of current weight",
    real=True,
)
_distance = alpha * _kept_power
"""alpha to the number k of rounds from the last kept one to the current one."""
_BELOW_ONE = lt(alpha, 1)


def _power_of(name: sp.Symbol) -> Rounds:
    """A power of alpha is at most 1."""
    return added(
        le(name, 1),
        {name: (sp.S.One, alpha * before(name))},
        each=(),
        given=(_BELOW_ONE,),
        through=(le(alpha * before(name), before(name)),),
    )


_first = D2 * (1 - _distance**2) + R2 * _distance
_now = R2 * (1 + alpha + (1 - alpha) * _kept) + D2 * (1 + alpha) * (1 - _distance)
_larger_first = D2 * (1 - _kept_power**2) + R2 * _kept_power
_larger_now = R2 * (1 + alpha + (1 - alpha) * (_kept + 1)) + D2 * (1 + alpha) * (1 - _kept_power)
"""Solutions of Eq. (7) for the kept rounds and the current one, and for one more, up to a factor."""
_EARLY, _CURRENT = definition(eq(early, _share * _first)), definition(eq(_current, _share * _now))
_LAST = definition(eq(last, (1 + alpha) * early - _distance * _current))
_LACKS = follows(
    ge(_kept_power * _now, _first),
    definition(eq(_refused, _larger_share * (_kept_power * _larger_now - _larger_first))),
    assumed(REFUSED),
    given=(REFUSED,),
    through=(
        ge(_kept_power * _larger_now, _larger_first),
        eq(_kept_power * _larger_now - _larger_first, _kept_power * _now - _first),
    ),
)
_SLOPE = follows(
    ge(_lift, 0),
    definition(eq(_lift, (1 - alpha * _near_power) * (_far_power * _current - last))),
    definition(eq(_kept_power, _near_power * _far_power)),
    *(_LACKS, _EARLY, _CURRENT, _LAST),
    *(_power_of(power) for power in (_near_power, _kept_power)),
    given=(_BELOW_ONE, REFUSED),
    through=(
        le(alpha * _near_power, 1),
        le(alpha * _kept_power, 1),
        ge(_current, 0),
        le(early, _kept_power * _current),
        le((1 + alpha) * early, (1 + alpha) * _kept_power * _current),
        le(last, _kept_power * _current),
        le(_near_power * _far_power, _far_power),
        le(_kept_power * _current, _far_power * _current),
    ),
)
_each = (q, _lift, _far_power, _near_power)
_LIFTS = summed(
    ge(_lifts, 0), {_lifts: q * _lift}, _each, _SLOPE, assumed(ge(q, 0)), through=(ge(q * _lift, 0),)
)
_APART = summed(
    eq(_lifts, _crossed - _out * (last + _distance * _current)),
    {_lifts: q * _lift, _out: q, _crossed: q * (alpha * _near_power * last + _far_power * _current)},
    _each,
    follows(
        eq(_lift, alpha * _near_power * last + _far_power * _current - last - _distance * _current),
        definition(eq(_lift, (1 - alpha * _near_power) * (_far_power * _current - last))),
        definition(eq(_kept_power, _near_power * _far_power)),
    ),
    through=(
        eq(q * _lift, q * (alpha * _near_power * last + _far_power * _current - last - _distance * _current)),
    ),
)
SLOPES = Follows(
    SLOPE,
    (
        *((fact, {}) for fact in (_LIFTS, _APART, ALL_MIXED, _EARLY, _CURRENT, _LAST)),
        (SUMMED, {rounds: _kept}),
        (definition(eq(_now_change, -all_change - _out)), {}),
        (
            definition(
                eq(
                    tilt,
                    D2
                    * (
                        all_mixed
                        + _distance * _current * all_fade
                        + _now_change * (_current + _distance * last)
                        + _crossed
                    )
                    + R2 * (all_change + _out) * all_past,
                )
            ),
            {},
        ),
    ),
    (_BELOW_ONE, REFUSED, ge(q, 0)),
    (
        eq(last + _distance * _current, (1 + alpha) * early),
        eq(all_mixed + _distance * _current * all_fade, (1 + alpha) * early * all_change),
        eq(D2 * (1 + alpha) * early + R2 * all_past, D2 * (_current + _distance * last)),
        eq(tilt, D2 * _lifts),
    ),
)
"""Changes sum to zero; `q` is the weight of a round that is left out, whose kept weight is 0."""
