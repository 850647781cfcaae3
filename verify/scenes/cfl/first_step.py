"""CFL: one round with one local step, as a global gradient step plus drifts, noise and information losses."""

from __future__ import annotations

from collections.abc import Mapping

import sympy as sp

from bounds.cfl import convex as b
from bounds.cfl.correlated import lost2, p
from bounds.cfl.symbols import R2, L, N, eta, g2, mu, sigma2
from bounds.relations import eq, ge, le
from verify import facts
from verify.engine.model.scene import Follows, Rounds
from verify.engine.model.sums import Bounded, Sums
from verify.facts import at_optimum
from verify.scenes.cfl import client_sums as of
from verify.scenes.cfl.client_sums import DRIFTED, NOT_LOST, POSITIVE, QUIET, assumed
from verify.scenes.cfl.convex_sums import ABOVE, COERCED, bowls, lifts, turned, uphill
from verify.scenes.cfl.round_sums import GROWN_FACT, PAST2, PAST_ALL
from verify.scenes.cfl.terms import (
    ABOVE_BOWL,
    AHEAD,
    COERCIVE,
    CURVED,
    DRIFTLESS,
    SMOOTH,
    UNCORRELATED,
    first_ahead,
    noise2,
    slope_ahead,
    stir2,
    stir_ahead,
)
from verify.scenes.norms_of_sums import follows
from verify.scenes.summands import definition, summed
from verify.scenes.trees import Tree, square, times, vocabulary

PUT_TOGETHER = le(
    b.after2, b.left2 + 2 * eta * b.lost_left + 2 * eta**2 * (b.LOST + b.drift_mean2) + eta**2 * sigma2 / N
)
AVERAGED = le(b.drift_mean2, (b.c_pG + (b.c_pB - 1) * b.g2_start) / N)
FALLING = le(b.left2, (1 - mu * eta) * b.dist2 - 2 * eta * b.gap + eta**2 * b.g2_start)
NEARER = le(b.left2, b.dist2 - eta * (2 / L - eta) * b.g2_start)
PASTS = ge(PAST_ALL, 0)
LENGTHS = (eq(b.dist2, b.dist**2), eq(b.left2, b.left**2))
BELOW = at_optimum(b.dist2, b.gap, b.g2_start, None, None)[1]
"""|grad f|^2 <= 2 L (f - f*)."""
LOST_LEFT = facts.along(b.lost_left, PAST_ALL * b.R * b.left / N, le(lost2, R2))
SINGLE_STEP = (
    le(2 * L * b.SIZE * (1 + 2 * (b.c_pB - 1) / N), 1),
    le(2 * L * b.SIZE, 1),
    le(b.left2, b.dist2),
    le(b.left, b.dist),
    le(PAST_ALL * b.R * b.left, PAST_ALL * b.R * b.dist),
    le(b.SIZE * (1 + 2 * (b.c_pB - 1) / N) * b.g2_start, b.gap),
)


_AFTER = {
    **dict.fromkeys(("first", "gone", "noise"), "family N"),
    **{"N": "count", "eta": "positive", "left": "vector", "slope": "vector"},
}
_gone, _noise = (["total", name] for name in ("gone", "noise"))
_drift: Tree = ["-", ["total", "first"], times("N", "slope")]
_spread2 = sp.Symbol("spread2", nonnegative=True)
_before = ["+", "left", times(["/", "eta", "N"], ["-", _gone, _drift])]
_MEANS: Mapping[sp.Expr, Tree] = {
    b.after2: square(["-", _before, times(["/", "eta", "N"], _noise)]),
    b.left2: square("left"),
    b.lost_left: ["/", ["dot", "left", _gone], "N"],
    b.drift_mean2: square(times(["/", "1", "N"], _drift)),
    of.missed2: ["each", "N", "gone", "gone"],
    first_ahead: ["dot", "left", ["total", "first"]],
    slope_ahead: ["*", "N", ["dot", "left", "slope"]],
    stir_ahead: ["dot", _before, _noise],
    stir2: square(_noise),
    noise2: ["each", "N", "noise", "noise"],
}
_sums = vocabulary(_MEANS, _AFTER)
"""A relation about the one step of N clients; noise is uncorrelated with the rest of the step."""
_inner = sp.Symbol("inner", real=True)
_STEP = Sums(
    eq(b.left2, b.dist2 - 2 * eta * _inner + eta**2 * b.g2_start),
    {
        b.left2: square(["-", "star", times("eta", "slope")]),
        b.dist2: square("star"),
        b.g2_start: square("slope"),
        _inner: ["dot", "slope", "star"],
    },
    {"star": "vector", "slope": "vector", "eta": "positive"},
)
_models = sp.Symbol("models", integer=True, positive=True)
_spreads, _own_past = sp.symbols("spreads own_past", real=True)
_SPREAD = summed(
    le(_spread2, (of.all_cB - of.clients) * g2 + of.all_cG),
    {_spread2: of.apart, of.all_cB: b.cB, of.all_cG: b.cG, of.clients: sp.S.One},
    (of.apart, b.cB, b.cG),
    of.APART,
)
"""Drifts of different clients are uncorrelated, so that their squares add up."""
_SPREADS = summed(
    le(_spreads, (of.all_cB - of.clients) * of.grads + of.all_cG * of.models),
    {_spreads: _spread2, of.grads: g2, of.models: sp.S.One},
    (_spread2, g2),
    _SPREAD,
)
_PAST_OF_ALL = summed(
    ge(of.pasts, 0),
    {of.pasts: _own_past},
    (_own_past,),
    summed(ge(_own_past, 0), {_own_past: p}, (p,), assumed(POSITIVE)),
)
FIRST_STEP: tuple[Sums | Rounds | Follows, ...] = (
    Follows(
        PUT_TOGETHER,
        (
            (
                _sums(
                    le(
                        b.after2,
                        b.left2
                        + 2 * eta * b.lost_left
                        - 2 * eta / N * (first_ahead - slope_ahead + stir_ahead)
                        + 2 * eta**2 * (of.missed2 / N + b.drift_mean2)
                        + eta**2 / N**2 * stir2,
                    )
                ),
                {},
            ),
            (
                _sums(le(noise2, N * sigma2), Bounded(("noise",), Sums(QUIET, {}, {}, given=(QUIET,)), "N")),
                {},
            ),
            *((assumed(one), {}) for one in (DRIFTLESS, AHEAD, UNCORRELATED)),
            (of.LOST, {of.pasts2: PAST2}),
        ),
        (DRIFTLESS, AHEAD, UNCORRELATED, QUIET, POSITIVE, NOT_LOST),
    ),
    follows(PASTS, (_PAST_OF_ALL, {of.pasts: PAST_ALL}), given=(POSITIVE,)),
    follows(
        AVERAGED,
        (
            _SPREADS,
            {
                _spreads: _models * N**2 * b.drift_mean2,
                of.grads: _models * b.g2_start,
                of.models: _models,
                of.all_cB: N * b.c_pB,
                of.all_cG: N * b.c_pG,
                of.clients: N,
            },
        ),
        given=DRIFTED,
    ),
    GROWN_FACT,
    follows(FALLING, (ABOVE, {lifts: _inner - b.gap, bowls: b.dist2}), _STEP, given=(CURVED, ABOVE_BOWL)),
    follows(NEARER, (COERCED, {turned: b.g2_start, uphill: _inner}), _STEP, given=(SMOOTH, COERCIVE)),
    *map(definition, LENGTHS),
)
