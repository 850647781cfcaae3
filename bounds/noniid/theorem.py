"""FedAvg on non-iid data: Assumption 4, Lemmas 1 to 3, and Theorem 1 with full participation.

Assumption 4 bounds the gradients that the run visits. Read for every model it contradicts Assumption 2.
The formulas are written from memory of arXiv:1907.02189; its text was not at hand.
"""

from __future__ import annotations

import sympy as sp

from bounds.noniid.symbols import (
    G2,
    E,
    Gamma,
    L,
    T,
    above,
    after,
    allowed,
    allowed_0,
    apart,
    at,
    before,
    distance2,
    distance2_0,
    distances,
    drift,
    eta,
    far2,
    gap,
    gradient2,
    move2,
    mu,
    noise,
    offset,
    p,
    place,
    start,
    steep,
    t,
    total,
    total_0,
    v,
    way2,
    way2_next,
    ways,
    zeta,
)
from bounds.relations import eq, ge, gt, le, lt

B = noise + 6 * L * Gamma + 8 * (E - 1) ** 2 * G2


def rate(added: sp.Expr, start: sp.Expr) -> dict[str, sp.Expr]:
    """The terms of the bound on the loss, if a step adds `added` times its squared length."""
    return {
        "noise and heterogeneity": L / mu / (offset + T - 1) * 2 * added / mu,
        "start": L / mu / (offset + T - 1) * mu * offset / 2 * start,
    }


RATE = rate(B, start)
RUN = rate(B, distances[1])
CONSTANTS = (ge(offset, 8 * L / mu), ge(offset, E), le(mu, L))
THEOREM = at("Theorem 1", conditions=CONSTANTS)(
    "thm1",
    "with steps 2/(mu (gamma + t)) the expected loss falls like 1/T",
    le(gap, sum(RATE.values())),
    terms=RATE,
    uses=("lem1", "lem2", "lem3", "thm1.step"),
)
SHRUNK = (1 - 2 / (offset + T)) * before + 4 * drift / (mu**2 * (offset + T) ** 2)
EVERYWHERE = (le(mu**2 * far2, gradient2), le(gradient2, G2), eq(far2, 4 * G2 / mu**2))
"""Assumptions 2 and 4 at a model that lies 2 G/mu away from a client's optimum, which "for every model" speaks of."""


def length(step: sp.Expr) -> sp.Expr:
    """The step size 2/(mu (gamma + t)) of a step."""
    return 2 / (mu * (offset + step))


def every_step(added: sp.Expr) -> sp.Rel:
    """A step adds at most `added` times its squared length."""
    return le(distances[t + 1], (1 - length(t) * mu) * distances[t] + length(t) ** 2 * added)


def last(added: sp.Expr) -> sp.Rel:
    """The bound on the last distance."""
    return le((offset + T - 1) * distances[T], 4 * added / mu**2 + offset * distances[1])


LOSS = le(above[T], L / 2 * distances[T])
PERIODS = (le(place[t], E), le(place[t], t))
"""At most E steps from one communication to the next; the first one precedes step 1."""
OF_RUN = (*CONSTANTS[:2], lt(mu, L), *PERIODS)
BEGUN = length(t - p + 1)
"""The step size right after the last communication."""
OF_STEP = (le(eta, 1 / (4 * L)), lt(mu, L), le(p, E), le(zeta, 2 * eta))
STEPPED = (1 - eta * mu) * before + 6 * L * eta**2 * Gamma + 2 * apart + eta**2 * noise
"""Lemma 1 with the variance of Lemma 2."""
MEAN = le(apart, way2)
SHORT = le(move2, zeta**2 * steep)
ROOT = le(sp.sqrt(ways[t + 1]), sp.sqrt(ways[t]) + zeta * sp.sqrt(steep))
WAY = le(sp.sqrt(way2), (p - 1) * zeta * sp.sqrt(steep))
NEAR = le(apart, 4 * eta**2 * (E - 1) ** 2 * G2)

AT_START = at("Without the theorem", changes="not of the paper")(
    "thm1.free",
    "a model that stands still has a loss of at most L/2 times its squared distance",
    le(gap, L / 2 * distance2_0),
)
NOT_STEEP = at("Without the theorem", changes="not of the paper")(
    "thm1.free.steep",
    "where gradients are at most G long, strong convexity alone bounds the loss",
    le(gap, G2 / (2 * mu)),
)
STATEMENTS = (
    AT_START,
    NOT_STEEP,
    at("Lemma 1", conditions=(le(eta, 1 / (4 * L)), lt(mu, L)))(
        "lem1",
        "a step of SGD contracts the distance up to variance, heterogeneity and the distance of the local models",
        le(distance2, (1 - eta * mu) * distance2_0 + eta**2 * total + 6 * L * eta**2 * Gamma + 2 * apart),
    ),
    at("Lemma 2")(
        "lem2",
        "the variance of the averaged gradient is at most the weighted variance of the clients",
        le(total - total_0, allowed - allowed_0),
    ),
    at("Lemma 3")("lem3.mean", "distances from the mean are at most those from the last common model", MEAN),
    at("Lemma 3")(
        "lem3.move", "lengths of ways add up", le(sp.sqrt(way2_next), sp.sqrt(way2) + sp.sqrt(move2))
    ),
    at("Lemma 3")("lem3.short", "a local step is at most zeta G long, by Assumption 4", SHORT),
    at("Lemma 3", conditions=(SHORT,))(
        "lem3.root",
        "the same for its length",
        le(sp.sqrt(move2), zeta * sp.sqrt(steep)),
        uses=("lem3.short",),
    ),
    at("Lemma 3", conditions=(ROOT, eq(ways[1], 0)))(
        "lem3.steps",
        "before step T since a communication the way is at most T - 1 times the largest step",
        le(sp.sqrt(ways[T]), (T - 1) * zeta * sp.sqrt(steep)),
        uses=("lem3.move", "lem3.root"),
    ),
    at("Lemma 3", conditions=(MEAN, WAY, le(p, E), le(zeta, 2 * eta)))(
        "lem3",
        "local models stay within 2 eta (E - 1) G of their mean",
        le(apart, 4 * eta**2 * (E - 1) ** 2 * steep),
        uses=("lem3.mean", "lem3.steps"),
    ),
    at("Theorem 1", conditions=CONSTANTS)(
        "thm1.short", "the steps are short enough for Lemma 1", le(length(t), 1 / (4 * L))
    ),
    at("Theorem 1", conditions=(*CONSTANTS, le(p, E), le(p, t)))(
        "thm1.slow",
        "the steps halve at most between communications, as Lemma 3 needs",
        le(BEGUN, 2 * length(t)),
    ),
    at(
        "Proof of Theorem 1",
        conditions=(ge(offset, 2), ge(v, 4 * drift / mu**2), le(before, v / (offset + T)), le(after, SHRUNK)),
    )(
        "thm1.step",
        "with steps 2/(mu (gamma + T)) a bound v/(gamma + T) of the squared distance is handed on to the next step",
        le(after, v / (offset + T + 1)),
    ),
    at("Proof of Theorem 1", conditions=(lt(mu, L),))(
        "thm1.loss", "the loss is at most L/2 times the squared distance", le(gap, L / 2 * distance2_0)
    ),
    at("Proof of Theorem 1", conditions=(*OF_STEP, le(after, STEPPED), NEAR))(
        "thm1.added",
        "by Lemmas 1 to 3 a step adds at most B times its squared length",
        le(after, (1 - eta * mu) * before + eta**2 * B),
        uses=("lem1", "lem2", "lem3"),
    ),
    at("Proof of Theorem 1", conditions=(every_step(drift), ge(offset, 8)))(
        "thm1.distance", "the squared distance falls like 1/T, whatever is added in every step", last(drift)
    ),
    THEOREM,
    THEOREM.variant(
        "from-lemmas",
        le(above[T], sum(RUN.values())),
        terms=RUN,
        conditions=(*OF_RUN, every_step(B), LOSS, last(B)),
        uses=("noniid.thm1.added", "noniid.thm1.distance", "noniid.thm1.loss"),
        changes="mu < L; the conclusions of the steps of its proof are conditions that lemmas give",
    ),
    THEOREM.variant(
        "everywhere",
        conditions=(*THEOREM.conditions, gt(G2, 0), *EVERYWHERE),
        changes="gradients are bounded at every model instead of those that the run visits",
    ),
)
