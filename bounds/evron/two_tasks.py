"""Two tasks in turn: the worst forgetting after an even number k of steps.

The source bounds a product of projections through the angles of two subspaces. Here squared errors of consecutive steps take
the place of the angles: r_t is the squared error after step t + 1. For even k the forgetting is half the loss of the first
task, which is at most r_(k-1) - r_k. Theorem numbers are from memory.
"""

from __future__ import annotations

import sympy as sp

from bounds.evron.symbols import GLOSSARY, F, at, k, later, loss, missing, now, t
from bounds.relations import eq, ge, le

r = sp.IndexedBase(sp.Symbol("r", nonnegative=True))
GLOSSARY.series(r, "squared error after each step, counted from the first", "r")
T = GLOSSARY.count("T", "steps after the first")
rounds = GLOSSARY.count("rounds", "cycles of both tasks, k/2", "n")
a = GLOSSARY.positive("a", "any weight")
c = GLOSSARY.positive("c", "squared cosine of the angle between two lines", r"\cos^2\theta")
last = GLOSSARY.nonnegative("last", "squared error after the last step", "r_{k-1}")
following = GLOSSARY.nonnegative("following", "squared error after one more step", "r_k")
earlier = GLOSSARY.nonnegative("earlier", "squared error one step before", "r_{t-1}")
first = GLOSSARY.nonnegative("first", "squared error after the first step", "r_0")

KEPT = 1 - 1 / k
WORST = KEPT**k / (2 * (k - 1))
TWO = (ge(k, 2),)
LINES = (eq(r[t], c * r[t - 1]), le(c, 1))
TURN = ge(r[t + 1], 2 * a * r[t] - a**2 * r[t - 1])
SUM = le(KEPT * last, KEPT**k * first + (k - 1) * (following - KEPT * last))
FALL = le((k - 1) * (last - following), KEPT**k * first)
LOSS = le(F, (last - following) / 2)
"""After an even number of steps the forgetting is half the loss of the first task."""
THEOREM = at("Theorem 10")(
    "thm10",
    "the forgetting of two tasks in turn after k steps is at most (1 - 1/k)^k/(2 (k - 1))",
    le(F, WORST),
    conditions=(*TWO, LOSS, FALL, le(first, 1)),
    uses=("loss.next", "turn", "turn.sum", "thm10.fall"),
)
NUMBER = at("Theorem 10", conditions=TWO)(
    "thm10.number", "this number is at most 1/(2 e (k - 1))", le(WORST, 1 / (2 * sp.E * (k - 1)))
)
ONE_STEP = at("Without the theorem", changes="not of the paper")(
    "thm10.free",
    "forgetting is at most the squared error after the first step, since projections shrink the error",
    le(F, first),
)
STATEMENTS = (
    ONE_STEP,
    at("Section 3")(
        "loss", "the loss of a task is at most the squared distance from its null space", le(loss, missing)
    ),
    at("Section 3")(
        "loss.next",
        "it is at most the fall of the squared error if this task is solved next",
        le(loss, now - later),
    ),
    at("Theorem 10, proof")(
        "turn", "three squared errors in a row, at every weight a", ge(later, 2 * a * now - a**2 * earlier)
    ),
    at("Theorem 10, proof", conditions=(TURN,))(
        "turn.sum",
        "the squared error after all steps, from the first one and the last fall",
        le(a * r[T], a ** (T + 1) * r[0] + T * (r[T + 1] - a * r[T])),
        uses=("turn",),
    ),
    at("Theorem 10, proof", conditions=(*TWO, SUM))(
        "thm10.fall", "at the weight 1 - 1/k: the last fall of the squared error", FALL, uses=("turn.sum",)
    ),
    THEOREM,
    at("Theorem 10, proof", conditions=LINES)(
        "thm10.angle",
        "for two lines the forgetting is c^(k-1) (1 - c)/2 times the first squared error",
        eq((r[k - 1] - r[k]) / 2, c ** (k - 1) * (1 - c) * r[0] / 2),
    ),
    at("Theorem 10, proof")(
        "thm10.lines",
        "the same, computed from the two lines in the plane",
        eq(F, c ** (2 * rounds - 1) * (1 - c) * first / 2),
    ),
    THEOREM.variant(
        "attained",
        eq(KEPT ** (k - 1) * (1 - KEPT) / 2, WORST),
        conditions=TWO,
        changes="two lines whose squared cosine is 1 - 1/k attain the bound",
    ),
    THEOREM.variant(
        "half",
        le((r[k - 1] - r[k]) / 2, WORST / 2),
        conditions=(*TWO, *LINES, le(r[0], 1)),
        changes="half the bound, which two lines break",
    ),
    NUMBER,
    NUMBER.variant(
        "smaller",
        le(WORST, 1 / (2 * sp.E * k)),
        changes="1/(2 e k) instead of 1/(2 e (k - 1)), which is false",
    ),
)
