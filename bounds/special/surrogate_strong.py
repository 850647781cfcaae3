"""SPECIAL towards the minimiser of its surrogate, strongly convex losses and one local step. Not of the paper.

Without local drift squares of distances add up, so no roots are needed.
"""

from __future__ import annotations

from functools import partial

import sympy as sp

from bounds.relations import eq, ge, le
from bounds.special.assumptions import convexity
from bounds.special.surrogate import NOT_OF_THE_PAPER, STRONG, miss
from bounds.special.surrogate_proof import bent2, bent_along, blown2, miss2, miss_next2, pulled2
from bounds.special.surrogate_rounds import Pace, letters, variance
from bounds.special.symbols import SPECIAL, E, L, at, lam
from bounds.special.theorems import step as g

narrowed = SPECIAL.nonnegative("narrowed", "the larger of |1 - g mu| and |1 - g L|", r"\max(1-g\mu,gL-1)")
spared = SPECIAL.positive("spared", "by how much 1 + lambda exceeds that")
PACE = Pace(
    narrowed,
    spared,
    (eq(narrowed, sp.Max(1 - g * convexity, g * L - 1)), eq(spared, 1 + lam - narrowed)),
    **letters("_m"),
)
LAST = tuple(meaning.subs(E, 1) for meaning in PACE.last)
"""What the theorem says in place of the letters."""


def _of(words: str) -> tuple[str, ...]:
    return tuple(f"thm4.10/surrogate.strong.{word}" for word in words.split())


_step = partial(
    at("Theorem 4.10", "173"), conditions=STRONG.conditions, assumes=STRONG.assumes, changes=NOT_OF_THE_PAPER
)
SPLIT = _step(
    *_of("split"),
    "one local step does not drift: a round is a gradient step with noise and sampling",
    eq((1 + lam) ** 2 * miss_next2, blown2),
    uses=("thm4.10/surrogate.step",),
)
COCOERCIVE = _step(
    *_of("cocoercive"),
    "the gradient of a strongly convex smooth loss (Nesterov 2018, Theorem 2.1.12)",
    ge((L + convexity) * bent_along, convexity * L * miss2 + bent2),
)
MONOTONE = _step(
    *_of("monotone"), "it is strongly monotone (Nesterov 2018, (2.1.22))", ge(bent_along, convexity * miss2)
)
NO_STEEPER = _step(
    *_of("smooth"),
    "it changes along a way by at most L times it (Nesterov 2018, (2.1.9))",
    le(bent_along, L * miss2),
)
PULLED = _step(
    *_of("pulled"),
    "a gradient step shrinks distances by the larger of |1 - g mu| and |1 - g L|",
    le(pulled2, narrowed**2 * miss2),
    uses=("thm4.10/surrogate.pulled", *_of("cocoercive monotone smooth")),
)
BLOWN2 = _step(
    *_of("blown2"),
    "the gradient step with noise and sampling, squared",
    le(blown2, narrowed**2 * miss2 + variance),
    uses=("thm4.10/surrogate.unbiased", "thm4.10/surrogate.variance", *_of("pulled")),
)
ROUND = _step(
    *_of("round"),
    "a round, squared",
    le((1 + lam) ** 2 * miss_next2, narrowed**2 * miss2 + variance),
    uses=_of("split blown2"),
)
CARRIED_ON = _step(
    *_of("carried.next"), "the square of what noise and the start make, one round later", PACE.carried_on
)
INVARIANT = _step(
    *_of("invariant"),
    "so the squared distance is at most that after every round, as it is at the start",
    le(miss2, PACE.carried2),
    uses=_of("round carried.next"),
)
ROOT = _step(*_of("root"), "and so is its root", le(miss, PACE.carried), uses=_of("invariant"))
CARRIED_MOST = _step(
    *_of("carried.most"), "noise and the start make no more than both of them", PACE.carried_most
)

STATEMENTS = (
    SPLIT,
    COCOERCIVE,
    MONOTONE,
    NO_STEEPER,
    PULLED,
    BLOWN2,
    ROUND,
    CARRIED_ON,
    INVARIANT,
    ROOT,
    CARRIED_MOST,
)
