"""One round of SCAFFOLD and Theorem III for convex losses, with sampled clients and stochastic gradients.

A round lets S of N clients take K steps of length eta_l along stochastic gradients, corrected by control variates, and moves
the server by eta_g times their mean change. The drift is the mean over clients and steps of the squared distance of the
models at which gradients are computed. The control lag is the mean of |E c_i - grad f_i(x*)|^2.

The paper's Theorem III hides constants and logarithms. The sum of its rounds is stated instead, as its proof derives it.
"""

from __future__ import annotations

import sympy as sp

from bounds.relations import eq, ge, le, lt
from bounds.scaffold.symbols import (
    K,
    N,
    R,
    S,
    apart,
    apart_0,
    at,
    beta,
    distance2,
    distance2_0,
    drift,
    drifts,
    eta_g,
    eta_l,
    far,
    gap,
    gaps,
    h,
    j,
    k,
    kept,
    lag,
    lag_0,
    lags,
    largest,
    left,
    most,
    moved2,
    mu,
    part,
    place,
    potential,
    progress,
    rate,
    sigma2,
    spread,
    step,
    walk,
    weight,
    weighted,
    weights,
)

GROWTH = 1 + 1 / (K - 1)
ADDED = 6 * K * eta_l**2 * lag_0 + 6 * K * eta_l**2 * beta * gap + 7 * eta_l**2 * sigma2
"""What one local step adds to the drift."""
WALK = (le(walk[k], (1 + rate) * walk[k - 1] + step), eq(walk[0], 0))
LOCAL = (ge(K, 2), le(eta_l * beta, 1))
OWN = h / (K * eta_g)
"""The local step size."""
SHORT = (le(h, 1 / (81 * beta)), ge(eta_g, 1))
MEMORY = le(h, S / (15 * mu * N))
"""What a round may forget: the step is limited by the share of clients that renew their control variates."""
NOISE = 12 * h**2 / (K * S) * (1 + S / eta_g**2) * sigma2
FEW = (ge(S, 1), le(S, N), le(spread * S, 1))
LARGEST = (le(drift, largest), le(j, K - 1))
LARGEST_OF_ROUND = (le(drifts[k], most[k]), le(place[k], K - 1))
"""A mean over the local steps is at most the largest, and the first step starts without drift."""
ROUNDS = (
    le(potential[k], kept * potential[k - 1] - h * gaps[k - 1] + step),
    eq(weighted[k], kept * weighted[k - 1] + gaps[k - 1]),
    eq(weights[k], kept * weights[k - 1] + 1),
    eq(weighted[0], 0),
    eq(weights[0], 0),
    lt(kept, 1),
)
"""What progress of every round gives, with q = 1 - mu h/2; sums are taken over the last weight."""
SERVER = 8 * beta * h**2 * gap + 8 * h**2 * lag_0 + 4 * h**2 * beta**2 * drift + 12 * h**2 * sigma2 / (K * S)
NEW_LAG = (1 - S / N) * lag_0 + S / N * (4 * beta * gap + 2 * beta**2 * drift)
DRIFT = 2 * h**2 / 3 * lag_0 + h / (25 * eta_g**2) * gap + h**2 / (K * eta_g**2) * sigma2
STEP = (1 - mu * h / 2) * distance2_0 - 2 * h * gap + 2 * beta * h * drift + moved2
PROGRESS = (1 - mu * h / 2) * (distance2_0 + 9 * N * h**2 / S * lag_0) - h * gap + NOISE

MOVED, LAG = le(moved2, SERVER), le(lag, NEW_LAG)
DRIFTED, STEPPED = le(3 * beta * h * drift, DRIFT), le(distance2, STEP)
LOCAL_STEP = le(walk[k], GROWTH * walk[k - 1] + step)
UNROLLED = le(walk[R], (K - 1) * step * (GROWTH**R - 1))
GROWN = le(GROWTH**R, 3)
MOST = le(largest, 3 * K * ADDED.subs(eta_l, OWN))
POTENTIAL = 9 * N * h**2 / S
PART = 1 - mu * h / 2


def phi(round: sp.Expr) -> sp.Expr:
    """The squared distance after a round plus 9 N h^2/S times the control lag."""
    return far[round] + POTENTIAL * lags[round]


ROUND = le(phi(k), PART * phi(k - 1) - h * gaps[k - 1] + NOISE)
SUM = le(h * progress, left * phi(sp.Integer(0)) + NOISE * weight)
WEIGHT = ge(mu * h * weight, 2 * (1 - PART**R))
LEFT = le(3 * PART**R, 2)
RATE = {"start": left * phi(sp.Integer(0)) / (h * weight), "noise": NOISE / h}

AT_START = at("Without the theorem", changes="not of the paper")(
    "thm3.free",
    "a model that stands still has a loss of at most beta/2 times its squared distance",
    le(gap, beta / 2 * distance2_0),
)
STATEMENTS = (
    AT_START,
    at("Appendix E, variance of the server's update", conditions=(le(spread * S, 1),))(
        "server",
        "the server's step is bounded by the gap, the control lag, the drift and noise",
        le(moved2, SERVER),
    ),
    at("Appendix E, change of the control lag", conditions=(le(S, N),))(
        "lag", "the control lag shrinks by the share of the clients that take part", le(lag, NEW_LAG)
    ),
    at("Appendix E, client drift", conditions=LOCAL)(
        "drift.step", "one local step, for K >= 2", le(apart, GROWTH * apart_0 + ADDED)
    ),
    at("Appendix E, client drift", conditions=WALK)(
        "drift.unrolled",
        "the drift after any number of steps",
        le(walk[R], step / rate * ((1 + rate) ** R - 1)),
    ),
    at("Appendix E, client drift")(
        "drift.growth", "growth is at most exponential", le((1 + rate) ** R, sp.exp(rate * R))
    ),
    at("Appendix E, client drift", conditions=(le(part, 1),))(
        "drift.exp", "in K - 1 steps it grows at most threefold", le(sp.exp(part), 3)
    ),
    at(
        "Appendix E, client drift",
        conditions=(*LOCAL, le(R, K - 1), eq(step, ADDED), LOCAL_STEP, eq(walk[0], 0), UNROLLED, GROWN),
    )(
        "drift.most",
        "before the last of K steps the drift is at most 3 K times what one step adds",
        le(walk[R], 3 * K * step),
        uses=("drift.step", "drift.unrolled", "drift.growth", "drift.exp"),
    ),
    at("Appendix E, client drift", conditions=(*SHORT, ge(K, 2), *LARGEST, MOST))(
        "drift",
        "the drift of a round is bounded by control lag, gap and noise",
        DRIFTED,
        uses=("drift.most",),
    ),
    at("Appendix E, progress of one round", conditions=(lt(mu, beta),))(
        "step", "perturbed strong convexity, averaged over clients and steps", le(distance2, STEP)
    ),
    at(
        "Appendix E, progress of one round",
        conditions=(
            *(*SHORT, ge(K, 2), *FEW, MEMORY, lt(mu, beta), *LARGEST),
            *(MOVED, LAG, DRIFTED, STEPPED),
        ),
    )(
        "progress",
        "one round contracts distance plus control lag, at any heterogeneity",
        le(distance2 + POTENTIAL * lag, PROGRESS),
        uses=("server", "lag", "drift", "step"),
    ),
    at("Theorem III", conditions=ROUNDS)(
        "thm3.sum",
        "the sum of all rounds",
        le(potential[R] + h * weighted[R], kept**R * potential[0] + step * weights[R]),
        uses=("progress",),
    ),
    at(
        "Theorem III",
        conditions=(
            *(*SHORT, ge(K, 2), *FEW, MEMORY, lt(mu, beta), *LARGEST_OF_ROUND),
            *(eq(left, PART**R), ROUND, SUM),
        ),
    )(
        "thm3",
        "the weighted mean of the gaps falls linearly down to the noise, at any heterogeneity",
        le(progress / weight, sum(RATE.values())),
        terms=RATE,
        uses=("progress", "thm3.sum"),
    ),
    at("Theorem III", conditions=(lt(mu * h, 2), ge(mu * h * R, 1), WEIGHT, LEFT))(
        "thm3.start",
        "after 1/(mu h) rounds W is at least 2/(3 mu h), so that the start has at most the weight 3/2 mu (1 - mu h/2)^R",
        le(2, 3 * mu * h * weight),
        uses=("lem1.weights", "lem1.left"),
    ),
)
