"""SPECIAL, Section 4.3 and Appendix E.2: how far the global model moves within a task."""

from __future__ import annotations

from functools import partial

import sympy as sp

from bounds.relations import eq, gt, le
from bounds.special.symbols import SPECIAL, B, E, at, drift1, drift2, gamma_G, gamma_L, lam, t
from bounds.special.theorems import DRIFT, SAMPLING

_real = SPECIAL.real
tau = sp.Symbol("tau", integer=True)
Delta = sp.IndexedBase("Delta")
SPECIAL.series(Delta, "aggregated updates of the rounds, from round 0", r"\Delta")

th0 = _real("th0", "global model at the task start", r"\theta_i^0")
th = _real("th", "global model after t rounds", r"\theta_i^t")
th_next = _real("th_next", "global model after t + 1 rounds", r"\theta_i^{t+1}")
update = _real("update", "aggregated update of round t", r"\Delta_i^t")
gsum = sp.IndexedBase("gsum")
SPECIAL.series(
    gsum,
    "expected mean over the sampled clients of the summed gradient norms, by round from 0",
    r"\mathbb E\tfrac1N\sum_{m,e}\|g_m^e\|",
)

_moved = partial(at, conditions=SAMPLING)

MOVED = _moved("Eq. (27)", "535")(
    "eq27",
    "the recursion unrolled: old updates keep the largest weight",
    eq(th - th0, sp.Sum((1 + lam) ** (-(tau + 1)) * gamma_G * Delta[tau], (tau, 0, t - 1))),
    uses=("eq26",),
)

EQ37 = _moved("Lemma 4.9, Eq. (37)", "589-603")(
    "eq37",
    "the expected distance is at most the weighted sum of the mean gradient norms",
    le(drift1, sp.Sum((1 + lam) ** (-(tau + 1)) * gamma_G * gamma_L * gsum[tau], (tau, 0, t - 1))),
    uses=("eq27", "lemC.2"),
)
PULLED = (1 - (1 + lam) ** (-t)) / lam
"""Sum of the weights that Eq. (26) gives to t rounds."""
FINITE = DRIFT.variant(
    "finite",
    le(drift2, (gamma_G * gamma_L * E * B * PULLED) ** 2),
    says="after t rounds the model is at most gamma_G gamma_L E B (1 - (1 + lambda)^-t) / lambda away",
    uses=("special.eq27/corrected",),
    terms={"drift": (gamma_G * gamma_L * E * B * PULLED) ** 2},
    changes="the sum of the weights of t rounds in place of 1/lambda",
)

FREE = at("Lemma 4.9, without the anchor", "163", conditions=SAMPLING, assumes=("ass4.1",))(
    "lem4.9.free",
    "without the anchor t rounds lead at most t gamma_G gamma_L E B away",
    le(drift2, (t * gamma_G * gamma_L * E * B) ** 2),
    changes="not of the paper: what bounded gradients alone give, for plain averaging",
)

STATEMENTS = (
    FINITE,
    FREE,
    _moved("Eq. (25)", "527")(
        "eq25", "increment of one round", eq(th_next - th, (gamma_G * update + lam * (th0 - th)) / (1 + lam))
    ),
    _moved("Eq. (26)", "531")(
        "eq26",
        "increment from the task start",
        eq(th_next - th0, (gamma_G * update + th - th0) / (1 + lam)),
        uses=("eq25",),
    ),
    MOVED,
    MOVED.variant(
        "corrected",
        eq(th - th0, sp.Sum((1 + lam) ** (-(t - tau)) * gamma_G * Delta[tau], (tau, 0, t - 1))),
        changes="the weight of round tau is (1+lambda)^-(t-tau), not (1+lambda)^-(tau+1)",
        says="the recursion unrolled: recent updates keep the largest weight",
    ),
    _moved("Lemma 4.9, Eq. (37), step (b1)", "589-603")(
        "b1",
        "the geometric weights sum to at most 1/lambda, and each gradient is at most B",
        le(drift1, gamma_G * gamma_L * E * B / lam),
        assumes=("ass4.1",),
        uses=("eq27", "eq37"),
    ),
    EQ37,
    EQ37.variant(
        "corrected",
        le(drift1, sp.Sum((1 + lam) ** (-(t - tau)) * gamma_G * gamma_L * gsum[tau], (tau, 0, t - 1))),
        changes="the weight of round tau is (1+lambda)^-(t-tau), not (1+lambda)^-(tau+1)",
        uses=("special.eq27/corrected", "special.lemC.2"),
    ),
    squared := at("Lemma 4.9, Eq. (38)", "589-603")(
        "eq38",
        "the bound on the expected distance is squared",
        le(drift2, (gamma_G * gamma_L * E * B / lam) ** 2),
        # a random vector whose mean length is zero has no square
        conditions=(gt(drift1, 0), le(drift1, gamma_G * gamma_L * E * B / lam), le(drift1**2, drift2)),
        uses=("b1",),
    ),
    squared.variant(
        "every-path",
        conditions=SAMPLING,
        assumes=("ass4.1",),
        uses=("special.eq27/corrected",),
        changes="the bound on the distance on every path is squared: gradients are bounded, not only their means",
    ),
)
