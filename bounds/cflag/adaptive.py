"""C-FLAG, Section 5 and Appendix 3: rates that adapt to the forgetting term, and why they should lower it.

Gamma(t) is that of Eq. (15), with sums over all local steps. `a_i` is the sum of a client's delayed gradients over its
local steps, Lambda_i its inner product with the memory gradient.
"""

from __future__ import annotations

import sympy as sp

from bounds.cflag.forgetting import GAMMA_15, RATE, forgetting
from bounds.cflag.symbols import CFLAG, L, N, T, alpha, at, beta, c, ds, f_next, f_now, fd2, line, m, s2
from bounds.relations import eq, ge, gt, le, lt

_positive, _nonnegative, _real = CFLAG.positive, CFLAG.nonnegative, CFLAG.real

# One client
p_i = _positive("p_i", "weight of a client")
a2 = _nonnegative("a2", "squared sum of a client's delayed gradients", r"\|\mathbf a_i\|^2")
Lam_i = _real("Lam_i", "a client's delayed gradients along the memory gradient", r"\Lambda_{t,i}")

# All clients
Lam = _real("Lam", "weighted mean of the clients' Lambda_i", r"\Lambda_t")
q2 = _nonnegative("q2", "squared sums of the clients, weighted", r"\sum_ip_i^2\|\mathbf a_i\|^2")
cross = _real("cross", "interaction of the clients, A_ij", r"\sum_i\sum_{j\ne i}p_ip_jC_{i,j}")
C_pair = _real("C_pair", "inner product of the sums of two clients", "C_{i,j}")
short = _nonnegative("short", "what the forgetting term at beta exceeds its least value by")

# Expectations over the memory
mean_best = _real(
    "mean_best", "expected forgetting term at the best rate of each memory", r"\mathbb E[\Gamma^*(t)]"
)

# Vectors, coordinate by coordinate
scaled_model = _real("scaled_model", "model after a round whose client updates were scaled")
best_model = _real("best_model", "model x_t - alpha grad f-dagger - beta* sum of delayed gradients")
rerun_model = _real("rerun_model", "model after a round played with beta* from its start")

# Rounds that are played
Gamma_run = _real("Gamma_run", "forgetting term of a round played with beta")
Gamma_rerun = _real("Gamma_rerun", "forgetting term of a round played with beta*")
third_diff = _real("third_diff", "third difference of Gamma(t) over beta = 0, b, 2b, 3b")
g_now = _real("g_now", "loss of the current data before the round", r"g(\mathbf x_t)")
g_next = _real("g_next", "loss of the current data after the round", r"g(\mathbf x_{t+1})")

_half = sp.Rational(1, 2)
POSITIVE = (*RATE, gt(m, 1))
"""What Section 5 gives for 1 - L alpha > 0."""
TRANSFER, INTERFERE = (gt(Lam_i, 0),), (le(Lam_i, 0),)
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
    at("Section 5, below Eq. (14); Table 1", "176, 195-200")(
        "eq14.feasible",
        "the adapted alpha of an interfering client is within the constraint",
        lt(MORE, 2 / (L * (1 + m))),
        conditions=(*POSITIVE, *INTERFERE, gt(fd2, 0)),
    ),
    at("Section 5, below Eq. (14); Lemma 4", "176, 154-158")(
        "eq14.guarantee",
        "the adapted beta stays below c/sqrt(T) as the common one does, which the guarantees on f and g need",
        lt(BEST, c / sp.sqrt(T)),
        conditions=(*POSITIVE, gt(Lam, 0), gt(s2, 0), lt(beta, c / sp.sqrt(T))),
    ),
)

COMMON = (
    line("15", "178-180")(
        "the inner product of the forgetting term is the weighted mean of the clients' Lambda_i",
        eq(GAMMA_15, GAMMA),
    ),
    eq15_positive := at("Section 5, below Eq. (15)", "180")(
        "eq15.positive", "1 - L alpha is positive", gt(1 - L * alpha, 0), conditions=POSITIVE
    ),
    eq15_positive.variant(
        "any-m", conditions=RATE, changes="the constraint of (14) for any m > 0, which is what Lemma 1 allows"
    ),
    eq15_positive.variant(
        "adapted",
        gt(1 - L * MORE, 0),
        says="1 - L alpha_i is positive for the adapted rate of an interfering client",
        conditions=(*POSITIVE, *INTERFERE, gt(fd2, 0)),
        changes="the rate of Table 1 instead of the common one",
    ),
    eq15_transference := at("Section 5, below Eq. (15)", "180")(
        "eq15.transference",
        "Lambda > 0 lowers the forgetting term",
        lt(GAMMA, L * beta**2 / 2 * s2),
        conditions=(*POSITIVE, gt(Lam, 0)),
        uses=("eq15.positive",),
    ),
    eq15_transference.variant(
        "negative",
        lt(GAMMA, 0),
        says="Lambda > 0 makes the forgetting term negative",
        uses=(),
        changes="a decrease below zero, not only of the second term",
    ),
    at("Section 5, below Eq. (15)", "180")(
        "eq15.interference",
        "Lambda <= 0 does not lower the forgetting term, which is then nonnegative",
        ge(GAMMA, L * beta**2 / 2 * s2),
        conditions=(*POSITIVE, le(Lam, 0)),
        uses=("eq15.positive",),
    ),
    eq15_learning := at("Section 5, below Eq. (15)", "180")(
        "eq15.learning",
        "transference enhances learning on the previous task: its loss does not grow",
        le(f_next, f_now),
        conditions=(*POSITIVE, gt(Lam, 0), eq(beta, alpha)),
    ),
    eq15_learning.variant(
        "rate",
        conditions=(*POSITIVE, gt(Lam, 0), le(beta * L * s2, 2 * (1 - L * alpha) * Lam)),
        changes="any beta up to twice that of (16), so that Gamma(t) <= 0; memories that hold all past data",
    ),
    at("Section 5, below Eq. (15)", "180")(
        "eq15.current",
        "transference enhances learning on the current task: its loss does not grow",
        le(g_next, g_now),
        conditions=(*POSITIVE, gt(Lam, 0), eq(beta, alpha)),
    ),
    at("Section 5, below Eq. (15)", "180")(
        "eq15.forgetting",
        "interference results in forgetting: the loss of the previous task does not fall",
        ge(f_next, f_now),
        conditions=(*POSITIVE, le(Lam, 0), eq(beta, alpha)),
    ),
    eq16 := line("16", "182-185")(
        "no rate beta has a smaller forgetting term than the optimal one, for given delayed gradients",
        le(LEAST, GAMMA),
        conditions=(gt(s2, 0),),
        uses=("eq16.square",),
    ),
    line("16.square", "182-185")(
        "the forgetting term is its least value and a square",
        eq(GAMMA - LEAST, short),
        conditions=(gt(s2, 0),),
    ),
    line("16.value", "182-185")("the forgetting term at the optimal rate", eq(GAMMA.subs(beta, BEST), LEAST)),
    line("16.expected", "182-185")(
        "its expectation over the memory is the value for the memory at hand",
        eq(mean_best, LEAST),
        conditions=POSITIVE,
    ),
    at("Section 5, above Eq. (16)", "180")(
        "eq16.quadratic",
        "the forgetting term of a round is a quadratic polynomial in beta: its third difference vanishes",
        eq(third_diff, 0),
        conditions=POSITIVE,
    ),
    eq16_procedure := at("Section 5, below Eq. (16)", "187")(
        "eq16.procedure",
        "scaling the client updates of a round at alpha by beta*/alpha gives the effective rate beta*",
        eq(scaled_model, best_model),
    ),
    eq16_procedure.variant(
        "played",
        eq(scaled_model, rerun_model),
        says="scaling the client updates of a round at alpha by beta*/alpha gives a round with the rate beta*",
        changes="the round that beta* itself leads to, with its own local models",
    ),
    eq16.variant(
        "played",
        le(Gamma_rerun, Gamma_run),
        says="a round played with the optimal rate has no larger forgetting term",
        conditions=(*POSITIVE, gt(Lam, 0), gt(s2, 0)),
        uses=(),
        changes="the delayed gradients of the round that beta* itself leads to",
    ),
)

INTERACTION = (
    at("Section 5, client interaction", "189-193")(
        "decomp", "the squared sum of all clients by clients and pairs of clients", eq(s2, q2 + cross)
    ),
    at("Section 5, client interaction", "193")(
        "decomp.negative",
        "clients of which no two agree lower the forgetting term below that without interaction",
        le(GAMMA_15, forgetting(_half, q2, ds)),
        conditions=(le(C_pair, 0),),
    ),
    at("Section 5, client interaction", "193")(
        "decomp.positive",
        "clients of which any two agree raise it",
        gt(GAMMA_15, forgetting(_half, q2, ds)),
        conditions=(gt(C_pair, 0), ge(N, 2)),
    ),
)

STATEMENTS = (*PROBLEM, *COMMON, *INTERACTION)
