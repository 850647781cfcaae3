"""CFL: which weights of past rounds are optimal, and what the optimum is worth (Appendix B.4.3, B.7, B.8).

On round t the weights p_1, .., p_t sum to one. The problems of the paper separate over its N clients; all statements
here are about one of them. `q` stands for any weights with sum one, `p` for the optimal ones. The formulas are those
of the paper; `bounds.cfl.weights` computes the weights.
"""

from __future__ import annotations

from functools import partial

import sympy as sp

from bounds.cfl.correlated import p_cross, p_now, p_square
from bounds.cfl.symbols import A2, B2, C2, D2, F2, G2, R2, alpha, at, t
from bounds.cfl.weight_sums import (
    M2,
    apart,
    c_1,
    c_2,
    common,
    current_weight,
    decomposed,
    kept,
    last_row,
    least,
    least_value,
    noise,
    one_round,
    p_old,
    past_weight,
    q,
    q_cross,
    q_decay,
    q_form,
    q_loss,
    q_now,
    q_off2,
    q_pairs,
    q_past2,
    q_spread,
    q_square,
    row,
    tilt,
    zQz,
)
from bounds.relations import eq, ge, gt, le, lt


def _off(drift: sp.Expr) -> sp.Eq:
    """Squared distance of past weights from drift/(t drift + (t-1) R^2), times the squared denominator."""
    below = common(drift)
    return eq(q_off2, below**2 * q_past2 - 2 * below * drift * (1 - q_now) + (t - 1) * drift**2)


PAST, NOW = past_weight(D2), current_weight(D2)
SQUARE = (t - 1) * PAST**2 + NOW**2
"""Sum of the squared weights of Lemma B.4."""
DEFINED = gt(common(D2), 0)
"""Hidden condition: the denominator of the weights is not zero."""
DEFINED_M = gt(common(M2), 0)
OVERLAP = (eq(M2, sp.Max(0, D2 - F2)), DEFINED_M)
UNIQUE = (lt(alpha, 1), gt(D2, 0))
"""Printed: alpha < 1. Hidden: D > 0, or else Eq. (7) has many solutions once t >= 3 and R > 0."""
_supplied = partial(at, changes="supplies a step that the proof leaves out")
_any_noise = noise(q_now, q_square)
_any_noise_m = (1 - q_now) ** 2 * R2 + G2 + M2 * q_square
_any_overlap = _any_noise + sp.Min(F2, D2) * q_cross
_any_decay = (1 - q_now) ** 2 * R2 + G2 + D2 * q_decay
_LEAST = {"client drift": G2, "time drift and information loss": least_value(M2) - G2}
_DECAY = {"information loss": (1 - q_now) ** 2 * R2, "client drift": G2, "time drift": D2 * q_decay}
_fresh = 1 - alpha
_loss_part = R2 * (1 + alpha + (t - 2) * _fresh)
CURRENT = (D2 * (1 - alpha**2) + _loss_part) / (D2 * (1 - alpha**2) * (2 + (t - 2) * _fresh) + _loss_part)
"""p_t of Theorem 4.9 for t >= 2, in closed form."""

_UNCORRELATED = (
    at("Lemma B.4, proof", "795-801")(
        "lemB.4",
        "among weights that sum to one those of the lemma minimise c_pG + c_R",
        le(noise(NOW, SQUARE), _any_noise),
        conditions=(DEFINED,),
        uses=("min-value", "lemB.4/least"),
    ),
    _supplied("Lemma B.4, proof", "801")(
        "lemB.4/past",
        "the squared weights are those of the past and that of the current round",
        eq(q_square, q_now**2 + q_past2),
    ),
    _supplied("Lemma B.4, proof", "801")(
        "lemB.4/spread",
        "for a given sum the squared weights of the past are least if they are equal (identity of Lagrange)",
        eq((t - 1) * q_past2, (1 - q_now) ** 2 + q_spread),
    ),
    _supplied("Lemma B.4, proof", "801-803")(
        "lemB.4/off",
        "how far past weights are from those of the lemma, times the squared denominator",
        _off(D2),
    ),
    _supplied("Lemma B.4, proof", "801-803")(
        "lemB.4/least",
        "no weights that sum to one make c_pG + c_R less than the value printed after the lemma",
        le(least_value(D2), _any_noise),
        conditions=(DEFINED,),
        uses=("lemB.4/past", "lemB.4/off"),
    ),
    at("Lemma B.4", "795")(
        "lemB.4.c1",
        "they minimise c_1",
        le(c_1(NOW, SQUARE), c_1(q_now, q_square)),
        conditions=(DEFINED,),
        uses=("lemB.4",),
    ),
    at("Lemma B.4", "795")(
        "lemB.4.c2",
        "they minimise c_2",
        le(c_2(NOW, SQUARE), c_2(q_now, q_square)),
        conditions=(DEFINED,),
        uses=("lemB.4",),
    ),
    at("Lemma B.4; the bound before Eq. (23)", "783, 795")(
        "lemB.4.convergence",
        "they give the best convergence: what the bound on one round adds is least among weights >= 0, c_3 included",
        le(one_round(p_now, p_square), one_round(q_now, q_square)),
        conditions=(DEFINED, ge(q, 0)),
        uses=("lemB.4.c1", "lemB.4.c2"),
    ),
    at("Appendix B.4.3, after Lemma B.4", "803")(
        "min-value",
        "the least value of c_pG + c_R",
        eq(noise(NOW, SQUARE), least_value(D2)),
        conditions=(DEFINED,),
    ),
    at("Appendix B.4.4", "811")(
        "min-value.split",
        "the least value is its limit for many rounds and a rest that vanishes like 1/t",
        eq(least_value(D2), decomposed(D2, G2)),
        conditions=(DEFINED,),
    ),
)

at_eq33, _supplied_eq33 = at("Eq. (33)", "1000-1004"), _supplied("Eq. (33)", "1000-1004")
_OVERLAP = (
    at_eq33(
        "eq33",
        "the weights printed after (33) minimise it",
        le(least, _any_overlap),
        conditions=OVERLAP,
        uses=("lemB.7", "thm4.7.variance/corrected", "eq33/least", "eq33/reduced"),
    ),
    _supplied_eq33(
        "eq33/products",
        "products of different weights are what the squares leave of one",
        eq(q_cross, 1 - q_square),
    ),
    _supplied("Eq. (33)", "1000-1006")(
        "eq33/reduced",
        "the objective (33) is that of Lemma B.4 with M^2 for D^2, and the constant min(F^2, D^2)",
        eq(_any_overlap, _any_noise_m + sp.Min(F2, D2)),
        conditions=OVERLAP,
        uses=("eq33/products",),
    ),
    _supplied("Eq. (33)", "803, 1000-1006")(
        "eq33/off",
        "how far past weights are from those after the equation, times the squared denominator",
        _off(M2),
    ),
    _supplied("Eq. (33)", "803, 1000-1006")(
        "eq33/least",
        "no weights make the objective of Lemma B.4 with M^2 for D^2 less than the value after the lemma",
        le(least_value(M2), _any_noise_m),
        conditions=(DEFINED_M,),
        uses=("lemB.4/past", "eq33/off"),
    ),
    at("Eq. (33), solution", "1004")(
        "eq33.past",
        "the weight of each past round that solves (33)",
        eq(p_old, M2 / (t * M2 + (t - 1) * R2)),
        conditions=(eq(M2, sp.Max(0, D2 - F2)), gt(M2, 0)),
    ),
    at("Eq. (33), solution", "1004")(
        "eq33.current",
        "the weight of the current round that solves (33)",
        eq(p_now, ((t - 1) * R2 + M2) / (t * M2 + (t - 1) * R2)),
        conditions=(eq(M2, sp.Max(0, D2 - F2)), gt(M2, 0)),
    ),
    at("Appendix B.7, after Eq. (33)", "1006")(
        "eq33.substitution",
        "the weights are those of Lemma B.4 with max(D^2 - F^2, 0) for D^2",
        eq(((t - 1) * R2 + M2) / (t * M2 + (t - 1) * R2), NOW.subs(D2, M2)),
        conditions=(DEFINED_M,),
    ),
    at("Theorem 4.7", "258")(
        "thm4.7.weights",
        "the weights of the theorem sum to one",
        eq((t - 1) * past_weight(M2) + current_weight(M2), 1),
        conditions=(DEFINED_M,),
        uses=("eq33",),
    ),
    thm4_7_variance := at("Theorem 4.7; Appendix B.7, before Theorem B.8", "258-272, 1006")(
        "thm4.7.variance",
        "what the weights leave of (33) is what Lemma B.4 leaves with M^2 for D^2, as the rate takes it",
        eq(least, least_value(M2)),
        terms=_LEAST,
        conditions=OVERLAP,
    ),
    thm4_7_variance.variant(
        "corrected",
        eq(least, least_value(M2) + sp.Min(F2, D2)),
        terms={**_LEAST, "shared drift": sp.Min(F2, D2)},
        says="what the weights leave of (33) is that, and the shared drift min(F^2, D^2), which no weights reduce",
        uses=("thm4.7.variance/objective", "thm4.7.variance/reduced", "thm4.7.variance/lemma"),
        changes="keeps min(F^2, D^2): on weights that sum to one the last term of (33) is min(F^2, D^2) (1 - sum p^2)",
    ),
    _supplied_eq33(
        "thm4.7.variance/objective",
        "the objective (33) at the weights of the theorem, in terms of their sums",
        eq(least, noise(p_now, p_square) + sp.Min(F2, D2) * p_cross),
    ),
    _supplied_eq33(
        "thm4.7.variance/products",
        "products of different weights are what the squares leave of one",
        eq(p_cross, 1 - p_square),
    ),
    _supplied_eq33(
        "thm4.7.variance/reduced",
        "in terms of their sums it is that of Lemma B.4 with M^2 for D^2, and the constant min(F^2, D^2)",
        eq(
            noise(p_now, p_square) + sp.Min(F2, D2) * p_cross,
            (1 - p_now) ** 2 * R2 + G2 + M2 * p_square + sp.Min(F2, D2),
        ),
        conditions=OVERLAP,
        uses=("thm4.7.variance/products",),
    ),
    _supplied("Eq. (33)", "803, 1000-1004")(
        "thm4.7.variance/lemma",
        "the value after Lemma B.4, with M^2 for D^2, at the weights of the theorem",
        eq((1 - p_now) ** 2 * R2 + G2 + M2 * p_square, least_value(M2)),
        conditions=(DEFINED_M,),
    ),
    _supplied("Theorem 4.7", "258")(
        "thm4.7.c_O/products",
        "products of different weights of the theorem",
        eq(p_cross, (t - 1) * M2 * (2 * (t - 1) * R2 + t * M2) / common(M2) ** 2),
        conditions=(DEFINED_M,),
    ),
    thm4_7_c_O := at(
        "Theorem 4.7; Appendix B.7, definition of c_pB; step size of Appendix B.4.2", "258-272, 767-771, 998"
    )(
        "thm4.7.c_O",
        "c_O, from which the step size is taken, is no less than c_pB at the weights of the theorem",
        le(1 + B2 + A2 * p_square + C2 * p_cross, 1 + A2 + sp.Max(B2, C2)),
        terms={"gradient": sp.S.One, "time drift": A2, "client drift or correlation": sp.Max(B2, C2)},
        conditions=OVERLAP,
    ),
    thm4_7_c_O.variant(
        "corrected",
        le(1 + B2 + A2 * p_square + C2 * p_cross, 1 + B2 + sp.Max(A2, C2)),
        terms={"gradient": sp.S.One, "client drift": B2, "time drift or correlation": sp.Max(A2, C2)},
        says="the same with 1 + B^2 + max(A^2, C^2)",
        changes="exchanges A and B in c_O",
    ),
)

_CORRELATED = (
    at("Theorem 4.9, Eq. (7)", "294-300")(
        "thm4.9",
        "the solution of (7) minimises J among weights that sum to one",
        le(least, _any_decay),
        terms=_DECAY,
        conditions=UNIQUE,
        uses=(
            "opt-case2",
            "thm4.9.proof.case",
            "thm4.9.proof.form",
            "thm4.9.proof.entries",
            "thm4.9.proof.matrix",
            "lemB.9",
            "thm4.9.proof.expansion",
            "thm4.9.proof.stationary",
            "lemB.9/semidefinite",
            "thm4.9.bound",
        ),
    ),
    at("Theorem 4.9, Eq. (7)", "294-300")(
        "thm4.9/nonnegative",
        "among weights that are not negative those minimise J that solve (7) for the oldest m rounds and the current "
        "one, with m as large as their signs allow; the rounds between get weight zero",
        le(kept, _any_decay),
        terms=_DECAY,
        conditions=(*UNIQUE, ge(q, 0)),
        uses=("opt-case2/nonnegative", "lemB.9/semidefinite"),
        changes="minimises over weights >= 0, for which J is an upper bound",
    ),
    at("Theorem 4.9, proof, first and second problem", "1058-1062")(
        "thm4.9.proof.case",
        "under Assumption 7 the products of weights times min(F^2, D^2) are those times alpha^|t1-t2| D^2",
        eq(D2 * q_square + q_pairs, D2 * q_decay),
        conditions=(lt(alpha, 1),),
    ),
    at("Theorem 4.9, proof, third problem", "1066")(
        "thm4.9.proof.form",
        "the squared loss term is a double sum over past rounds; the constant G^2 is left out",
        eq(_any_decay, G2 + D2 * q_decay + q_loss),
    ),
    at("Theorem 4.9, proof, definition of Q", "1068")(
        "thm4.9.proof.entries",
        "the entries of Q as the proof prints them are those of the theorem",
        eq(alpha ** (apart * D2 + R2), alpha**apart * D2 + R2),
    ),
    at("Theorem 4.9, proof, last problem", "1070")(
        "thm4.9.proof.matrix",
        "the problem is that of the quadratic form of Q",
        eq(D2 * q_decay + q_loss, q_form),
    ),
    at("Theorem 4.9, proof, quadratic programming", "1072-1076")(
        "thm4.9.proof.expansion",
        "the objective at any weights: that at the solution, a slope and the form of the difference",
        eq(_any_decay, least + 2 * tilt + zQz),
    ),
    at("Theorem 4.9, proof, quadratic programming", "1072-1076")(
        "thm4.9.proof.stationary",
        "at the solution of (7) the slope towards any other weights is zero",
        eq(tilt, 0),
    ),
    at("Example 1, second sentence", "304")(
        "ex1.explicit/closed-form",
        "polynomials in alpha, D^2, R^2 that, divided by their sum, solve (7): all rows of Q p are equal",
        eq(row, last_row),
        conditions=(lt(alpha, 1),),
        changes="gives the explicit expression that the sentence calls difficult",
    ),
    at("Example 1, second sentence", "304")(
        "ex1.explicit/current",
        "the optimal weight of the current round in closed form",
        eq(p_now, CURRENT),
        conditions=(*UNIQUE, ge(t, 2)),
        uses=("ex1.explicit/closed-form",),
        changes="gives the explicit expression that the sentence calls difficult",
    ),
)

STATEMENTS = (*_UNCORRELATED, *_OVERLAP, *_CORRELATED)
