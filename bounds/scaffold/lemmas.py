"""Technical lemmas of the appendix: sums of vectors, strong convexity at another point, and recursions.

The text of Lemma 5 and the constants of the round were read in statements of others (a Lean formalisation that quotes
arXiv 1910.06378v4, and a derivation of the proof); Lemmas 1 to 4 and 6 are stated from memory of the paper. Lemmas 1 and 2
are stated with the constants of their proofs: the paper's Lemma 1 hides them in an O.
"""

from __future__ import annotations

import sympy as sp

from bounds.relations import eq, ge, le, lt
from bounds.scaffold.symbols import (
    R,
    a,
    after,
    at,
    before,
    beta,
    c1,
    c2,
    distance,
    eta,
    eta_max,
    fall,
    far_xz,
    far_yz,
    inner,
    k,
    kept,
    left,
    mean2,
    means2,
    mu,
    pair2,
    progress,
    sigma2,
    start,
    sum2,
    tau,
    total,
    u2,
    v2,
    weight,
    weights,
)

SHARE = (lt(mu * eta, 1), eq(kept, 1 - mu * eta))
TELESCOPE = (
    eq(total[k], kept * total[k - 1] + (kept * distance[k - 1] - distance[k]) / eta + c1 * eta),
    eq(weights[k], kept * weights[k - 1] + 1),
    eq(total[0], 0),
    eq(weights[0], 0),
    *SHARE,
)
"""The weighted sum of Lemma 1 over the last weight, so that earlier weights shrink by q = 1 - mu eta in each step."""
TELESCOPED = le(progress, left * start / eta + c1 * eta * weight)
WEIGHT = eq(mu * eta * weight, 1 - left)
LEFT = le(3 * left, 2)
LAST = start / (R + 1)
BEST_1, BEST_2 = sp.sqrt(LAST / c1), sp.cbrt(LAST / c2)
SUM = at("Lemma 3", conditions=(ge(tau, 1),))(
    "lem3.sum",
    "the squared length of a sum of tau vectors is at most tau^2 times their mean square",
    le(sum2, tau**2 * mean2),
)
MEANS = at("Lemma 4", conditions=(ge(tau, 1),))(
    "lem4", "separating mean and variance, for dependent vectors", le(sum2, means2 + tau**2 * sigma2)
)
MARTINGALE = at("Lemma 4", conditions=(ge(tau, 1),))(
    "lem4.martingale",
    "separating mean and variance, for vectors with errors that are martingale differences",
    le(sum2, 2 * means2 + 2 * tau * sigma2),
)
CONVEX = at("Lemma 5", conditions=(lt(mu, beta),))(
    "lem5", "perturbed strong convexity", ge(inner, fall + mu / 4 * far_yz - beta * far_xz)
)
CONTRACTION = at("Lemma 6", conditions=(lt(mu, beta), le(eta, 1 / beta)))(
    "lem6", "a gradient step contracts squared distances by 1 - mu eta", le(after, (1 - mu * eta) * before)
)
STATEMENTS = (
    at("Lemma 1", conditions=TELESCOPE)(
        "lem1.sum",
        "weighted progress telescopes",
        le(total[R] + distance[R] / eta, kept**R * distance[0] / eta + c1 * eta * weights[R]),
    ),
    at("Lemma 1", conditions=(eq(weights[k], kept * weights[k - 1] + 1), eq(weights[0], 0), lt(kept, 1)))(
        "lem1.weights", "the sum of the weights", eq((1 - kept) * weights[R], 1 - kept**R)
    ),
    at("Lemma 1", conditions=(lt(kept, 1), ge(2 * (1 - kept) * R, 1)))(
        "lem1.left", "after 1/(2 mu eta) steps at most 2/3 of the start is left", le(3 * kept**R, 2)
    ),
    at("Lemma 1", conditions=(lt(kept, 1),))(
        "lem1.exp", "what is left of the start falls exponentially", le(kept**R, sp.exp(-(1 - kept) * R))
    ),
    at(
        "Lemma 1",
        conditions=(
            lt(mu * eta, 1),
            ge(2 * mu * eta * R, 1),
            eq(left, (1 - mu * eta) ** R),
            TELESCOPED,
            WEIGHT,
            LEFT,
        ),
    )(
        "lem1",
        "linear convergence",
        le(progress / weight, 3 * mu * left * start + c1 * eta),
        uses=("lem1.sum", "lem1.weights", "lem1.left", "lem1.exp"),
    ),
    at("Lemma 2", conditions=(eq(eta, sp.Min(eta_max, BEST_1, BEST_2)),))(
        "lem2",
        "sub-linear convergence: the best step size for three terms",
        le(
            LAST / eta + c1 * eta + c2 * eta**2,
            LAST / eta_max + 2 * sp.sqrt(c1 * LAST) + 2 * sp.cbrt(c2) * LAST ** sp.Rational(2, 3),
        ),
    ),
    at("Lemma 3")("lem3.pair", "relaxed triangle inequality", le(pair2, (1 + a) * u2 + (1 + 1 / a) * v2)),
    SUM,
    SUM.variant(
        "better",
        le(sum2, sp.Rational(99, 100) * tau**2 * mean2),
        changes="a factor better by 1 %, which is false",
    ),
    MEANS,
    MEANS.variant(
        "independent",
        le(sum2, means2 + tau * sigma2),
        changes="tau sigma^2 without independence, which is false",
    ),
    MARTINGALE,
    MARTINGALE.variant(
        "single",
        le(sum2, means2 + tau * sigma2),
        changes="factors 1 instead of 2, which is false if the means depend on earlier errors",
    ),
    CONVEX,
    CONVEX.variant(
        "half",
        ge(inner, fall + mu / 2 * far_yz - beta * far_xz),
        changes="mu/2 instead of mu/4, which is false",
    ),
    CONTRACTION,
    CONTRACTION.variant(
        "square",
        le(after, (1 - mu * eta) ** 2 * before),
        changes="the factor (1 - mu eta)^2, the best possible",
    ),
    CONTRACTION.variant(
        "better", le(after, (1 - 2 * mu * eta) * before), changes="the factor 1 - 2 mu eta, which is false"
    ),
    CONTRACTION.variant(
        "long", conditions=(lt(mu, beta), le(eta, 2 / beta)), changes="steps up to 2/beta, which is false"
    ),
)
