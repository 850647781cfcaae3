"""C-FLAG, Appendix 3.1 and 3.2: the forgetting term by clients, in the average and in the worst case."""

from __future__ import annotations

import sympy as sp

from bounds.cflag.adaptive import (
    FACTORS,
    GAMMA,
    INTERFERE,
    POSITIVE,
    TRANSFER,
    Lam,
    Lam_i,
    a2,
    best_rate,
    client_term,
    cross,
    least_term,
    q2,
)
from bounds.cflag.forgetting import GAMMA_15, forgetting
from bounds.cflag.symbols import CFLAG, L, N, alpha, at, beta, fd2, line
from bounds.relations import eq, gt, le, lt
from bounds.statement import Statement

_positive, _nonnegative, _real = CFLAG.positive, CFLAG.nonnegative, CFLAG.real
_half = sp.Rational(1, 2)

other = _positive("other", "another rate on the current data", r"\beta'")
pair2 = _nonnegative("pair2", "both squared weighted sums of two clients")
pair_apart2 = _nonnegative(
    "pair_apart2",
    "squared difference of the weighted sums of two clients",
    r"\|p_i\mathbf a_i-p_j\mathbf a_j\|^2",
)
pair_C = _real("pair_C", "twice the inner product of both", "2p_ip_jC_{i,j}")
apart = _nonnegative(
    "apart",
    "squared differences of the weighted sums, over pairs of clients",
    r"\sum_{i<j}\|p_i\mathbf a_i-p_j\mathbf a_j\|^2",
)
short_av = _nonnegative("short_av", "the same for a client, average case")
short_w = _nonnegative("short_w", "the same for a client, worst case")
sum_av = _real("sum_av", "sum of p_i Gamma_i of the average case", r"\sum_ip_i\Gamma_{i,av}(t)")
sum_w = _real("sum_w", "sum of p_i Gamma_i of the worst case", r"\sum_ip_i\Gamma_{i,w}(t)")
alone_av = _real("alone_av", "Gamma_i,av in brackets in (184)", r"\Gamma_{i,av}^{(184)}(t)")
apart_av = _real("apart_av", "Gamma_i,av defined below (184)", r"\Gamma_{i,av}(t)")
alone_w = _real("alone_w", "Gamma_i,w in brackets in (189)", r"\Gamma_{i,w}^{(189)}(t)")
apart_w = _real("apart_w", "Gamma_i,w defined below (190)", r"\Gamma_{i,w}(t)")
mean_Gamma = _real("mean_Gamma", "expected forgetting term", r"\mathbb E[\Gamma(t)]")
mean_av = _real("mean_av", "sum of p_i E Gamma_i,av", r"\sum_ip_i\mathbb E[\Gamma_{i,av}(t)]")
mean_w = _real("mean_w", "sum of p_i E Gamma_i,w", r"\sum_ip_i\mathbb E[\Gamma_{i,w}(t)]")
mean_apart = _nonnegative(
    "mean_apart",
    "expected squared differences of the weighted sums",
    r"\mathbb E\sum_{i<j}\|p_i\mathbf a_i-p_j\mathbf a_j\|^2",
)
projected = _real(
    "projected",
    "projection of a client's sum on the memory gradient",
    r"\langle\frac{\nabla f^\dagger}{\|\nabla f^\dagger\|},\mathbf a_i\rangle\frac{\nabla f^\dagger}{\|\nabla f^\dagger\|}",
)
fd = _real("fd", "memory gradient", r"\nabla f^\dagger(\mathbf x_t)")
sent_along = _real(
    "sent_along",
    "what an interfering client subtracts, along the memory gradient, over the squared length of that",
)


def _case(number: str, case: str, lines: str) -> tuple[Statement, ...]:
    """What the appendix says of one client's term in the average or in the worst case."""
    factor, place = FACTORS[case], at(f"Appendix 3, {case} case", lines)
    excess = {"average": short_av, "worst": short_w}[case]
    return (
        place(
            f"{number}.square",
            f"a client's contribution is its least value and a square, {case} case",
            eq(client_term(factor, alpha, beta) - least_term(factor), excess),
            conditions=(gt(a2, 0),),
        ),
        place(
            f"{number}.minimum",
            f"no rate beta has a smaller contribution of a client than its optimal one, {case} case",
            le(least_term(factor), client_term(factor, alpha, beta)),
            conditions=(gt(a2, 0),),
            uses=(f"{number}.square",),
        ),
        place(
            f"{number}.value",
            f"a client's contribution at its optimal rate, {case} case",
            eq(client_term(factor, alpha, best_rate(factor)), least_term(factor)),
        ),
        place(
            f"{number}.below_zero",
            f"under transference the optimal rate makes a client's contribution negative, {case} case",
            lt(least_term(factor), 0),
            conditions=(*POSITIVE, *TRANSFER, gt(a2, 0)),
            uses=("eq15.positive",),
        ),
        negative_rate := place(
            f"{number}.negative_rate",
            f"under interference the optimal rate is negative, {case} case",
            lt(best_rate(factor), 0),
            conditions=(*POSITIVE, *INTERFERE, gt(a2, 0), gt(fd2, 0)),
            uses=("eq15.positive",),
        ),
        negative_rate.variant(
            "strict", conditions=(*POSITIVE, lt(Lam_i, 0), gt(a2, 0)), changes="Lambda_i < 0 instead of <= 0"
        ),
        place(
            f"{number}.monotone",
            f"under interference a client's contribution grows with beta, {case} case",
            le(client_term(factor, alpha, beta), client_term(factor, alpha, other)),
            conditions=(*POSITIVE, *INTERFERE, le(beta, other)),
            uses=("eq15.positive",),
        ),
    )


STATEMENTS = (
    line("184", "1019-1026")(
        "without interaction the forgetting term is the weighted sum of the clients' terms",
        eq(GAMMA_15, sum_av),
    ),
    at("Eq. (184) and the line below", "1026-1027")(
        "eq184.definition",
        "Gamma_i,av as defined below (184) is that in brackets in (184)",
        eq(apart_av, alone_av),
    ),
    line("185", "1028")("without interaction, in expectation over the memory", eq(mean_Gamma, mean_av)),
    *_case("eq184", "average", "1030"),
    at("Appendix 3, average case", "1030")(
        "eq184.projection",
        "the projection of a client's sum on the memory gradient",
        eq(projected, Lam_i / fd2 * fd),
    ),
    eq184_negation := at("Appendix 3, average case", "1030")(
        "eq184.negation",
        "the adapted alpha negates what an interfering client does along the memory gradient: alpha times that is left",
        eq(sent_along, alpha),
        conditions=(eq(beta, alpha),),
    ),
    eq184_negation.variant(
        "other-rate", conditions=(), changes="beta_t is an input of its own, as in Algorithm 1"
    ),
    line("186", "1034")("the worst case speaks of the forgetting term of (15)", eq(GAMMA_15, GAMMA)),
    line("187", "1035-1037")(
        "with the interaction of the clients written out", eq(GAMMA, forgetting(_half, q2 + cross, Lam))
    ),
    line("188.a", "1042")("step (a), for a pair of clients", le(pair_C, pair2), uses=("eq188.square",)),
    at("Eq. (188), step (a)", "1042")(
        "eq188.square",
        "what the right side of step (a) exceeds the left by is a square",
        eq(pair2 - pair_C, pair_apart2),
    ),
    at("Eq. (188), step (a)", "1038-1042")(
        "eq188.apart",
        "step (a), summed over pairs: what N times the squares exceed the squared sum by",
        eq(N * q2 - (q2 + cross), apart),
    ),
    line("188", "1038")(
        "the worst case is an upper bound",
        le(forgetting(_half, q2 + cross, Lam), forgetting(_half, N * q2, Lam)),
        uses=("eq188.apart",),
    ),
    at("Eq. (189)-(190)", "1039-1041")(
        "eq189", "the bound by clients", eq(forgetting(_half, N * q2, Lam), sum_w)
    ),
    at("Eq. (189) and the line below (190)", "1039-1043")(
        "eq190.definition",
        "Gamma_i,w as defined below (190) is that in brackets in (189)",
        eq(apart_w, alone_w),
    ),
    at("Eq. (186)-(190)", "1034-1041")(
        "eq190",
        "the forgetting term is at most the weighted sum of the clients' terms of the worst case",
        le(GAMMA_15, sum_w),
        uses=("eq186", "eq187", "eq188", "eq189"),
    ),
    line("191", "1044")(
        "in expectation over the memory", le(mean_Gamma, mean_w), uses=("eq190", "eq191.apart")
    ),
    at("Eq. (188)-(191)", "1038-1044")(
        "eq191.apart",
        "what the bound exceeds the forgetting term by, in expectation",
        eq(mean_w - mean_Gamma, L * beta**2 / 2 * mean_apart),
    ),
    *_case("eq191", "worst", "1046"),
)
