"""SPECIAL, Lemma 4.9: the distance of the server's model from the start of the task, for arbitrary bounded gradients.

A round uses the sum of the `n` stochastic gradients of the sampled clients in all local steps. The vector `back` points from the
model at the start of the round to the start of the task. Statements in expectation use vectors of a larger space, with one
coordinate for each coordinate on each path, whose inner products are expectations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, product
from typing import Any

import numpy as np
import sympy as sp

from algorithms.special import special
from bounds.relations import eq, le
from bounds.special.drift import FINITE, FREE
from bounds.special.symbols import B, E, drift1, drift2, lam, t
from bounds.special.theorems import step as g
from nqm.fields import Array, norm, sq, stack
from verify.engine.certificates.formulas import tree
from verify.engine.model.scene import Box, Condition, Fact, Named, Rounds, Scene, Shape, Values
from verify.engine.model.sums import Bounded, Sums
from verify.scenes.lengths import detour
from verify.scenes.special.terms import OF_SENT
from verify.scenes.summands import before, changing, later
from verify.scenes.trees import Tree, square


def pairs_apart(vectors: Sequence[Array]) -> Array:
    """Sum over the pairs of |x_i - x_j|^2: the slack of Jensen's inequality for n |x_1|^2 + .."""
    return sum((sq(x - y) for x, y in combinations(vectors, 2)), 0 * sq(vectors[0]))


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


def reached(relation: Condition, scale: sp.Expr = sp.S.One) -> Rounds:
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


# --------------------------------------------------------------------------------------------- lengths, at sizes


def _path(shape: Shape, values: Named) -> Values:
    """The model after t rounds with any gradients of N clients in E steps."""
    t, N, E = shape["t"], shape["N"], shape["E"]
    local, g, pull = values["gamma_L"], values["gamma_G"] * values["gamma_L"], values["lam"]
    algorithm = special(*(values[name] for name in ("gamma_L", "gamma_G", "lam")))
    start = values["start"]
    state: Mapping[str, Any] = {"theta": start, "anchor": start}
    sums = values["sent"].sum(axis=3)  # (1, t, N, d)
    for tau in range(t):
        x = state["theta"][:, None] - local * sums[:, tau]
        state = algorithm.aggregate(state, {"x": x}, np.arange(N))
    weights = [(1 + pull) ** (tau - t) for tau in range(t)]
    lengths = [norm(values["sent"][:, tau]).sum(axis=(1, 2)) / N for tau in range(t)]
    pushes = [
        g[:, None] * weights[tau][:, None] / N * values["sent"][:, tau, m, e]
        for tau, m, e in product(range(t), range(N), range(E))
    ]
    far = norm(start - state["theta"])
    return {"drift1": far, "drift2": far**2, "gsum": stack(lengths, axis=0), "slack_lengths": detour(pushes)}


PATH = Scene(
    name="rounds of SPECIAL with any gradients",
    shapes=tuple(
        {"t": t, "N": N, "E": E, "d": 1}
        for t, N, E in (
            (1, 1, 1),
            (1, 2, 1),
            (1, 1, 2),
            (1, 3, 2),
            (1, 2, 3),
            (2, 1, 1),
            (2, 2, 2),
            (3, 1, 1),
            (4, 1, 1),
        )
    ),
    space=lambda shape: {
        **dict.fromkeys(("gamma_G", "gamma_L", "lam"), Box(0.1, 1)),
        "start": Box(-1, 1, (shape["d"],)),
        "sent": Box(-1, 1, tuple(shape[name] for name in "tNEd")),
    },
    compute=_path,
    covers="lengths of arbitrary stochastic gradients of 1 to 3 clients in 1 to 3 local steps and 1 to 4 rounds; the slack is what a "
    "detour is longer than the straight way, in any dimension, and the weights of the rounds are powers of 1/(1 + lambda) for "
    "every number of them",
)


def in_lengths(relation: Condition) -> Fact:
    """A bound on the expected distance by lengths of gradients as a fact of every path."""
    return Fact(relation, PATH, "slack_lengths")
