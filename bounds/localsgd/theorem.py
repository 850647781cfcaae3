"""Local SGD on identical data: Lemmas 1 to 3 and Theorems 1 and 2.

The formulas are written from memory of arXiv:1909.04746; its text was not at hand. The theorems follow from the lemmas
with exactly these constants. The lemmas are judged for clients with losses of their own where the proof allows it. Losses with
mu = L are limits of those with mu < L, which are judged.

Steps since a communication are counted from 1: before step t the clients made t - 1 local steps.
"""

from __future__ import annotations

import sympy as sp

from bounds.localsgd.symbols import (
    H,
    L,
    M,
    T,
    apart,
    apart_0,
    at,
    bregman,
    distance2,
    distance2_0,
    drift,
    excess,
    far,
    gamma,
    gap,
    gaps,
    local,
    mu,
    noise,
    place,
    sigma2,
    spent,
    t,
    total,
    total_0,
)
from bounds.relations import eq, le, lt

CLASS = (lt(mu, L),)
SHORT = (le(gamma, 1 / (4 * L)),)
STEP = (*SHORT, *CLASS)
PERIODS = (le(place[t], H),)
"""At most H steps from one communication to the next."""


def _descent(weight: sp.Expr) -> sp.Expr:
    """The right side of Lemma 1 with a weight of the distance of the local models."""
    return (1 - gamma * mu) * distance2_0 + gamma**2 * noise - gamma / 2 * bregman + weight * apart


LEMMA_1 = at("Lemma 1", conditions=STEP)(
    "lem1",
    "a step contracts the distance of the averaged model up to noise and the distance of the local models",
    le(distance2, _descent(2 * gamma * L)),
)
FLAT = LEMMA_1.variant(
    "convex",
    le(distance2, distance2_0 + gamma**2 * noise - gamma / 2 * bregman + 2 * gamma * L * apart),
    conditions=SHORT,
    changes="convex losses, mu = 0",
)
APART = at("Lemma 3", conditions=(le(gamma, 1 / (2 * L)),))(
    "lem3.step",
    "a local step adds at most the noise to the distance of the local models, for convex losses",
    le(apart, apart_0 + gamma**2 * sigma2),
)
ONE_STEP = le(
    far[t + 1],
    (1 - gamma * mu) * far[t] + gamma**2 * sigma2 / M - gamma / 2 * excess[t] + 2 * gamma * L * drift[t],
)
"""Lemma 1 in every step, with the variance of Lemma 2."""
LOCAL_STEP = le(local[t + 1], local[t] + gamma**2 * sigma2)
"""Lemma 3, in every local step."""
STEPS = le(apart, (t - 1) * gamma**2 * sigma2)
FLAT_STEP = le(far[t + 1], far[t] + gamma**2 * sigma2 / M - gamma / 2 * excess[t] + 2 * gamma * L * drift[t])
NEAR = le(drift[t], (H - 1) * gamma**2 * sigma2)
"""Lemma 3 in every step."""
FLOOR = {
    "start": (1 - gamma * mu) ** T * far[1],
    "noise": gamma * sigma2 / (mu * M),
    "local steps": 2 * gamma**2 * L * (H - 1) * sigma2 / mu,
}
HALVED = {**FLOOR, "local steps": FLOOR["local steps"] / 2}
STRONGLY_CONVEX = at("Theorem 1", conditions=(*STEP, *PERIODS, ONE_STEP, NEAR))(
    "thm1",
    "strongly convex losses: linear convergence up to noise over M and local steps, from Lemmas 1 to 3 in every step",
    le(far[T + 1], sum(FLOOR.values())),
    terms=FLOOR,
    uses=("lem1", "lem2", "lem3"),
)
SUMMED = (*SHORT, *PERIODS, FLAT_STEP, NEAR, eq(spent[t + 1], spent[t] + excess[t]), eq(spent[1], 0))
ADDED = gamma**2 * sigma2 / M + 2 * gamma**3 * L * (H - 1) * sigma2
"""What a step adds."""
OF_ALL = le(total, M * sigma2)
MEAN = le(T * gap, gaps)
SUM = le(gamma / 2 * gaps, distance2_0 + T * ADDED)
RATE = {
    "start": 2 * distance2_0 / (gamma * T),
    "noise": 2 * gamma * sigma2 / M,
    "local steps": 4 * gamma**2 * L * (H - 1) * sigma2,
}

STILL = at("Without the theorem", changes="not of the paper")(
    "thm1.free", "a model that stands still keeps its distance", le(distance2, distance2_0)
)
AT_START = at("Without the theorem", changes="not of the paper")(
    "thm2.free",
    "a model that stands still has a loss of at most L/2 times its squared distance",
    le(gap, L / 2 * distance2_0),
)
STATEMENTS = (
    STILL,
    AT_START,
    LEMMA_1,
    FLAT,
    LEMMA_1.variant("long", conditions=(le(gamma, 2 / L), *CLASS), changes="steps up to 2/L, which is false"),
    LEMMA_1.variant(
        "quarter",
        le(distance2, _descent(gamma * L / 2)),
        changes="a quarter of the weight of the distance of the local models, which is false",
    ),
    at("Lemma 2")("lem2.sum", "variances of independent noise add up", le(total, total_0 + t * sigma2)),
    at("Lemma 2", conditions=(OF_ALL, eq(noise, total / M**2)))(
        "lem2",
        "averaging over M clients divides the variance by M",
        le(noise, sigma2 / M),
        uses=("lem2.sum",),
    ),
    APART,
    APART.variant(
        "all", conditions=(le(gamma, 2 / L),), changes="steps up to 2/L instead of 1/(2 L), which is true"
    ),
    APART.variant("long", conditions=(le(gamma, 3 / L),), changes="steps up to 3/L, which is false"),
    at("Lemma 3", conditions=(*APART.conditions, LOCAL_STEP, eq(local[1], 0)))(
        "lem3.steps",
        "T - 1 local steps after a communication lead at most T - 1 times the noise apart",
        le(local[T], (T - 1) * gamma**2 * sigma2),
        uses=("lem3.step",),
    ),
    at("Lemma 3", conditions=(*APART.conditions, STEPS, le(t, H)))(
        "lem3",
        "local models stay within (H - 1) gamma^2 sigma^2 of their mean",
        le(apart, (H - 1) * gamma**2 * sigma2),
        uses=("lem3.steps",),
    ),
    STRONGLY_CONVEX,
    STRONGLY_CONVEX.variant(
        "half",
        le(far[T + 1], sum(HALVED.values())),
        terms=HALVED,
        conditions=(ONE_STEP, NEAR, le(gamma * mu, 1)),
        changes="half the term of the local steps, for steps up to 1/mu, which the lemmas do not imply",
    ),
    at("Theorem 2", conditions=SUMMED)(
        "thm2.sum",
        "convex losses: the losses of all steps add up to the distance of the start and what every step adds",
        le(far[T + 1] + gamma / 2 * spent[T + 1], far[1] + T * ADDED),
        uses=("lem1", "lem2", "lem3"),
    ),
    at("Theorem 2")(
        "thm2.mean", "the loss of the mean model is at most the mean of the losses", le(t * gap, gaps)
    ),
    at("Theorem 2", conditions=(*SHORT, *PERIODS, MEAN, SUM))(
        "thm2",
        "convex losses: the loss of the mean model falls like 1/T up to noise over M and local steps",
        le(gap, sum(RATE.values())),
        terms=RATE,
        uses=("thm2.sum", "thm2.mean"),
    ),
)
