"""SPECIAL, Appendix E.3: sampled clients and the end of the proof of Theorem 4.10, Eq. (53) to (59).

The vectors t_m and Lambda are those above Eq. (53); expectations are over the local noise.
"""

from __future__ import annotations

import sympy as sp

from bounds.relations import eq, ge, le
from bounds.special.one_round import D2, T7, T8, T62, anchor2, far2, far2_e, gK2, q, t_Lam, t_pairs, tm2
from bounds.special.rate_round import EXPECTED, step
from bounds.special.symbols import B, E, K, L, M, N, gamma_L, lam, sigma_G2, sigma_L2, sigma_T2
from bounds.special.theorems import RATE
from bounds.special.theorems import step as g

tau = sp.Symbol("tau", integer=True)

scale_7, scale_8 = 3 * g**2 * L / (2 * K * (1 + lam) ** 2), g / (2 * (1 + lam) * E * K)
_pairs = g / (4 * (1 + lam) * E * M**2 * K) - 3 * (N - 1) * g**2 * L / (
    4 * (1 + lam) ** 2 * K * M * (M - 1) * N
)
_own = 3 * g**2 * L / (2 * M * K * (1 + lam) ** 2) - g / (2 * (1 + lam) * E * K * M)
_four = (
    g / (2 * (1 + lam) * E * M * K)
    - 3 * (N - 1) * g**2 * L / (2 * (1 + lam) ** 2 * K * (M - 1) * N)
    + 3 * g**2 * L / (2 * M * K * (1 + lam) ** 2)
    - g / (2 * (1 + lam) * E * K * M)
)
_two = 3 * g**2 * L / (2 * M * K * (1 + lam) ** 2) - 3 * (N - 1) * g**2 * L / (
    2 * (1 + lam) ** 2 * K * (M - 1) * N
)
_share = (M - N) / (M * N * (M - 1))
_norms = 3 * g**2 / (2 * K * (1 + lam) ** 2) * _share * (2 * tm2 + 2 * M * anchor2)
_factored = 3 * g**2 * L / (K * (1 + lam) ** 2) * _share * (tm2 + M * anchor2)
C11 = (
    q
    * (3 * g * (M - N) * L / ((1 + lam) * N * (M - 1)))
    * (
        20 * E**2 * K * L**2 * gamma_L**2 * (sigma_L2 + 6 * E * sigma_G2)
        + (120 * E**3 * K * L**2 * gamma_L**2 + 4 * E * K) * gK2
        + 4 * E * K * sigma_G2
        + 4 * E * (K - 1) ** 2 / K * sigma_T2
        + E * K * B**2
    )
)
_spreads = 4 * M * E**2 * K**2 * (sigma_G2 + gK2) + 4 * M * E**2 * (K - 1) ** 2 * sigma_T2
_c8 = 4 * E * K**2 * D2 + _spreads
_c9 = 4 * E * K**2 * L**2 * far2 + _spreads
_c9_printed = 4 * E * K**2 * L**2 * far2_e + _spreads
_c10 = (
    20 * M * E**3 * K**2 * L**2 * gamma_L**2 * (sigma_L2 + 6 * E * sigma_G2)
    + (120 * M * E**4 * L**2 * K**2 * gamma_L**2 + 4 * M * E**2 * K**2) * gK2
    + 4 * M * E**2 * K**2 * sigma_G2
    + 4 * M * E**2 * (K - 1) ** 2 * sigma_T2
)

eq53 = -(N - 1) / (2 * M * N * (M - 1)) * t_pairs + t_Lam / M
eq54 = -1 / (2 * M**2) * t_pairs + t_Lam / M

EQ53 = step("Eq. (53)", "705-707")(
    "eq53",
    "T7 by the expansion of Lemma C.7, with inclusion probabilities inside the norm",
    eq(T7, eq53),
    uses=("lemC.7",),
)
C9 = step("Eq. (56), step (c9)", "727")(
    "c9", "smoothness is put in, for one local step e", le(_c8, _c9_printed)
)
C10 = step("Eq. (56), step (c10)", "729")(
    "c10", "the local drift at one step is bounded", le(_c9_printed, _c10), uses=("lemC.5",)
)
EQ57 = step("Eq. (57)", "735")(
    "eq57",
    "the two terms left in Eq. (52), by pairs",
    eq(scale_7 * T7 - scale_8 * T8, _pairs * t_pairs + _own * t_Lam),
    uses=("eq53", "eq54"),
)
EQ58_NORMS = step("Eq. (58), third line", "741")(
    "eq58.norms",
    "squared distances are at most twice the squared norms",
    le(_two * t_Lam, _norms),
    uses=("lemC.3",),
)
EQ58_FACTOR = step("Eq. (58), fourth line", "742")(
    "eq58.factor", "a factor 2 is cancelled", eq(_norms, _factored)
)
EQ58 = step("Eq. (58)-(59)", "739-746")(
    "eq58",
    "bound of the two terms left in Eq. (52)",
    le(scale_7 * T7 - scale_8 * T8, C11),
    uses=("eq57", "eq58.pairs", "eq58.collect", "eq58.norms", "c11"),
)
STATEMENTS = (
    EQ53,
    EQ53.variant(
        "expectation",
        eq(T62, eq53),
        changes=EXPECTED,
        says="T7 by the expansion of Lemma C.7, in expectation over the sampled clients",
        uses=("special.lemC.7.expectation",),
    ),
    step("Eq. (54)", "711")("eq54", "T8 by the expansion of Lemma C.6", eq(T8, eq54), uses=("lemC.6",)),
    step("Eq. (55), first link", "715")(
        "eq55",
        "T8 is not negative, which bounds the pairwise differences",
        le(t_pairs, 2 * M * t_Lam),
        uses=("eq54",),
    ),
    step("Eq. (55), second link", "715")(
        "eq55.second",
        "the bound from T7 is weaker than that from T8",
        le(2 * M * t_Lam, 2 * M * N * (M - 1) / (M * (N - 1)) * t_Lam),
        conditions=(*RATE.conditions, ge(N, 2)),
    ),
    step("Eq. (56), step (c8)", "719-725")(
        "c8", "t_m is split into four parts", le(tm2, _c8), uses=("lemC.3",)
    ),
    C9,
    C9.variant(
        "corrected",
        le(_c8, _c9),
        changes="the sum over local steps, which is lost in print, is kept",
        says="smoothness is put in, summed over the local steps",
    ),
    C10,
    C10.variant(
        "corrected",
        le(_c9, _c10),
        changes="the sum over local steps is kept, and Lemma C.5 cited in place of Lemma 4.9",
        says="the local drift is bounded",
    ),
    step("Eq. (56)", "719-729")(
        "eq56", "bound of the squared norms of t_m", le(tm2, _c10), uses=("c8", "c9", "c10")
    ),
    EQ57,
    EQ57.variant(
        "expectation",
        eq(scale_7 * T62 - scale_8 * T8, _pairs * t_pairs + _own * t_Lam),
        changes=EXPECTED,
        uses=("special.eq53/expectation", "special.eq54"),
    ),
    step("Eq. (58), first line", "739")(
        "eq58.pairs",
        "the pairwise differences are bounded by Eq. (55)",
        le(_pairs * t_pairs + _own * t_Lam, t_Lam * _four),
        uses=("eq55",),
    ),
    step("Eq. (58), second line", "740")("eq58.collect", "two of four terms cancel", eq(_four, _two)),
    EQ58_NORMS,
    EQ58_NORMS.variant(
        "corrected",
        le(_two * t_Lam, L * _norms),
        changes="the factor L, which is lost in print in this line, is kept",
    ),
    EQ58_FACTOR,
    EQ58_FACTOR.variant(
        "corrected",
        eq(L * _norms, _factored),
        changes="the factor L, which is lost in print in the line before, is kept",
    ),
    step("Eq. (58)-(59), step (c11)", "743-746")(
        "c11", "Eq. (56) and Lemma 4.9 are put in", le(_factored, C11), uses=("eq56", "lem4.9")
    ),
    EQ58,
    EQ58.variant(
        "expectation",
        le(scale_7 * T62 - scale_8 * T8, C11),
        changes=EXPECTED,
        uses=(
            "special.eq57/expectation",
            "special.eq58.pairs",
            "special.eq58.collect",
            "special.eq58.norms/corrected",
            "special.eq58.factor/corrected",
            "special.c11",
        ),
    ),
)
