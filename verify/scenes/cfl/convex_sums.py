"""CFL, Appendix B.4.2: facts about one round on convex losses, for any number of clients, local steps and past rounds.

Vectors and sums are those of `round_sums` and `client_sums`; `star` points from the minimiser to the model. A condition about every
loss is used at one pair of models after another, as a sum over these pairs.
"""

from __future__ import annotations

from collections.abc import Mapping

import sympy as sp

from bounds.catalogue import relations
from bounds.cfl import convex as b
from bounds.cfl.correlated import lost2, p
from bounds.cfl.symbols import R2, K, L, N, eta, eta_g, eta_l, mu
from bounds.relations import eq, ge, le
from verify import facts
from verify.engine.model.scene import Follows, Rounds
from verify.engine.model.sums import Sums
from verify.scenes.cfl import client_sums as of
from verify.scenes.cfl import terms
from verify.scenes.cfl.client_sums import POSITIVE, assumed
from verify.scenes.cfl.round_sums import FACTS as ROUND_FACTS
from verify.scenes.cfl.round_sums import PAST2, PAST_ALL, SIZED, STRAYED_ALL, WEIGHED_ALL
from verify.scenes.cfl.terms import AHEAD, CURVED, SMOOTH, TURNED, stir_ahead
from verify.scenes.letters import named
from verify.scenes.norms_of_sums import follows
from verify.scenes.summands import definition, summed
from verify.scenes.trees import Tree, square, times, vocabulary

ALONG = eq(2 * b.along, 2 * eta / (N * K) * (b.slope_before + b.lost_along))
FALLING = le(b.slope_before, -N * K * (b.gap_round + mu / 4 * b.dist2) + L * b.strayed)
LOST_ALONG = facts.along(b.lost_along, K * PAST_ALL * b.R * b.dist, le(lost2, R2))
UNBIASED = eq(b.gap_round, b.gap)
"""The losses of the clients of a round equal the global loss up to drifts with mean zero."""
ALL_STRAYED = eq(b.strayed, STRAYED_ALL)
_line = relations("cfl")

# --------------------------------------------------------------------------------- conditions at one pair of models

lifts, bowls, turned, uphill, _steep, _gaps = sp.symbols("lifts bowls turned uphill steep gaps")
ABOVE = summed(
    le(mu / 2 * bowls, lifts),
    {bowls: terms.bowl2, lifts: terms.lift},
    (terms.bowl2, terms.lift),
    follows(le(mu / 2 * terms.bowl2, terms.lift), given=(CURVED, terms.ABOVE_BOWL)),
)
_BELOW = summed(
    le(lifts, L / 2 * bowls),
    {bowls: terms.bowl2, lifts: terms.lift},
    (terms.bowl2, terms.lift),
    follows(le(terms.lift, L / 2 * terms.bowl2), given=(SMOOTH, terms.BELOW_BOWL)),
)
COERCED = summed(
    le(turned, L * uphill),
    {turned: terms.turn2, uphill: terms.uphill},
    (terms.turn2, terms.uphill),
    follows(le(terms.turn2, L * terms.uphill), given=(SMOOTH, terms.COERCIVE)),
)
_STEEP = summed(
    le(_steep, 2 * L * _gaps),
    {_steep: terms.steep2, _gaps: terms.gap_there},
    (terms.steep2, terms.gap_there),
    follows(le(terms.steep2, 2 * L * terms.gap_there), given=(SMOOTH, terms.STEEP)),
)
_ORDER = (CURVED, SMOOTH, terms.BENT_LESS, terms.BENT_MORE)
_CONVEX = (*_ORDER, terms.ABOVE_BOWL, terms.BELOW_BOWL)
_up, _down, _inner = sp.symbols("up down inner", real=True)
_rest2 = sp.Symbol("rest2", nonnegative=True)
_WAYS = {b.dist2: square("star"), b.away2: square("far"), _rest2: square(["+", "star", "far"])}
PERTURBED = follows(
    _line("eq12/corrected"),
    (ABOVE, {bowls: _rest2, lifts: _up}),
    (_BELOW, {bowls: b.away2, lifts: _down}),
    definition(eq(_up, b.gain + _down - b.slope)),
    Sums(le(b.dist2, 2 * _rest2 + 2 * b.away2), _WAYS, dict.fromkeys(("star", "far"), "vector")),
    follows(le(mu, L), given=_ORDER),
    given=_CONVEX,
    through=(le(mu * b.dist2, 2 * mu * _rest2 + 2 * mu * b.away2), le(mu * b.away2, L * b.away2)),
)
"""By how much a loss is above its tangent at the local model: at the minimiser, and at the server's model."""

# ------------------------------------------------------------------------------------ sums over rounds, steps, clients

_slope_one, _gain_one, _slope_client, _all_gains, _own_gap, _gap_of, _all_gaps = sp.symbols(
    "slope_one gain_one slope_client all_gains own_gap gap_of all_gaps", real=True
)
_share, _steps = named("share, steps", nonnegative=True)
_WEIGHED = summed(
    le(_slope_one, _gain_one + _share * (L * b.away2 - mu / 4 * b.dist2)),
    {_slope_one: p * b.slope, _gain_one: p * b.gain, _share: p},
    (p, b.slope, b.gain),
    PERTURBED,
    assumed(POSITIVE),
)
MODEL = follows(
    le(_slope_one, _gain_one + L * b.away2 - mu / 4 * b.dist2),
    (_WEIGHED, {_share: sp.S.One}),
    given=(*_CONVEX, POSITIVE),
)
_CLIENT = summed(
    le(_slope_client, _steps * (_gain_one - mu / 4 * b.dist2) + L * of.way),
    {_slope_client: _slope_one, _steps: sp.S.One, of.way: b.away2},
    (_slope_one, b.away2),
    MODEL,
)
_CLIENTS = summed(
    le(b.slope_before, K * (_all_gains - of.clients * mu / 4 * b.dist2) + L * b.strayed),
    {b.slope_before: _slope_client, _all_gains: _gain_one, of.clients: sp.S.One, b.strayed: of.way},
    (_slope_client, _gain_one, of.way),
    follows(
        le(_slope_client, K * (_gain_one - mu / 4 * b.dist2) + L * of.way),
        (_CLIENT, {_steps: K}),
        given=(*_CONVEX, POSITIVE),
    ),
)
_zero_mean: Tree = ["-", "drift", times(["/", "1", "n"], ["total", "drift"])]
_AS_LARGE = Sums(
    eq(_gap_of, b.gap),
    {_gap_of: ["/", ["each", "n", ["+", "loss", _zero_mean], "unit"], "n"], b.gap: ["dot", "loss", "unit"]},
    {"n": "count", "drift": "family n", "loss": "vector", "unit": "vector"},
)
"""The mean over n equally likely drifts, which have mean zero."""
_OWN = summed(eq(_own_gap, b.gap * _share), {_own_gap: p * _gap_of, _share: p}, (p, _gap_of), _AS_LARGE)
_ALL = summed(
    eq(_all_gaps, b.gap * of.clients),
    {_all_gaps: _own_gap, of.clients: sp.S.One},
    (_own_gap,),
    follows(eq(_own_gap, b.gap), (_OWN, {_share: sp.S.One})),
)

# ------------------------------------------------------------------------------------------------------- the server

_LETTERS = {
    **dict.fromkeys(("q", "K"), "count"),
    **dict.fromkeys(("eta", "eta_l"), "positive"),
    **dict.fromkeys(("star", "way", "slope"), "vector"),
    **dict.fromkeys(("true", "gone", "noise"), "family q"),
    "turn": "family K",
}
_grad2_one, _change2_one = named("grad2_one, change2_one", nonnegative=True)
_UPDATE = times(
    ["/", ["-", "eta"], "q"], ["+", ["-", ["total", "true"], ["total", "gone"]], ["total", "noise"]]
)
_MEANS: Mapping[sp.Expr, Tree] = {
    b.along: ["dot", "star", _UPDATE],
    b.after2: square(["+", "star", _UPDATE]),
    b.moved2: square(_UPDATE),
    b.dist2: square("star"),
    b.e_now: square(times("eta_l", "way")),
    b.sum2: square("way"),
    b.slope_before: ["-", ["dot", "star", ["total", "true"]]],
    b.lost_along: ["dot", "star", ["total", "gone"]],
    stir_ahead: ["dot", "star", ["total", "noise"]],
    N: ["/", "q", "K"],
    b.g2_start: square("slope"),
    _grad2_one: ["each", "K", ["+", "slope", "turn"], ["+", "slope", "turn"]],
    _change2_one: ["each", "K", "turn", "turn"],
}
_sums = vocabulary(_MEANS, _LETTERS)
_lines, _doubled, _levels = sp.symbols("lines doubled levels")
_MIDDLE = summed(
    le(_lines, K * _levels + 2 * _doubled),
    {_lines: K * b.cG + b.cB * _grad2_one, _levels: b.cG, _doubled: b.cB * (K * b.g2_start + _change2_one)},
    (b.cG, b.cB, _grad2_one, _change2_one),
    _sums(le(_grad2_one, 2 * K * b.g2_start + 2 * _change2_one)),
)
_SMOOTHED = summed(
    le(_doubled, K * b.g2_start * of.all_cB + L**2 * of.weighed),
    {_doubled: b.cB * (K * b.g2_start + _change2_one), of.all_cB: b.cB, of.weighed: b.cB * of.way},
    (b.cB, _change2_one, of.way),
    follows(
        le(_change2_one, L**2 * of.way),
        (of.CHANGED, {of.changed2: _change2_one, of.ways: of.way}),
        given=(SMOOTH, TURNED),
    ),
)


_rate = eta_l * eta_g / N
_line16 = _line("eq15.mid2")
(_double_sum,) = _line("eq15.last").lts.atoms(sp.Sum) - {PAST2}
(_line_sum,) = _line16.lts.atoms(sp.Sum) - {PAST2}
_n_models = sp.Symbol("models", integer=True, positive=True)
FACTS: tuple[Sums | Rounds | Follows, ...] = (
    *ROUND_FACTS,
    follows(_line("eq8"), definition(eq(b.moved, -_rate * b.pulled)), definition(SIZED)),
    follows(_line("eq9/expected"), definition(eq(b.moved_mean, -_rate * b.mean_pulled)), definition(SIZED)),
    _sums(_line("eq10/corrected")),
    _sums(_line("eq16")),
    PERTURBED,
    follows(
        ALONG,
        _sums(eq(2 * b.along, 2 * eta / (N * K) * (b.slope_before + b.lost_along - stir_ahead))),
        assumed(AHEAD),
        given=(AHEAD,),
    ),
    follows(FALLING, (_CLIENTS, {_all_gains: -N * b.gap_round, of.clients: N}), given=(*_CONVEX, POSITIVE)),
    follows(UNBIASED, (_ALL, {_all_gaps: N * b.gap_round, of.clients: N})),
    Sums(
        ALL_STRAYED,
        {total: ["each", "q", "far", "far"] for total in (b.strayed, STRAYED_ALL)},
        {"q": "count", "far": "family q"},
    ),
    follows(_line16, (_MIDDLE, {_lines: _line_sum, _doubled: _double_sum, _levels: N * b.c_pG})),
    follows(
        _line("eq15.last"),
        (_SMOOTHED, {_doubled: _double_sum, of.all_cB: N * b.c_pB, of.weighed: WEIGHED_ALL}),
        (summed(ge(of.weighed, 0), {of.weighed: b.cB * of.way}, (b.cB, of.way)), {of.weighed: WEIGHED_ALL}),
        (_STEEP, {_steep: _n_models * b.g2_start, _gaps: _n_models * b.gap}),
        given=(SMOOTH, TURNED, terms.STEEP),
        through=(
            le(b.c_pB * b.g2_start, 2 * L * b.c_pB * b.gap),
            le(L**2 * WEIGHED_ALL, 2 * L**2 * WEIGHED_ALL),
        ),
    ),
)
