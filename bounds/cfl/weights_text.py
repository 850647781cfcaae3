"""CFL: what the text says about the weights and the rates that follow from them, and its Table 2.

Rates are numbers of rounds up to a constant factor. Two places that print the same rate are compared term by term.
"""

from __future__ import annotations

from collections.abc import Mapping

import sympy as sp

from bounds.cfl.correlated import p_now
from bounds.cfl.rounds import (
    SHARED_RATES,
    c_O_shared,
    general_convex,
    non_convex,
    strongly_convex,
    variance_shared,
)
from bounds.cfl.symbols import (
    A2,
    B2,
    C2,
    CFL,
    D2,
    F2,
    G2,
    R2,
    H,
    K,
    L,
    N,
    alpha,
    at,
    c_m,
    eps,
    f0,
    fs,
    mu,
    sigma2,
    t,
)
from bounds.cfl.weight_sums import M2, F2_more, current_weight, decomposed, least, least_value, past_weight
from bounds.cfl.weights_statements import CURRENT, DEFINED, NOW, OVERLAP, UNIQUE
from bounds.relations import eq, ge, gt, le, lt

_nonnegative, _real = CFL.nonnegative, CFL.real
R2_more = _nonnegative("R2_more", "a larger information loss", r"R_+^2")
alpha_more = _nonnegative("alpha_more", "a larger correlation", r"\alpha_+")
p_now_more = _real("p_now_more", "optimal weight of the current round at the larger correlation")
p_each = _real("p_each", "optimal weight of each past round", r"p_\tau")
p_each_more = _real("p_each_more", "the same at the larger correlation")
fedavg = _real("fedavg", "objective if the current round has all the weight", r"J(0,..,0,1)")
printed = _real("printed", "weights printed in Table 2")
solved = _real("solved", "weights that solve (7) with the squares of the columns D and R")
solved_squares = _real("solved_squares", "weights that solve (7) with the columns D and R for D^2 and R^2")
less = _real("less", "reported accuracy with less overlap, in percent")
more = _real("more", "reported accuracy with more overlap, in percent")
plain = _real("plain", "reported accuracy of FedAvg, in percent")
core_set = _real("core_set", "reported accuracy of CFL with a core set, in percent")
general = _real("general", "1 if Table 1 gives Yin et al. a rate for general convex functions, 0 if not")

TABLE_2: tuple[Mapping[str, tuple[str, ...] | str], ...] = (
    {"alpha": "0", "D": "2", "R": "1", "printed": ("0.1818", "0.1818", "0.1818", "0.4545")},
    {"alpha": "0.5", "D": "1", "R": "0.5", "printed": ("0.2857", "0.1429", "0.0000", "0.5714")},
    {"alpha": "0.5", "D": "1", "R": "1", "printed": ("0.2632", "0.1316", "-0.0789", "0.6842")},
    {"alpha": "0.8", "D": "1", "R": "0.5", "printed": ("0.3870", "0.0774", "-0.2077", "0.7434")},
    {"alpha": "0.8", "D": "2", "R": "0.5", "printed": ("0.3960", "0.0792", "-0.1188", "0.6436")},
)
"""Rows of Table 2 as printed (lines 310-318)."""
_HALF_DIGIT = sp.Rational(1, 20_000)
_variance = D2 * R2 / (R2 + D2)
_divides = gt(R2 + D2, 0)
_ordered = (ge(F2_more, F2), gt(R2, 0))


def _less_drift(bound: sp.Expr) -> sp.Expr:
    """M^2 at another bound."""
    return sp.Max(0, D2 - bound)


_c_O = 1 + A2 + B2
_factor_free = {L: 1, N: 1, H: 1}
"""Table 1 drops the factors L and H; Remark 4.2 sets N = 1."""
_table_cl_strong = (1 + A2) / mu + sigma2 / (mu * K * eps) + _variance / (mu * eps)
_table_cl_general = (1 + B2 + A2) / eps + sigma2 / (K * eps**2) + _variance / eps**2
_ONE_CLIENT = "also sets G = B = 0: one client has no client drift"

_REMARK_4_2 = (
    rem4_2_strongly := at("Remark 4.2; Table 1, CL, ours", "177, 214")(
        "rem4.2.strongly",
        "N = 1 in Theorem 4.1 gives the rate of CL in Table 1, strongly convex",
        eq(strongly_convex(_c_O, G2, _variance).subs(_factor_free), _table_cl_strong),
        conditions=(_divides,),
    ),
    rem4_2_strongly.variant(
        "one-client",
        eq(strongly_convex(1 + A2, 0, _variance).subs(_factor_free), _table_cl_strong),
        changes=_ONE_CLIENT,
    ),
    rem4_2_convex := at("Remark 4.2; Table 1, CL, ours", "177, 214")(
        "rem4.2.convex",
        "N = 1 in Theorem 4.1 gives the rate of CL in Table 1, general convex",
        eq(general_convex(_c_O, G2, _variance).subs(_factor_free), _table_cl_general),
        conditions=(_divides,),
    ),
    rem4_2_convex.variant(
        "one-client",
        eq(general_convex(_c_O, 0, _variance).subs(_factor_free).subs(B2, 0), _table_cl_general.subs(B2, 0)),
        changes=_ONE_CLIENT,
    ),
    at("Remark 4.2, last sentence; Table 1, CL", "176, 214")(
        "rem4.2.yin",
        "Yin et al. give a rate for general convex functions, as Table 1 reports it",
        eq(general, 1),
    ),
)

_stateless = (G2 + D2) * R2 / (G2 + D2 + R2)
_normal = G2 + _variance
_PROPOSITION_4_3 = (
    at("Proposition 4.3", "216")(
        "prop4.3",
        "c_stateless is at most c_normal",
        le(_stateless, _normal),
        conditions=(_divides,),
        terms={"client drift": G2, "time drift": _variance},
    ),
    at("Proposition 4.3; Lemma B.2 (3); the display after Lemma B.4", "216, 606, 803, 811")(
        "prop4.3.limit",
        "with the variance of Lemma B.2 (3) the least noise becomes c_stateless, and a rest that vanishes like 1/t",
        eq((least_value(D2) - G2).subs(D2, G2 + D2), decomposed(G2 + D2, sp.S.Zero)),
        conditions=(DEFINED,),
        uses=("min-value", "min-value.split"),
    ),
    at("Proposition 4.3", "216")(
        "prop4.3.bias",
        "the smaller noise is no trade against the bias: in the limit the past, whose losses are approximated, weighs no more",
        le((G2 + D2) / (G2 + D2 + R2), D2 / (D2 + R2)),
        conditions=(gt(D2, 0),),
    ),
    at("Proposition 4.3, last sentence", "216")(
        "prop4.3.improvement",
        "stateless clients gain more over FedAvg, whose term is G^2 + D^2 in either case",
        le(G2 + D2 - _normal, G2 + D2 - _stateless),
        conditions=(_divides,),
        terms={"FedAvg": G2 + D2, "CFL": -_stateless},
        uses=("prop4.3",),
    ),
)

_FEDAVG = (
    at("Remark 4.5, first sentence", "238")(
        "rem4.5.special", "FedAvg is CFL with p_t = 1: the noise is then G^2 + D^2", eq(fedavg, G2 + D2)
    ),
    at("Remark 4.5, second sentence", "238")(
        "rem4.5.rate",
        "for R to infinity the noise term tends to that of FedAvg: it misses it by at most D^4/R^2",
        le(G2 + D2 - _normal, D2**2 / R2),
        conditions=(gt(R2, 0),),
    ),
    at("Remark 4.5, last sentence", "238")(
        "rem4.5.weight",
        "for R to infinity the weight of the current round tends to one: it misses it by at most D^2/R^2",
        le(1 - NOW, D2 / R2),
        conditions=(gt(R2, 0), DEFINED),
    ),
    at("Remark 4.6, first sentence", "240")(
        "rem4.6.variance",
        "in every round the weights leave no more noise than FedAvg has",
        le(least_value(D2), G2 + D2),
        conditions=(DEFINED,),
        uses=("min-value",),
    ),
    at("Remark 4.6, second sentence", "240")(
        "rem4.6.convex",
        "the noise term G^2 + D^2 decreases to G^2 + D^2 R^2 / (R^2 + D^2)",
        le(_normal, G2 + D2),
        conditions=(_divides,),
    ),
    at("Remark 4.6, third sentence", "240")(
        "rem4.6.nonconvex",
        "for non-convex functions the factor R^2 / (R^2 + D^2) is at most 1",
        le(R2 / (R2 + D2), 1),
        conditions=(_divides,),
    ),
    at("Remark 4.6, third sentence; Theorem 4.1, non-convex", "212, 240")(
        "rem4.6.factor",
        "the factor of the noise term of Theorem 4.1, non-convex, is R^2 / (R^2 + D^2)",
        eq((R2 / (R2 + D2)) ** 2, R2 / (R2 + D2)),
        conditions=(_divides,),
    ),
    at("Remark 4.6, last sentence", "240")(
        "rem4.6.accuracy",
        "the more accurate the approximation, the more variance is removed",
        le(D2 - _variance.subs(R2, R2_more), D2 - _variance),
        conditions=(_divides, ge(R2_more, R2)),
    ),
)

at_rem4_8 = at("Remark 4.8, second sentence", "274")
_REMARK_4_8 = (
    rem4_8_rate := at("Remark 4.8, first sentence; Theorems 4.1 and 4.7", "196-212, 258-274")(
        "rem4.8.rate",
        "Theorem 4.7 is Theorem 4.1 with M^2 for D^2, strongly convex",
        eq(SHARED_RATES["sc"], strongly_convex(_c_O, G2, _variance).subs(D2, M2)),
        conditions=(gt(R2 + M2, 0),),
    ),
    rem4_8_rate.variant(
        "noise",
        eq(variance_shared, _variance.subs(D2, M2)),
        says="the drift term of Theorem 4.7 is that of Theorem 4.1 with M^2 for D^2",
        changes="compares the terms of the time drift alone; c_O differs where C > B",
    ),
    at_rem4_8(
        "rem4.8.impact",
        "correlation reduces the drift term of the rate",
        le(variance_shared, _variance),
        conditions=(eq(M2, _less_drift(F2)), gt(R2, 0)),
        uses=("thm4.7.variance",),
    ),
    at_rem4_8(
        "rem4.8.impact/least",
        "correlation reduces the noise that optimal weights leave",
        le(least, least_value(D2)),
        conditions=(*OVERLAP, DEFINED),
        changes="compares the least values of problem (33) with and without correlation, not the printed rates",
    ),
    at_rem4_8(
        "rem4.8.weights",
        "the weights of previous rounds decrease as F^2 increases",
        le(past_weight(_less_drift(F2_more)), past_weight(_less_drift(F2))),
        conditions=_ordered,
    ),
    at("Remark 4.8, fourth sentence; Table 9", "274, 1153-1160")(
        "rem4.8.table9",
        "where local data contain data of previous rounds the accuracy is higher (Table 9: the more, the higher)",
        lt(less, more),
    ),
    at("Remark 4.8, last sentence; Table 9", "274, 1153-1160")(
        "rem4.8.coreset",
        "core sets are effective: at every overlap of Table 9 they beat FedAvg",
        lt(plain, core_set),
    ),
)

_THEOREM_4_7 = (
    at("Theorems 4.4 and 4.7", "222-226, 258-264")(
        "thm4.7.fedavg",
        "where F >= D the weights are those of FedAvg, so the rate is that of FedAvg but for c_O, strongly convex",
        eq(SHARED_RATES["sc"].subs(M2, 0), strongly_convex(c_O_shared, G2, D2)),
        conditions=(ge(F2, D2), gt(R2, 0)),
    ),
)


def _step(c: sp.Expr) -> sp.Expr:
    """The step size as a function of the constant."""
    return (sp.sqrt(3 + 4 * c) - sp.sqrt(4 * c)) / (6 * K * L * sp.sqrt(c))


_THEOREM_B_8 = tuple(
    at("Theorems 4.7 and B.8", "258-272, 1008-1022")(
        f"thmB.8.{word}",
        f"Theorem B.8 prints what Theorem 4.7 prints: {says}",
        eq(appendix, text),
        conditions=(gt(R2 + M2, 0),),
    )
    for word, says, appendix, text in (
        ("weights", "the current weight", ((t - 1) * R2 + M2) / (t * M2 + (t - 1) * R2), current_weight(M2)),
        ("step", "the step size", _step(1 + A2 + sp.Max(B2, C2)), _step(c_O_shared)),
        (
            "strongly",
            "strongly convex",
            L * (1 + A2 + sp.Max(B2, C2)) / mu
            + sigma2 / (mu * N * K * eps)
            + (G2 + M2 * R2 / (R2 + M2)) / (mu * eps),
            SHARED_RATES["sc"],
        ),
        (
            "convex",
            "general convex",
            (1 + A2 + sp.Max(B2, C2)) * H / eps
            + sigma2 * H / (N * K * eps**2)
            + H / eps**2 * (G2 + M2 * R2 / (R2 + M2)),
            SHARED_RATES["gc"],
        ),
        (
            "nonconvex",
            "non-convex",
            L**2 * (f0 - fs) ** 2 / (N * K * c_m**2 * eps**2)
            + (sp.sqrt(K * N) * (R2 / (R2 + M2)) ** 2 / L + sigma2 / sp.sqrt(N * K)) ** 2 / eps**2,
            non_convex(R2 / (R2 + M2)),
        ),
    )
)

_current_4 = CURRENT.subs(t, 4)
_current_4_more = _current_4.subs(alpha, alpha_more)
_growing = (*UNIQUE, le(alpha, alpha_more), lt(alpha_more, 1))
_EXAMPLE_1 = (
    tab2 := at("Example 1, Table 2", "310-318")(
        "tab2",
        "the weights of Table 2 solve (7), to four digits",
        le(sp.Abs(printed - solved), _HALF_DIGIT),
        uses=("thm4.9",),
    ),
    tab2.variant(
        "squares",
        le(sp.Abs(printed - solved_squares), _HALF_DIGIT),
        changes="takes the columns D and R for D^2 and R^2",
    ),
    ex1_current := at("Example 1, fourth sentence", "304")(
        "ex1.current",
        "the optimal weight of the current round, here for t = 4 in closed form, increases with alpha",
        le(_current_4, _current_4_more),
        conditions=_growing,
        uses=("ex1.explicit/current",),
    ),
    ex1_current.variant(
        "every-round",
        le(p_now, p_now_more),
        says="the optimal weight of the current round increases with alpha",
        conditions=(*_growing, ge(t, 2)),
        uses=(),
        changes="for every t from 2 on, not for t = 4 alone; in the first round it is 1",
    ),
    at("Example 1, fifth sentence", "304")(
        "ex1.importance",
        "a larger correlation lowers the total weight of previous rounds",
        le(1 - _current_4_more, 1 - _current_4),
        conditions=_growing,
        uses=("ex1.current",),
    ),
    at("Example 1, fifth sentence", "304")(
        "ex1.importance/each",
        "a larger correlation lowers the weight of each previous round",
        le(p_each_more, p_each),
        conditions=(*_growing, eq(t, 4)),
        changes="takes the importance of each previous round, not of all together",
    ),
    at("Example 1, last sentence", "304")(
        "ex1.overlap",
        "as F^2 increases the weights of Theorem 4.7 for previous rounds decrease",
        le(past_weight(_less_drift(F2_more)), past_weight(_less_drift(F2))),
        conditions=_ordered,
    ),
    at("Example 1, last sentence", "304")(
        "ex1.rate",
        "as F^2 increases the rounds of Theorem 4.7, strongly convex, become fewer",
        le(
            strongly_convex(c_O_shared, G2, _variance.subs(D2, _less_drift(F2_more))),
            strongly_convex(c_O_shared, G2, _variance.subs(D2, _less_drift(F2))),
        ),
        conditions=_ordered,
        uses=("thm4.7.variance",),
    ),
)
STATEMENTS = (
    *_REMARK_4_2,
    *_PROPOSITION_4_3,
    *_FEDAVG,
    *_REMARK_4_8,
    *_THEOREM_4_7,
    *_THEOREM_B_8,
    *_EXAMPLE_1,
)
