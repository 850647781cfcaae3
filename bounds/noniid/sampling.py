"""FedAvg on non-iid data with sampled clients: Lemmas 4 and 5, Theorems 2 and 3.

Scheme I samples K clients with replacement, with their weights as probabilities. Scheme II samples K of N clients of equal
weights without replacement.
"""

from __future__ import annotations

import sympy as sp

from bounds.noniid.symbols import (
    G2,
    C,
    E,
    K,
    N,
    T,
    above,
    after,
    at,
    before,
    distance2,
    distances,
    eta,
    mu,
    sampled2,
    way2,
    zeta,
)
from bounds.noniid.theorem import LOSS, NEAR, OF_RUN, OF_STEP, STEPPED, B, every_step, last, rate
from bounds.relations import ge, le

WITH = 4 * E**2 * G2 / K
WITHOUT = (N - K) / (N - 1) * WITH
FEW = (le(K, N), ge(N, 2))
SLOW = (le(zeta, 2 * eta),)
WAY = le(sp.sqrt(way2), E * zeta * sp.sqrt(G2))
"""Lemma 3's bound of the way of E local steps."""
SPREAD_WITH = le(sampled2, way2 / K)
SPREAD_WITHOUT = le(sampled2, (N - K) / (N - 1) * way2 / K)
UNBIASED = le(after, distance2 + sampled2)
STEP = le(distance2, STEPPED)
SCHEME_1, SCHEME_2 = rate(B + WITH, distances[1]), rate(B + WITHOUT, distances[1])

STATEMENTS = (
    at("Lemma 4")("lem4", "sampling without bias adds its variance to the squared distance", UNBIASED),
    at("Proof of Lemma 5, Scheme I")(
        "lem5.with", "sampling with replacement errs by the spread of the models over K", SPREAD_WITH
    ),
    at("Lemma 5, Scheme I", conditions=(SPREAD_WITH, WAY, *SLOW))(
        "lem5.1",
        "sampling with replacement adds at most 4 eta^2 E^2 G^2/K",
        le(sampled2, eta**2 * WITH),
        uses=("lem5.with", "lem3.steps"),
    ),
    at("Proof of Lemma 5, Scheme II", conditions=FEW)(
        "lem5.without", "sampling without replacement errs by (N - K)/(N - 1) times as much", SPREAD_WITHOUT
    ),
    at("Lemma 5, Scheme II", conditions=(*FEW, SPREAD_WITHOUT, WAY, *SLOW))(
        "lem5.2",
        "sampling without replacement adds at most 4 (N - K)/(N - 1) eta^2 E^2 G^2/K",
        le(sampled2, eta**2 * WITHOUT),
        uses=("lem5.without", "lem3.steps"),
    ),
    at("Proof of Theorems 2 and 3", conditions=(*OF_STEP, UNBIASED, STEP, NEAR, le(sampled2, eta**2 * C)))(
        "thm2.added",
        "by Lemmas 1 to 5 a step adds at most B + C times its squared length",
        le(after, (1 - eta * mu) * before + eta**2 * (B + C)),
        uses=("lem1", "lem2", "lem3", "lem4"),
    ),
    at("Theorem 2", conditions=(*OF_RUN, every_step(B + WITH), LOSS, last(B + WITH)))(
        "thm2",
        "Scheme I: the expected loss falls like 1/T with K sampled clients",
        le(above[T], sum(SCHEME_1.values())),
        terms=SCHEME_1,
        uses=("thm2.added", "lem5.1", "thm1.distance", "thm1.loss"),
    ),
    at("Theorem 3", conditions=(*OF_RUN, *FEW, every_step(B + WITHOUT), LOSS, last(B + WITHOUT)))(
        "thm3",
        "Scheme II: the expected loss falls like 1/T with K sampled clients",
        le(above[T], sum(SCHEME_2.values())),
        terms=SCHEME_2,
        uses=("thm2.added", "lem5.2", "thm1.distance", "thm1.loss"),
    ),
)
