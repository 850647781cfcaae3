"""C-FLAG: what Assumptions 2 and 3 ask of memories, and the lemmas on the bias that follow from them (Lemmas 8 to 11)."""

from __future__ import annotations

from bounds.cflag.symbols import CFLAG, L, alpha, at, b2, fd2, gf2, gg2, gh2, line, m, omega2, r
from bounds.relations import eq, ge, le, lt

_positive, _nonnegative, _real = CFLAG.positive, CFLAG.nonnegative, CFLAG.real

# One client
m_i = _nonnegative("m_i", "growth of the bias of a client with its gradient (Assumption 2)")
r_i = _positive("r_i", "memory gradient of a client over the gradient of the current data")
b2_i = _nonnegative("b2_i", "squared bias of a client", r"\|b_i(\mathbf x)\|^2")
gf2_i = _nonnegative("gf2_i", "squared gradient of the past data of a client", r"\|\nabla f_i(\mathbf x)\|^2")
fd2_i = _nonnegative("fd2_i", "squared memory gradient of a client", r"\|\nabla f_i^\dagger(\mathbf x)\|^2")
turn_i = _real(
    "turn_i",
    "memory gradient of a client along its gradient of the past data",
    r"\langle\nabla f_i^\dagger(\mathbf x),\nabla f_i(\mathbf x)\rangle",
)

# All clients; those without a squared norm are coordinates of vectors
b_split = _real("b_split", "weighted sum of the biases of the clients", r"\sum_ip_ib_i(\mathbf x)")
fd_less_f = _real(
    "fd_less_f", "memory gradient less gradient", r"\nabla f^\dagger(\mathbf x)-\nabla f(\mathbf x)"
)
gf_i = _real("gf_i", "gradient of the past data of a client", r"\nabla f_i(\mathbf x)")
fd_mean = _real(
    "fd_mean", "memory gradient of a client in expectation", r"\mathbb E\nabla f_i^\dagger(\mathbf x)"
)
fd_balanced = _real(
    "fd_balanced",
    "memory gradient of a client in expectation if the memory holds equally many samples of each class",
    r"\mathbb E_{\rm balanced}\nabla f_i^\dagger(\mathbf x)",
)
fd_weighted = _real(
    "fd_weighted",
    "the same with the samples of each class weighted by its share of the past data over its share of the memory",
    r"\mathbb E_{\rm balanced}\sum_cq_c\nabla f_{i,c}^\dagger(\mathbf x)",
)
b_mean = _real("b_mean", "bias in expectation, at a given point", r"\mathbb E b(\mathbf x)")
b_run = _real("b_run", "bias in expectation, at the models of the run", r"\mathbb E b(\mathbf x_t)")
over_run = _real("over_run", "overfitting term in expectation", r"\mathbb E B(t)")
gf2_kept = _nonnegative(
    "gf2_kept",
    "expected squared gradient of the past data, with memories drawn once",
    r"\mathbb E_{\mathcal M_0}\|\nabla f(\mathbf x_t)\|^2",
)
gf2_redrawn = _nonnegative(
    "gf2_redrawn",
    "expected squared gradient of the past data, with memories drawn in every round",
    r"\mathbb E_{[\mathcal M_0:\mathcal M_t]}\|\nabla f(\mathbf x_t)\|^2",
)
m_mean = _nonnegative("m_mean", "mean of the clients' m_i", r"\sum_ip_im_i")
mu = _positive("mu", "strong convexity of the past losses", r"\mu")
far2 = _nonnegative("far2", "squared distance from the common minimiser", r"\|\mathbf x-\mathbf x^*\|^2")
b2_mean = _nonnegative("b2_mean", "mean of the clients' squared biases", r"\sum_ip_i\|b_i\|^2")
apart2 = _nonnegative(
    "apart2", "squared difference between the gradients of C and of M and C", r"\|\nabla g-\nabla\tilde h\|^2"
)
cross_h = _real(
    "cross_h",
    "difference of these gradients along the gradient of M and C",
    r"\langle\nabla\tilde h,\nabla g-\nabla\tilde h\rangle",
)
apart2_mean = _nonnegative(
    "apart2_mean", "mean of the clients' squared differences", r"\sum_ip_i\|\nabla g_i-\nabla\tilde h_i\|^2"
)

EXISTS = le(m_i * gf2_i, m * gf2)
"""Eq. (28)."""
_MEMORY = ("ass2",)

STATEMENTS = (
    line("6", "70")(
        "the bias is memory gradient less gradient, and the weighted sum of the clients' biases",
        eq(fd_less_f, b_split),
    ),
    at("Assumptions 2 and 5", "103-105, 448-450")(
        "ass2",
        "the bias of a client's memory is at most a part of its gradient, everywhere",
        le(b2_i, m_i * gf2_i),
        conditions=(lt(m_i, 1),),
    ),
    at("Assumption 2", "103-105")(
        "ass2.stationary",
        "what it asks: where the past loss of a client is stationary, the loss of every memory of it is",
        le(b2_i, 0),
        conditions=(eq(gf2_i, 0),),
        assumes=_MEMORY,
    ),
    ass2_correlated := at("Text below Assumption 3", "111")(
        "ass2.correlated",
        "the memory gradient is correlated with the true one",
        ge(turn_i, (1 - m_i) / 2 * gf2_i),
        assumes=_MEMORY,
    ),
    ass2_correlated.variant(
        "any",
        ge(turn_i, 0),
        assumes=(),
        changes="of memories drawn uniformly from any data: Assumption 2 is not assumed",
    ),
    at("Assumptions 3 and 6", "107-109, 452-454")(
        "ass3",
        "the memory gradient of a client is at most r_i times the gradient of the current data, along the run",
        le(fd2_i, r_i**2 * gg2),
    ),
    at("Assumption 3", "107-109")(
        "ass3.stationary",
        "what it asks: where the current loss is stationary, the loss of every client's memory is",
        le(fd2_i, 0),
        conditions=(eq(gg2, 0),),
        assumes=("ass3",),
    ),
    at("Lemma 8, Eq. (26)", "468")(
        "eq26", "the memory gradient of a client is right in expectation", eq(fd_mean, gf_i)
    ),
    at("Lemma 8", "460-470")(
        "lem8",
        "memories drawn uniformly have no bias in expectation, at any given point",
        eq(b_mean, 0),
        uses=("eq26",),
    ),
    lem8_iterates := at("Lemma 8, used in Eq. (64)", "460-470, 598")(
        "lem8.iterates",
        "the same at the models of the run, as step (a) of Theorem 2 uses it",
        eq(b_run, 0),
        uses=("lem8",),
    ),
    lem8_iterates.variant("redrawn", changes="the memories are redrawn in every round"),
    lem8_overfitting := at("Text below Theorem 2, and Eq. (64)", "144, 598")(
        "lem8.overfitting",
        "the overfitting term is zero in expectation",
        eq(over_run, 0),
        conditions=(eq(alpha, 1 / (L * (m + 1))),),
        uses=("lem8.iterates",),
    ),
    lem8_overfitting.variant(
        "redrawn",
        conditions=(),
        uses=("lem8.iterates/redrawn",),
        changes="the memories are redrawn in every round, at any rate",
    ),
    never_above := at("Text below Theorem 2, and Eq. (64)", "144, 598")(
        "lem8.overfitting.sign",
        "the overfitting term is at most zero in expectation, which is all that Eq. (64) needs",
        le(over_run, 0),
        conditions=(le(alpha * L, 1),),
    ),
    never_above.variant(
        "redrawn",
        conditions=(),
        uses=("lem8.overfitting/redrawn",),
        changes="the memories are redrawn in every round, at any rate",
    ),
    lem8_balanced := at("Lemma 8, and the ring buffer of the experiments", "460-470, 1083-1090")(
        "lem8.balanced",
        "class-balanced memories, as in the experiments, are right in expectation too",
        eq(fd_balanced, gf_i),
    ),
    lem8_balanced.variant(
        "weighted",
        eq(fd_weighted, gf_i),
        changes="each class is weighted by its share of the past data; two classes of any sizes",
    ),
    at("Text below Assumption 3; memory fixed for T rounds", "50, 111")(
        "expectation",
        "the expectation over M_0, ..., M_t is that over the memories that are drawn once",
        eq(gf2_kept, gf2_redrawn),
    ),
    lem9 := at("Lemma 9, Eq. (27)", "472-487")(
        "lem9",
        "Assumption 2 gives an m > 0 with |b|^2 <= m |grad f|^2 everywhere",
        le(b2, m * gf2),
        assumes=_MEMORY,
        uses=("eq28", "eq29"),
    ),
    lem9.variant(
        "convex", uses=(), changes="the past losses of all clients are convex and have the same minimiser"
    ),
    lem9.variant(
        "strongly-convex",
        le(b2, m_mean * (L / mu) ** 2 * gf2),
        uses=("eq29.jensen",),
        changes="the past losses of all clients are mu-strongly convex and have the same minimiser; m is then "
        "(L/mu)^2 times the mean of the m_i",
    ),
    at("Lemma 9", "472-487")(
        "lem9.below-one",
        "like the m_i, the m of all clients is below 1, where it exists",
        le(b2, gf2),
        assumes=_MEMORY,
        changes="our own question: the lemma says m > 0, and the text below (15) speaks of m > 1",
    ),
    at("Lemma 9, Eq. (28)", "481")(
        "eq28", "there is an m > 0 with m_i |grad f_i|^2 <= m |grad f|^2", EXISTS, assumes=_MEMORY
    ),
    at("Lemma 9, Eq. (29), step (a)", "485")(
        "eq29.jensen", "the squared bias is at most the mean of the clients' squared biases", le(b2, b2_mean)
    ),
    at("Lemma 9, Eq. (29)", "485")(
        "eq29",
        "from step (a) and Eq. (28), the conclusion of Lemma 9",
        le(b2, m * gf2),
        conditions=(le(b2, b2_mean), le(b2_mean, m * gf2)),
        uses=("eq29.jensen", "eq28"),
    ),
    at("Lemma 10, Eq. (30)", "489-497")(
        "lem10",
        "the memory gradient of all clients is at most r = max r_i times the gradient of the current data",
        le(fd2, r**2 * gg2),
        assumes=("ass3",),
    ),
    at("Lemma 11, Eq. (76)-(78)", "645-647")(
        "eq78",
        "the squared difference is at most the mean of the clients' squared differences",
        le(apart2, apart2_mean),
    ),
    at("Lemma 11, Eq. (79)-(82)", "651-654")(
        "eq82", "C is one of the sets D, so omega^2 bounds the difference", le(apart2, omega2), uses=("eq78",)
    ),
    at("Lemma 11, Eq. (83)-(84)", "658-659")(
        "eq84",
        "the current gradient by that of memory and current data, and their difference",
        le(gg2, 2 * gh2 + 2 * apart2),
    ),
    at("Lemma 11, Eq. (75), (85)", "633-660")(
        "lem11",
        "the gradient of the current data by that of memory and current data, and omega^2",
        le(gg2, 2 * gh2 + 2 * omega2),
        uses=("eq82", "eq84"),
    ),
)
