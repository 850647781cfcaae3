"""C-FLAG, Lemmas 6 and 7 and Table 1: does adapting the rates lower forgetting?

The forgetting term of a round with rates of the clients' own is that which the proof of Lemma 1 gives for the model
x_t - sum_i p_i (alpha_i grad f-dagger + beta_i a_i): with s' = sum_i p_i beta_i a_i and alpha' = sum_i p_i alpha_i it is
L/2 |s'|^2 - (1 - L alpha') <grad f-dagger, s'>.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import sympy as sp
from sympy.core.relational import Relational

from bounds.cflag.adaptive import (
    FACTORS,
    INTERFERE,
    MORE,
    POSITIVE,
    TRANSFER,
    Lam_i,
    a2,
    best_rate,
    client_term,
)
from bounds.cflag.adaptive_cases import sum_av, sum_w
from bounds.cflag.forgetting import GAMMA_15, RATE
from bounds.cflag.symbols import CFLAG, L, alpha, at, beta, ds, f_next, fd2, line, m, s2
from bounds.relations import eq, ge, gt, le
from bounds.statement import Statement

_positive, _real = CFLAG.positive, CFLAG.real

# Lemma 7
ad_av = _real("ad_av", "sum of p_i Gamma_i,ad of the average case", r"\sum_ip_i\Gamma_{i,ad}(t)")
ad_w = _real("ad_w", "sum of p_i Gamma_i,ad of the worst case", r"\sum_ip_i\Gamma_{i,ad}(t)")
ad_I_av = _real("ad_I_av", "its interfering clients", r"\Gamma_{I,ad}^{\rm av}")
ad_T_av = _real("ad_T_av", "its transferring clients", r"\Gamma_{T,ad}^{\rm av}")
ad_I_w = _real("ad_I_w", "its interfering clients, worst case", r"\Gamma_{I,ad}")
ad_T_w = _real("ad_T_w", "its transferring clients, worst case", r"\Gamma_{T,ad}")
sum_I_av = _real("sum_I_av", "interfering clients at the common rates", r"\Gamma_I^{\rm av}")
sum_T_av = _real("sum_T_av", "transferring clients at the common rates", r"\Gamma_T^{\rm av}")
sum_I_w = _real("sum_I_w", "interfering clients at the common rates, worst case", r"\Gamma_I")
sum_T_w = _real("sum_T_w", "transferring clients at the common rates, worst case", r"\Gamma_T")
best_T_av = _real("best_T_av", "transferring clients at their optimal rates", r"\Gamma_T^{*{\rm av}}")
best_T_w = _real("best_T_w", "transferring clients at their optimal rates, worst case", r"\Gamma_T^*")
round_av = _real("round_av", "forgetting term of the round with the rates of the average case")
round_w = _real("round_w", "forgetting term of the round with the rates of the worst case", r"\Gamma_{ad}(t)")
terms_av = _real("terms_av", "(187) with each client's rates in its own terms, average case")
terms_w = _real(
    "terms_w", "(187) with each client's rates in its own terms, worst case", r"\Gamma_{(187)}(t)"
)
sent_av = _real("sent_av", "forgetting term of the round with line 14 of Algorithm 3, average case")
sent_w = _real(
    "sent_w", "forgetting term of the round with line 14 of Algorithm 3, worst case", r"\Gamma_{14}(t)"
)
f_av = _real("f_av", "loss of the past data after a round with the rates of the average case")
f_w = _real("f_w", "loss of the past data after a round with the rates of the worst case")
cap = _positive("cap", "largest rate on current data that is allowed", r"\beta_{\max}")

_line = partial(line, of="Appendix 3.3, ")
_common = (eq(beta, alpha),)
_defined = (*POSITIVE, gt(fd2, 0))
"""What Table 1 needs: a memory gradient to divide by."""
_interfering = (*INTERFERE, gt(fd2, 0))
_FORGOTTEN = {"length": L / 2 * beta**2 * s2, "along the memory": -beta * (1 - L * alpha) * ds}
"""Terms of Gamma(t)."""


def _interference(case: str) -> tuple[Statement, ...]:
    """Lemma 6 in one case, and variants of it."""
    factor = FACTORS[case]
    adapted, fixed = client_term(factor, MORE, alpha), client_term(factor, alpha, beta)

    def bound(rate: sp.Expr, term: sp.Expr) -> sp.Expr:
        return -rate * (1 - L / 2 * rate * (1 + m)) * fd2 + term

    place = at("Lemma 6", "204-206, 1054-1068")
    says = f"the adapted alpha lowers the contribution of an interfering client, {case} case"
    return (
        lem6 := place(
            f"lem6.{case}",
            says,
            le(adapted, fixed),
            conditions=(*_interfering, *_common),
            uses=("eq192", "eq193", "eq194"),
        ),
        lem6.variant(
            "other-rate",
            conditions=(*POSITIVE, *_interfering),
            uses=(),
            changes="beta_t is an input of its own, as in Algorithm 1, and only beta_{t,i} is alpha",
        ),
        lem6.variant(
            "descent",
            le(bound(MORE, adapted), bound(alpha, fixed)),
            says=f"the adapted alpha lowers what (56) says of the past loss after the round, {case} case",
            conditions=(*POSITIVE, *_interfering, *_common),
            uses=(),
            changes="the whole bound of (56), whose first term depends on alpha, too; one client, all past data kept",
        ),
    )


LEMMA_6 = (
    *_interference("average"),
    *_interference("worst"),
    _line("192", "1059")("the adapted alpha is at least alpha", ge(MORE, alpha), conditions=_interfering),
    _line("193", "1063")(
        "so 1 - L alpha_i is at most 1 - L alpha", le(1 - L * MORE, 1 - L * alpha), conditions=_interfering
    ),
    _line("194", "1067")(
        "so is the second term of the contribution",
        le(-beta * (1 - L * MORE) * Lam_i, -beta * (1 - L * alpha) * Lam_i),
        conditions=_interfering,
    ),
)


def _steps(case: str, suffix: str) -> tuple[Statement, ...]:
    """Lemma 7 and its proof in one case."""
    s = {
        name: CFLAG[f"{name}_{suffix}"].symbol
        for name in ("ad", "ad_I", "ad_T", "sum_I", "sum_T", "best_T", "round", "terms", "sent", "f")
    } | {"sum": {"av": sum_av, "w": sum_w}[suffix]}
    place = at("Lemma 7", "208-210, 1070-1081")

    def step(number: int, says: str, relation: Relational, lines: str, **more: Any) -> Statement:
        return _line(f"{number}.{case}", lines)(f"{says}, {case} case", relation, **more)

    return (
        lem7 := place(
            f"lem7.{case}",
            f"the weighted sum of the clients' terms at adapted rates is at most the forgetting term, {case} case",
            le(s["ad"], GAMMA_15),
            terms=_FORGOTTEN,
            conditions=(*_defined, *_common),
            uses=tuple(f"eq{number}.{case}" for number in (195, 196, 197, 198, 199, 200)),
        ),
        lem7.variant(
            "round",
            le(s["round"], GAMMA_15),
            terms=_FORGOTTEN,
            says=f"the forgetting term of the round with adapted rates is at most that with common ones, {case} case",
            uses=(),
            changes="Gamma_ad(t) is the forgetting term of the round, not (195)",
        ),
        lem7.variant(
            "terms",
            le(s["terms"], GAMMA_15),
            terms=_FORGOTTEN,
            says=f"(187) with adapted rates in the clients' own terms is at most the forgetting term, {case} case",
            uses=(),
            changes="Gamma_ad(t) is (187) with each client's rates put in where its sum stands, not (195)",
        ),
        lem7.variant(
            "sent",
            le(s["sent"], GAMMA_15),
            terms=_FORGOTTEN,
            says=f"the forgetting term of the round with what clients send is at most that with common rates, {case} case",
            uses=(),
            changes="Gamma_ad(t) is the forgetting term of the round with line 14 of Algorithm 3, whose tracking terms "
            "do not cancel",
        ),
        lem7.variant(
            "loss",
            le(s["f"], f_next),
            says=f"the past loss after a round with adapted rates is at most that with common ones, {case} case",
            uses=(),
            changes="the loss of the past data itself, on quadratics, with memories that hold all of it",
        ),
        step(
            195,
            "the forgetting term of the round with adapted rates is the weighted sum of the clients' terms",
            eq(s["round"], s["ad"]),
            "1073",
            conditions=_defined,
        ),
        step(
            196,
            "interfering and transferring clients apart",
            eq(s["ad"], s["ad_I"] + s["ad_T"]),
            "1074",
            conditions=(gt(fd2, 0),),
        ),
        step(
            197,
            "Lemma 6, and the optimal rates",
            le(s["ad_I"] + s["ad_T"], s["sum_I"] + s["best_T"]),
            "1075",
            conditions=(gt(fd2, 0),),
        ),
        step(
            198,
            "the optimal rates are no worse",
            le(s["sum_I"] + s["best_T"], s["sum_I"] + s["sum_T"]),
            "1076",
        ),
        step(199, "all clients together", eq(s["sum_I"] + s["sum_T"], s["sum"]), "1077"),
        step(200, "which is the forgetting term", eq(s["sum"], GAMMA_15), "1078"),
    )


LEMMA_7 = (
    *_steps("average", "av"),
    *_steps("worst", "w"),
    _line("198.average/capped", "1076")(
        "a client's optimal rate is no worse if it is cut off at a largest rate that the common one keeps to",
        le(
            client_term(sp.Integer(1), alpha, sp.Min(best_rate(sp.Integer(1)), cap)),
            client_term(sp.Integer(1), alpha, beta),
        ),
        conditions=(gt(a2, 0), le(beta, cap)),
        changes="beta_{t,i} is cut off, so that the condition beta < c/sqrt(T) of Lemma 4 can be kept; average case",
    ),
)

TABLE = (
    at("Table 1; Eq. (14)", "174, 195-200")(
        "tab1.positive",
        "the adapted beta of a transferring client is positive within the constraint of (14), for any m",
        gt(best_rate(sp.Integer(1)), 0),
        conditions=(*RATE, *TRANSFER, gt(a2, 0)),
    ),
    at("Table 1", "195-200")(
        "tab1.defined.interference",
        "the adapted alpha is defined for every interfering client: the memory gradient does not vanish",
        gt(fd2, 0),
        conditions=INTERFERE,
    ),
    at("Table 1", "195-200")(
        "tab1.defined.transference",
        "the adapted beta is defined for every transferring client: its sum of gradients does not vanish",
        gt(a2, 0),
        conditions=TRANSFER,
    ),
)

STATEMENTS = (*LEMMA_6, *LEMMA_7, *TABLE)
