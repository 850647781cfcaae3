"""SPECIAL: what the text says about Theorem 4.7 (implications, Remark 4.8, introduction, experiments)."""

from __future__ import annotations

from functools import partial

import sympy as sp

from bounds.relations import eq, ge, le, lt
from bounds.special.bkt_sums import correction
from bounds.special.symbols import (
    F_0,
    G0,
    SPECIAL,
    E,
    F_t,
    K,
    L,
    M,
    N,
    at,
    eps,
    gamma_G,
    gamma_L,
    lam,
    sigma_L2,
    source,
    t,
)
from bounds.special.theorems import BKT, GAMMA_L_BKT, NOISY

_real = SPECIAL.real
each_0 = _real("each_0", "loss of one earlier task at the task start", r"f_j(\theta_K^0)")
each_t = _real("each_t", "expected loss of one earlier task after t rounds", r"\mathbb E f_j(\theta_K^t)")

_several = (ge(K, 2),)
_limit = GAMMA_L_BKT.rhs
BEFORE_A7 = (K - 1) / 2 * L * gamma_G**2 * gamma_L**2 * E**2 * sigma_L2 * t / (lam**2 + 2 * lam)
_FIXED = "keeps the step sizes as they are, as a run does, and takes the bound before step (a7)"


_slope = partial(at, conditions=_several, uses=("thm4.7",))
_remark = partial(_slope, "Remark 4.8")
_implied = _slope("Theorem 4.7, implications; Remark 4.8", "26, 151, 155")
_here = source("Remark 4.8", "26, 151, 155")

ROUNDS = _implied("rem4.8.rounds", "the correction decreases with more rounds", le(sp.diff(correction, t), 0))
EPOCHS = _implied(
    "rem4.8.epochs", "the correction decreases with more local steps", le(sp.diff(correction, E), 0)
)
ALIGNMENT = _remark("155")(
    "rem4.8.alignment",
    "better alignment makes the correction smaller ('yields a faster decay of the correction term')",
    le(sp.diff(correction, eps), 0),
    conditions=(*_several, lt(eps, 1)),
)
_TRENDS = (
    ROUNDS,
    ROUNDS.variant("fixed-steps", le(sp.diff(BEFORE_A7, t), 0), changes=_FIXED, source=_here),
    EPOCHS,
    EPOCHS.variant("fixed-steps", le(sp.diff(BEFORE_A7, E), 0), changes=_FIXED, source=_here),
    _implied(
        "rem4.8.participation",
        "the correction decreases with more clients per round",
        le(sp.diff(correction, N), 0),
    ),
    ALIGNMENT,
    ALIGNMENT.variant(
        "slope",
        le(sp.diff(correction, t, eps), 0),
        says="better alignment makes the correction fall more steeply in t",
        changes="reads faster decay as a steeper slope in t, which it has because the whole correction is larger",
    ),
)

_scale = at("Theorem 4.7, implications", "151", uses=("thm4.7",))
_SCALES = (
    _scale(
        "thm4.7.variance",
        "the correction scales with sigma_L^2",
        eq(correction, sigma_L2 * sp.diff(correction, sigma_L2)),
    ),
    _scale(
        "thm4.7.gradient",
        "the correction scales with the squared norm of the earlier tasks' gradient",
        eq(correction, G0 / 2 * sp.diff(correction, G0)),
    ),
    _scale(
        "thm4.7.lambda",
        "the limit on gamma_L grows with lambda",
        ge(sp.diff(_limit, lam), 0),
        conditions=_several,
    ),
)

_LATER = at("Theorem 4.7", "142")(
    "thm4.7.all-rounds",
    "a step size that is admissible at one round is admissible at every later one ('for every t >= 1')",
    le(gamma_L, _limit.subs(t, t + 1)),
    conditions=(*_several, lt(eps, 1), GAMMA_L_BKT),
)


_run = partial(at, conditions=BKT.conditions, assumes=NOISY, uses=("thm4.7",))

PRESERVES = _run("Section 4, (i)", "108")(
    "rem4.8.preserves",
    "the loss of each earlier task does not grow ('improves or at least preserves')",
    le(each_t, each_0),
)
_RUNS = (
    _run("Introduction, first contribution", "26")(
        "rem4.8.each-task",
        "the loss of any earlier task is at most its previous value plus the correction",
        le(each_t, each_0 + correction),
    ),
    PRESERVES,
    PRESERVES.variant(
        "sum",
        le(F_t, F_0),
        says="the summed loss of the earlier tasks does not grow",
        changes="speaks of the sum of the earlier losses, as Theorem 4.7 does",
    ),
)
_NOISELESS = _run("Remark 4.8", "155")(
    "rem4.8.variance",
    "without gradient noise the summed loss of the earlier tasks does not grow",
    le(F_t, F_0),
    conditions=(*BKT.conditions, eq(sigma_L2, 0)),
)

LARGEST_L = 2 * (K - 1) / (gamma_L * E * t * sp.sqrt(M * E / (lam**2 + 2 * lam)))
_APPLIES = _run("Section 5, Appendix F.2", "229-237, 783-803")(
    "thm4.7.applicability",
    "the paper's experiments meet the step-size conditions",
    BKT.relation,
    terms=BKT.terms,
    conditions=(
        le(N, M),
        ge(K, 2),
        le(gamma_G, 1 / (sp.sqrt(N) * (K - 1))),
        # What the limit on gamma_L asks of L even at perfect alignment, because G0 <= (K-1)B and eps < 1
        le(L, LARGEST_L),
    ),
    changes="our own question: the text does not say that its experiments are within Theorem 4.7",
)

STATEMENTS = (*_TRENDS, *_SCALES, _LATER, *_RUNS, _NOISELESS, _APPLIES)
