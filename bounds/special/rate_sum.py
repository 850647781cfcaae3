"""SPECIAL, Appendix E.3: one round with all its terms, and the sum over the rounds of a task, Eq. (60) to (62)."""

from __future__ import annotations

from functools import partial

import sympy as sp

from bounds.relations import eq, ge, le
from bounds.special.one_round import (
    climbed,
    climbed_next,
    costs,
    f_after,
    f_mean,
    f_next,
    f_now,
    f_T,
    gA2,
    gA2_mean,
    gA2_t,
    gK2,
    half,
    played,
    played_next,
    q,
)
from bounds.special.rate_round import step
from bounds.special.symbols import (
    G0,
    B,
    E,
    K,
    L,
    M,
    N,
    T,
    at,
    f0,
    gamma_G,
    gamma_L,
    lam,
    sigma_G2,
    sigma_L2,
    sigma_T2,
)
from bounds.special.theorems import PSI, RATE
from bounds.special.theorems import step as g

tau = sp.Symbol("tau", integer=True)

_local = 30 * K * gamma_L**2 * L**2 * E**2
COEFFICIENT = (
    half
    - _local
    - 3 * g * (M - N) * L / ((1 + lam) * N * (M - 1)) * (120 * E**3 * L**2 * K * gamma_L**2 + 4 * E * K)
)
"""Coefficient of the current task's squared gradient in Eq. (60)."""
CONDITION = (
    half
    - _local
    - 3
    * g
    * (M - N)
    * L
    / ((1 + lam) * N * (M - 1))
    * (120 * M * E**3 * L**2 * K * gamma_L**2 + 4 * M * E * K)
)
"""What must not be negative for step (c12), as the text prints it: with M inside the last brackets."""


def _after_round(drift: sp.Expr, noise: sp.Expr = sigma_L2) -> sp.Expr:
    """Right side of Eq. (60) before (c12), without the term of the current task's gradient."""
    rate = 3 * g * (M - N) * E * K * L / ((1 + lam) * N * (M - 1))
    local = 5 * gamma_L**2 * K * E * L**2 + 60 * gamma_G * gamma_L**3 * (M - N) * E**2 * K * L**3 / (
        (1 + lam) * N * (M - 1)
    )
    tasks = 3 * g * L / (2 * (1 + lam)) + 12 * g * (M - N) * L / ((1 + lam) * N * (M - 1))
    return (
        f_now
        - half * q * (1 - 1 / K) * gA2
        + q * (drift + K + rate) * B**2
        + q * local * (sigma_L2 + 6 * E * sigma_G2)
        + q * 3 * g * L * noise / (2 * N * (1 + lam))
        + q * (K - 1) ** 2 * E / K * tasks * sigma_T2
        + q * 12 * g * (M - N) * E * K * L * sigma_G2 / ((1 + lam) * N * (M - 1))
        + q * G0**2
    )


_drift = L**2 * (K - 1) ** 2 * g**2 * E**2 / lam**2
_kept = -q * COEFFICIENT * gK2
EQ60 = f_now - half * q * (1 - 1 / K) * gA2 + q * sum(PSI.values())
_corrected = {**PSI, "noise": K * PSI["noise"]}
_fall = half * q * (1 - 1 / K)
_adds = q * sum(PSI.values())
_eq61 = sp.Sum((1 - 1 / K) * g * E / (2 * (1 + lam)) * gA2_t[tau], (tau, 0, T - 1))
SUMMED = eq(_eq61, _fall * climbed_next)
"""The left side of Eq. (61), once its last round is played."""
_NOISE = "the noise term has a factor K more, see Eq. (48)"
PSI_62 = (
    2
    / (1 - 1 / K)
    * (
        (gamma_L**2 * E**2 * L**2 / lam**2 + K + 3 * g * (M - N) * E * K * L / ((1 + lam) * N * (M - 1)))
        * B**2
        + (
            5 * gamma_L**2 * K * E * L**2
            + 60 * gamma_G * gamma_L**3 * (M - N) * E**2 * K * L**3 / ((1 + lam) * N * (M - 1))
        )
        * (sigma_L2 + 6 * E * sigma_G2)
        + 3 * g * L * sigma_L2 / (2 * N * (1 + lam))
        + (K - 1) ** 2 * E / K * 3 * g * L / (1 + lam) * (half + 4 * (M - N) / (N * (M - 1))) * sigma_T2
        + 12 * g * (M - N) * E * K * L * sigma_G2 / ((1 + lam) * N * (M - 1))
        + G0**2
    )
)
"""Psi as the end of the proof prints it."""

_entailed = partial(step, assumes=())
"""What follows from the conditions alone."""
_after_60 = partial(_entailed, lines="764")

EQ60_BEFORE = step("Eq. (60), before (c12)", "752-757")(
    "eq60.before",
    "one round, before the current task's gradient is dropped",
    le(f_next, _after_round(_drift) + _kept),
    uses=("eq52", "eq58"),
)
C12 = step("Eq. (60), step (c12)", "758-764")(
    "c12",
    "the current task's gradient is dropped, and (K-1) gamma_G replaced by 1",
    le(_after_round(_drift) + _kept, EQ60),
    uses=("c12.coefficient", "c12.gamma_G"),
)
EQ60_PRINTED = step("Eq. (60)", "752-762")(
    "eq60",
    "one round: the loss of all tasks falls with their squared gradient, up to ten terms",
    le(f_next, EQ60),
    uses=("eq60.before", "c12"),
)
EQ61 = step("Eq. (61)", "768")("eq61", "the rounds are summed", le(_eq61, f0 - f_T + _adds), uses=("eq60",))
_summed = partial(step, lines="764-768", changes="not of the paper: a step of a proof")
COSTS = eq(costs, _adds)
EXPECTED = _summed("Eq. (61)")(
    "eq61/round",
    "Eq. (60) in expectation over the rounds before, too",
    le(f_after, f_mean - _fall * gA2_mean + _adds),
    uses=("eq60",),
)
STEP = _summed("Eq. (61)")(
    "eq61/step",
    "the same in sums over the rounds",
    le(_fall * climbed_next + f_after, _fall * climbed + f_mean + costs),
    uses=("eq61/round",),
)
SO_FAR = _summed("Eq. (61)")(
    "eq61/so-far",
    "the rounds before are summed",
    le(_fall * climbed + f_mean, f0 + played * costs),
    uses=("eq61/step",),
)
WITH_LAST = _summed("Eq. (61)")(
    "eq61/so-far.next",
    "and this one",
    le(_fall * climbed_next + f_after, f0 + played_next * costs),
    uses=("eq61/so-far", "eq61/step"),
)
STATEMENTS = (
    EQ60_BEFORE,
    EQ60_BEFORE.variant(
        "corrected",
        le(f_next, _after_round(_drift, K * sigma_L2) + _kept),
        changes=_NOISE,
        uses=("special.eq52/corrected", "special.eq58/expectation"),
    ),
    C12,
    C12.variant(
        "conditioned",
        changes="the coefficient of the dropped term is required not to be negative",
        conditions=(*RATE.conditions, ge(COEFFICIENT, 0)),
        uses=("special.c12.drops", "special.c12.replaces"),
    ),
    _entailed("Eq. (60), step (c12)", "752-764")(
        "c12.drops",
        "what is dropped only lowers the right side, where its coefficient is not negative",
        le(_kept, 0),
        conditions=(*RATE.conditions, ge(COEFFICIENT, 0)),
    ),
    _entailed("Eq. (60), step (c12)", "758-764")(
        "c12.replaces",
        "(K-1) gamma_G is replaced by 1 in the term of the drift",
        le(q * _drift * B**2, q * PSI["drift_B"]),
        uses=("c12.gamma_G",),
    ),
    _entailed("Eq. (60), step (c12)", "752-764")(
        "c12.coefficient",
        "the theorem's conditions imply that the dropped term has the right sign",
        ge(COEFFICIENT, 0),
    ),
    _after_60("after Eq. (60)")(
        "c12.condition",
        "the theorem's conditions imply the condition under which (c12) holds, as the text prints it",
        ge(CONDITION, 0),
    ),
    _after_60("after Eq. (60)")(
        "c12.suffices",
        "the printed condition implies that the dropped term has the right sign",
        ge(COEFFICIENT, 0),
        conditions=(*RATE.conditions, ge(CONDITION, 0)),
    ),
    _after_60("Eq. (60), step (c12)")(
        "c12.gamma_G",
        "the theorem's conditions imply that (K-1)^2 gamma_G^2 is at most 1",
        le((K - 1) ** 2 * gamma_G**2, 1),
    ),
    EQ60_PRINTED,
    EQ60_PRINTED.variant(
        "corrected",
        le(f_next, f_now - half * q * (1 - 1 / K) * gA2 + q * sum(_corrected.values())),
        changes=f"{_NOISE}; the coefficient of the dropped term is required not to be negative",
        conditions=(*RATE.conditions, ge(COEFFICIENT, 0)),
        uses=("special.eq60.before/corrected", "special.c12.drops", "special.c12.replaces"),
    ),
    EQ61,
    EXPECTED,
    STEP,
    SO_FAR,
    WITH_LAST,
    EQ61.variant(
        "corrected",
        le(_eq61, f0 - f_T + T * _adds),
        changes="the ten terms of every round are summed: a factor T, which is lost in print",
        uses=("special.eq61/so-far.next",),
    ),
    at("Theorem 4.10, Eq. (62)", "770-779")(
        "eq62",
        "Psi at the end of the proof is Psi of the theorem",
        eq(PSI_62, 2 / (1 - 1 / K) * sum(PSI.values())),
    ),
)
