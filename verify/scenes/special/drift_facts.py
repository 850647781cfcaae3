"""SPECIAL, Lemma 4.9: the distance of the server's model from the start of the task, for arbitrary bounded gradients.

A round uses the sum of the `n` stochastic gradients of the sampled clients in all local steps. The vector `back` points from the
model at the start of the round to the start of the task. Statements in expectation use vectors of a larger space, with one
coordinate for each coordinate on each path, whose inner products are expectations.
"""

from __future__ import annotations

import sympy as sp

from bounds.catalogue import statement
from bounds.relations import eq, le
from bounds.special.drift import FINITE, FREE, Delta, gsum, th, th0
from bounds.special.symbols import B, E, N, drift1, drift2, gamma_G, gamma_L, lam, t
from bounds.special.theorems import step as g
from verify.engine.certificates.formulas import tree
from verify.engine.model.scene import Condition, Follows, Rounds
from verify.engine.model.sums import Bounded, Sums
from verify.scenes.letters import named
from verify.scenes.norms_of_sums import follows, norm_of_sum, renamed, triangle
from verify.scenes.special.terms import OF_SENT
from verify.scenes.summands import before, changing, definition, later, summed
from verify.scenes.trees import Tree, square

# ------------------------------------------------------------------------------- every round, any number of clients

LETTERS = {
    **dict.fromkeys(("n", "E", "K"), "count"),
    **dict.fromkeys(("gamma_G", "gamma_L", "lam"), "positive"),
    **{"back": "vector", "sent": "family n"},
}
PUSH: Tree = ["*", ["*", tree(g), ["/", "E", "n"]], ["total", "sent"]]
"""The server's step of a round: the mean over n/E clients of the sum of E local steps."""
MOVED: Tree = ["*", ["/", "1", ["+", "1", "lam"]], ["+", "back", PUSH]]
"""The vector `back` after the round."""
_SENT = (Bounded(("sent",), OF_SENT, "n"),)


def bound_of_every_round(relation: Condition, scale: sp.Expr = sp.S.One) -> Rounds:
    """A bound on a squared distance from the start of the task as a fact of every round: Young's inequality, round by round.

    Parameters
    ----------
    scale : expression
        Factor of the distance.
    """
    far2, times = relation.lhs, tree(scale)
    begun = before(far2)
    means = {far2: square(["*", times, MOVED]), begun: square(["*", times, "back"])}
    young = le((1 + lam) * far2, begun + (scale * g * E * B) ** 2 / lam)
    return Rounds(
        relation, t, {}, {}, {far2: (begun, sp.S.Zero)}, (Sums(young, means, LETTERS, bounded=_SENT),)
    )


POWER = sp.Symbol("power", positive=True)
LEFT = (1 + lam) ** (-t)
"""The factor by which t rounds shrink a distance."""
FADING = Rounds(le(LEFT, 1), t, {POWER: LEFT}, {POWER: POWER / (1 + lam)})


def reached_in_time(relation: Condition, rounds: sp.Symbol) -> Rounds:
    """The bound for exactly `rounds` rounds, in which the pull of each round shrinks the contributions of earlier steps.

    Fewer rounds are a special case in which the first rounds send zero.
    """
    far2 = relation.lhs
    begun, push2 = before(far2), sp.Symbol("push2", nonnegative=True)
    along = sp.Symbol("along", real=True)
    means = {far2: square(MOVED), begun: square("back"), along: ["dot", "back", PUSH], push2: square(PUSH)}

    def step(said: Condition, bounded: tuple[Bounded, ...] = ()) -> Sums:
        return Sums(said, {s: means[s] for s in means if s in said.free_symbols}, LETTERS, bounded=bounded)

    steps = (
        step(eq((1 + lam) ** 2 * far2, begun + 2 * along + push2)),
        step(le(along**2, begun * push2)),
        step(le(push2, (g * E * B) ** 2), _SENT),
        Rounds(FADING.relation.subs(t, rounds), rounds, {POWER: LEFT.subs(t, rounds)}, FADING.grows),
    )
    left = {POWER: LEFT.subs(t, rounds)}
    changes = changing(far2, along, push2)
    longest, most = (1 - POWER) * g * E * B / lam, g * E * B
    through = (le(later(along), longest * most), le((1 + lam) ** 2 * later(far2), (longest + most) ** 2))
    return Rounds(relation, rounds, left, FADING.grows, changes, steps, through=through)


def strayed_in_time(relation: Condition, rounds: sp.Symbol) -> Rounds:
    """The bound without a pull: every round adds one step."""
    far2, begun = relation.lhs, before(relation.lhs)
    push2, along = sp.Symbol("push2", nonnegative=True), sp.Symbol("along", real=True)
    moved: Tree = ["+", "back", PUSH]
    means = {far2: square(moved), begun: square("back"), along: ["dot", "back", PUSH], push2: square(PUSH)}

    def step(said: Condition, bounded: tuple[Bounded, ...] = ()) -> Sums:
        return Sums(said, {s: means[s] for s in means if s in said.free_symbols}, _UNPULLED, bounded=bounded)

    steps = (
        step(eq(far2, begun + 2 * along + push2)),
        step(le(along**2, begun * push2)),
        step(le(push2, (g * E * B) ** 2), _SENT),
    )
    changes = changing(far2, along, push2)
    counted = {_COUNT: rounds}
    through = (le(later(along), _COUNT * (g * E * B) ** 2),)
    return Rounds(relation, rounds, counted, {_COUNT: _COUNT + 1}, changes, steps, through=through)


_COUNT = sp.Symbol("count", nonnegative=True)
_UNPULLED = {name: kind for name, kind in LETTERS.items() if name != "lam"}
WITHIN = reached_in_time(FINITE.relation, t)
AWAY = strayed_in_time(FREE.relation, t)
JENSEN = Sums(
    le(drift1**2, drift2),
    {
        drift1**2: square(["*", ["/", "1", "n"], ["total", "lengths"]]),
        drift2: ["/", ["each", "n", "lengths", "lengths"], "n"],
    },
    {"n": "count", "lengths": "family n"},
)
"""Jensen's inequality for norms in n equally likely outcomes, as multiples of one direction."""
FACTS = (WITHIN, JENSEN)


# ------------------------------------------------------------------------------------------------ weights of the rounds

ROUNDS, _weighted = sp.Symbol("rounds", integer=True, nonnegative=True), sp.Symbol("weighted sum")


def weighted_rounds(
    relation: Condition, each: sp.Expr, far: sp.Symbol, start: sp.Expr, step: Sums | Follows
) -> Follows:
    """A relation to the sum of what the rounds add, each divided by 1 + lambda in its own and all later rounds.

    Parameters
    ----------
    relation : Relational
        The sum is its right-hand side.
    each : expression
        Addition of the round after `ROUNDS` rounds.
    far : Symbol
        The quantity that changes, with the value `start` before the first round.
    step : Sums or Follows
        The relation of that quantity to its value one round earlier.
    """
    in_rounds = relation.func(relation.lhs, relation.rhs.xreplace({t: ROUNDS}), evaluate=False)
    fact = Rounds(
        in_rounds,
        ROUNDS,
        {_weighted: in_rounds.rhs},
        {_weighted: (_weighted + each) / (1 + lam)},
        {far: (before(far), start)},
        (step,),
    )
    return follows(relation, (fact, {ROUNDS: t}))


UNROLLED = weighted_rounds(
    statement("special.eq27/corrected").relation,
    gamma_G * Delta[ROUNDS],
    th,
    th0,
    definition(eq(th, (before(th) + gamma_G * Delta[ROUNDS - 1] + lam * th0) / (1 + lam))),
)
"""Eq. (26) in every round, in any coordinate."""
_chance, _far, _first, _push, _lengths, _far_mean, _first_mean = named(
    "chance, distance, first distance, push, lengths, mean distance, mean first distance", nonnegative=True
)
_lengths_mean = sp.Symbol("mean lengths")
_ON_A_PATH = triangle(_far, {_first: 1 / (1 + lam), _push: gamma_G * gamma_L / N / (1 + lam)})
_IN_ONE_ROUND = summed(
    le((1 + lam) * _far_mean, _first_mean + gamma_G * gamma_L * _lengths_mean),
    {_far_mean: _chance * _far, _first_mean: _chance * _first, _lengths_mean: _chance * _lengths / N},
    (_chance, _far, _first, _push, _lengths),
    _ON_A_PATH,
    norm_of_sum(_push, _lengths),
    through=(
        le((1 + lam) * _far, _first + gamma_G * gamma_L * _lengths / N),
        le((1 + lam) * _chance * _far, _chance * _first + gamma_G * gamma_L * _chance * _lengths / N),
    ),
)
"""Means over paths; the sampled clients of a path push the model by the sum of the gradients of all their steps."""
IN_LENGTHS = weighted_rounds(
    statement("special.eq37/corrected").relation,
    gamma_G * gamma_L * gsum[ROUNDS],
    drift1,
    sp.S.Zero,
    renamed(_IN_ONE_ROUND, {_far_mean: drift1, _first_mean: before(drift1), _lengths_mean: gsum[ROUNDS - 1]}),
)
