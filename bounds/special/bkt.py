"""SPECIAL: what holds without Theorem 4.7, against which its value is measured, and Corollary D.2 beside it."""

from __future__ import annotations

from functools import partial

import sympy as sp

from bounds.special.drift import PULLED
from bounds.special.symbols import F_0, G0, PAPER, B, E, F_t, K, L, M, N, eps, gamma_G, gamma_L, lam, sigma_L2
from bounds.special.theorems import ALIGNED, ALL, BKT, BKT_FULL, NOISY

DRIFT_BOUND = gamma_G * gamma_L * E * B / lam
_free = partial(PAPER.statement, place="Lemma C.1 and Lemma 4.9", lines="406, 163")
FREE = _free(
    "thm4.7/free",
    "smoothness and Lemma 4.9 alone, without alignment, bound how much the earlier loss can grow",
    sp.Le(F_t, F_0 + G0 * DRIFT_BOUND + (K - 1) * L / 2 * DRIFT_BOUND**2),
    conditions=(sp.Le(N, M), sp.Ge(K, 2), sp.Le(sigma_L2, B**2), sp.Le(G0, (K - 1) * B)),
    assumes=("ass4.1", "ass4.2"),
    uses=("eq28.smooth", "b1", "lem4.9"),
    changes="bounds the growth by what holds without alignment and without limits on the step sizes",
)
# At the largest steps that Theorem 4.7 allows, its correction is sigma_L^2 t / (B^2 (1 + 2/lambda)) times what
# FREE_ALIGNED allows the loss to grow: from some round on the latter says more
FREE_ALIGNED = _free(
    "thm4.7/aligned-drift",
    "alignment drops the first-order term, and Lemma 4.9 bounds the rest",
    sp.Le(F_t, F_0 + (K - 1) * L / 2 * DRIFT_BOUND**2),
    conditions=(*FREE.conditions, *ALIGNED),
    assumes=ALL[:3],
    uses=("eq28.smooth", "a3/corrected", "lem4.9"),
    changes="bounds the growth by what alignment and Lemma 4.9 give, for steps of any size",
)

_limited = BKT.conditions[:-2]  # without the limits on the step sizes
_repaired = partial(PAPER.statement, place="Theorem 4.7", lines="142", assumes=NOISY)
REPAIRED = (
    _repaired(
        "thm4.7/repaired",
        "with constant steps, after any number of rounds the loss of the earlier tasks has grown by noise alone",
        sp.Le(F_t, F_0 + (K - 1) * L / 2 * gamma_G**2 * gamma_L**2 * E**2 * sigma_L2 * PULLED**2),
        conditions=(*_limited, sp.Le(gamma_G * gamma_L, 2 * eps * G0 / ((K - 1) * L * E * B * PULLED))),
        uses=("eq28.smooth", "a3/corrected"),
        changes="one limit on the product of the steps, and the noise of every round with its own weight",
    ),
    _repaired(
        "thm4.7/clients",
        "with smaller steps the noise is that of the mean over N clients, for all rounds at once",
        sp.Le(F_t, F_0 + (K - 1) * L * gamma_G**2 * gamma_L**2 * E * sigma_L2 / (N * (lam**2 + 2 * lam))),
        conditions=(*_limited, sp.Le(gamma_G * gamma_L, eps * lam * G0 / ((K - 1) * L * E * B))),
        uses=("eq28.smooth", "a3/corrected"),
        changes="half of that limit without its dependence on t, and the factor 1/N of uncorrelated noise",
    ),
)

_recovered = partial(PAPER.statement, place="Corollary D.2 against Theorem 4.7", conditions=(sp.Ge(K, 2),))
_RECOVERED = (
    _recovered(
        "corD.2.agreement",
        "the bound of Corollary D.2 is that of Theorem 4.7 at N = M",
        sp.Eq(BKT.rhs.subs(N, M), BKT_FULL.rhs, evaluate=False),
        lines="151, 501",
    ),
    _recovered(
        "corD.2.steps",
        "the limit on gamma_G of Corollary D.2 is that of Theorem 4.7 at N = M",
        sp.Eq(1 / (sp.sqrt(M) * (K - 1)), 1 / (M * (K - 1))),
        lines="142, 501",
    ),
)

STATEMENTS = (FREE, FREE_ALIGNED, *REPAIRED, *_RECOVERED)
