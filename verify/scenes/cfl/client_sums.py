"""CFL: facts about the clients of a round, for any number of clients, local steps and past rounds.

Random vectors are vectors of a larger space whose inner products are expectations, as in `verify.scenes.special.round_sums`. Sums
are added up by induction: over the past rounds that a client remembers, over its local steps, over all clients, and over equally
likely models. Drifts of different rounds are uncorrelated given the model, so that their squares add up.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import sympy as sp

from bounds.cfl.convex import bar2, bar2_here, c_max, cB, cG, curved_sup, g2_start, missed2, noisy2
from bounds.cfl.correlated import delta2, lost2, p, xi2
from bounds.cfl.nonconvex import start2
from bounds.cfl.symbols import A2, B2, D2, G2, R2, K, L, eta_l, g2, sigma2
from bounds.relations import eq, ge, le
from verify.engine.model.scene import Condition, Follows, Rounds
from verify.engine.model.sums import Bounded, Sums
from verify.scenes.cfl.terms import (
    AHEAD,
    SMOOTH,
    TURNED,
    UNCORRELATED,
    noise2,
    stir2,
    stir_ahead,
    turn2,
    way2,
)
from verify.scenes.letters import named
from verify.scenes.norms_of_sums import follows
from verify.scenes.summands import SUMMANDS, before, changing, definition, over_summands, summed
from verify.scenes.trees import Tree, square, times, vocabulary

Sources: TypeAlias = tuple[tuple[Sums | Rounds | Follows, Mapping[sp.Symbol, sp.Expr]], ...]
POSITIVE = ge(p, 0)
"""Weights of rounds are nonnegative."""
LARGEST = le(cB, c_max)
NOT_LOST, QUIET = le(lost2, R2), le(noisy2, sigma2)
DRIFTED = (le(delta2, G2 + B2 * g2), le(xi2, D2 + A2 * g2))

missing2, past, far2, bars2, way, change, gone, square_p, mixed2, first2, apart = named(
    "missing2, past, far2, bars2, way, change, gone, square_p, mixed2, first2, apart", nonnegative=True
)
clients, models, changed2, ways_later = named("clients, models, changed2, ways_later", nonnegative=True)
along, tilt, ahead = named("along, tilt, ahead", real=True)
ways, pasts, pasts2, weighed, later_weighed, all_ahead, all_cB, all_cG, starts, grads, aparts = sp.symbols(
    "ways pasts pasts2 weighed later_weighed all_ahead all_cB all_cG starts grads aparts"
)
"""Sums over clients or models; a letter without a domain stands for a sum whose sign nothing says."""


def assumed(condition: Condition) -> Follows:
    """A condition about every model, client, step and round as a fact."""
    return follows(condition, given=(condition,))


# ------------------------------------------------------------------------------------------------------ past rounds

_PAST: Mapping[sp.Expr, Tree] = {
    missing2: square(["+", "sum", times("weight", "loss")]),
    before(missing2): square("sum"),
    along: ["dot", "sum", "loss"],
    lost2: square("loss"),
    p: "weight",
    tilt: ["dot", "slope", "loss"],
    g2_start: square("slope"),
}
_past = vocabulary(_PAST, {**dict.fromkeys(("sum", "loss", "slope"), "vector"), "weight": "real"})
"""A relation about one more past round."""
_WEIGHTED = (definition(eq(past, before(past) + p)), assumed(POSITIVE), assumed(NOT_LOST))
MISSED = over_summands(
    le(missing2, past**2 * R2),
    changing(missing2, past, free=(along, p, lost2)),
    *_WEIGHTED,
    _past(eq(missing2, before(missing2) + 2 * p * along + p**2 * lost2)),
    _past(le(along**2, before(missing2) * lost2)),
    through=(
        le(before(missing2) * lost2, (before(past) * R2) ** 2),
        le(along, before(past) * R2),
        le(p**2 * lost2, p**2 * R2),
        le(p * along, p * before(past) * R2),
    ),
)
"""The square of a client's weighted information loss, by its weight of the past."""
TILTED = over_summands(
    le(2 * ahead, past * (g2_start + R2)),
    changing(ahead, past, free=(tilt, p, lost2)),
    *_WEIGHTED,
    definition(eq(ahead, before(ahead) + p * tilt)),
    _past(le(2 * tilt, g2_start + lost2)),
    through=(le(2 * tilt, g2_start + R2), le(2 * p * tilt, p * (g2_start + R2))),
)
"""The same along the global gradient at the start, by Young's inequality."""
LOST = summed(le(missed2, R2 * pasts2), {missed2: missing2, pasts2: past**2}, (missing2, past), MISSED)
LOST_AHEAD = summed(
    le(2 * all_ahead, pasts * (g2_start + R2)), {all_ahead: ahead, pasts: past}, (ahead, past), TILTED
)
"""Sums over all clients and local steps."""
TURNS = follows(le(turn2, L**2 * way2), given=(SMOOTH, TURNED), through=(le(curved_sup**2, L**2),))
CHANGED = summed(le(changed2, L**2 * ways), {changed2: turn2, ways: way2}, (turn2, way2), TURNS)

# ------------------------------------------------------------------------------------------------------- local steps

_QUIET = Sums(QUIET, {}, {}, given=(QUIET,))
STEP_MEANS: Mapping[sp.Expr, Tree] = {
    K: ["+", "n", "1"],
    before(bars2): ["each", "n", "bar", "bar"],
    first2: square("first"),
    before(change): ["each", "n", "change", "change"],
    before(gone): ["each", "n", "gone", "gone"],
    stir_ahead: ["dot", "first", ["total", "noise"]],
    stir2: square(["total", "noise"]),
    noise2: ["each", "n", "noise", "noise"],
}
STEP_VECTORS = {
    **{"n": "count", "eta_l": "positive", "first": "vector"},
    **dict.fromkeys(("bar", "change", "gone", "noise"), "family n"),
}
_AS_BARS = ["+", ["total", "bar"], ["total", "noise"]]
_IN_PARTS = [
    "+",
    ["+", times("n", "first"), ["total", "noise"]],
    ["-", ["total", "change"], ["total", "gone"]],
]


def _in_steps(relation: Condition, pulls: Tree = _AS_BARS, *bounded: Bounded) -> Sums:
    """A relation about the n steps of a client before the last one, with the sum of their gradients."""
    return vocabulary({**STEP_MEANS, far2: square(times("eta_l", pulls))}, STEP_VECTORS)(relation, *bounded)


NOISY = (
    _in_steps(le(noise2, (K - 1) * sigma2), _AS_BARS, Bounded(("noise",), _QUIET, "n")),
    assumed(UNCORRELATED),
)


def walk_bound(
    relation: Condition, sums: Mapping[sp.Symbol, sp.Symbol], steps: tuple[Sums | Follows, ...], most: sp.Expr
) -> Rounds:
    """A bound of the squared ways of a client to its models before each step, added up over the steps.

    Parameters
    ----------
    sums : mapping
        Sum over the steps -> its summand.
    most : expression
        A bound of the square of the last way.
    """
    begun = {total: (before(total), sp.Symbol(f"{total}_1", nonnegative=True)) for total in sums}
    return Rounds(
        relation,
        SUMMANDS,
        {K: SUMMANDS + 1},
        {K: K + 1},
        {**changing(way, free=(far2, *sums.values())), **begun},
        (
            definition(eq(way, before(way) + far2)),
            *(definition(eq(total, before(total) + summand)) for total, summand in sums.items()),
            *steps,
            *NOISY,
        ),
        through=(le(far2, most), le(way, _earlier(relation.rhs, sums) + most)),
    )


def _earlier(bound: sp.Expr, sums: Mapping[sp.Symbol, sp.Symbol]) -> sp.Expr:
    """A bound for one step less."""
    return bound.subs({**{total: before(total) for total in sums}, K: K - 1}, simultaneous=True)


WALK = walk_bound(
    le(way, eta_l**2 * K * (K - 1) * (bars2 + sigma2)),
    {bars2: bar2_here},
    (_in_steps(le(far2, 2 * eta_l**2 * ((K - 1) * before(bars2) + stir2))),),
    2 * eta_l**2 * (K - 1) * (before(bars2) + sigma2),
)
"""By the gradients of the round's objective."""
_earlier_parts = before(change) + before(gone)
WALK_AWAY = walk_bound(
    le(
        way,
        eta_l**2 * (K * (K - 1) * (2 * K - 1) * first2 / 3 + K * (K - 1) * (sigma2 + 2 * change + 2 * gone)),
    ),
    {change: sp.Symbol("change_one", nonnegative=True), gone: sp.Symbol("gone_one", nonnegative=True)},
    (
        _in_steps(
            le(
                far2,
                2 * eta_l**2 * ((K - 1) ** 2 * first2 + 2 * (K - 1) * (stir_ahead + _earlier_parts) + stir2),
            ),
            _IN_PARTS,
        ),
        assumed(AHEAD),
    ),
    2 * eta_l**2 * ((K - 1) ** 2 * first2 + (K - 1) * (sigma2 + 2 * _earlier_parts)),
)
"""By the gradients at the start, and by changes and losses on the way."""


# --------------------------------------------------------------------------------------------------- sums over clients

_last2 = sp.Symbol("last2", nonnegative=True)
GROWN_EACH = follows(ge(cB, 1), definition(eq(cB, 1 + B2 + A2 * square_p)))
WALKS = summed(
    le(ways, (eta_l * K) ** 2 * (bar2 + clients * sigma2)),
    {ways: way, bar2: bars2, clients: sp.S.One},
    (way, bars2),
    WALK,
    through=(le(way, (eta_l * K) ** 2 * (bars2 + sigma2)),),
)
WALKS_AWAY = summed(
    le(weighed, c_max * (eta_l * K) ** 2 * (K * start2 + clients * sigma2 + 2 * changed2 + 2 * missed2)),
    {weighed: cB * way, start2: first2, clients: sp.S.One, changed2: change, missed2: gone},
    (cB, way, first2, change, gone),
    WALK_AWAY,
    assumed(LARGEST),
    through=(
        le(way, (eta_l * K) ** 2 * (K * first2 + sigma2 + 2 * change + 2 * gone)),
        le(cB * way, c_max * way),
    ),
)
"""Each client with its c_pB, which is at most c_max."""
LIGHTER = summed(le(ways, weighed), {ways: way, weighed: cB * way}, (way, cB), GROWN_EACH)
LATER = summed(
    le(weighed, later_weighed), {weighed: cB * way, later_weighed: cB * (way + _last2)}, (way, cB, _last2)
)
"""Ways to the models after each step are those before each step, and the last one."""
GROWN = summed(ge(all_cB, clients), {all_cB: cB, clients: sp.S.One}, (cB,), GROWN_EACH)

# ----------------------------------------------------------------------------------- drifts at the start, new clients

MIXED = summed(
    le(mixed2, square_p * (D2 + A2 * g2)), {mixed2: p**2 * xi2, square_p: p**2}, (p, xi2), assumed(DRIFTED[1])
)
_CONSTANTS: Sources = (
    (definition(eq(cB, 1 + B2 + A2 * square_p)), {}),
    (definition(eq(cG, G2 + D2 * square_p)), {}),
)
_PARTS: Sources = ((MIXED, {}), (assumed(DRIFTED[0]), {}), *_CONSTANTS)
FIRST = Follows(
    le(first2, cB * g2 + cG), ((definition(eq(first2, g2 + delta2 + mixed2)), {}), *_PARTS), DRIFTED
)
"""The weighted gradient of a client: the global gradient, client drift and time drifts are uncorrelated."""
APART = Follows(
    le(apart, (cB - 1) * g2 + cG), ((definition(eq(apart, delta2 + mixed2)), {}), *_PARTS), DRIFTED
)
STARTED_THERE = summed(
    le(start2, all_cB * g2 + all_cG), {start2: first2, all_cB: cB, all_cG: cG}, (first2, cB, cG), FIRST
)
STARTED = summed(
    le(starts, all_cB * grads + all_cG * models),
    {starts: start2, grads: g2, models: sp.S.One},
    (start2, g2),
    STARTED_THERE,
)
"""Sums over equally likely models at which the round may start."""
APART_AT_START = summed(
    le(aparts, (cB - 1) * grads + cG * models),
    {aparts: apart, grads: g2, models: sp.S.One},
    (apart, g2),
    APART,
)
