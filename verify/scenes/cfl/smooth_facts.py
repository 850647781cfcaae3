"""CFL, Appendix B.5: the loss after one round whose noise is met by later steps, for any number of clients, steps and past rounds.

A step adds e = change - loss to the gradient at the start of the round. Each e depends on the noises that its client has met before,
and on no other. Of the way of a client to its k-th model, Z_k + E_k are the sums of noises and additions, and <Z_k, E_k> is the sum
of <Z_j, e_j> over j < k. Young's inequality in every step, with a weight that falls with j, bounds the sum of these products together
with the product of all additions and all noises in the squared update.
"""

from __future__ import annotations

import sympy as sp

from bounds.cfl.convex import c_max, g2_start, moved2
from bounds.cfl.correlated import p
from bounds.cfl.nonconvex import SMALL, downhill, start2
from bounds.cfl.symbols import R2, K, L, N, eta, eta_l, sigma2
from bounds.relations import eq, ge, le
from verify.engine.model.scene import Condition, Follows, Rounds
from verify.engine.model.sums import Sums
from verify.scenes.cfl import client_sums as of
from verify.scenes.cfl.client_sums import (
    LARGEST,
    NOISY,
    NOT_LOST,
    POSITIVE,
    QUIET,
    STEP_MEANS,
    STEP_VECTORS,
    assumed,
    changed2,
    clients,
    far2,
    first2,
    missed2,
    past,
    pasts,
    pasts2,
    walk_bound,
    way,
    ways,
)
from verify.scenes.cfl.descent_ways import short
from verify.scenes.cfl.round_sums import (
    PAST2,
    PAST_ALL,
    QUIET_ALL,
    RATE,
    ROUND_MEANS,
    ROUND_VECTORS,
    SIZED,
    STRAYED_ALL,
    WALKED,
    each_step,
)
from verify.scenes.cfl.terms import (
    AHEAD,
    DRIFTLESS,
    MET,
    SMOOTH,
    TURNED,
    UNCORRELATED,
    first_ahead,
    slope_ahead,
    stir2,
    stir_ahead,
    stir_along,
    stir_met,
)
from verify.scenes.letters import named
from verify.scenes.summands import SUMMANDS, added, before, changing, definition, summed
from verify.scenes.trees import square, times, vocabulary

_third, _two_thirds, _quarter = sp.Rational(1, 3), sp.Rational(2, 3), sp.Rational(1, 4)
_pull = L * eta
_bound2 = (
    K * start2 * (sp.Rational(1, 6) + _pull / 2 + _pull**2)
    - 2 * _pull * N * K * g2_start
    + (1 + _pull) * R2 * K * PAST2
    + N * sigma2 / 4
    + _pull / 2 * sigma2
)
SHORTENED = le(downhill + L / 2 * moved2, RATE * _bound2)
"""The change of the loss by smoothness, where L eta <= 1/2 and 8 (L K eta_l)^2 <= 1."""
LESS = le(PAST2, PAST_ALL)

# ------------------------------------------------------------------------------------------------------- local steps

met, met_on_way, all_met, all_met_on_way = named("met, met_on_way, all_met, all_met_on_way", real=True)
"""Sums of <Z_k, e_k> and <Z_k, E_k> over the steps k of a client, and over all clients."""
added2, spare, all_added2, all_spare = named("added2, spare, all_added2, all_spare", nonnegative=True)
"""Sums of |e_k|^2, and of |e_k/2 + v|^2 for a vector v that precedes all noise."""
weight, reach, _factor, _met_here = named("weight, reach, factor, met_here", real=True)
(_spare_here,) = named("spare_here", nonnegative=True)
_steps = vocabulary(
    {
        **STEP_MEANS,
        before(added2): ["each", "n", "added", "added"],
        stir_along: ["dot", ["total", "noise"], ["total", "added"]],
        far2: square(
            times("eta_l", ["+", ["+", times("n", "first"), ["total", "noise"]], ["total", "added"]])
        ),
        _factor: "factor",
        _met_here: ["dot", "now", ["total", "noise"]],
        _spare_here: square(["+", times(["/", "1", "2"], "now"), "first"]),
    },
    {**STEP_VECTORS, "added": "family n", "now": "vector", "factor": "real"},
)
WALK = walk_bound(
    le(
        way,
        eta_l**2 * K * (K - 1) * (_two_thirds * ((2 * K - 1) * first2 + added2) + sigma2 / 2)
        + 2 * eta_l**2 * met_on_way,
    ),
    {added2: sp.Symbol("added2_one", nonnegative=True), met_on_way: stir_along},
    (
        _steps(
            le(
                far2,
                eta_l**2
                * (
                    (K - 1) * (4 * (K - 1) * first2 + 4 * before(added2) / 3 + 2 * stir_ahead)
                    + stir2
                    + 2 * stir_along
                ),
            )
        ),
        assumed(AHEAD),
    ),
    eta_l**2 * ((K - 1) * (4 * (K - 1) * first2 + 4 * before(added2) / 3 + sigma2) + 2 * stir_along),
)
"""Squared ways by the gradients at the start, additions and noise, and by how far additions follow the noise."""


def weighted_squares(steps: sp.Expr) -> sp.Expr:
    """The sum of k (reach - k)^2 over k < steps."""
    return steps * (steps - 1) * (reach**2 / 2 - reach * (2 * steps - 1) / 3 + steps * (steps - 1) / 4)


_YOUNG = Follows(
    le(_factor * _met_here, _spare_here + _factor**2 * (K - 1) * sigma2),
    (
        (_steps(le(_factor * _met_here, _spare_here + _factor**2 * stir2 - 2 * _factor * stir_ahead)), {}),
        *((fact, {}) for fact in (assumed(AHEAD), *NOISY)),
    ),
    (UNCORRELATED, AHEAD),
    (
        le(_factor * _met_here, _spare_here + _factor**2 * stir2),
        le(_factor**2 * stir2, _factor**2 * (K - 1) * sigma2),
    ),
)
BALANCE = Rounds(
    le(weight * ((reach + 1 - K) * met + met_on_way), spare + weight**2 * sigma2 * weighted_squares(K)),
    SUMMANDS,
    {K: SUMMANDS + 1},
    {K: K + 1},
    {
        **changing(met, met_on_way, free=(_factor, _met_here, _spare_here, stir_along, stir_met)),
        spare: (before(spare), sp.Symbol("spare_one", nonnegative=True)),
    },
    (
        *(added(met, _met_here), added(met_on_way, stir_along), added(spare, _spare_here)),
        definition(eq(stir_met, before(met))),
        definition(eq(_factor, weight * (reach + 1 - K))),
        assumed(MET),
        _YOUNG,
    ),
    through=(
        le(
            weight * ((reach + 2 - K) * before(met) + before(met_on_way)),
            before(spare) + weight**2 * sigma2 * weighted_squares(K - 1),
        ),
    ),
)
"""Additions that follow the noise, by the squares `spare` of half of each, beside a vector that precedes all noise."""

# --------------------------------------------------------------------------------------------------- sums over clients

WALKS = summed(
    le(
        ways,
        eta_l**2 * K * (K - 1) * (_two_thirds * ((2 * K - 1) * start2 + all_added2) + clients * sigma2 / 2)
        + 2 * eta_l**2 * all_met_on_way,
    ),
    {ways: way, start2: first2, clients: sp.S.One, all_added2: added2, all_met_on_way: met_on_way},
    (way, first2, added2, met_on_way),
    WALK,
)
BALANCES = summed(
    le(
        weight * ((reach + 1 - K) * all_met + all_met_on_way),
        all_spare + clients * weight**2 * sigma2 * weighted_squares(K),
    ),
    {all_met: met, all_met_on_way: met_on_way, all_spare: spare, clients: sp.S.One},
    (met, met_on_way, spare),
    BALANCE,
)
_LESS = summed(
    le(pasts2, pasts),
    {pasts2: past**2, pasts: past},
    (past, p),
    Follows(
        le(past**2, past), ((definition(eq(p, 1 - past)), {}),), (POSITIVE,), (ge(past * (1 - past), 0),)
    ),
)
"""Weights sum to one: that of the past is one without that of the new data."""

# ----------------------------------------------------------------------------------------------------- the whole round

_round = vocabulary(
    {
        **ROUND_MEANS,
        stir_along: ["dot", ["-", ["total", "change"], ["total", "gone"]], ["total", "noise"]],
        all_added2: each_step(["-", "change", "gone"]),
        all_spare: each_step(
            [
                "+",
                times(["/", "1", "2"], ["-", "change", "gone"]),
                ["-", "slope", times("L", times("eta", "first"))],
            ]
        ),
    },
    {**ROUND_VECTORS, "L": "positive"},
)
_NOISE, _CHANGES = (UNCORRELATED, QUIET, AHEAD), (SMOOTH, TURNED)
_far2 = (L * K * eta_l) ** 2


def _from(
    relation: Condition, facts: tuple[Sums | Rounds | Follows, ...], *rest: tuple[Condition, ...]
) -> Follows:
    return Follows(relation, tuple((fact, {}) for fact in facts), *rest)


_NEAR = _from(
    le(8 * _far2 * STRAYED_ALL, STRAYED_ALL),
    (
        _from(ge(c_max, 1), (of.GROWN_EACH,), (LARGEST,)),
        Sums(WALKED, {STRAYED_ALL: each_step("change")}, {"q": "count", "change": "family q"}),
    ),
    (SMALL[1], LARGEST),
    (*short(8, _far2 * c_max, sp.S.One), *short(8, _far2, sp.S.One)),
)
_walked = (
    K * (K - 1) * (_two_thirds * ((2 * K - 1) * start2 + all_added2) + N * sigma2 / 2) + 2 * all_met_on_way
)
_TURNED = Follows(
    le(changed2, K * start2 / 6 + N * sigma2 / 16 + all_added2 / 12 + all_met_on_way / (4 * K**2)),
    ((of.CHANGED, {ways: STRAYED_ALL}), (WALKS, {ways: STRAYED_ALL, clients: N}), (_NEAR, {})),
    (*_CHANGES, *_NOISE, SMALL[1], LARGEST),
    (
        le(8 * L**2 * K**2 * STRAYED_ALL, _walked),
        le(8 * K**2 * changed2, _walked),
        le(K * (K - 1) * (2 * K - 1) * start2, 2 * K**3 * start2),
        le(K * (K - 1) * all_added2, K**2 * all_added2),
        le(K * (K - 1) * N * sigma2, K**2 * N * sigma2),
        le(
            8 * K**2 * changed2,
            4 * K**3 * start2 / 3
            + _two_thirds * K**2 * all_added2
            + K**2 * N * sigma2 / 2
            + 2 * all_met_on_way,
        ),
    ),
)
_reach = (4 * _pull / N + 1) * K - 1
_squares = weighted_squares(K).subs(reach, _reach)
_most = weighted_squares(K).subs(reach, 3 * K - 1)
_BALANCED = Follows(
    le(_pull / (N * K) * stir_along + all_met_on_way / (4 * K**2), all_spare + 3 * N * sigma2 / 16),
    (
        (BALANCES, {all_met: stir_met, clients: N, weight: 1 / (4 * K**2), reach: _reach}),
        (definition(SIZED), {}),
        (assumed(MET), {}),
    ),
    (SMALL[0], MET, *_NOISE),
    (
        le(2 * _pull, 1),
        le(2 * _pull / N, 1),
        le(_reach, 3 * K - 1),
        ge(_reach, K - 1),
        le(_squares, _most),
        le(_most, 3 * K**4),
        le(_squares, 3 * K**4),
        le(N * sigma2 * _squares, 3 * N * sigma2 * K**4),
    ),
)
_ADDED = _from(
    le((_pull / 2 + _third) * all_added2, changed2 + (1 + _pull) * missed2),
    (
        _round(le(all_added2, 2 * changed2 + 2 * missed2)),
        _round(le(all_added2, 3 * changed2 / 2 + 3 * missed2)),
        definition(SIZED),
    ),
    (SMALL[0],),
    (
        le(2 * _pull, 1),
        le(_pull / 2 * all_added2, _pull * changed2 + _pull * missed2),
        le(_pull * changed2, changed2 / 2),
    ),
)
_ENOUGH = _from(
    le(
        (_pull / 2 + _quarter) * all_added2 - all_spare + _pull / (N * K) * stir_along,
        K * start2 / 6 + N * sigma2 / 4 + (1 + _pull) * missed2,
    ),
    (_TURNED, _BALANCED, _ADDED),
    (*_CHANGES, *_NOISE, MET, *SMALL, LARGEST),
)
_met2 = (
    slope_ahead
    - (1 + 2 * _pull) * first_ahead
    + (_pull / 2 + _pull**2) * K * start2
    + (_pull / 2 + _quarter) * all_added2
    - all_spare
    + _pull / (N * K) * (stir_ahead + stir_along)
    + _pull / (2 * N * K) * stir2
)
_UPDATE = _round(le(downhill + L / 2 * moved2, RATE * _met2))
_DRIFTLESS = _from(
    eq(slope_ahead - (1 + 2 * _pull) * first_ahead, -2 * _pull * N * K * g2_start),
    (_round(eq(slope_ahead, N * K * g2_start)), assumed(DRIFTLESS)),
    (DRIFTLESS,),
)
_QUIET = _from(
    le(
        _pull / (N * K) * (stir_ahead + stir_along) + _pull / (2 * N * K) * stir2,
        _pull / (N * K) * stir_along + _pull / 2 * sigma2,
    ),
    (QUIET_ALL, assumed(UNCORRELATED), assumed(AHEAD)),
    _NOISE,
    (le(stir2, N * K * sigma2), le(_pull / (2 * N * K) * stir2, _pull * sigma2 / 2)),
)
_LOST = Follows(
    le((1 + _pull) * missed2, (1 + _pull) * K * R2 * PAST2),
    ((of.LOST, {pasts2: K * PAST2}),),
    (POSITIVE, NOT_LOST),
)
_ASSUMED = (*_CHANGES, *_NOISE, MET, DRIFTLESS, *SMALL, LARGEST, POSITIVE, NOT_LOST)
_whole, _top = named("whole, top")
"""These two sums as one letter each, so that the last step is a product of two letters."""
_BOUNDED = _from(
    le(_whole, _top),
    (*(definition(eq(_whole, _met2)), definition(eq(_top, _bound2))), *(_DRIFTLESS, _QUIET, _LOST, _ENOUGH)),
    _ASSUMED,
)
_UPDATED = _from(le(downhill + L / 2 * moved2, RATE * _whole), (_UPDATE, definition(eq(_whole, _met2))))
_REACHED = _from(le(downhill + L / 2 * moved2, RATE * _top), (_UPDATED, _BOUNDED), _ASSUMED)
FACTS: tuple[Follows, ...] = (
    Follows(SHORTENED, ((_REACHED, {_top: _bound2}),), _ASSUMED),
    Follows(LESS, ((_LESS, {pasts2: PAST2, pasts: PAST_ALL}),), (POSITIVE,)),
)
