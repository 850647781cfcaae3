"""FedMeS, Theorem 1 made true: a correction that also descends the memory's loss, g~ + kappa g_mem in place of g~."""

from __future__ import annotations

import sympy as sp

from bounds.fedmes.correction import THEOREM_1, gt2, inner_now
from bounds.fedmes.descent import gap, gap_1, gap_next, gap_s
from bounds.fedmes.projection import gm2
from bounds.fedmes.symbols import FEDMES, L, at, c, eta_2, s

_positive, _nonnegative = FEDMES.positive, FEDMES.nonnegative

kappa = _positive("kappa", "share of the memory gradient that is added to a correction", r"\kappa")
learnt_bend = _nonnegative("learnt_bend", "curvature of the memory loss along such a correction")
moved2 = _nonnegative(
    "moved2", "largest squared norm of the corrections so far", r"\max_i\|\tilde g^{(i)}\|^2"
)
shrunk_gap = _nonnegative("shrunk_gap", "what the steps so far leave of the first gap")

GENTLE = sp.Le(eta_2 * kappa * L, 1)
CONFLICT = sp.Lt(inner_now, 0)
SHARE = 2 * c * eta_2 * kappa * (1 - L * eta_2 * kappa / 2)
"""The share of the gap that a step takes away."""
MOVED = L * eta_2 * moved2 / (4 * c * kappa * (1 - L * eta_2 * kappa / 2))
"""The gap at which a step adds as much as it takes away."""

_learns = at("Theorem 1, for a correction g~ + kappa g_mem", "174-180")

REPAIRED = THEOREM_1.reading(
    "repaired",
    sp.Le(gap_s, (1 - SHARE) ** (s - 1) * gap_1 + MOVED),
    says="corrections that also descend bring the memory loss near its least value at a linear rate, up to what they move",
    conditions=(sp.Ge(s, 2), GENTLE),
    assumes=(),
    uses=("thm1.learns", "thm1.learns.again"),
    changes="the step is g~ + kappa g_mem with eta_2 kappa <= 1/L; the start counts, and the floor is what corrections move",
)
LEARNS = _learns(
    "thm1.learns",
    "one such correction shrinks the gap, up to what it moves, for quadratic losses",
    sp.Le(gap_next, (1 - SHARE) * gap + L * eta_2**2 * gt2 / 2),
    conditions=(GENTLE, CONFLICT),
    uses=("thm1.learns.expansion",),
)
STATEMENTS = (
    REPAIRED,
    LEARNS,
    LEARNS.reading(
        "smooth",
        says="the same for every loss with the descent lemma, and a gap within |g_mem|^2/(2c)",
        conditions=(
            GENTLE,
            sp.Le(gap_next, gap - eta_2 * kappa * gm2 + L * eta_2**2 * (gt2 + kappa**2 * gm2) / 2),
            sp.Le(2 * c * gap, gm2),
        ),
        uses=(),
        changes="any smooth and strongly convex loss, by what follows from that",
    ),
    _learns(
        "thm1.learns.expansion",
        "the gap after one such correction, for quadratic losses: it falls by kappa to first order",
        sp.Eq(gap_next, gap - eta_2 * kappa * gm2 + eta_2**2 * learnt_bend / 2),
    ),
    _learns(
        "thm1.learns.share",
        "a step takes away no more than the gap",
        sp.Le(SHARE, 1),
        conditions=(GENTLE, sp.Le(c, L)),
    ),
    _learns(
        "thm1.learns.again",
        "the induction closes",
        sp.Le(gap_next, (1 - SHARE) * shrunk_gap + MOVED),
        conditions=(
            GENTLE,
            sp.Le(c, L),
            sp.Le(gap, shrunk_gap + MOVED),
            sp.Le(gt2, moved2),
            sp.Le(gap_next, (1 - SHARE) * gap + L * eta_2**2 * gt2 / 2),
        ),
        uses=("thm1.learns", "thm1.learns.share"),
    ),
)
