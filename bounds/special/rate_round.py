"""SPECIAL, Appendix E.3: one round in the proof of Theorem 4.10, Eq. (39) to (52).

Expectations are over the local noise and the sampled clients of the round, for a given model at its start.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import sympy as sp

from bounds.relations import eq, ge, le
from bounds.special.one_round import (
    A2,
    D2,
    FROM_START,
    LOCAL_DRIFT,
    T4,
    T5,
    T6,
    T7,
    T8,
    T51,
    T52,
    T61,
    T61_P,
    T62,
    T62_S,
    T63,
    T63_P,
    A_j,
    E_D_j,
    Lam_j,
    along,
    away1,
    away2,
    away_j,
    change1,
    change2,
    f_next,
    f_now,
    far2,
    gA2,
    gA_j,
    gK2,
    gK_j,
    gP2,
    half,
    mean_D2,
    move_j,
    moved2,
    q,
    tbar_j,
)
from bounds.special.symbols import (
    G0,
    B,
    E,
    K,
    L,
    M,
    N,
    at,
    gamma_G,
    gamma_L,
    lam,
    sigma_G2,
    sigma_L2,
    sigma_T2,
)
from bounds.special.theorems import ALL, RATE
from bounds.special.theorems import step as g
from bounds.statement import Statement


def step(place: str, lines: str, **shared: Any) -> Callable[..., Statement]:
    """Maker of steps of the proof, under the theorem's conditions and assumptions."""
    return at(f"Theorem 4.10, {place}", lines, **{"conditions": RATE.conditions, "assumes": ALL, **shared})


EQ39_RIGHT = f_now - q * gK2 - q * T4 + T5 + K * L / 2 * T6
_T4_start = gA2 / 2 - gK2 / 2 - L**2 * (K - 1) ** 2 * away2 - G0**2
_eq43 = (
    10 * gamma_G**2 * gamma_L**4 * E**3 * L**2 * sigma_L2
    + 60 * gamma_G**2 * gamma_L**4 * E**4 * L**2 * (sigma_G2 + gK2)
    + 2 * gamma_G**2 * gamma_L**2 * E**2 * B**2
)
_split = 2 * mean_D2 + 2 * lam**2 * away2
_c5 = 2 * g**2 * E / M * D2 + 2 * lam**2 * away2
_c6 = 2 * g**2 * E * L**2 / M * far2 + 2 * g**2 * E**2 * B**2
_c7 = 2 * g**2 * E**2 * L**2 * LOCAL_DRIFT + 2 * g**2 * E**2 * B**2
_three = 3 / (K**2 * (1 + lam) ** 2) * (T61 + g**2 * T62 + T63)
_tasks = 3 * g**2 * (K - 1) ** 2 * E**2 * sigma_T2 / (K**2 * (1 + lam) ** 2)
_rest = 3 * g**2 / (K**2 * (1 + lam) ** 2)
_noise = 3 * g**2 * E * sigma_L2 / (N * K * (1 + lam) ** 2)


def _eq52(noise: sp.Expr, sampled: sp.Expr) -> sp.Expr:
    """Right side of Eq. (52) with a noise term and a term for the sampled clients."""
    return (
        f_now
        - q * (half - 30 * K * gamma_L**2 * L**2 * E**2) * gK2
        - q / 2 * (1 - 1 / K) * gA2
        + q * (L**2 * (K - 1) ** 2 * g**2 * E**2 / lam**2 + K) * B**2
        + q * 5 * gamma_L**2 * K * E * L**2 * (sigma_L2 + 6 * E * sigma_G2)
        + q * 3 * g * L / (2 * (1 + lam)) * (noise + (K - 1) ** 2 * E / K * sigma_T2)
        + q * G0**2
        + 3 * g**2 * L / (2 * K * (1 + lam) ** 2) * sampled
        - g / (2 * (1 + lam) * E * K) * T8
    )


EXPECTED = "the sampled clients stand inside the norm, in place of their inclusion probabilities"
_MORE_NOISE = "the noise term of Eq. (48) has K^2 in place of K; " + EXPECTED

_of_40, _of_43 = (partial(step, lines=lines) for lines in ("621", "646"))

C3_REASON = step("Eq. (40), reason given for (c3)", "623")(
    "c3.reason", "f_{1:K-1} is (L-1)-smooth", le(change1, (L - 1) * away1)
)
EQ43_SPLIT = _of_43("Eq. (43), first line")(
    "eq43.split",
    "T51 is at most twice the squared norms of the two parts of A",
    le(T51, _split),
    uses=("lemC.3",),
)
EQ43 = _of_43("Eq. (43)")(
    "eq43", "bound of T51", le(T51, _eq43), uses=("eq43.split", "c5", "c6", "c7", "eq43.last")
)
EQ48 = step("Eq. (48)", "679")(
    "eq48",
    "the noise adds up over steps and averages over the sampled clients",
    le(T61, gamma_G**2 * gamma_L**2 * E * K * sigma_L2 / N),
    uses=("lemC.4/uncorrelated",),
)
EQ49 = step("Eq. (49)", "683")(
    "eq49", "sampled clients are replaced by their inclusion probabilities, inside the norm", eq(T62, T7)
)
EQ51 = step("Eq. (51)", "691")(
    "eq51",
    "bound of the squared increment",
    le(T6, _noise + _tasks + _rest * T7),
    uses=("eq46", "eq48", "eq49", "eq50"),
)
EQ52 = step("Eq. (52)", "695-701")(
    "eq52",
    "one round, all bounds put in, with two terms left",
    le(f_next, _eq52(sigma_L2 / N, T7)),
    uses=("eq39", "eq40", "eq45", "eq51"),
)
STATEMENTS = (
    step("Eq. (39), first line", "611")(
        "eq39.smooth", "f_{1:K} is KL-smooth", le(f_next, f_now + along + K * L / 2 * T6), uses=("lemC.1",)
    ),
    step("Eq. (39), step (c1)", "613-615")(
        "c1",
        "the gradient of all tasks is that of the earlier ones plus that of the current one",
        eq(f_now + along + K * L / 2 * T6, EQ39_RIGHT),
    ),
    step("Eq. (39)", "611-615")(
        "eq39",
        "one round changes the loss of all tasks by at most four terms",
        le(f_next, EQ39_RIGHT),
        uses=("eq39.smooth", "c1"),
    ),
    _of_40("Eq. (40), step (c2)")(
        "c2", "an inner product from three squared norms", eq(T4, (gA2 - gP2 - gK2) / 2)
    ),
    _of_40("Eq. (40), line after (c2)")(
        "eq40.split",
        "the earlier tasks' gradient is split into its start and its change",
        le(gP2, 2 * change2 + 2 * G0**2),
    ),
    _of_40("Eq. (40), step (c3)")(
        "c3",
        "the change of the earlier tasks' gradient is bounded by smoothness",
        ge(T4, _T4_start),
        uses=("c2", "eq40.split", "c3.reason/corrected"),
    ),
    C3_REASON,
    C3_REASON.variant(
        "corrected",
        le(change1, (K - 1) * L * away1),
        changes="the smoothness constant is (K-1)L, not L-1",
        says="f_{1:K-1} is (K-1)L-smooth",
        uses=("special.lemC.1",),
    ),
    _of_40("Eq. (40), step (c4)")(
        "c4",
        "the distance from the task start is bounded by Lemma 4.9",
        ge(_T4_start, _T4_start.subs(away2, FROM_START)),
        uses=("lem4.9",),
    ),
    _of_40("Eq. (40)")(
        "eq40",
        "T4 is at least half the difference of two squared gradients, less a drift and a start term",
        ge(T4, _T4_start.subs(away2, FROM_START)),
        uses=("c2", "eq40.split", "c3", "c4"),
    ),
    step("Eq. (41)", "630")(
        "eq41",
        "the increment beyond the current task's gradient: gradient changes and the pull of the anchor",
        eq(move_j + q * gK_j, (-g / M * E_D_j + lam * away_j) / (1 + lam)),
        uses=("eq25",),
    ),
    step("Eq. (42)", "634-642")(
        "eq42",
        "T5 from three squared norms",
        eq(T5, (g * E / K * gA2 + T51 - T52) / (2 * (1 + lam))),
        uses=("eq41",),
    ),
    EQ43_SPLIT,
    EQ43_SPLIT.variant(
        "corrected",
        le(A2, _split),
        changes="the left side lacks the factor K/(gamma_G gamma_L E) that T51 has in Eq. (42)",
        says="the expected squared norm of A is at most twice those of its two parts",
    ),
    _of_43("Eq. (43), step (c5)")(
        "c5", "the squared mean is at most the mean of squares", le(_split, _c5), uses=("lemC.3",)
    ),
    _of_43("Eq. (43), step (c6)")(
        "c6", "smoothness and Lemma 4.9 are put in", le(_c5, _c6), uses=("lem4.9",)
    ),
    _of_43("Eq. (43), step (c7)")(
        "c7", "the local drift is bounded by Lemma C.5", le(_c6, _c7), uses=("lemC.5",)
    ),
    _of_43("Eq. (43), last line")("eq43.last", "the bound is multiplied out", eq(_c7, _eq43)),
    EQ43,
    EQ43.variant(
        "corrected",
        le(A2, _eq43),
        changes="the left side lacks the factor K/(gamma_G gamma_L E) that T51 has in Eq. (42)",
        says="bound of the expected squared norm of A",
        uses=("special.eq43.split/corrected", "special.c5", "special.c6", "special.c7", "special.eq43.last"),
    ),
    step("Eq. (44)", "650-655")(
        "eq44.vector",
        "the vector inside T52 is that of T8, scaled",
        eq(K / g * A_j - E * gA_j, -tbar_j + Lam_j),
    ),
    step("Eq. (44)", "650-655")(
        "eq44", "T52 is T8, scaled", eq(T52, g / (E * K) * T8), uses=("eq44.vector",)
    ),
    step("Eq. (45)", "659-661")(
        "eq45",
        "bound of T5",
        le(
            T5,
            g * E / (2 * K * (1 + lam)) * gA2
            + 5
            * gamma_G
            * gamma_L**3
            * K
            * E**2
            * L**2
            / (1 + lam)
            * (sigma_L2 + 6 * E * sigma_G2 + 6 * E * gK2)
            + g * K * E * B**2 / (1 + lam)
            - g / (2 * (1 + lam) * E * K) * T8,
        ),
        uses=("eq42", "eq43/corrected", "eq44"),
    ),
    step("Eq. (46)", "665-668")(
        "eq46.expanded",
        "the increment, times K, with gradients of all tasks added and subtracted",
        eq(T6, moved2 / (K**2 * (1 + lam) ** 2)),
        uses=("eq25",),
    ),
    step("Eq. (46)-(47)", "665-675")(
        "eq46",
        "the squared increment is at most three times three parts",
        le(T6, _three),
        uses=("eq46.expanded", "lemC.3"),
    ),
    EQ48,
    EQ48.variant(
        "corrected",
        le(T61, gamma_G**2 * gamma_L**2 * E * K**2 * sigma_L2 / N),
        changes="the same noise stands in all K summands, so the factor is K^2, not K",
    ),
    step("Eq. (48), first line", "679")(
        "eq48.probability",
        "sampled clients are replaced by their inclusion probabilities in the noise",
        eq(T61, T61_P),
    ),
    EQ49,
    EQ49.variant(
        "expectation",
        eq(T62, T62_S),
        changes="indicators in place of probabilities, with the expectation outside",
        says="sampled clients are marked by indicators, inside the norm and under the expectation",
    ),
    step("Eq. (50), first line", "687")(
        "eq50.probability",
        "sampled clients are replaced by their inclusion probabilities in the task differences",
        eq(T63, T63_P),
    ),
    step("Eq. (50)", "687")(
        "eq50",
        "the task differences are bounded by Assumption 4.6",
        le(T63, gamma_G**2 * gamma_L**2 * (K - 1) ** 2 * E**2 * sigma_T2),
    ),
    EQ51,
    EQ51.variant(
        "expectation",
        le(T6, _noise + _tasks + _rest * T62),
        changes=EXPECTED,
        uses=("special.eq46", "special.eq48", "special.eq49/expectation", "special.eq50"),
    ),
    EQ51.variant(
        "corrected",
        le(T6, K * _noise + _tasks + _rest * T62),
        changes=_MORE_NOISE,
        uses=("special.eq46", "special.eq48/corrected", "special.eq49/expectation", "special.eq50"),
    ),
    EQ52,
    EQ52.variant(
        "expectation",
        le(f_next, _eq52(sigma_L2 / N, T62)),
        changes=EXPECTED,
        uses=("special.eq39", "special.eq40", "special.eq45", "special.eq51/expectation"),
    ),
    EQ52.variant(
        "corrected",
        le(f_next, _eq52(K * sigma_L2 / N, T62)),
        changes=_MORE_NOISE,
        uses=("special.eq39", "special.eq40", "special.eq45", "special.eq51/corrected"),
    ),
)
