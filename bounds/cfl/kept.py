"""CFL, what memory can do where nothing is lost (R = 0) and nothing is noisy: both sides of the rate of Theorem 4.1(a).

Losses are mu-strongly convex, drifts do not grow with the gradient, and the N clients of each round are new. A method that
minimises the weighted mean of all objectives so far ends where its gradient, that of the global loss and the weighted mean
of the drifts, is zero. From below stands what no weights of the rounds, and what no method at all, can do better.
"""

from __future__ import annotations

from bounds.cfl.symbols import CFL, D2, G2, N, T, at, mu
from bounds.cfl.theorems import thm4_1_sc
from bounds.hypotheses import Hypothesis
from bounds.relations import eq, le

_nonnegative = CFL.nonnegative
all_gap = _nonnegative(
    "all_gap",
    "expected excess loss of the minimiser of the mean of all objectives of T rounds",
    r"\mathbb E f(\hat\omega_T)-f(\omega^*)",
)
all_grad2 = _nonnegative(
    "all_grad2", "squared global gradient there", r"\mathbb E\|\nabla f(\hat\omega_T)\|^2"
)
mean_drift2 = _nonnegative(
    "mean_drift2",
    "square of the mean of all drifts",
    r"\mathbb E\|\tfrac1{NT}\sum_{\tau,i}(\delta_{\tau,i}+\xi_{\tau,i})\|^2",
)
weighted_gap = _nonnegative(
    "weighted_gap",
    "the same with any weights of the rounds, where every curvature is mu and every time drift is as large as it may be",
    r"\mathbb E f(\hat\omega_T^q)-f(\omega^*)",
)
prior = CFL.positive("prior", "how near the worlds are to even odds of both objectives", r"s")
any_gap = _nonnegative(
    "any_gap",
    "expected excess loss of any method that has seen N T objectives, in the mean over worlds that have two of them for a "
    "client and a round, mu w^2/2 - D w and mu w^2/2 + D w, where the first has a chance p from a Beta(s/2, s/2) law",
    r"\mathbb E f(\hat\omega)-f(\omega^*)",
)

_place = at("Theorem 4.1(a), and its limit R = 0 in Theorem B.5(a)", "196-204, 954-958")
GRADIENT = _place(
    "thm4.1.kept.gradient",
    "the global gradient at the minimiser of all objectives is minus the mean of the drifts",
    eq(all_grad2, mean_drift2),
)
SPREAD = _place(
    "thm4.1.kept.spread",
    "the mean of N T independent drifts has an N T-th of their variance",
    le(mean_drift2, (G2 + D2) / (N * T)),
    hypotheses=(Hypothesis.NEW_CLIENTS,),
)
KEPT = thm4_1_sc.variant(
    "kept",
    le(all_gap, (G2 + D2) / (2 * mu * N * T)),
    says="the minimiser of the mean of all objectives so far is within (G^2 + D^2)/(2 mu N T) of the least loss",
    terms={"client drift": G2 / (2 * mu * N * T), "time drift": D2 / (2 * mu * N * T)},
    conditions=(),
    hypotheses=(Hypothesis.NEW_CLIENTS, Hypothesis.CONSTANT_DRIFT, Hypothesis.NO_NOISE),
    uses=("thm4.1.kept.gradient", "thm4.1.kept.spread"),
    changes="nothing is lost (R = 0), nothing is noisy, drifts do not grow with the gradient, and the objective of the round "
    "with equal weights is minimised: rounds (G^2 + D^2)/(2 mu N eps) instead of what c_A = G^2, divided by nothing, and c_B say",
)
FLOOR = _place(
    "thm4.1.kept.floor",
    "no weights of the rounds bring the minimiser nearer than D^2/(2 mu N T)",
    le(D2 / (2 * mu * N * T), weighted_gap),
)
METHODS = _place(
    "thm4.1.kept.methods",
    "in the mean over these worlds every method that has seen N T objectives has at least this excess loss, so in one of them, too",
    le(D2 * prior / (2 * mu * (prior + 1) * (N * T + prior)), any_gap),
)
MINIMAX = _place(
    "thm4.1.kept.minimax",
    "in all of these worlds no method does better than D^2/(2 mu (1 + sqrt(N T))^2)",
    le(D2 / (2 * mu * (1 + prior) ** 2), any_gap),
    conditions=(eq(prior**2, N * T),),
    uses=("thm4.1.kept.methods",),
)
STATEMENTS = (GRADIENT, SPREAD, KEPT, FLOOR, METHODS, MINIMAX)
