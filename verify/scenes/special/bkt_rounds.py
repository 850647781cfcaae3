"""SPECIAL, Eq. (28) to (35): recursions of the sums over training from round to round, for any number of rounds.

Symbols are those of `bkt_facts`. For the n = N E stochastic gradients of the sampled clients of a round, `sum` is the sum of the
means so far with the weights of Eq. (26), and `far` the displacement of the server's model.
"""

from __future__ import annotations

import sympy as sp

from bounds.relations import eq, ge, le
from bounds.special.bkt_limits import weighed
from bounds.special.bkt_sums import CORRECTED, W2, T1_c, T1_g, first_factor, move, tail
from bounds.special.symbols import B, E, M, drift2, lam, noise_sup, t
from bounds.special.theorems import step as g
from bounds.symbols import domain_of
from verify.engine.certificates.formulas import tree
from verify.engine.model.scene import Condition, Rounds
from verify.engine.model.sums import Bounded, Sums
from verify.scenes.letters import named
from verify.scenes.special.bkt_facts import (
    GEOMETRIC,
    LOUD,
    MOVED,
    PUSHED,
    SHORT,
    SPREAD,
    STRAYED,
    SUMMED,
    grad2,
    lengths,
)
from verify.scenes.special.drift_facts import FADING, LEFT, POWER
from verify.scenes.summands import before, changing, definition
from verify.scenes.trees import Tree, square, times

_LETTERS = {
    **dict.fromkeys(("n", "M", "N"), "count"),
    **dict.fromkeys(("gamma_G", "gamma_L", "lam"), "positive"),
    **dict.fromkeys(("back", "far", "sum"), "vector"),
    "sent": "family n",
}
_left: Tree = ["/", "1", ["+", "1", "lam"]]
_mean = times(["/", "1", "N"], ["total", "sent"])
_sum = times(_left, ["+", "sum", _mean])
_far = times(_left, ["-", "far", times(tree(g), _mean)])


def _sum_after_round(total: sp.Symbol, more: sp.Expr) -> Sums:
    """The update of a sum with the weights of Eq. (26) in a round."""
    after = before(total) + more
    return Sums(eq((1 + lam) * total, after), {total: tree(after / (1 + lam))}, {})


def _stands_for(letter: sp.Symbol, formula: sp.Expr) -> Sums:
    """The definition of a symbol that is a quotient by M, multiplied by M."""
    return Sums(eq(M * letter, sp.cancel(M * formula)), {letter: tree(formula)}, {})


# -------------------------------------------------------------------------------------------------------- the server

_first = CORRECTED.first
_MOVED = Sums(
    eq((1 + lam) * (move + first_factor * _first), before(move) + first_factor * before(_first)),
    {
        move: ["dot", "back", _far],
        before(move): ["dot", "back", "far"],
        _first: times(
            _left, ["+", str(before(_first)), ["*", ["/", "M", "N"], ["dot", "back", ["total", "sent"]]]]
        ),
    },
    _LETTERS,
)


def _off(far: Tree, total: Tree) -> Tree:
    """The difference of a displacement and its formula by a sum."""
    return ["+", far, times(tree(g), total)]


_ahead = ["-", "far", times(tree(g), "sum")]
_off2, _beyond2 = named("off2, beyond2", nonnegative=True)
_across = sp.Symbol("across", real=True)
_UNROLLED = Rounds(
    eq(_off2, 0),
    t,
    {},
    {},
    changing(_off2),
    (
        Sums(
            eq((1 + lam) ** 2 * _off2, before(_off2)),
            {_off2: square(_off(_far, _sum)), before(_off2): square(_off("far", "sum"))},
            _LETTERS,
        ),
    ),
)
"""Eq. (27) with the weights in the correct order."""
_STRAYED = Rounds(
    STRAYED,
    t,
    {},
    {},
    changing(drift2, T1_c, _off2, _across, _beyond2),
    (
        Sums(
            eq(_across, drift2 - g**2 * T1_c),
            {_across: ["dot", _off("far", "sum"), _ahead], drift2: square("far"), T1_c: square("sum")},
            _LETTERS,
        ),
        Sums(
            le(_across**2, _off2 * _beyond2),
            {_across: ["dot", "off", "beyond"], _off2: square("off"), _beyond2: square("beyond")},
            {"off": "vector", "beyond": "vector"},
        ),
        _UNROLLED,
    ),
    through=(le(_across**2, 0), le(_across, 0), ge(_across, 0)),
)

# ------------------------------------------------------------------------------------------------ Jensen's inequality

_along = sp.Symbol("along", real=True)
_push2, _wind2, _half, _reach, _pace = named("push2, wind2, half, reach, pace", nonnegative=True)
_FULL = Sums(
    le(_wind2, M * E * noise_sup),
    {_wind2: ["each", "q", "noise", "noise"], E: ["/", "q", "M"]},
    {"q": "count", "M": "count", "noise": "family q"},
    bounded=(Bounded(("noise",), LOUD, "q"),),
)
"""Fact about the q = M E noise vectors of a round."""


def _spread(relation: Condition, far2: sp.Symbol, noisy: tuple[Sums, ...]) -> Rounds:
    """A bound on the square of a weighted sum of means, by the sum of the weights and that of the squares."""
    noise, most = (_wind2, M * E * noise_sup) if noisy else (sp.S.Zero, sp.S.Zero)

    def bound(lengths: sp.Expr, weights: sp.Expr) -> sp.Expr:
        return E * (B * lengths + weights * most) / M

    def step(said: Condition, means: dict[sp.Expr, Tree]) -> Sums:
        return Sums(said, means, _LETTERS)

    squares = {
        E: ["/", "n", "N"],
        _push2: square(_mean),
        grad2 + noise: ["*", ["/", "M", "N"], ["each", "n", "sent", "sent"]],
    }
    ways = {before(far2): square("sum"), _along: ["dot", "sum", _mean], _push2: square(_mean)}
    pushed = Rounds(
        le(_push2, _pace),
        t,
        {},
        {},
        changing(_push2, _pace, grad2, lengths, *((_wind2,) if noisy else ())),
        (
            step(le(M * _push2, E * (grad2 + noise)), squares),
            *noisy,
            SHORT,
            _stands_for(_pace, bound(lengths, sp.S.One)),
        ),
        through=(le(M * _push2, M * _pace),),
    )
    started, reached, walked = before(far2), before(_reach), before(weighed)
    afterwards = [(before(x) + more) / (1 + lam) for x, more in ((CORRECTED.Y, lengths), (weighed, 1))]
    grown = Sums(
        eq((1 + lam) * _reach, reached + _pace),
        {
            _reach: tree(bound(*afterwards)),
            reached: tree(bound(before(CORRECTED.Y), walked)),
            _pace: tree(bound(lengths, sp.S.One)),
        },
        {letter.name: domain_of(letter) for letter in bound(*afterwards).free_symbols},
    )
    jensen = Rounds(
        le(far2, weighed * _reach),
        t,
        {},
        {},
        changing(far2, weighed, _reach, _along, _push2, _pace, _half),
        (
            step(eq((1 + lam) ** 2 * far2, started + 2 * _along + _push2), {**ways, far2: square(_sum)}),
            step(le(_along**2, started * _push2), ways),
            _sum_after_round(weighed, sp.S.One),
            grown,
            definition(eq(_half, (_pace * walked + reached) / 2)),
            pushed,
        ),
        through=(
            le(started * _push2, walked * reached * _pace),
            le(walked * reached * _pace, _half**2),
            le(_along**2, _half**2),
            le(_along, _half),
            le((1 + lam) ** 2 * far2, (walked + 1) * (reached + _pace)),
            le((1 + lam) * far2, (walked + 1) * _reach),
        ),
    )
    changes = changing(far2, weighed, CORRECTED.Y, _reach)
    return Rounds(relation, t, {}, {}, changes, (jensen, _stands_for(_reach, bound(CORRECTED.Y, weighed))))


FACTS: tuple[Rounds, ...] = (
    Rounds(
        GEOMETRIC,
        t,
        {},
        {},
        {**changing(W2), tail: (before(tail), sp.S.One)},
        (
            definition(eq(W2, (before(W2) + 1) / (1 + lam) ** 2)),
            definition(eq(tail, before(tail) / (1 + lam) ** 2)),
        ),
    ),
    Rounds(SUMMED, t, {POWER: LEFT}, FADING.grows, changing(weighed), (_sum_after_round(weighed, sp.S.One),)),
    Rounds(MOVED, t, {}, {}, changing(move, _first), (_MOVED,)),
    _STRAYED,
    _spread(SPREAD, T1_c, (_FULL,)),
    _spread(PUSHED, T1_g, ()),
)
