"""FedMeS, Theorem 1 made true: a correction that also descends the memory's loss, g~ + kappa g_mem in place of g~."""

from __future__ import annotations

from bounds.fedmes.correction import THEOREM_1, gt2, inner_now
from bounds.fedmes.descent import gap, gap_1, gap_next, gap_s
from bounds.fedmes.projection import gm2
from bounds.fedmes.symbols import FEDMES, L, at, c, eta_2, s
from bounds.hypotheses import Hypothesis
from bounds.relations import eq, ge, le, lt

_positive, _nonnegative = FEDMES.positive, FEDMES.nonnegative

kappa = _positive("kappa", "share of the memory gradient that is added to a correction", r"\kappa")
learnt_bend = _nonnegative("learnt_bend", "curvature of the memory loss along such a correction")
learnt_along = FEDMES.real("learnt_along", "inner product of the memory gradient and such a correction")
learnt2 = _nonnegative("learnt2", "squared norm of such a correction")
moved2 = _nonnegative(
    "moved2", "largest squared norm of the corrections so far", r"\max_i\|\tilde g^{(i)}\|^2"
)
moved2_next = _nonnegative("moved2_next", "the same one step later")
floor_gap = _nonnegative(
    "floor_gap", "the gap at which the longest correction so far adds as much as a step takes away"
)
floor_next = _nonnegative("floor_next", "the same one step later")
shrunk_gap = _nonnegative("shrunk_gap", "what the steps so far leave of the first gap")
shrunk_next = _nonnegative("shrunk_next", "the same one step later")

GENTLE = le(eta_2 * kappa * L, 1)
CONFLICT = lt(inner_now, 0)
SHARE = c * eta_2 * kappa * (2 - L * eta_2 * kappa)
"""The share of the gap that a step takes away."""
FLOOR = L * eta_2 * moved2 / (2 * c * kappa * (2 - L * eta_2 * kappa))
"""The gap at which a step adds as much as it takes away."""

_learns = at("Theorem 1, for a correction g~ + kappa g_mem", "174-180")

REPAIRED = THEOREM_1.variant(
    "repaired",
    le(gap_s, (1 - SHARE) ** (s - 1) * gap_1 + FLOOR),
    terms={"start": (1 - SHARE) ** (s - 1) * gap_1, "floor": FLOOR},
    says="corrections that also descend bring the memory loss near its least value at a linear rate, up to what they move",
    conditions=(ge(s, 2), GENTLE),
    assumes=(),
    uses=("thm1.learns.invariant",),
    changes="the step is g~ + kappa g_mem with eta_2 kappa <= 1/L; the start counts, and the floor is what corrections move",
)
LEARNS = _learns(
    "thm1.learns",
    "one such correction shrinks the gap, up to what it moves",
    le(gap_next, (1 - SHARE) * gap + L * eta_2**2 * gt2 / 2),
    terms={"start": (1 - SHARE) * gap, "floor": L * eta_2**2 * gt2 / 2},
    conditions=(GENTLE, CONFLICT),
    uses=("thm1.learns.falls",),
)
MOVES = _learns(
    "thm1.learns.moves",
    "the same for corrections of the length of the largest so far",
    le(gap_next, (1 - SHARE) * gap + L * eta_2**2 * moved2_next / 2),
    conditions=(GENTLE,),
    uses=("thm1.learns.falls",),
)
RISES = _learns(
    "thm1.learns.rises",
    "a longer correction raises the floor",
    le(floor_gap, floor_next),
    conditions=(GENTLE,),
)
INVARIANT = _learns(
    "thm1.learns.invariant",
    "after any number of corrections the gap is within what they leave of the first one, and the floor",
    le(gap, shrunk_gap + floor_gap),
    conditions=(GENTLE,),
    uses=("thm1.learns.moves", "thm1.learns.rises", "thm1.learns.share"),
)
STATEMENTS = (
    REPAIRED,
    MOVES,
    RISES,
    INVARIANT,
    LEARNS,
    _learns(
        "thm1.learns.falls",
        "the gap after one such correction: it falls by kappa to first order",
        le(gap_next, gap - eta_2 * kappa * gm2 + L * eta_2**2 * (gt2 + kappa**2 * gm2) / 2),
    ),
    _learns(
        "thm1.learns.expansion",
        "the gap after one such correction, for quadratic losses: it falls by kappa to first order",
        eq(gap_next, gap - eta_2 * kappa * gm2 + eta_2**2 * learnt_bend / 2),
        hypotheses=(Hypothesis.QUADRATIC,),
    ),
    _learns(
        "thm1.learns.share",
        "a step takes away no more than the gap",
        le(SHARE, 1),
        conditions=(GENTLE, le(c, L)),
    ),
)
