"""SPECIAL, Appendix C and Corollary D.1: auxiliary lemmas and the steps of their proofs."""

from __future__ import annotations

from functools import partial

import sympy as sp

from bounds.relations import eq, ge, gt, le, lt
from bounds.special.symbols import SPECIAL, B, E, K, L, M, N, at, eps, gamma_L, sigma_G2, sigma_L2
from bounds.statement import Statement

_count, _nonnegative, _real = SPECIAL.count, SPECIAL.nonnegative, SPECIAL.real

# Vectors t_1..t_M and Lambda (Lemmas C.6 to C.8)
G = _real("G", "constant factor of the expansions")
S2 = _nonnegative("S2", "sum of squared norms of the vectors", r"\sum_m\|t_m\|^2")
SS = _nonnegative("SS", "squared norm of the sum of the vectors", r"\|\sum_mt_m\|^2")
P = _nonnegative("P", "sum of squared differences over ordered pairs", r"\sum_{m\ne n}\|t_m-t_n\|^2")
SL = _nonnegative("SL", "sum of squared distances to Lambda", r"\sum_m\|t_m-\Lambda\|^2")
Lam2 = _nonnegative("Lam2", "squared norm of Lambda", r"\|\Lambda\|^2")
full2 = _nonnegative("full2", "squared norm of G times the sum, plus Lambda", r"\|\sum_mGt_m+\Lambda\|^2")
prob2 = _nonnegative(
    "prob2",
    "squared norm of G times the sum of the vectors, each multiplied by its inclusion probability, plus Lambda",
    r"\|\sum_mG\,\mathbb P\{m\in\mathcal S\}t_m+\Lambda\|^2",
)
sampled2 = _nonnegative(
    "sampled2",
    "expected squared norm over the sampled set",
    r"\mathbb E_{\mathcal S}\|\sum_{m\in\mathcal S}Gt_m+\Lambda\|^2",
)
inc1 = _nonnegative("inc1", "probability that a client is sampled", r"\mathbb P\{m\in\mathcal S\}")
inc2 = _nonnegative(
    "inc2", "probability that two given clients are sampled", r"\mathbb P\{m,n\in\mathcal S\}"
)

# Two vectors
x2 = _nonnegative("x2", "squared norm of x", r"\|x\|^2")
y2 = _nonnegative("y2", "squared norm of y", r"\|y\|^2")
diff2 = _nonnegative("diff2", "squared norm of x - y", r"\|x-y\|^2")
inner = _real("inner", "inner product of x and y", r"\langle x,y\rangle")

# Sums of vectors, fixed or random
n = _count("n", "number of vectors")
norm_sum = _nonnegative("norm_sum", "norm of the weighted sum", r"\|\sum_ia_ix_i\|")
sum_scaled = _nonnegative("sum_scaled", "sum of norms of the weighted vectors", r"\sum_i\|a_ix_i\|")
sum_norms = _nonnegative("sum_norms", "weighted sum of norms", r"\sum_ia_i\|x_i\|")
E_sum2 = _nonnegative("E_sum2", "expected squared norm of the sum", r"\mathbb E\|\sum_ix_i\|^2")
sum_E2 = _nonnegative("sum_E2", "sum of expected squared norms", r"\sum_i\mathbb E\|x_i\|^2")
mean2 = _nonnegative("mean2", "largest squared norm of a mean", r"\max_i\|\mathbb Ex_i\|^2")
cross = _nonnegative(
    "cross", "largest covariance of two of the vectors", r"\max_{i\ne j}|\mathbb E\langle x_i,x_j\rangle|"
)

# Smoothness of a sum
grad_change = _nonnegative(
    "grad_change", "change of the summed gradient", r"\|\nabla f_{1:K}(a)-\nabla f_{1:K}(b)\|"
)
task_change = _nonnegative("task_change", "change of one task's gradient", r"\|\nabla f_i(a)-\nabla f_i(b)\|")
dist = _nonnegative("dist", "distance of two points", r"\|a-b\|")

# Local drift (Lemma C.5)
D_mean = _nonnegative(
    "D_mean",
    "mean over clients of the squared local drift",
    r"\frac1M\sum_m\mathbb E\|\theta_{i,m}^{t,e}-\theta_i^t\|^2",
)
D_now = _nonnegative("D_now", "squared local drift of a client at step e", r"D_e")
D_before = _nonnegative("D_before", "squared local drift of a client at step e-1", r"D_{e-1}")
noise2 = _nonnegative("noise2", "variance of a client's stochastic gradient")
lip2 = _nonnegative("lip2", "expected squared gradient change since the round start")
het2 = _nonnegative("het2", "squared difference of client and task gradient at the round start")
gi2 = _nonnegative(
    "gi2", "squared norm of the task gradient at the round start", r"\|\nabla f_i(\theta_i^t)\|^2"
)
bracket = _nonnegative("bracket", "the bracket of Eq. (16)")

# Corollary D.1
a = _nonnegative("a", "norm of one task gradient", r"\|\nabla f_i\|")
b = _nonnegative("b", "norm of the other task gradient", r"\|\nabla f_j\|")
ab = _real("ab", "inner product of two task gradients", r"\langle\nabla f_i,\nabla f_j\rangle")
DRIFT_STEP = le(gamma_L, 1 / (8 * L * E))
EXPANDED = (
    (N**2 * G**2 / M + N * G / M) * S2
    - N * (N - 1) * G**2 / (2 * M * (M - 1)) * P
    + (1 + N * G) * Lam2
    - (N * G / M) * SL
)
_sampled = (le(N, M), ge(M, 2))
_growth = 1 + 1 / (2 * E - 1)

_drifts = partial(at, assumes=("ass4.2", "ass4.4", "ass4.5"))
_sampling = partial(at, conditions=_sampled)

_chain = at("Corollary D.1, proof chain", "499")

LEMC_4 = at("Lemma C.4, Eq. (13)", "420")(
    "lemC.4",
    "for zero-mean random vectors the factor n is not needed",
    le(E_sum2, sum_E2),
    conditions=(eq(mean2, 0),),
)
_covaried = at("Lemma C.4", "418", changes="not of the paper: a step of a proof")
NOT_ABOVE = _covaried(
    "lemC.4/above",
    "covariances add to the squared norm of a sum what the largest of them allows, at most",
    le(E_sum2, sum_E2 + n * (n - 1) * cross),
)
NOT_BELOW = _covaried(
    "lemC.4/below", "and take from it no more than that", ge(E_sum2, sum_E2 - n * (n - 1) * cross)
)
L4 = at("Lemma C.6, step (l4)", "452")(
    "l4", "the polarisation identity as printed", eq(diff2, (x2 + y2 - diff2) / 2)
)
L5 = at("Lemma C.7, step (l5)", "466")(
    "l5", "the polarisation identity as printed, again", eq(diff2, (x2 + y2 - diff2) / 2)
)


def _polarised(printed: Statement) -> Statement:
    return printed.variant(
        "corrected",
        eq(inner, (x2 + y2 - diff2) / 2),
        changes="the left side is the inner product, not the squared distance",
        says="the polarisation identity",
    )


STATEMENTS = (
    at("Lemma C.1", "406")(
        "lemC.1",
        "a sum of K L-smooth losses is KL-smooth",
        le(grad_change, K * L * dist),
        conditions=(le(task_change, L * dist),),
    ),
    at("Lemma C.2, Eq. (11)", "410")(
        "lemC.2", "the norm of a weighted sum is at most the weighted sum of norms", le(norm_sum, sum_norms)
    ),
    at("Lemma C.2, Eq. (11), right part", "410")(
        "lemC.2.equality", "norms scale with non-negative weights", eq(sum_scaled, sum_norms)
    ),
    at("Lemma C.3, Eq. (12)", "415")(
        "lemC.3",
        "the squared norm of a sum of n random vectors is at most n times the sum of squared norms, in expectation",
        le(E_sum2, n * sum_E2),
    ),
    LEMC_4,
    LEMC_4.variant(
        "uncorrelated",
        eq(E_sum2, sum_E2),
        changes="adds the hypothesis that the vectors are uncorrelated; the inequality becomes an equation",
        says="for uncorrelated zero-mean random vectors the factor n is not needed",
        conditions=(eq(mean2, 0), eq(cross, 0)),
        uses=("special.lemC.4/above", "special.lemC.4/below"),
    ),
    NOT_ABOVE,
    NOT_BELOW,
    _drifts("Lemma C.5, Eq. (14)", "425")(
        "lemC.5",
        "with a small local step the clients stay near the round start",
        le(D_mean, 5 * gamma_L**2 * E * (sigma_L2 + 6 * E * sigma_G2) + 30 * gamma_L**2 * E**2 * gi2),
        conditions=(DRIFT_STEP,),
        uses=("eq15", "l1", "l2", "eq15.last", "eq16", "l3"),
        terms={
            "noise": 5 * gamma_L**2 * E * sigma_L2,
            "heterogeneity": 30 * gamma_L**2 * E**2 * sigma_G2,
            "gradient": 30 * gamma_L**2 * E**2 * gi2,
        },
    ),
    at("Lemma C.5, Eq. (15), first inequality", "430-450")(
        "eq15",
        "the squared local drift of one client grows by a factor, its noise and three gradient terms",
        le(D_now, _growth * D_before + gamma_L**2 * noise2 + 6 * gamma_L**2 * E * (lip2 + het2 + gi2)),
        conditions=(ge(E, 2),),
    ),
    _drifts("Lemma C.5, Eq. (15), step (l1)", "430-450")(
        "l1",
        "the variance, Lipschitz and client-difference bounds are inserted",
        le(
            D_now,
            _growth * D_before
            + gamma_L**2 * sigma_L2
            + 6 * gamma_L**2 * E * (L**2 * D_before + sigma_G2 + gi2),
        ),
        conditions=(ge(E, 2),),
        uses=("eq15",),
    ),
    at("Lemma C.5, Eq. (15), step (l2)", "430-450")(
        "l2",
        "the terms of (l1) are collected",
        eq(
            _growth * D_before
            + gamma_L**2 * sigma_L2
            + 6 * gamma_L**2 * E * (L**2 * D_before + sigma_G2 + gi2),
            (_growth + 6 * gamma_L**2 * E * L**2) * D_before
            + gamma_L**2 * sigma_L2
            + 6 * gamma_L**2 * E * sigma_G2
            + 6 * gamma_L**2 * E * gi2,
        ),
    ),
    at("Lemma C.5, Eq. (15), last line", "430-450")(
        "eq15.last",
        "the growth factor is at most 1 + 1/(E-1)",
        le(1 / (2 * E - 1) + 6 * gamma_L**2 * E * L**2, 1 / (E - 1)),
        conditions=(DRIFT_STEP, gt(E, 1)),
    ),
    _drifts("Lemma C.5, Eq. (16)", "430-450")(
        "eq16",
        "the recursion is summed as a geometric series",
        le(D_mean, (E - 1) * ((1 + 1 / (E - 1)) ** E - 1) * bracket),
        conditions=(DRIFT_STEP, gt(E, 1)),
        uses=("l1", "l2", "eq15.last"),
    ),
    at("Lemma C.5, step (l3)", "430-450")(
        "l3", "(1 + 1/(E-1))^E is at most 5", le((1 + 1 / (E - 1)) ** E, 5), conditions=(gt(E, 1),)
    ),
    at("Lemma C.6, Eq. (17)-(18)", "452")(
        "lemC.6",
        "exact expansion of a squared norm of a sum",
        eq(full2, (M * G**2 + G) * S2 - G**2 / 2 * P + (1 + M * G) * Lam2 - G * SL),
        uses=("l4",),
    ),
    L4,
    _polarised(L4),
    _sampling("Lemma C.7, Eq. (19)-(20)", "466")(
        "lemC.7",
        "expansion under client sampling, with the inclusion probability inside the norm",
        eq(prob2, EXPANDED),
        uses=("l5",),
    ),
    _sampling("Lemma C.7, Eq. (19)-(20), read as an expectation", "466")(
        "lemC.7.expectation",
        "expansion under client sampling, in expectation over the sampled set",
        eq(sampled2, EXPANDED),
        uses=("l5", "lemC.7.inclusion", "lemC.7.pairs"),
    ),
    _sampling("Lemma C.7, proof", "466")(
        "lemC.7.inclusion", "a client is sampled with probability N/M", eq(inc1, N / M)
    ),
    _sampling("Lemma C.7, proof", "466")(
        "lemC.7.pairs",
        "two given clients are sampled with probability N(N-1)/(M(M-1))",
        eq(inc2, N * (N - 1) / (M * (M - 1))),
    ),
    L5,
    _polarised(L5),
    at("Lemma C.8, Eq. (21)-(22)", "476")(
        "lemC.8", "pairwise differences in terms of the vectors and their sum", eq(P, 2 * M * S2 - 2 * SS)
    ),
    at("Corollary D.1", "491")(
        "corD.1",
        "positively correlated task gradients differ by at most (3 - 2 eps) B^2",
        le(a**2 + b**2 - 2 * ab, (3 - 2 * eps) * B**2),
        conditions=(le(a, B), le(b, B), ge(ab, eps * a * b), le(ab, a * b), lt(eps, 1)),
        uses=("corD.1.square", "corD.1.max"),
    ),
    _chain(
        "corD.1.square",
        "the square is completed",
        eq(a**2 + b**2 - 2 * eps * a * b, (a - eps * b) ** 2 + (1 - eps**2) * b**2),
    ),
    _chain(
        "corD.1.max",
        "the completed square is at most max(B^2, 2(1-eps)B^2)",
        le((a - eps * b) ** 2 + (1 - eps**2) * b**2, sp.Max(B**2, 2 * (1 - eps) * B**2)),
        conditions=(le(a, B), le(b, B), lt(eps, 1)),
    ),
)
