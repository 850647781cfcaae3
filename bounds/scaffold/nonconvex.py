"""One round of SCAFFOLD and Theorem VII for smooth losses that need not be convex, with sampled clients.

The lag is the mean squared distance of the server's model from the models at which the clients' control variates were
computed. Lemmas 16 to 20 are stated from memory of the paper, with its constants; numbers of lemmas are from memory, too. The
paper's Lemma 18 has an exponent alpha between 1/2 and 1; here `edge` is (S/N)^alpha and `window` (S/N)^(2 alpha - 1),
which lies between S/N and 1.
The paper's Theorem VII hides constants in an O; the sum of its rounds is stated with all constants.
"""

from __future__ import annotations

import sympy as sp

from bounds.relations import eq, ge, le
from bounds.scaffold.rounds import GROWTH, OWN, WALK
from bounds.scaffold.symbols import (
    K,
    N,
    R,
    S,
    apart,
    apart_0,
    at,
    behind,
    behind_0,
    behinds,
    beta,
    drift,
    edge,
    eta_g,
    eta_l,
    gap,
    gaps,
    h,
    k,
    mean_moved2,
    moved2,
    potential,
    push2,
    rate,
    sigma2,
    slope2,
    slopes,
    slopes2,
    slopes_sum,
    spread,
    step,
    summed,
    value,
    value_0,
    walk,
    window,
    z,
)

APART = le(2 * S * spread, N - S)
"""What sampling from at least three clients implies: the clients that are left out say little about those that take part."""
SPREAD = eq(spread * S * (N - 1), N - S)
SAMPLED = (ge(S, 1), le(S, N), le(spread * S, 1), APART)
ADDED = 4 * K * eta_l**2 * slope2 + 4 * K * eta_l**2 * beta**2 * behind_0 + 3 * eta_l**2 * sigma2
"""What one local step adds to the drift."""
LOCAL = (ge(K, 2), le(24 * K * eta_l * beta, 1))
SHORT = (le(24 * beta * h, z**2), le(z**3 * N, S), le(S, z * N), le(z, 1), ge(eta_g, 1))
"""Steps of at most z^2/(24 beta) for any z between S/N and its cube root, which is the paper's choice."""
DRIFT = (
    5 * beta**3 * h**2 / 3 * behind_0
    + h / (24 * eta_g**2) * slope2
    + h**2 * beta / (4 * K * eta_g**2) * sigma2
)
SERVER = (
    4 * h**2 * beta**2 * drift
    + 8 * h**2 * beta**2 * behind_0
    + 4 * h**2 * slope2
    + 9 * h**2 * sigma2 / (K * S)
)
BEHIND = (1 - S / (2 * N)) * behind_0 + 2 * S / N * drift + 2 * moved2 + 2 * N / S * mean_moved2
LAG = (
    (1 - 17 * S / (36 * N)) * behind_0
    + window / (48 * beta**2) * slope2
    + sp.Rational(97, 48) * window * drift
    + sigma2 / (32 * K * N * beta**2)
)
DESCENT = value_0 - h / 2 * slope2 + h / 2 * beta**2 * drift + beta / 2 * moved2
WEIGHT = 12 * beta**3 * h**2 * N / S
NOISE = 5 * beta * h**2 * sigma2 / (K * S) * (1 + S / eta_g**2)
PROGRESS = value_0 + WEIGHT * behind_0 + NOISE - h / 14 * slope2

STEPPED = le(
    apart,
    (1 + sp.Rational(9, 10) / (K - 1)) * apart_0
    + sp.Rational(10, 9) * K * eta_l**2 * push2
    + eta_l**2 * sigma2,
)
PUSHED = le(
    push2,
    36 * beta**2 * apart_0
    + sp.Rational(18, 5) * (slope2 + beta**2 * behind_0)
    + sp.Rational(9, 5) * sigma2 / K,
)
LOCAL_STEP = le(walk[k], GROWTH * walk[k - 1] + step)
UNROLLED = le(walk[k], step / rate * ((1 + rate) ** k - 1))
SUMMED = (eq(summed[k], summed[k - 1] + walk[k - 1]), eq(summed[0], 0))
OVER_STEPS = le(K * drift, (K - 1) ** 2 * step * (GROWTH**K - 1 - K / (K - 1)))
GROWN = le(GROWTH ** (K - 1), 3)
MEAN_DRIFT = le(drift, K * ADDED.subs(eta_l, OWN))
MOVED, MEAN_MOVED = le(moved2, SERVER), le(mean_moved2, 2 * h**2 * beta**2 * drift + 2 * h**2 * slope2)
BEHIND_AFTER, LAGGED = le(behind, BEHIND), le(behind, LAG)
DRIFTED, DESCENDED = le(5 * beta**2 * h * drift / 3, DRIFT), le(value, DESCENT)


def phi(round: sp.Expr) -> sp.Expr:
    """The gap after a round plus 12 beta^3 h^2 N/S times the lag."""
    return gaps[round] + WEIGHT * behinds[round]


ROUND = le(phi(k), phi(k - 1) - h / 14 * slopes2[k - 1] + NOISE)
SUM = le(phi(R) + h / 14 * slopes, phi(sp.Integer(0)) + R * NOISE)
RATE = {"start": 14 * phi(sp.Integer(0)) / (h * R), "noise": 14 * NOISE / h}

AT_START = at("Without the theorem", changes="not of the paper")(
    "nc.thm7.free",
    "a model that stands still has a squared gradient of at most 2 beta times its loss",
    le(slope2, 2 * beta * gap),
)
STATEMENTS = (
    AT_START,
    at("Lemma 17", conditions=(le(spread * S, 1),))(
        "nc.server", "the server's step is bounded by drift, lag, gradient and noise", MOVED
    ),
    at("Lemma 17")(
        "nc.server.mean", "the server's expected step is bounded by drift and gradient", MEAN_MOVED
    ),
    (
        KEPT := at("Lemma 18", conditions=(le(S, N), le(spread, 1), APART))(
            "nc.lag.step", "the lag after a round, for at least three clients", BEHIND_AFTER
        )
    ),
    KEPT.variant(
        "two",
        conditions=(eq(N, 2), eq(S, 1), SPREAD),
        changes="for one of two clients, where who is sampled says who is left out",
    ),
    at("Lemma 18", conditions=(SPREAD, ge(N, 3), le(S, N), ge(S, 1)))(
        "nc.spread", "sampling from at least three clients", APART
    ),
    at(
        "Lemma 18",
        conditions=(
            *(le(S, window * N), le(window, 1), le(24 * h * beta, edge), le(edge**2 * N, window * S)),
            *(*SAMPLED, BEHIND_AFTER, MOVED, MEAN_MOVED),
        ),
    )(
        "nc.lag",
        "the lag shrinks by the share of the clients that take part",
        LAGGED,
        uses=("nc.server", "nc.server.mean", "nc.lag.step", "nc.spread"),
    ),
    at("Lemma 19", conditions=(ge(K, 2),))(
        "nc.drift.young", "one local step moves by at most its length", STEPPED
    ),
    at("Lemma 19")("nc.drift.push", "the corrected gradients of a local step", PUSHED),
    at("Lemma 19", conditions=(*LOCAL, STEPPED, PUSHED))(
        "nc.drift.step",
        "one local step, for K >= 2",
        le(apart, GROWTH * apart_0 + ADDED),
        uses=("nc.drift.young", "nc.drift.push"),
    ),
    at("Lemma 19", conditions=(*WALK, UNROLLED, *SUMMED))(
        "nc.drift.sum",
        "the sum of the drift over local steps",
        le(summed[R], step / rate**2 * ((1 + rate) ** R - 1 - rate * R)),
        uses=("drift.unrolled",),
    ),
    at("Lemma 19", conditions=(*(*LOCAL, eq(step, ADDED), LOCAL_STEP, eq(walk[0], 0)), *(OVER_STEPS, GROWN)))(
        "nc.drift.mean",
        "the drift of a round is at most K times what one step adds",
        le(drift, K * step),
        uses=("nc.drift.step", "nc.drift.sum", "drift.growth", "drift.exp"),
    ),
    at("Lemma 19", conditions=(ge(K, 2), le(24 * beta * h, 1), ge(eta_g, 1), MEAN_DRIFT))(
        "nc.drift",
        "the drift of a round is bounded by lag, gradient and noise",
        DRIFTED,
        uses=("nc.drift.mean",),
    ),
    at("Lemma 20")("nc.descent", "a round's descent, with the drift as an error of the gradient", DESCENDED),
    at(
        "Lemma 20",
        conditions=(*(*SHORT, ge(K, 2), *SAMPLED), *(DESCENDED, MOVED, LAGGED.subs(window, z), DRIFTED)),
    )(
        "nc.progress",
        "one round lowers loss plus lag by a share of the squared gradient, at any heterogeneity",
        le(value + WEIGHT * behind, PROGRESS),
        uses=("nc.descent", "nc.server", "nc.lag", "nc.drift"),
    ),
    at(
        "Theorem VII",
        conditions=(
            le(potential[k], potential[k - 1] - h / 14 * slopes2[k - 1] + step),
            eq(slopes_sum[k], slopes_sum[k - 1] + slopes2[k - 1]),
            eq(slopes_sum[0], 0),
        ),
    )(
        "nc.thm7.sum",
        "the sum of all rounds",
        le(potential[R] + h / 14 * slopes_sum[R], potential[0] + R * step),
        uses=("nc.progress",),
    ),
    at("Theorem VII", conditions=(*(*SHORT, ge(K, 2), *SAMPLED, ge(R, 1)), *(ROUND, SUM)))(
        "nc.thm7",
        "the mean squared gradient falls like 1/R down to the noise, at any heterogeneity",
        le(slopes / R, sum(RATE.values())),
        terms=RATE,
        uses=("nc.progress", "nc.thm7.sum"),
    ),
)
