"""CFL, Sections 3.4, 4.3, B.7 and B.8: drifts that depend on time, and what bounds the weighted gradient.

On round t a client follows sum_tau p_tau grad f_tau with weights that sum to one (Appendix B.4.1). Lemmas B.7 and
B.10 bound its square, and the weights of Theorem 4.9 minimise the part J of the bound that does not vanish with
the gradient. The weights of Theorem 4.9 have any sign, so the bounds are judged for weights of any sign.
"""

from __future__ import annotations

import sympy as sp

from bounds.cfl.symbols import A2, B2, C2, CFL, D2, F2, G2, R2, g2, source
from bounds.statement import Statement

_define = CFL.define

# Drifts, as they are in a world; the assumptions bound them
delta2 = _define("delta2", "client drift", "nonnegative", r"\mathbb E\|\delta_i\|^2")
xi2 = _define("xi2", "time drift of each round", "nonnegative", r"\mathbb E\|\xi_{\tau,i}\|^2")
corr = _define(
    "corr",
    "correlation of the time drifts of two rounds",
    "real",
    r"\mathbb E\langle\xi_{\tau_1,i},\xi_{\tau_2,i}\rangle",
)
lost2 = _define("lost2", "squared information loss of each round", "nonnegative", r"\|\Delta_{\tau,i}\|^2")
F2_pair = _define(
    "F2_pair",
    "bound on the correlation of two rounds at gradient zero",
    "nonnegative",
    r"F_{\tau_1,\tau_2}^2",
)
C2_pair = _define("C2_pair", "growth of that bound with the gradient", "nonnegative", r"C_{\tau_1,\tau_2}^2")
decay = _define("decay", "alpha to the distance of two rounds", "nonnegative", r"\alpha^{|\tau_1-\tau_2|}")

# Weights and their sums
p = _define("p", "weight of each round", "real", r"p_{\tau,i}")
p_sum = _define("p_sum", "sum of the weights", "real", r"\sum_\tau p_{\tau,i}")
p_now = _define("p_now", "weight of the current round", "real", "p_{t,i}")
p_square = _define("p_square", "sum of the squared weights", "nonnegative", r"\sum_\tau p_{\tau,i}^2")
p_cross = _define(
    "p_cross",
    "sum of products of weights of different rounds",
    "real",
    r"\sum_{\tau_1\ne\tau_2}p_{\tau_1,i}p_{\tau_2,i}",
)
p_decay = _define(
    "p_decay",
    "sum of products of weights times alpha to the distance",
    "real",
    r"\sum_{\tau_1,\tau_2}\alpha^{|\tau_1-\tau_2|}p_{\tau_1}p_{\tau_2}",
)
p_C = _define(
    "p_C",
    "products of weights of different rounds times C2 of the pair",
    "real",
    r"\sum_{\tau_1\ne\tau_2}C_{\tau_1,\tau_2}^2p_{\tau_1,i}p_{\tau_2,i}",
)
p_FD = _define(
    "p_FD",
    "products of weights of different rounds times the smaller of F2 of the pair and D2",
    "real",
    r"\sum_{\tau_1\ne\tau_2}\min(F_{\tau_1,\tau_2}^2,D^2)p_{\tau_1,i}p_{\tau_2,i}",
)
p_AC = _define(
    "p_AC",
    "products of weights of different rounds times the larger of A2 and C2 of the pair",
    "real",
    r"\sum_{\tau_1\ne\tau_2}\max(A^2,C_{\tau_1,\tau_2}^2)p_{\tau_1,i}p_{\tau_2,i}",
)

# What the weights do to gradients, drifts and losses
grad2 = _define(
    "grad2",
    "expected squared norm of the weighted gradient",
    "nonnegative",
    r"\mathbb E\|\sum_\tau p_{\tau,i}\nabla f_{\tau,i}(\omega)\|^2",
)
mixed2 = _define(
    "mixed2",
    "expected squared norm of the weighted time drift",
    "nonnegative",
    r"\mathbb E\|\sum_\tau p_{\tau,i}\xi_{\tau,i}\|^2",
)
loss2 = _define(
    "loss2",
    "squared norm of the weighted information loss",
    "nonnegative",
    r"\|\sum_{\tau<t}p_{\tau,i}\Delta_{\tau,i}\|^2",
)

SUM_ONE = (sp.Eq(p_sum, 1),)
"""Appendix B.4.1, line 671: without loss of generality the weights sum to one."""
SIGNED = "no weight is negative"
_positive = (*SUM_ONE, sp.Ge(p, 0))

ASSUMPTIONS = (
    Statement(
        "cfl.ass3.client",
        "the client drift is at most G^2 + B^2 |grad f|^2",
        sp.Le(delta2, G2 + B2 * g2),
        source("Assumption 3", "162"),
    ),
    Statement(
        "cfl.ass3.time",
        "the time drift is at most D^2 + A^2 |grad f|^2",
        sp.Le(xi2, D2 + A2 * g2),
        source("Assumption 3", "162"),
    ),
    Statement(
        "cfl.ass4",
        "the information loss is at most R",
        sp.Le(lost2, R2),
        source("Assumption 4", "184"),
    ),
    Statement(
        "cfl.ass5",
        "time drifts of two rounds have correlation at most F^2 + C^2 |grad f|^2, with F and C of the pair",
        sp.Le(corr, F2_pair + C2_pair * g2),
        source("Assumption 5", "246"),
    ),
    Statement(
        "cfl.ass6",
        "time drifts of any two rounds have correlation at most F^2 + C^2 |grad f|^2",
        sp.Le(corr, F2 + C2 * g2),
        source("Assumption 6", "254"),
    ),
    Statement(
        "cfl.ass7",
        "the correlation of time drifts is at most alpha^|t1-t2| (D^2 + A^2 |grad f|^2)",
        sp.Le(corr, decay * (D2 + A2 * g2)),
        source("Assumption 7", "280-284"),
    ),
)
DRIFT = ("cfl.ass3.client", "cfl.ass3.time")

_drift_part = D2 * p_square + sp.Min(F2, D2) * p_cross
_larger = (1 + B2 + A2 * p_square + C2 * p_cross) * g2
_overlap = _larger + G2 + _drift_part
_overlap_corrected = (1 + B2 + A2 * p_square + sp.Max(A2, C2) * p_cross) * g2 + G2 + _drift_part
_pairs = (1 + B2 + A2 * p_square + p_C) * g2 + G2 + D2 * p_square + p_FD
_pairs_corrected = (1 + B2 + A2 * p_square + p_AC) * g2 + G2 + D2 * p_square + p_FD
J = (1 - p_now) ** 2 * R2 + G2 + D2 * p_decay
"""The objective of case 2 (cfl.opt-case2) for one client."""
_DECAYED = (1 + B2 + A2 * p_decay) * g2 + J

SPLIT = Statement(
    "cfl.lemB.7.split",
    "gradient, client drift and time drift add up in the mean square, as the drifts are independent with mean zero",
    sp.Eq(grad2, g2 + delta2 + mixed2),
    source("Lemma B.7, proof, second line", "996"),
    conditions=SUM_ONE,
)
_LEMMAS = (
    Statement(
        "cfl.lemB.7",
        "the weighted gradient under correlation bounded by the same F, C for all rounds",
        sp.Le(grad2, _overlap),
        source("Lemma B.7", "988-994"),
        conditions=SUM_ONE,
        assumes=(*DRIFT, "cfl.ass6"),
        uses=("cfl.lemB.7.split", "cfl.lemB.7.time"),
        terms={"gradient": _larger, "client drift": G2, "time drift": _drift_part},
    ),
    SPLIT,
    Statement(
        "cfl.lemB.7.time",
        "the weighted time drift is at most what the assumptions allow for each pair of rounds",
        sp.Le(mixed2, (A2 * p_square + C2 * p_cross) * g2 + _drift_part),
        source("Lemma B.7, proof, last step", "996"),
        conditions=SUM_ONE,
        assumes=("cfl.ass3.time", "cfl.ass6"),
    ),
    Statement(
        "cfl.lemB.7/nonnegative",
        "the same for weights that are not negative",
        sp.Le(grad2, _overlap),
        source("Lemma B.7", "988-994"),
        conditions=_positive,
        assumes=(*DRIFT, "cfl.ass6"),
        changes=f"adds the hypothesis that {SIGNED}",
    ),
    Statement(
        "cfl.lemB.7/corrected",
        "the same for weights that are not negative, with the larger of A^2 and C^2",
        sp.Le(grad2, _overlap_corrected),
        source("Lemma B.7", "988-994"),
        conditions=_positive,
        assumes=(*DRIFT, "cfl.ass6"),
        uses=("cfl.lemB.7.split", "cfl.lemB.7.time/corrected"),
        changes=f"adds the hypothesis that {SIGNED}, and puts max(A^2, C^2) for C^2: where F > D the smaller bound "
        "D^2 + A^2 |grad f|^2 on a correlation comes with A, not with C",
        terms={
            "gradient": (1 + B2 + A2 * p_square + sp.Max(A2, C2) * p_cross) * g2,
            "client drift": G2,
            "time drift": _drift_part,
        },
    ),
    Statement(
        "cfl.lemB.7.time/corrected",
        "the weighted time drift for weights that are not negative, with the larger of A^2 and C^2",
        sp.Le(mixed2, (A2 * p_square + sp.Max(A2, C2) * p_cross) * g2 + _drift_part),
        source("Lemma B.7, proof, last step", "996"),
        conditions=_positive,
        assumes=("cfl.ass3.time", "cfl.ass6"),
        changes=f"adds the hypothesis that {SIGNED}, and puts max(A^2, C^2) for C^2",
    ),
    Statement(
        "cfl.lemB.7.c_pG",
        "the constant used after the lemma is the constant of the lemma",
        sp.Eq(G2 + D2 * p_square + F2 * p_cross, G2 + D2 * p_square + sp.Min(F2, D2) * p_cross),
        source("Appendix B.7, definition of c_pG after Lemma B.7", "998"),
    ),
    Statement(
        "cfl.lemB.10",
        "the weighted gradient under correlation bounded pair by pair",
        sp.Le(grad2, _pairs),
        source("Lemma B.10", "1046-1054"),
        conditions=SUM_ONE,
        assumes=(*DRIFT, "cfl.ass5"),
        uses=("cfl.lemB.7.split",),
    ),
    Statement(
        "cfl.lemB.10/nonnegative",
        "the same for weights that are not negative",
        sp.Le(grad2, _pairs),
        source("Lemma B.10", "1046-1054"),
        conditions=_positive,
        assumes=(*DRIFT, "cfl.ass5"),
        changes=f"adds the hypothesis that {SIGNED}",
    ),
    Statement(
        "cfl.lemB.10/corrected",
        "the same for weights that are not negative, with the larger of A^2 and C^2 of the pair",
        sp.Le(grad2, _pairs_corrected),
        source("Lemma B.10", "1046-1054"),
        conditions=_positive,
        assumes=(*DRIFT, "cfl.ass5"),
        uses=("cfl.lemB.7.split",),
        changes=f"adds the hypothesis that {SIGNED}, and puts max(A^2, C^2) for C^2 of the pair",
    ),
)


def _bound(
    id: str,
    says: str,
    nonnegative: str,
    lines: str,
    place: str,
    uses: tuple[str, ...],
    hidden: tuple[sp.core.relational.Relational, ...] = (),
) -> tuple[Statement, Statement]:
    """That gradient and information loss are bounded by J, for any weights and for weights >= 0."""
    small = sp.Le(grad2 + loss2, _DECAYED)
    assumes = (*DRIFT, "cfl.ass4", "cfl.ass7")
    terms, here = {"gradient": (1 + B2 + A2 * p_decay) * g2, "J": J}, source(place, lines)
    return (
        Statement(id, says, small, here, (*SUM_ONE, *hidden), assumes, uses, terms),
        Statement(
            f"{id}/nonnegative", says, small, here, (*_positive, *hidden), assumes, (), terms, nonnegative
        ),
    )


_drift_only = sp.Le(grad2, (1 + B2 + A2 * p_decay) * g2 + G2 + D2 * p_decay)
_BOUNDS = (
    *_bound(
        "cfl.opt-case2",
        "the problem minimises an upper bound: weighted gradient and information loss are at most J, besides |grad f|^2",
        f"adds the hypothesis that {SIGNED}",
        "286-292, 1056-1062",
        "Section 4.3.2, before Theorem 4.9; Appendix B.8",
        ("cfl.opt-case2.drift", "cfl.opt-case2.loss"),
    ),
    *_bound(
        "cfl.thm4.9.bound",
        "at the optimal weights J bounds what it was minimised for",
        "only where none of the optimal weights is negative",
        "286-300",
        "Theorem 4.9",
        ("cfl.opt-case2",),
        (sp.Gt(D2, 0),),
    ),
    Statement(
        "cfl.opt-case2.drift",
        "the weighted gradient is at most the other terms of J, besides |grad f|^2",
        _drift_only,
        source("Section 4.3.2, last terms of the objective; Lemma B.10 under Assumption 7", "286-292"),
        conditions=SUM_ONE,
        assumes=(*DRIFT, "cfl.ass7"),
        uses=("cfl.lemB.10",),
    ),
    Statement(
        "cfl.opt-case2.drift/nonnegative",
        "the same for weights that are not negative",
        _drift_only,
        source("Section 4.3.2, last terms of the objective; Lemma B.10 under Assumption 7", "286-292"),
        conditions=_positive,
        assumes=(*DRIFT, "cfl.ass7"),
        changes=f"adds the hypothesis that {SIGNED}",
    ),
    Statement(
        "cfl.opt-case2.drift/equality",
        "the same for weights of any sign, if Assumption 7 holds with equality",
        _drift_only,
        source("Section 4.3.2, last terms of the objective; Lemma B.10 under Assumption 7", "286-292"),
        conditions=(*SUM_ONE, sp.Eq(corr, decay * (D2 + A2 * g2))),
        assumes=(*DRIFT, "cfl.ass7"),
        changes="reads Assumption 7 as an equation: the drifts are as correlated as it allows",
    ),
    Statement(
        "cfl.opt-case2.loss",
        "the weighted information loss of the past is at most (1 - p_t) R",
        sp.Le(loss2, (1 - p_now) ** 2 * R2),
        source("Section 4.3.2, first term of the objective; Eq. (15), (26)", "289"),
        conditions=SUM_ONE,
        assumes=("cfl.ass4",),
    ),
    Statement(
        "cfl.opt-case2.loss/nonnegative",
        "the same for weights that are not negative",
        sp.Le(loss2, (1 - p_now) ** 2 * R2),
        source("Section 4.3.2, first term of the objective; Eq. (15), (26)", "289"),
        conditions=_positive,
        assumes=("cfl.ass4",),
        changes=f"adds the hypothesis that {SIGNED}",
    ),
)

STATEMENTS = (*ASSUMPTIONS, *_LEMMAS, *_BOUNDS)
