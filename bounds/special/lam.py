"""SPECIAL: what lambda does. Rest points of both algorithms, the pull of a round, implications of Lemma 4.9.

A penalty lambda |theta - theta_{K-1}|^2 is printed three times, each time beside something else: a loss
(Eq. 3 and 4), |u - x|^2 (Eq. 5), and |theta - x|^2 / 2 (F.5). So one letter stands for three strengths.
Statements that end in ``/effective`` say which strength of Eq. (3) or (4) an algorithm really applies.
"""

from __future__ import annotations

from functools import partial

import sympy as sp

from bounds.hypotheses import Hypothesis
from bounds.relations import eq, gt, le, lt
from bounds.special.algorithms import ALL_CLIENTS, ONE_STEP, client_pull
from bounds.special.problem import anchor
from bounds.special.symbols import SPECIAL, B, E, L, M, at, drift2, gamma_G, gamma_L, lam, source
from bounds.special.theorems import DRIFT, SAMPLING

_positive, _nonnegative, _real = SPECIAL.positive, SPECIAL.nonnegative, SPECIAL.real

# Where the algorithms come to rest
rest = _real("rest", "model that a round of Algorithm 1 leaves where it is")
slope = _real("slope", "gradient of the current task there", r"\nabla f_K")
rest_c = _real("rest_c", "model that a round of Algorithm 2 leaves where it is")
slope_c = _real("slope_c", "gradient of the current task there", r"\nabla f_K")
rest_m = _real("rest_m", "local model that a local step of Algorithm 2 leaves where it is")
slope_m = _real("slope_m", "gradient of the client there", r"\nabla f_{i,m}")

# Implications of Lemma 4.9
drift_all = _nonnegative(
    "drift_all", "expected squared distance from the task start, of every task and round"
)
lam_more = _positive("lam_more", "a larger proximal coefficient", r"\lambda'")
drift2_more = _nonnegative(
    "drift2_more",
    "expected squared distance from the task start with the larger coefficient",
    r"\mathbb E\|\theta_i^t(\lambda')-\theta_i^0\|^2",
)

SMALL_STEPS = (le(gamma_G, 1), le(gamma_L, 1 / (E * L)))


def _drawn_to(model: sp.Symbol, strength: sp.Expr) -> sp.Expr:
    """Minus the gradient of ``strength * |theta - anchor|^2``: it balances a loss at a stationary point."""
    return -2 * strength * (model - anchor)


_rest = partial(at, conditions=ALL_CLIENTS)
_drift = at("Implications of Lemma 4.9", "169")

EQ4 = at("Eq. (4) and Algorithm 2, line 10", "56, 923")(
    "eq4",
    "Algorithm 2's local rule comes to rest where Eq. (4) is stationary, with the same lambda",
    eq(slope_m, _drawn_to(rest_m, lam)),
)
ALG1_SURROGATE = _rest("Eq. (3) and Algorithm 1", "48-50, 71-91")(
    "alg1.surrogate",
    "Algorithm 1 comes to rest where the surrogate Eq. (3) is stationary, with the same lambda",
    eq(slope, _drawn_to(rest, lam)),
)
ALG2_SURROGATE = _rest("Eq. (3) and Algorithm 2", "50, 913-933")(
    "alg2.surrogate",
    "Algorithm 2 comes to rest where the surrogate Eq. (3) is stationary, with the same lambda",
    eq(slope_c, _drawn_to(rest_c, lam)),
)
REST_POINTS = (
    EQ4,
    EQ4.variant(
        "effective",
        eq(slope_m, _drawn_to(rest_m, lam / gamma_L)),
        changes="lambda of Eq. (4) is lambda / gamma_L of the proximal map",
        says="Algorithm 2's local rule comes to rest where Eq. (4) is stationary with lambda / gamma_L",
    ),
    ALG1_SURROGATE,
    ALG1_SURROGATE.variant(
        "effective",
        eq(slope, _drawn_to(rest, lam / (2 * gamma_G * gamma_L))),
        changes="lambda of Eq. (3) is lambda / (2 gamma_G gamma_L); one local step",
        says="with one local step, Algorithm 1 comes to rest where Eq. (3) is stationary "
        "with lambda / (2 gamma_G gamma_L)",
        conditions=(*ALL_CLIENTS, *ONE_STEP),
    ),
    ALG1_SURROGATE.variant(
        "several",
        eq(slope, _drawn_to(rest, lam / (2 * gamma_G * gamma_L * E))),
        changes="lambda of Eq. (3) is lambda / (2 gamma_G gamma_L E); any number of local steps",
        says="with E local steps, Algorithm 1 comes to rest where Eq. (3) is stationary "
        "with lambda / (2 gamma_G gamma_L E)",
    ),
    ALG2_SURROGATE,
    ALG2_SURROGATE.variant(
        "effective",
        eq(slope_c, _drawn_to(rest_c, lam / gamma_L)),
        changes="lambda of Eq. (3) is lambda / gamma_L; one local step",
        says="with one local step, Algorithm 2 comes to rest where Eq. (3) is stationary with lambda / gamma_L",
        conditions=(*ALL_CLIENTS, *ONE_STEP),
    ),
    ALG2_SURROGATE.variant(
        "alone",
        eq(slope_c, _drawn_to(rest_c, lam / gamma_L)),
        changes="lambda of Eq. (3) is lambda / gamma_L; one client",
        says="with one client, Algorithm 2 comes to rest where Eq. (3) is stationary with lambda / gamma_L, "
        "whatever E",
        conditions=(*ALL_CLIENTS, eq(M, 1)),
    ),
    ALG2_SURROGATE.variant(
        "alone.small",
        eq(slope_c, _drawn_to(rest_c, lam / gamma_L)),
        changes="lambda of Eq. (3) is lambda / gamma_L; one client, whose local steps shrink distances",
        says="with one client and small local steps, Algorithm 2 comes to rest where Eq. (3) is stationary with "
        "lambda / gamma_L, whatever E",
        conditions=(*ALL_CLIENTS, eq(M, 1), lt(gamma_L * L, 2 + 2 * lam)),
        hypotheses=(Hypothesis.QUADRATIC,),
    ),
    ALG2_SURROGATE.variant(
        "several",
        eq(slope_c, _drawn_to(rest_c, lam / gamma_L)),
        changes="lambda of Eq. (3) is lambda / gamma_L",
        says="Algorithm 2 comes to rest where Eq. (3) is stationary with lambda / gamma_L, whatever M and E",
    ),
)

ALG2_STRONGER = at("Section 2.2, text after Eq. (4)", "58-63")(
    "alg2.stronger",
    "pulling in each local epoch leaves no more distance to the anchor than pulling at aggregation",
    le(client_pull, 1 / (1 + lam)),
    conditions=(le(gamma_G, 1),),
    uses=("alg2.pull", "alg1.pull"),
)
PULLS = (
    at("F.5, definition of the proximal map, and Eq. (5)", "903-907, 98")(
        "alg2.weight",
        "the same lambda gives the anchor the same weight in the proximal map as in Eq. (5)",
        eq(2 * lam / (1 + 2 * lam), lam / (1 + lam)),
        uses=("alg2.prox", "eq6"),
    ),
    at("F.5, text before Table 13", "907")(
        "alg2.retention",
        "a larger lambda preserves previous knowledge more aggressively: a round of Algorithm 2 leaves "
        "less distance",
        lt(sp.diff(client_pull, lam), 0),
        uses=("alg2.pull",),
    ),
    ALG2_STRONGER,
    ALG2_STRONGER.variant(
        "unit",
        le((1 + 2 * lam) ** (-E), 1 / (1 + lam)),
        changes="gamma_G = 1",
        says="the same with plain averaging, gamma_G = 1",
        conditions=(),
    ),
)

LEM4_9_SUPPRESS = _drift(
    "lem4.9.suppress",
    "a larger lambda suppresses the drift",
    le(drift2_more, drift2),
    conditions=(*SAMPLING, gt(lam_more, lam)),
    assumes=("ass4.1", "ass4.2"),
)
LEM4_9_UNIFORM = _drift(
    "lem4.9.uniform",
    "one cap, which contains neither the round nor the task, holds in all rounds of all tasks",
    le(drift_all, (gamma_G * gamma_L * E * B / lam) ** 2),
    conditions=SAMPLING,
    assumes=("ass4.1",),
    uses=("lem4.9",),
)
IMPLICATIONS = (
    _drift(
        "lem4.9.anchor",
        "a larger lambda tightens the bound of Lemma 4.9",
        lt(sp.diff(DRIFT.rhs, lam), 0),
        uses=("lem4.9",),
    ),
    LEM4_9_SUPPRESS,
    LEM4_9_SUPPRESS.variant(
        "small",
        changes="adds gamma_G <= 1 and gamma_L <= 1/(E L)",
        says="a larger lambda suppresses the drift, with small steps",
        conditions=(*SAMPLING, gt(lam_more, lam), *SMALL_STEPS),
    ),
    LEM4_9_UNIFORM,
    LEM4_9_UNIFORM.variant(
        "text",
        changes="the first task is plain FedAvg, as the text reads",
        says="the cap holds in all rounds of all tasks, the first task without anchor",
        source=source("Implications of Lemma 4.9, and Section 3, 'Federated skeleton'", "169, 94"),
        uses=(),
    ),
)

STATEMENTS = (*REST_POINTS, *PULLS, *IMPLICATIONS)
