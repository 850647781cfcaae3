"""FedAvg on non-iid data with sampled clients: Lemma 5, Theorems 2 and 3.

Scheme I samples K clients with replacement, with their weights as probabilities. Scheme II samples K of N clients of equal
weights without replacement.
"""

from __future__ import annotations

from bounds.noniid.symbols import (
    G2,
    C,
    E,
    K,
    N,
    after,
    apart,
    at,
    before,
    drift,
    eta,
    gap,
    mu,
    sampled2,
    way2,
    zeta,
)
from bounds.noniid.theorem import LAST, STEPPED, B, rate
from bounds.relations import ge, le

WITH = 4 * E**2 * G2 / K
WITHOUT = (N - K) / (N - 1) * WITH
FEW = (le(K, N), ge(N, 2))
WAY = (le(way2, E**2 * zeta**2 * G2), le(zeta, 2 * eta))
"""Lemma 3's bound of the way of E local steps."""

STATEMENTS = (
    at("Proof of Lemma 5, Scheme I")(
        "lem5.with",
        "sampling with replacement errs by the spread of the models over K",
        le(sampled2, way2 / K),
    ),
    at("Lemma 5, Scheme I", conditions=(le(sampled2, way2 / K), *WAY))(
        "lem5.1",
        "sampling with replacement adds at most 4 eta^2 E^2 G^2/K",
        le(sampled2, eta**2 * WITH),
        uses=("lem5.with", "lem3.steps"),
    ),
    at("Proof of Lemma 5, Scheme II", conditions=FEW)(
        "lem5.without",
        "sampling without replacement errs by (N - K)/(N - 1) times as much",
        le(sampled2, (N - K) / (N - 1) * way2 / K),
    ),
    at("Lemma 5, Scheme II", conditions=(*FEW, le(sampled2, (N - K) / (N - 1) * way2 / K), *WAY))(
        "lem5.2",
        "sampling without replacement adds at most 4 (N - K)/(N - 1) eta^2 E^2 G^2/K",
        le(sampled2, eta**2 * WITHOUT),
        uses=("lem5.without", "lem3.steps"),
    ),
    at(
        "Proof of Theorems 2 and 3",
        conditions=(
            le(after, STEPPED + sampled2),
            le(apart, 4 * eta**2 * (E - 1) ** 2 * G2),
            le(sampled2, eta**2 * C),
        ),
    )(
        "thm2.added",
        "by Lemmas 1 to 5 a step adds at most B + C times its squared length",
        le(after, (1 - eta * mu) * before + eta**2 * (B + C)),
        uses=("lem1", "lem2", "lem3", "lem5.1", "lem5.2"),
    ),
    at("Theorem 2", conditions=(*LAST, le(drift, B + WITH)))(
        "thm2",
        "Scheme I: the expected loss falls like 1/T with K sampled clients",
        le(gap, sum(rate(B + WITH).values())),
        terms=rate(B + WITH),
        uses=("thm2.added", "thm1.distance", "thm1.loss"),
    ),
    at("Theorem 3", conditions=(*LAST, *FEW, le(drift, B + WITHOUT)))(
        "thm3",
        "Scheme II: the expected loss falls like 1/T with K sampled clients",
        le(gap, sum(rate(B + WITHOUT).values())),
        terms=rate(B + WITHOUT),
        uses=("thm2.added", "thm1.distance", "thm1.loss"),
    ),
)
