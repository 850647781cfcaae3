"""SPECIAL, Eq. (43) to (60) by other weights: what bounded gradients leave, beside what the proof takes from them.

Not of the paper. Eq. (43) doubles both parts of A. The anchor is at most as long as the theorem's K B^2 says, and local
drift is far below Lemma C.5; so the anchor is weighted by 5/4 and the drift by 5, which leaves 3/8 of K B^2. That is more
than the noise and the sampled clients cost, since the theorem's step sizes make g E L (K - 1) at most 1/8.
"""

from __future__ import annotations

from functools import partial

import sympy as sp

from bounds.relations import eq, le
from bounds.special.one_round import (
    A2,
    LOCAL_DRIFT,
    T5,
    T6,
    T8,
    T61,
    T62,
    f_next,
    f_now,
    gA2,
    gK2,
    q,
    t_pairs,
)
from bounds.special.rate_round import step
from bounds.special.rate_sampling import scale_7, scale_8
from bounds.special.symbols import G0, B, E, K, L, M, N, gamma_L, lam, sigma_G2, sigma_L2, sigma_T2
from bounds.special.theorems import PSI, rho
from bounds.special.theorems import step as g

_step = partial(step, lines="621-764", changes="not of the paper: a step of a proof")
_anchored = sp.Rational(5, 4) * B**2 + L**2 * LOCAL_DRIFT
_noise = sigma_L2 + (K - 1) * B**2
_tasks = (K - 1) ** 2 * E * sigma_T2
_rate = 3 * g * L / (1 + lam)
_drifts = E * gamma_L**2 * L**2 * (sigma_L2 + 6 * E * sigma_G2 + 6 * E * gK2)

ANCHORED = _step("Eq. (43)")(
    "eq43/weighted",
    "bound of the expected squared norm of A, the anchor weighted less and the local drift more",
    le(A2, g**2 * E**2 * _anchored),
    uses=("lem4.9", "lemC.5"),
)
TURNED = _step("Eq. (45)")(
    "eq45/weighted",
    "bound of T5 by these weights",
    le(T5, q / (2 * K) * gA2 + q * K / 2 * _anchored - scale_8 * T8),
    uses=("eq43/weighted",),
)
NOISE = _step("Eq. (48)")(
    "eq48/weighted",
    "of the K^2 of the noise one K is bounded by its variance, the rest by the stochastic gradients",
    le(T61, g**2 * K * E / N * _noise),
)
NOISY = _step("Eq. (51)")(
    "eq51/weighted",
    "bound of the squared increment, with a part of the noise bounded by the stochastic gradients",
    le(T6, 3 * g**2 / (K**2 * (1 + lam) ** 2) * (K * E * _noise / N + T62 + (K - 1) ** 2 * E**2 * sigma_T2)),
    uses=("eq46", "eq48/weighted", "eq50"),
)
ROUND = _step("Eq. (52)")(
    "eq52/weighted",
    "one round, with what these weights leave",
    le(
        f_next,
        f_now
        - q / 2 * gK2
        - q / 2 * (1 - 1 / K) * gA2
        + q * L**2 * (K - 1) ** 2 * g**2 * E**2 / lam**2 * B**2
        + q * K / 2 * _anchored
        + q * _rate / 2 * (_noise / N + _tasks / K)
        + q * G0**2
        + scale_7 * T62
        - scale_8 * T8,
    ),
    uses=("eq39", "eq40", "eq45/weighted", "eq51/weighted"),
)
LOUD = _step("Eq. (48)")(
    "eq48/spare",
    "what the noise costs beyond Eq. (48) is at most 3/16 of B^2",
    le(q * _rate / 2 * (K - 1) / N * B**2, q * sp.Rational(3, 16) * B**2),
)
DRAWN = _step("Eq. (49)")(
    "eq49/spare",
    "what the sampled clients cost beyond their inclusion probabilities is at most 3/16 of K B^2",
    le(scale_7 * (T62 - T8), q * sp.Rational(3, 16) * K * B**2),
)
VARIED = _step("Eq. (53)-(54)")(
    "eq54/variance",
    "what sampling adds is the variance of the clients' work",
    eq(T62, T8 + rho / (2 * M**2) * t_pairs),
    uses=("eq53/expectation", "eq54"),
)
PAIRED = _step("Eq. (58)")(
    "eq55/variance",
    "the clients' work differs by their gradients at the start of the round, and by local drift",
    le(t_pairs, 4 * M**2 * K**2 * E**2 * (sigma_G2 + _drifts)),
    uses=("lemC.5",),
)
WORK = _step("Eq. (58)")(
    "eq58/variance.work",
    "bound of what sampling adds",
    le(T62 - T8, 2 * rho * K**2 * E**2 * (sigma_G2 + _drifts)),
    uses=("eq54/variance", "eq55/variance"),
)
_spread = q * _rate * rho * K * E * (sigma_G2 + _drifts)
SPREAD = _step("Eq. (58)")(
    "eq58/variance",
    "bound of the two terms left in Eq. (52), by the variance of the clients' work",
    le(scale_7 * T62 - scale_8 * T8, _spread),
    uses=("eq58/variance.work",),
)
DRAWN_ALL = _step("Eq. (58)")(
    "eq58/variance.drawn",
    "the same of T62 and T8 with one factor",
    le(scale_7 * (T62 - T8), _spread),
    uses=("eq58/variance.work",),
)
SCALED = _step("Eq. (58)")(
    "eq58/variance.scales", "the factor of T8 is the larger one", le(scale_7 * T8, scale_8 * T8)
)
MUCH = 6 * E**2 * gamma_L**2 * L**2 * gK2
"""What local drift makes of the current task's gradient, at most 3/32 of it."""
DRIFTING = _step("Eq. (60)")(
    "eq60/spare",
    "the current task's gradient costs by local drift at most 15/64 of K B^2",
    le(q * sp.Rational(5, 2) * K * MUCH, q * sp.Rational(15, 64) * K * B**2),
)
SAMPLED = _step("Eq. (60)")(
    "eq60/spare.sampled",
    "and by the drift of sampled clients less than psi_samp_B",
    le(q * _rate * rho * K * E * MUCH, q * _rate * rho * K * E * B**2),
)
_locally = sigma_L2 + 6 * E * sigma_G2
_quarter = q * K / 2 * 5 * gamma_L**2 * E * L**2 * _locally
_costs = q * sp.Rational(5, 8) * K * B**2 + q * sp.Rational(15, 64) * K * B**2 + q * sp.Rational(3, 16) * B**2
_sampled = q * _rate * rho * K * E * (sigma_G2 + E * gamma_L**2 * L**2 * _locally + B**2)


def _after(*costs: sp.Expr) -> sp.Rel:
    """One round, with these costs of the anchor, of drift and of sampling."""
    return le(
        f_next,
        f_now
        - q / 2 * gK2
        - q / 2 * (1 - 1 / K) * gA2
        + q * L**2 * (K - 1) ** 2 * g**2 * E**2 / lam**2 * B**2
        + q * _rate / 2 * (sigma_L2 / N + _tasks / K)
        + q * G0**2
        + sum(costs),
    )


PUT_IN = _step("Eq. (60)")(
    "eq60/weighted",
    "one round, with what noise and sampling cost put in",
    _after(q * K / 2 * _anchored, q * sp.Rational(3, 16) * B**2, _spread),
    uses=("eq52/weighted", "eq48/spare", "eq58/variance"),
)
FREE = _step("Eq. (60)")(
    "eq60/weighted.drift",
    "and what local drift makes of the current task's gradient",
    _after(_costs, _quarter, _sampled),
    uses=("eq60/weighted", "eq60/spare", "eq60/spare.sampled"),
)
ROOM = _step("Eq. (60)")(
    "eq60/spare.all", "anchor, noise and drift cost no more than psi_K_B", le(_costs, q * PSI["K_B"])
)
LOCALLY = _step("Eq. (60)")(
    "eq60/spare.local",
    "what drift costs beside them is at most psi_local",
    le(_quarter - q / 2 * gK2, q * PSI["local"]),
)
SAMPLES = _step("Eq. (60)")(
    "eq60/spare.samples",
    "what sampling costs is at most the four terms of sampled clients",
    le(_sampled, q * sum(term for name, term in PSI.items() if "samp" in name)),
)
STATEMENTS = (
    *(ANCHORED, TURNED, NOISE, NOISY, ROUND, LOUD, DRAWN, VARIED, PAIRED, WORK, DRAWN_ALL, SCALED, SPREAD),
    *(DRIFTING, SAMPLED, PUT_IN, FREE, ROOM, LOCALLY, SAMPLES),
)
