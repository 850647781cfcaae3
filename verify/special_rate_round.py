"""SPECIAL: one round in the proof of Theorem 4.10, Eq. (39) to (52)."""

from __future__ import annotations

import sympy as sp

from bounds.catalogue import statement
from bounds.relations import le
from bounds.special.local_steps import WITHIN, walked
from bounds.special.one_round import (
    A2,
    D2,
    LOCAL_DRIFT,
    T8,
    T62,
    away2,
    f_now,
    far2,
    far2_e,
    gK2,
    mean_D2,
    noise_mean,
)
from bounds.special.rate_sampling import scale_7
from bounds.special.round_drift import far2_mean, walked_mean
from bounds.special.symbols import B, E, K, L, L_sup, M, gamma_L, lam, sigma_G2, sigma_L2
from bounds.special.theorems import rho
from bounds.special.theorems import step as g
from verify.commands.main import main
from verify.engine.checks.relation import agreement, bound, identity, inequality
from verify.engine.model.claim import claims_about, for_each
from verify.facts import descent
from verify.scenes.special.rate_facts import DRIFT, FROM_START, LENGTHS, MOVED, T61, relations_named
from verify.scenes.special.rate_round import ROUND, STEEP
from verify.scenes.special.round_drift import ADDED, APART, COUNTED, NOISY, SMOOTH, TURNED, WALK

_claim = claims_about("special", inequality)
_alike = for_each(_claim)

_descent = descent(statement("special.eq39.smooth").compared, le(L_sup, L))

_far = g**2 * E**2 * L**2 * LOCAL_DRIFT / 5
_anchored = (
    le(A2, sp.Rational(5, 4) * lam**2 * away2 + 5 * mean_D2),
    le(mean_D2, g**2 / M * E * L**2 * far2),
    le(mean_D2, _far),
    le(lam**2 * away2, g**2 * E**2 * B**2),
)
_loud = sigma_L2 + (K - 1) * B**2
_noisy = (le((K - 1) * noise_mean, (K - 1) * B**2), le(K * noise_mean, _loud))
_most = K**2 * E**2 * B**2
_drawn = (
    le(rho, 1),
    le(T62 - T8, rho * _most),
    le(rho * _most, _most),
    le(g * E * L, sp.Rational(1, 8)),
    le(scale_7 * (T62 - T8), scale_7 * _most),
)
"""Intermediate steps of the bound on the error of sampling."""
_walk = sp.Rational(9, 2) * (D2 + E * M * (sigma_G2 + gK2)) + sp.Rational(3, 4) * M * sigma_L2
_half = le(far2_mean, gamma_L**2 * E * _walk)
_brought = le(far2, gamma_L**2 * E**2 * _walk)
"""On average, half of the local steps come before a given one."""
_short = le(64 * gamma_L**2 * E**2 * L**2, 1)
_small = le(64 * gamma_L**2 * E * D2, M * LOCAL_DRIFT / 5)
_weighted = ("eq39", "eq40", "eq45/weighted", "eq51/weighted")

CLAIMS = (
    _claim("eq39.smooth", ROUND.of_class("smooth losses", _descent), bound, baseline=f_now),
    _claim("c1", ROUND, identity, *relations_named("T5, inner_AK")),
    _claim("eq39", ROUND, bound, "eq39.smooth", "c1", baseline=f_now),
    _claim("c2", ROUND, identity, *relations_named("gA2")),
    _claim("eq40.split", ROUND, inequality, FROM_START, *relations_named("change_G0")),
    _claim("c3.reason", STEEP),
    _claim("c3.reason/corrected", ROUND, inequality, *relations_named("change2"), *LENGTHS),
    _claim("c3", ROUND, inequality, "c2", "eq40.split", *relations_named("change2")),
    _claim("c4", ROUND, inequality, DRIFT),
    _claim("eq40", ROUND, inequality, "c3", DRIFT),
    _claim("eq41", ROUND, identity, *relations_named("move, E_D")),
    _claim("eq42", ROUND, identity, *relations_named("T5 by A, T51, T52")),
    _claim("eq43.split", ROUND),
    _claim("eq43.split/corrected", ROUND, inequality, *relations_named("A2, inner_D")),
    _claim("c5", ROUND, inequality, *relations_named("mean_D2")),
    _claim("c6", ROUND, inequality, SMOOTH, DRIFT),
    _claim("c7/each", ROUND, inequality, *(WALK.relation, TURNED.relation, WITHIN, NOISY, APART)),
    _claim("c7/small", ROUND, inequality, SMOOTH, through=(_short,)),
    _claim(
        "c7/fifth",
        ROUND,
        inequality,
        *("c7/each", "c7/small", *ADDED),
        facts=(COUNTED,),
        means={far2_e: far2_mean, walked: walked_mean},
        through=(le(2 * walked_mean, E), _half, _brought),
    ),
    _claim("c7/all", ROUND, inequality, "c7/fifth"),
    _claim(
        "c7/one",
        ROUND,
        inequality,
        *("c7/each", "c7/small", "c7/fifth", WITHIN),
        through=(le(far2_e, 2 * gamma_L**2 * E * _walk), _small),
    ),
    _claim("c7", ROUND, inequality, "c7/all"),
    _claim("eq43.last", None, identity),
    _claim("eq43", ROUND),
    _claim("eq43/corrected", ROUND, inequality, "eq43.split/corrected", "c5", "c6", "c7", "eq43.last"),
    _claim("eq44.vector", ROUND, identity, *relations_named("D, tbar, A, Lam")),
    _claim("eq44", ROUND, identity, *relations_named("T52, T8")),
    _claim("eq45", ROUND, inequality, *relations_named("T5 by A and T8"), "eq43/corrected"),
    _claim("eq46.expanded", ROUND, identity),
    _claim("eq46", ROUND, inequality, "eq46.expanded", MOVED),
    _claim("eq48", ROUND),
    _claim("eq48/corrected", ROUND, inequality, T61, *relations_named("noise_mean")),
    *_alike("eq48.probability eq49 eq49/expectation eq50.probability", ROUND, identity),
    _claim("eq50", ROUND, inequality, *relations_named("T63, spread2")),
    *_alike("eq51 eq51/expectation", ROUND),
    _claim("eq51/corrected", ROUND, inequality, "eq46", "eq48/corrected", "eq50"),
    _claim(
        "eq43/weighted",
        ROUND,
        inequality,
        *relations_named("A2, inner_D_less, mean_D2"),
        *("c7/fifth", SMOOTH, DRIFT),
        through=_anchored,
    ),
    _claim("eq45/weighted", ROUND, inequality, *relations_named("T5 by A and T8"), "eq43/weighted"),
    _claim("eq48/weighted", ROUND, inequality, T61, *relations_named("noise_mean, noise_B"), through=_noisy),
    _claim("eq51/weighted", ROUND, inequality, "eq46", "eq48/weighted", "eq50"),
    _claim("eq52/weighted", ROUND, bound, *_weighted, baseline=f_now),
    _claim("eq48/spare", ROUND),
    _claim("eq54/variance", ROUND, identity, *relations_named("T62, T8 by pairs")),
    _claim("eq49/spare", ROUND, inequality, "eq54/variance", *relations_named("pairs_B"), through=_drawn),
    _claim(
        "eq52",
        ROUND,
        bound,
        *("eq52/weighted", "eq48/spare", "eq49/spare", *relations_named("T7 by T8")),
        baseline=f_now,
    ),
    _claim("eq52/expectation", ROUND, bound, "eq52/weighted", "eq48/spare", baseline=f_now),
    _claim("eq52/corrected", ROUND, bound, "eq39", "eq40", "eq45", "eq51/corrected", baseline=f_now),
    _claim("sec4.4", None, agreement),
    _claim("sec4.4.B3", ROUND, identity),
    _claim("sec4.4.B4", ROUND),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="special_rate_round"))
