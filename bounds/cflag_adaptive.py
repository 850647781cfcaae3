"""C-FLAG, Section 5 and Appendix 3: rates that adapt to the forgetting term, and why they should lower it.

Gamma(t) is that of Eq. (15), with sums over all local steps. `a_i` is the sum of a client's delayed gradients over its
local steps, Lambda_i its inner product with the memory gradient.
"""

from __future__ import annotations

import sympy as sp

from bounds.cflag_forgetting import GAMMA_15, RATE, forgetting
from bounds.cflag_symbols import CFLAG, L, N, T, alpha, beta, c, f_next, f_now, fd2, m, s2, source
from bounds.statement import Statement

_define = CFLAG.define

# One client
p_i = _define("p_i", "weight of a client", "positive")
a2 = _define("a2", "squared sum of a client's delayed gradients", "nonnegative", r"\|\mathbf a_i\|^2")
Lam_i = _define("Lam_i", "a client's delayed gradients along the memory gradient", "real", r"\Lambda_{t,i}")
other = _define("other", "another rate on the current data", "positive", r"\beta'")
aside = _define("aside", "another rate on the memory gradient", "positive", r"\alpha'")

# All clients
Lam = _define("Lam", "weighted mean of the clients' Lambda_i", "real", r"\Lambda_t")
q2 = _define("q2", "squared sums of the clients, weighted", "nonnegative", r"\sum_ip_i^2\|\mathbf a_i\|^2")
cross = _define("cross", "interaction of the clients, A_ij", "real", r"\sum_i\sum_{j\ne i}p_ip_jC_{i,j}")
C_pair = _define("C_pair", "inner product of the sums of two clients", "real", "C_{i,j}")
pair2 = _define("pair2", "both squared weighted sums of two clients", "nonnegative")
pair_apart2 = _define(
    "pair_apart2",
    "squared difference of the weighted sums of two clients",
    "nonnegative",
    r"\|p_i\mathbf a_i-p_j\mathbf a_j\|^2",
)
pair_C = _define("pair_C", "twice the inner product of both", "real", "2p_ip_jC_{i,j}")
apart = _define(
    "apart",
    "squared differences of the weighted sums, over pairs of clients",
    "nonnegative",
    r"\sum_{i<j}\|p_i\mathbf a_i-p_j\mathbf a_j\|^2",
)
short = _define("short", "what the forgetting term at beta exceeds its least value by", "nonnegative")
short_av = _define("short_av", "the same for a client, average case", "nonnegative")
short_w = _define("short_w", "the same for a client, worst case", "nonnegative")
sum_av = _define("sum_av", "sum of p_i Gamma_i of the average case", "real", r"\sum_ip_i\Gamma_{i,av}(t)")
sum_w = _define("sum_w", "sum of p_i Gamma_i of the worst case", "real", r"\sum_ip_i\Gamma_{i,w}(t)")
alone_av = _define("alone_av", "Gamma_i,av in brackets in (184)", "real", r"\Gamma_{i,av}(t)")
apart_av = _define("apart_av", "Gamma_i,av defined below (184)", "real", r"\Gamma_{i,av}(t)")
alone_w = _define("alone_w", "Gamma_i,w in brackets in (189)", "real", r"\Gamma_{i,w}(t)")
apart_w = _define("apart_w", "Gamma_i,w defined below (190)", "real", r"\Gamma_{i,w}(t)")

# Expectations over the memory
mean_Gamma = _define("mean_Gamma", "expected forgetting term", "real", r"\mathbb E[\Gamma(t)]")
mean_av = _define("mean_av", "sum of p_i E Gamma_i,av", "real", r"\sum_ip_i\mathbb E[\Gamma_{i,av}(t)]")
mean_w = _define("mean_w", "sum of p_i E Gamma_i,w", "real", r"\sum_ip_i\mathbb E[\Gamma_{i,w}(t)]")
mean_apart = _define(
    "mean_apart",
    "expected squared differences of the weighted sums",
    "nonnegative",
    r"\mathbb E\sum_{i<j}\|p_i\mathbf a_i-p_j\mathbf a_j\|^2",
)
mean_best = _define(
    "mean_best", "expected forgetting term at the best rate of each memory", "real", r"\mathbb E[\Gamma^*(t)]"
)

# Vectors, coordinate by coordinate
projected = _define(
    "projected",
    "projection of a client's sum on the memory gradient",
    "real",
    r"\langle\frac{\nabla f^\dagger}{\|\nabla f^\dagger\|},\mathbf a_i\rangle\frac{\nabla f^\dagger}{\|\nabla f^\dagger\|}",
)
fd = _define("fd", "memory gradient", "real", r"\nabla f^\dagger(\mathbf x_t)")
sent_along = _define(
    "sent_along",
    "what an interfering client subtracts, along the memory gradient, over the squared length of that",
    "real",
)
scaled_model = _define("scaled_model", "model after a round whose client updates were scaled", "real")
best_model = _define("best_model", "model x_t - alpha grad f-dagger - beta* sum of delayed gradients", "real")
rerun_model = _define("rerun_model", "model after a round played with beta* from its start", "real")

# Rounds that are played
Gamma_run = _define("Gamma_run", "forgetting term of a round played with beta", "real")
Gamma_rerun = _define("Gamma_rerun", "forgetting term of a round played with beta*", "real")
third_diff = _define("third_diff", "third difference of Gamma(t) over beta = 0, b, 2b, 3b", "real")
g_now = _define("g_now", "loss of the current data before the round", "real", r"g(\mathbf x_t)")
g_next = _define("g_next", "loss of the current data after the round", "real", r"g(\mathbf x_{t+1})")

_half = sp.Rational(1, 2)
POSITIVE = (*RATE, sp.Gt(m, 1))
"""What Section 5 gives for 1 - L alpha > 0."""
TRANSFER, INTERFERE = (sp.Gt(Lam_i, 0),), (sp.Le(Lam_i, 0),)
BEST = (1 - L * alpha) * Lam / (L * s2)
"""Eq. (16)."""
LEAST = -(((1 - L * alpha) * Lam) ** 2) / (2 * L * s2)
GAMMA = _half * L * beta**2 * s2 - beta * (1 - L * alpha) * Lam
"""Eq. (15)."""
FACTORS = {"average": sp.Integer(1), "worst": N}
"""What multiplies p_i in the two cases."""


def client_term(factor: sp.Expr, on_memory: sp.Expr, on_current: sp.Expr) -> sp.Expr:
    """Gamma_i of a client at its rates."""
    return L * on_current**2 / 2 * p_i * factor * a2 - on_current * (1 - L * on_memory) * Lam_i


def best_rate(factor: sp.Expr) -> sp.Expr:
    """beta_{t,i} of Table 1 under transference."""
    return (1 - L * alpha) * Lam_i / (L * factor * p_i * a2)


def least_term(factor: sp.Expr) -> sp.Expr:
    """Gamma_i at that rate."""
    return -(((1 - L * alpha) * Lam_i) ** 2) / (2 * L * factor * p_i * a2)


MORE = alpha * (1 - Lam_i / fd2)
"""alpha_{t,i} of Table 1 under interference."""

PROBLEM = (
    Statement(
        "cflag.eq14",
        "the rates of (16) at the common alpha solve the problem: no admissible pair has a smaller Gamma(t)",
        sp.Le(LEAST, LEAST.subs(alpha, aside)),
        source("Eq. (14), (16)", "174-187"),
        (*POSITIVE, sp.Gt(Lam, 0), sp.Gt(s2, 0), sp.Lt(aside, 2 / (L * (1 + m)))),
    ),
    Statement(
        "cflag.eq14.feasible",
        "the adapted alpha of an interfering client is within the constraint",
        sp.Lt(MORE, 2 / (L * (1 + m))),
        source("Section 5, below Eq. (14); Table 1", "176, 195-200"),
        (*POSITIVE, *INTERFERE, sp.Gt(fd2, 0)),
    ),
    Statement(
        "cflag.eq14.guarantee",
        "the adapted beta stays below c/sqrt(T) as the common one does, which the guarantees on f and g need",
        sp.Lt(BEST, c / sp.sqrt(T)),
        source("Section 5, below Eq. (14); Lemma 4", "176, 154-158"),
        (*POSITIVE, sp.Gt(Lam, 0), sp.Gt(s2, 0), sp.Lt(beta, c / sp.sqrt(T))),
    ),
)

COMMON = (
    Statement(
        "cflag.eq15",
        "the inner product of the forgetting term is the weighted mean of the clients' Lambda_i",
        sp.Eq(GAMMA_15, GAMMA),
        source("Eq. (15)", "178-180"),
    ),
    Statement(
        "cflag.eq15.positive",
        "1 - L alpha is positive",
        sp.Gt(1 - L * alpha, 0),
        source("Section 5, below Eq. (15)", "180"),
        POSITIVE,
    ),
    Statement(
        "cflag.eq15.positive/any-m",
        "1 - L alpha is positive",
        sp.Gt(1 - L * alpha, 0),
        source("Section 5, below Eq. (15)", "180"),
        RATE,
        changes="the constraint of (14) for any m > 0, which is what Lemma 1 allows",
    ),
    Statement(
        "cflag.eq15.positive/adapted",
        "1 - L alpha_i is positive for the adapted rate of an interfering client",
        sp.Gt(1 - L * MORE, 0),
        source("Section 5, below Eq. (15); Table 1", "180, 195-200"),
        (*POSITIVE, *INTERFERE, sp.Gt(fd2, 0)),
        changes="the rate of Table 1 instead of the common one",
    ),
    Statement(
        "cflag.eq15.transference",
        "Lambda > 0 lowers the forgetting term",
        sp.Lt(GAMMA, L * beta**2 / 2 * s2),
        source("Section 5, below Eq. (15)", "180"),
        (*POSITIVE, sp.Gt(Lam, 0)),
        uses=("cflag.eq15.positive",),
    ),
    Statement(
        "cflag.eq15.transference/negative",
        "Lambda > 0 makes the forgetting term negative",
        sp.Lt(GAMMA, 0),
        source("Section 5, below Eq. (15)", "180"),
        (*POSITIVE, sp.Gt(Lam, 0)),
        changes="a decrease below zero, not only of the second term",
    ),
    Statement(
        "cflag.eq15.interference",
        "Lambda <= 0 does not lower the forgetting term, which is then nonnegative",
        sp.Ge(GAMMA, L * beta**2 / 2 * s2),
        source("Section 5, below Eq. (15)", "180"),
        (*POSITIVE, sp.Le(Lam, 0)),
        uses=("cflag.eq15.positive",),
    ),
    Statement(
        "cflag.eq15.learning",
        "transference enhances learning on the previous task: its loss does not grow",
        sp.Le(f_next, f_now),
        source("Section 5, below Eq. (15)", "180"),
        (*POSITIVE, sp.Gt(Lam, 0), sp.Eq(beta, alpha)),
    ),
    Statement(
        "cflag.eq15.learning/rate",
        "transference enhances learning on the previous task: its loss does not grow",
        sp.Le(f_next, f_now),
        source("Section 5, below Eq. (15)", "180"),
        (*POSITIVE, sp.Gt(Lam, 0), sp.Le(beta * L * s2, 2 * (1 - L * alpha) * Lam)),
        changes="any beta up to twice that of (16), so that Gamma(t) <= 0; memories that hold all past data",
    ),
    Statement(
        "cflag.eq15.current",
        "transference enhances learning on the current task: its loss does not grow",
        sp.Le(g_next, g_now),
        source("Section 5, below Eq. (15)", "180"),
        (*POSITIVE, sp.Gt(Lam, 0), sp.Eq(beta, alpha)),
    ),
    Statement(
        "cflag.eq15.forgetting",
        "interference results in forgetting: the loss of the previous task does not fall",
        sp.Ge(f_next, f_now),
        source("Section 5, below Eq. (15)", "180"),
        (*POSITIVE, sp.Le(Lam, 0), sp.Eq(beta, alpha)),
    ),
    Statement(
        "cflag.eq16",
        "no rate beta has a smaller forgetting term than the optimal one, for given delayed gradients",
        sp.Le(LEAST, GAMMA),
        source("Eq. (16)", "182-185"),
        (sp.Gt(s2, 0),),
        uses=("cflag.eq16.square",),
    ),
    Statement(
        "cflag.eq16.square",
        "the forgetting term is its least value and a square",
        sp.Eq(GAMMA - LEAST, short, evaluate=False),
        source("Eq. (16)", "182-185"),
        (sp.Gt(s2, 0),),
    ),
    Statement(
        "cflag.eq16.value",
        "the forgetting term at the optimal rate",
        sp.Eq(GAMMA.subs(beta, BEST), LEAST, evaluate=False),
        source("Eq. (16)", "182-185"),
    ),
    Statement(
        "cflag.eq16.expected",
        "its expectation over the memory is the value for the memory at hand",
        sp.Eq(mean_best, LEAST),
        source("Eq. (16)", "182-185"),
    ),
    Statement(
        "cflag.eq16.quadratic",
        "the forgetting term of a round is a quadratic polynomial in beta: its third difference vanishes",
        sp.Eq(third_diff, 0),
        source("Section 5, above Eq. (16)", "180"),
    ),
    Statement(
        "cflag.eq16.procedure",
        "scaling the client updates of a round at alpha by beta*/alpha gives the effective rate beta*",
        sp.Eq(scaled_model, best_model),
        source("Section 5, below Eq. (16)", "187"),
    ),
    Statement(
        "cflag.eq16.procedure/played",
        "scaling the client updates of a round at alpha by beta*/alpha gives a round with the rate beta*",
        sp.Eq(scaled_model, rerun_model),
        source("Section 5, below Eq. (16)", "187"),
        changes="the round that beta* itself leads to, with its own local models",
    ),
    Statement(
        "cflag.eq16/played",
        "a round played with the optimal rate has no larger forgetting term",
        sp.Le(Gamma_rerun, Gamma_run),
        source("Eq. (16)", "182-185"),
        (*POSITIVE, sp.Gt(Lam, 0), sp.Gt(s2, 0)),
        changes="the delayed gradients of the round that beta* itself leads to",
    ),
)

INTERACTION = (
    Statement(
        "cflag.decomp",
        "the squared sum of all clients by clients and pairs of clients",
        sp.Eq(s2, q2 + cross),
        source("Section 5, client interaction", "189-193"),
    ),
    Statement(
        "cflag.decomp.negative",
        "clients of which no two agree lower the forgetting term below that without interaction",
        sp.Le(GAMMA_15, forgetting(_half, q2, CFLAG["ds"].symbol)),
        source("Section 5, client interaction", "193"),
        (sp.Le(C_pair, 0),),
    ),
    Statement(
        "cflag.decomp.positive",
        "clients of which any two agree raise it",
        sp.Gt(GAMMA_15, forgetting(_half, q2, CFLAG["ds"].symbol)),
        source("Section 5, client interaction", "193"),
        (sp.Gt(C_pair, 0), sp.Ge(N, 2)),
    ),
)


def _case(number: str, case: str, lines: str) -> tuple[Statement, ...]:
    """What the appendix says of one client's term in the average or in the worst case."""
    factor, place = FACTORS[case], source(f"Appendix 3, {case} case", lines)
    excess = {"average": short_av, "worst": short_w}[case]
    return (
        Statement(
            f"cflag.{number}.square",
            f"a client's contribution is its least value and a square, {case} case",
            sp.Eq(client_term(factor, alpha, beta) - least_term(factor), excess, evaluate=False),
            place,
            (sp.Gt(a2, 0),),
        ),
        Statement(
            f"cflag.{number}.minimum",
            f"no rate beta has a smaller contribution of a client than its optimal one, {case} case",
            sp.Le(least_term(factor), client_term(factor, alpha, beta)),
            place,
            (sp.Gt(a2, 0),),
            uses=(f"cflag.{number}.square",),
        ),
        Statement(
            f"cflag.{number}.value",
            f"a client's contribution at its optimal rate, {case} case",
            sp.Eq(client_term(factor, alpha, best_rate(factor)), least_term(factor), evaluate=False),
            place,
        ),
        Statement(
            f"cflag.{number}.below_zero",
            f"under transference the optimal rate makes a client's contribution negative, {case} case",
            sp.Lt(least_term(factor), 0),
            place,
            (*POSITIVE, *TRANSFER, sp.Gt(a2, 0)),
            uses=("cflag.eq15.positive",),
        ),
        Statement(
            f"cflag.{number}.negative_rate",
            f"under interference the optimal rate is negative, {case} case",
            sp.Lt(best_rate(factor), 0),
            place,
            (*POSITIVE, *INTERFERE, sp.Gt(a2, 0)),
            uses=("cflag.eq15.positive",),
        ),
        Statement(
            f"cflag.{number}.negative_rate/strict",
            f"under interference the optimal rate is negative, {case} case",
            sp.Lt(best_rate(factor), 0),
            place,
            (*POSITIVE, sp.Lt(Lam_i, 0), sp.Gt(a2, 0)),
            uses=("cflag.eq15.positive",),
            changes="Lambda_i < 0 instead of <= 0",
        ),
        Statement(
            f"cflag.{number}.monotone",
            f"under interference a client's contribution grows with beta, {case} case",
            sp.Le(client_term(factor, alpha, beta), client_term(factor, alpha, other)),
            place,
            (*POSITIVE, *INTERFERE, sp.Le(beta, other)),
            uses=("cflag.eq15.positive",),
        ),
    )


CASES = (
    Statement(
        "cflag.eq184",
        "without interaction the forgetting term is the weighted sum of the clients' terms",
        sp.Eq(GAMMA_15, sum_av),
        source("Eq. (184)", "1019-1026"),
    ),
    Statement(
        "cflag.eq184.definition",
        "Gamma_i,av as defined below (184) is that in brackets in (184)",
        sp.Eq(apart_av, alone_av),
        source("Eq. (184) and the line below", "1026-1027"),
    ),
    Statement(
        "cflag.eq185",
        "without interaction, in expectation over the memory",
        sp.Eq(mean_Gamma, mean_av),
        source("Eq. (185)", "1028"),
    ),
    *_case("eq184", "average", "1030"),
    Statement(
        "cflag.eq184.projection",
        "the projection of a client's sum on the memory gradient",
        sp.Eq(projected, Lam_i / fd2 * fd),
        source("Appendix 3, average case", "1030"),
    ),
    Statement(
        "cflag.eq184.negation",
        "the adapted alpha negates what an interfering client does along the memory gradient: alpha times that is left",
        sp.Eq(sent_along, alpha),
        source("Appendix 3, average case", "1030"),
        (sp.Eq(beta, alpha),),
    ),
    Statement(
        "cflag.eq184.negation/other-rate",
        "the adapted alpha negates what an interfering client does along the memory gradient: alpha times that is left",
        sp.Eq(sent_along, alpha),
        source("Appendix 3, average case", "1030"),
        changes="beta_t is an input of its own, as in Algorithm 1",
    ),
    Statement(
        "cflag.eq186",
        "the worst case speaks of the forgetting term of (15)",
        sp.Eq(GAMMA_15, GAMMA),
        source("Eq. (186)", "1034"),
    ),
    Statement(
        "cflag.eq187",
        "with the interaction of the clients written out",
        sp.Eq(GAMMA, forgetting(_half, q2 + cross, Lam)),
        source("Eq. (187)", "1035-1037"),
    ),
    Statement(
        "cflag.eq188.a",
        "step (a), for a pair of clients",
        sp.Le(pair_C, pair2),
        source("Eq. (188), step (a)", "1042"),
        uses=("cflag.eq188.square",),
    ),
    Statement(
        "cflag.eq188.square",
        "what the right side of step (a) exceeds the left by is a square",
        sp.Eq(pair2 - pair_C, pair_apart2),
        source("Eq. (188), step (a)", "1042"),
    ),
    Statement(
        "cflag.eq188.apart",
        "step (a), summed over pairs: what N times the squares exceed the squared sum by",
        sp.Eq(N * q2 - (q2 + cross), apart),
        source("Eq. (188), step (a)", "1038-1042"),
    ),
    Statement(
        "cflag.eq188",
        "the worst case is an upper bound",
        sp.Le(forgetting(_half, q2 + cross, Lam), forgetting(_half, N * q2, Lam)),
        source("Eq. (188)", "1038"),
        uses=("cflag.eq188.apart",),
    ),
    Statement(
        "cflag.eq189",
        "the bound by clients",
        sp.Eq(forgetting(_half, N * q2, Lam), sum_w),
        source("Eq. (189)-(190)", "1039-1041"),
    ),
    Statement(
        "cflag.eq190.definition",
        "Gamma_i,w as defined below (190) is that in brackets in (189)",
        sp.Eq(apart_w, alone_w),
        source("Eq. (189) and the line below (190)", "1039-1043"),
    ),
    Statement(
        "cflag.eq190",
        "the forgetting term is at most the weighted sum of the clients' terms of the worst case",
        sp.Le(GAMMA_15, sum_w),
        source("Eq. (186)-(190)", "1034-1041"),
        uses=("cflag.eq186", "cflag.eq187", "cflag.eq188", "cflag.eq189"),
    ),
    Statement(
        "cflag.eq191",
        "in expectation over the memory",
        sp.Le(mean_Gamma, mean_w),
        source("Eq. (191)", "1044"),
        uses=("cflag.eq190", "cflag.eq191.apart"),
    ),
    Statement(
        "cflag.eq191.apart",
        "what the bound exceeds the forgetting term by, in expectation",
        sp.Eq(mean_w - mean_Gamma, L * beta**2 / 2 * mean_apart),
        source("Eq. (188)-(191)", "1038-1044"),
    ),
    *_case("eq191", "worst", "1046"),
)

STATEMENTS = (*PROBLEM, *COMMON, *INTERACTION, *CASES)
