"""CFL, Sections 3.4, 4.3, B.7 and B.8: drifts that depend on time, and what bounds the weighted gradient.

On round t a client follows sum_tau p_tau grad f_tau with weights that sum to one (Appendix B.4.1). Lemmas B.7 and
B.10 bound its square, and the weights of Theorem 4.9 minimise the part J of the bound that does not vanish with
the gradient. The weights of Theorem 4.9 have any sign, so the bounds are judged for weights of any sign.
"""

from __future__ import annotations

import sympy as sp

from bounds.cfl.symbols import A2, B2, C2, CFL, D2, F2, G2, R2, at, g2
from bounds.relations import eq, ge, gt, le

_nonnegative, _real = CFL.nonnegative, CFL.real

# Drifts, as they are in a world; the assumptions bound them
delta2 = _nonnegative("delta2", "client drift", r"\mathbb E\|\delta_i\|^2")
xi2 = _nonnegative("xi2", "time drift of each round", r"\mathbb E\|\xi_{\tau,i}\|^2")
corr = _real(
    "corr",
    "correlation of the time drifts of two rounds",
    r"\mathbb E\langle\xi_{\tau_1,i},\xi_{\tau_2,i}\rangle",
)
lost2 = _nonnegative("lost2", "squared information loss of each round", r"\|\Delta_{\tau,i}\|^2")
F2_pair = _nonnegative(
    "F2_pair", "bound on the correlation of two rounds at gradient zero", r"F_{\tau_1,\tau_2}^2"
)
C2_pair = _nonnegative("C2_pair", "growth of that bound with the gradient", r"C_{\tau_1,\tau_2}^2")
decay = _nonnegative("decay", "alpha to the distance of two rounds", r"\alpha^{|\tau_1-\tau_2|}")

# Weights and their sums
p = _real("p", "weight of each round", r"p_{\tau,i}")
p_sum = _real("p_sum", "sum of the weights", r"\sum_\tau p_{\tau,i}")
p_now = _real("p_now", "weight of the current round", "p_{t,i}")
p_square = _nonnegative("p_square", "sum of the squared weights", r"\sum_\tau p_{\tau,i}^2")
p_cross = _real(
    "p_cross",
    "sum of products of weights of different rounds",
    r"\sum_{\tau_1\ne\tau_2}p_{\tau_1,i}p_{\tau_2,i}",
)
p_decay = _real(
    "p_decay",
    "sum of products of weights times alpha to the distance",
    r"\sum_{\tau_1,\tau_2}\alpha^{|\tau_1-\tau_2|}p_{\tau_1}p_{\tau_2}",
)
p_C = _real(
    "p_C",
    "products of weights of different rounds times C2 of the pair",
    r"\sum_{\tau_1\ne\tau_2}C_{\tau_1,\tau_2}^2p_{\tau_1,i}p_{\tau_2,i}",
)
p_FD = _real(
    "p_FD",
    "products of weights of different rounds times the smaller of F2 of the pair and D2",
    r"\sum_{\tau_1\ne\tau_2}\min(F_{\tau_1,\tau_2}^2,D^2)p_{\tau_1,i}p_{\tau_2,i}",
)
p_AC = _real(
    "p_AC",
    "products of weights of different rounds times the larger of A2 and C2 of the pair",
    r"\sum_{\tau_1\ne\tau_2}\max(A^2,C_{\tau_1,\tau_2}^2)p_{\tau_1,i}p_{\tau_2,i}",
)

# What the weights do to gradients, drifts and losses
grad2 = _nonnegative(
    "grad2",
    "expected squared norm of the weighted gradient",
    r"\mathbb E\|\sum_\tau p_{\tau,i}\nabla f_{\tau,i}(\omega)\|^2",
)
mixed2 = _nonnegative(
    "mixed2",
    "expected squared norm of the weighted time drift",
    r"\mathbb E\|\sum_\tau p_{\tau,i}\xi_{\tau,i}\|^2",
)
loss2 = _nonnegative(
    "loss2", "squared norm of the weighted information loss", r"\|\sum_{\tau<t}p_{\tau,i}\Delta_{\tau,i}\|^2"
)

SUM_ONE = (eq(p_sum, 1),)
"""Appendix B.4.1, line 671: without loss of generality the weights sum to one."""
SIGNED = "no weight is negative"
_convex = (*SUM_ONE, ge(p, 0))

ASSUMPTIONS = (
    at("Assumption 3", "162")(
        "ass3.client", "the client drift is at most G^2 + B^2 |grad f|^2", le(delta2, G2 + B2 * g2)
    ),
    at("Assumption 3", "162")(
        "ass3.time", "the time drift is at most D^2 + A^2 |grad f|^2", le(xi2, D2 + A2 * g2)
    ),
    at("Assumption 4", "184")("ass4", "the information loss is at most R", le(lost2, R2)),
    at("Assumption 5", "246")(
        "ass5",
        "time drifts of two rounds have correlation at most F^2 + C^2 |grad f|^2, with F and C of the pair",
        le(corr, F2_pair + C2_pair * g2),
    ),
    at("Assumption 6", "254")(
        "ass6",
        "time drifts of any two rounds have correlation at most F^2 + C^2 |grad f|^2",
        le(corr, F2 + C2 * g2),
    ),
    at("Assumption 7", "280-284")(
        "ass7",
        "the correlation of time drifts is at most alpha^|t1-t2| (D^2 + A^2 |grad f|^2)",
        le(corr, decay * (D2 + A2 * g2)),
    ),
)
DRIFT = ("ass3.client", "ass3.time")

_drift_part = D2 * p_square + sp.Min(F2, D2) * p_cross
_larger = (1 + B2 + A2 * p_square + C2 * p_cross) * g2
_overlap = _larger + G2 + _drift_part
_overlap_corrected = (1 + B2 + A2 * p_square + sp.Max(A2, C2) * p_cross) * g2 + G2 + _drift_part
_pairs = (1 + B2 + A2 * p_square + p_C) * g2 + G2 + D2 * p_square + p_FD
_pairs_corrected = (1 + B2 + A2 * p_square + p_AC) * g2 + G2 + D2 * p_square + p_FD
J = (1 - p_now) ** 2 * R2 + G2 + D2 * p_decay
"""The objective of case 2 (cfl.opt-case2) for one client."""
_DECAYED = (1 + B2 + A2 * p_decay) * g2 + J

SPLIT = at("Lemma B.7, proof, second line", "996")(
    "lemB.7.split",
    "gradient, client drift and time drift add up in the mean square, as the drifts are independent with mean zero",
    eq(grad2, g2 + delta2 + mixed2),
    conditions=SUM_ONE,
)
_LEMMAS = (
    lemB_7 := at("Lemma B.7", "988-994")(
        "lemB.7",
        "the weighted gradient under correlation bounded by the same F, C for all rounds",
        le(grad2, _overlap),
        conditions=SUM_ONE,
        assumes=(*DRIFT, "ass6"),
        uses=("lemB.7.split", "lemB.7.time"),
        terms={"gradient": _larger, "client drift": G2, "time drift": _drift_part},
    ),
    SPLIT,
    lemB_7_time := at("Lemma B.7, proof, last step", "996")(
        "lemB.7.time",
        "the weighted time drift is at most what the assumptions allow for each pair of rounds",
        le(mixed2, (A2 * p_square + C2 * p_cross) * g2 + _drift_part),
        conditions=SUM_ONE,
        assumes=("ass3.time", "ass6"),
    ),
    lemB_7.variant(
        "nonnegative",
        says="the same for weights that are not negative",
        conditions=_convex,
        uses=(),
        terms={},
        changes=f"adds the hypothesis that {SIGNED}",
    ),
    at("Lemma B.7", "988-994")(
        "lemB.7/corrected",
        "the same for weights that are not negative, with the larger of A^2 and C^2",
        le(grad2, _overlap_corrected),
        conditions=_convex,
        assumes=(*DRIFT, "ass6"),
        uses=("lemB.7.split", "lemB.7.time/corrected"),
        terms={
            "gradient": (1 + B2 + A2 * p_square + sp.Max(A2, C2) * p_cross) * g2,
            "client drift": G2,
            "time drift": _drift_part,
        },
        changes=f"adds the hypothesis that {SIGNED}, and puts max(A^2, C^2) for C^2: where F > D the smaller bound "
        "D^2 + A^2 |grad f|^2 on a correlation comes with A, not with C",
    ),
    lemB_7_time.variant(
        "corrected",
        le(mixed2, (A2 * p_square + sp.Max(A2, C2) * p_cross) * g2 + _drift_part),
        says="the weighted time drift for weights that are not negative, with the larger of A^2 and C^2",
        conditions=_convex,
        changes=f"adds the hypothesis that {SIGNED}, and puts max(A^2, C^2) for C^2",
    ),
    at("Appendix B.7, definition of c_pG after Lemma B.7", "998")(
        "lemB.7.c_pG",
        "the constant used after the lemma is the constant of the lemma",
        eq(G2 + D2 * p_square + F2 * p_cross, G2 + D2 * p_square + sp.Min(F2, D2) * p_cross),
    ),
    lemB_10 := at("Lemma B.10", "1046-1054")(
        "lemB.10",
        "the weighted gradient under correlation bounded pair by pair",
        le(grad2, _pairs),
        conditions=SUM_ONE,
        assumes=(*DRIFT, "ass5"),
        uses=("lemB.7.split",),
    ),
    lemB_10.variant(
        "nonnegative",
        says="the same for weights that are not negative",
        conditions=_convex,
        uses=(),
        changes=f"adds the hypothesis that {SIGNED}",
    ),
    lemB_10.variant(
        "corrected",
        le(grad2, _pairs_corrected),
        says="the same for weights that are not negative, with the larger of A^2 and C^2 of the pair",
        conditions=_convex,
        changes=f"adds the hypothesis that {SIGNED}, and puts max(A^2, C^2) for C^2 of the pair",
    ),
)


_drift_only = le(grad2, (1 + B2 + A2 * p_decay) * g2 + G2 + D2 * p_decay)
_bounded = {
    "conditions": SUM_ONE,
    "assumes": (*DRIFT, "ass4", "ass7"),
    "terms": {"gradient": (1 + B2 + A2 * p_decay) * g2, "J": J},
}
_BOUNDS = (
    opt_case2 := at("Section 4.3.2, before Theorem 4.9; Appendix B.8", "286-292, 1056-1062")(
        "opt-case2",
        "the problem minimises an upper bound: weighted gradient and information loss are at most J, besides |grad f|^2",
        le(grad2 + loss2, _DECAYED),
        uses=("opt-case2.drift", "opt-case2.loss"),
        **_bounded,
    ),
    opt_case2.variant(
        "nonnegative", conditions=_convex, uses=(), changes=f"adds the hypothesis that {SIGNED}"
    ),
    thm4_9_bound := at("Theorem 4.9", "286-300")(
        "thm4.9.bound",
        "at the optimal weights J bounds what it was minimised for",
        le(grad2 + loss2, _DECAYED),
        uses=("opt-case2",),
        **{**_bounded, "conditions": (*SUM_ONE, gt(D2, 0))},
    ),
    thm4_9_bound.variant(
        "nonnegative",
        conditions=(*_convex, gt(D2, 0)),
        uses=(),
        changes="only where none of the optimal weights is negative",
    ),
    opt_case2_drift := at(
        "Section 4.3.2, last terms of the objective; Lemma B.10 under Assumption 7", "286-292"
    )(
        "opt-case2.drift",
        "the weighted gradient is at most the other terms of J, besides |grad f|^2",
        _drift_only,
        conditions=SUM_ONE,
        assumes=(*DRIFT, "ass7"),
        uses=("lemB.10",),
    ),
    opt_case2_drift.variant(
        "nonnegative",
        says="the same for weights that are not negative",
        conditions=_convex,
        uses=(),
        changes=f"adds the hypothesis that {SIGNED}",
    ),
    opt_case2_drift.variant(
        "equality",
        says="the same for weights of any sign, if Assumption 7 holds with equality",
        conditions=(*SUM_ONE, eq(corr, decay * (D2 + A2 * g2))),
        uses=(),
        changes="reads Assumption 7 as an equation: the drifts are as correlated as it allows",
    ),
    opt_case2_loss := at("Section 4.3.2, first term of the objective; Eq. (15), (26)", "289")(
        "opt-case2.loss",
        "the weighted information loss of the past is at most (1 - p_t) R",
        le(loss2, (1 - p_now) ** 2 * R2),
        conditions=SUM_ONE,
        assumes=("ass4",),
    ),
    opt_case2_loss.variant(
        "nonnegative",
        says="the same for weights that are not negative",
        conditions=_convex,
        changes=f"adds the hypothesis that {SIGNED}",
    ),
)

STATEMENTS = (*ASSUMPTIONS, *_LEMMAS, *_BOUNDS)
