"""C-FLAG, Section 3 and Appendix 1: local steps along delayed gradients, and what they add up to."""

from __future__ import annotations

import sympy as sp

from bounds.cflag.symbols import CFLAG, E, L, S, at, beta, client_sup, line, p_sum, sample_sup
from bounds.relations import eq, le

_real = CFLAG.real
WEIGHTS = (eq(p_sum, 1),)
"""Never printed; every use of the weights needs it."""

# Vectors, at every local step; an index counts the local steps
j = sp.Symbol("j", integer=True)
x_t = _real("x_t", "server's model", r"\mathbf x_t")
x_now = _real("x_now", "local model before a step", r"\mathbf x_{t,k}^i")
x_next = _real("x_next", "local model after it", r"\mathbf x_{t,k+1}^i")
x_end = _real("x_end", "local model after the last step", r"\mathbf x_{t,E}^i")
g_t = _real("g_t", "global gradient at the server's model", r"\nabla g(\mathbf x_t)")
gi_t = _real("gi_t", "client's gradient at the server's model", r"\nabla g_i(\mathbf x_t)")
gi_now = _real("gi_now", "client's gradient at the local model", r"\nabla g_i(\mathbf x_{t,k}^i)")
gp = _real("gp", "delayed gradient", r"\nabla g_i'(\mathbf x_{t,k}^i)")
gp_start = _real("gp_start", "delayed gradient at the first step", r"\nabla g_i'(\mathbf x_{t,0}^i)")
gp_tau = _real(
    "gp_tau",
    "mean of the gradients of the samples, each at the local step at which it was last drawn",
    r"\frac{1}{|\mathcal C^i|}\sum_j\nabla g_{i,j}(\mathbf x_{t,\tau_{k,j}^i}^i)",
)
e_vec = _real("e_vec", "gradient error, the mean over its samples", r"\mathbf e_{t,k}^i")
lag = _real("lag", "model behind a sample's gradient less the current one")
lag_path = _real("lag_path", "sum of the steps between them, backwards")
mean_move = _real("mean_move", "average drift", r"\sum_ip_i(\mathbf x_{t,E}^i-\mathbf x_t)")
mean_shift = _real("mean_shift", "average correction", r"\sum_ip_i(\nabla g-\nabla g_i)(\mathbf x_t)")
gps, gps_mean, fresh, old = (sp.IndexedBase(name) for name in ("gps", "gps_mean", "fresh", "old"))
CFLAG.series(gps, "delayed gradients of a client by local step", r"\nabla g_i'")
CFLAG.series(gps_mean, "weighted sums of the delayed gradients over the clients", r"\sum_ip_i\nabla g_i'")
CFLAG.series(
    fresh,
    "toy example: gradients of the three samples at the current model",
    r"\nabla g_{i,\cdot}(\mathbf x_{t,k}^i)",
)
CFLAG.series(old, "toy example: those at the server's model", r"\nabla g_{i,\cdot}(\mathbf x_t)")
toy = _real(
    "toy", "delayed gradient of the toy example at its second step", r"\nabla g_i'(\mathbf x_{t,1}^i)"
)
toy_next = _real("toy_next", "and at its third step", r"\nabla g_i'(\mathbf x_{t,2}^i)")
third = _real("third", "gradient of the third sample at the model of the third step")


STATEMENTS = (
    at("Assumptions 1 and 4", "99-101, 444-446")(
        "ass1", "gradients of clients are L-smooth", le(client_sup, L)
    ),
    at("sentence before Lemma 8", "456")(
        "ass1.samples", "gradients of single samples are L-smooth, too", le(sample_sup, L)
    ),
    at("sentence before Lemma 8", "456")(
        "ass1.implied",
        "that samples are smooth follows from Assumption 1",
        le(sample_sup, L),
        assumes=("ass1",),
        changes="our own question: the sentence before Lemma 8 notes it, and does not say where from",
    ),
    at("Assumption 1 and sentence before Lemma 8", "99-101, 456")(
        "ass1.mean",
        "clients are as smooth as their samples, so that Assumption 1 adds nothing to the sentence before Lemma 8",
        le(client_sup, L),
        assumes=("ass1.samples",),
    ),
    line("4", "58")("local step", eq(x_next, x_now - beta * (g_t - gi_t + gp))),
    line("5", "62-64")(
        "incrementally aggregated gradient: each sample's gradient where it was last drawn", eq(gp, gp_tau)
    ),
    at("text after Eq. (5)", "64")(
        "eq5.start", "the first delayed gradient is the full gradient", eq(gp_start, gi_t), uses=("eq5",)
    ),
    at("text after Eq. (5)", "66")(
        "eq5.cost",
        "a round takes no more gradients of samples than full gradients at every step would",
        le(S + E - 1, S * E),
    ),
    at("toy example", "66")(
        "eq5.toy.k1",
        "toy example: after the first sample was drawn",
        eq(toy, (fresh[0] + old[1] + old[2]) / 3),
        uses=("eq5",),
    ),
    at("toy example", "66")(
        "eq5.toy.k2",
        "toy example: after the third sample was drawn",
        eq(toy_next, (fresh[0] + old[1] + third) / 3),
        uses=("eq5",),
    ),
    at("toy example", "66")(
        "eq5.toy.label",
        "the toy example gives the delayed gradient at x_{t,1} twice: at k = 1, and as the result of k = 2",
        eq((fresh[0] + old[1] + old[2]) / 3, (fresh[0] + old[1] + third) / 3),
    ),
    at("Eq. (31), (92), (93)", "503, 692-693")(
        "eq31",
        "the gradient error is the mean over the samples of gradients where they were last drawn less gradients now",
        eq(e_vec, gp - gi_now),
        uses=("eq5",),
    ),
    line("32", "507")(
        "local step as a step along the true gradient and its error",
        eq(x_next, x_now - beta * (g_t - gi_t + gi_now + e_vec)),
        uses=("eq4", "eq31"),
    ),
    *(
        at(f"Eq. ({number})", str(line))(
            f"eq{number}",
            words,
            eq(x_end - x_t, -beta * sp.Sum(g_t - gi_t + gps[j], (j, 0, E - 1))),
            uses=(used,),
        )
        for number, line, words, used in (
            (17, 420, "the drift is the sum of the local steps", "eq4"),
            (18, 421, "the same, printed twice", "eq17"),
        )
    ),
    line("19", "422")(
        "the corrections apart",
        eq(x_end - x_t, -beta * sp.Sum(g_t - gi_t, (j, 0, E - 1)) - beta * sp.Sum(gps[j], (j, 0, E - 1))),
        uses=("eq18",),
    ),
    line("20", "423")(
        "which are the same at every step",
        eq(x_end - x_t, -beta * E * (g_t - gi_t) - beta * sp.Sum(gps[j], (j, 0, E - 1))),
        uses=("eq19",),
    ),
    line("21", "427")(
        "the average drift",
        eq(mean_move, -beta * E * mean_shift - beta * sp.Sum(gps_mean[j], (j, 0, E - 1))),
        uses=("eq20",),
    ),
    eq21_zero := at("Eq. (21), underbrace", "427")(
        "eq21.zero", "the corrections cancel on average", eq(mean_shift, 0), conditions=WEIGHTS
    ),
    eq21_zero.variant(
        "weights",
        says="the corrections cancel on average, whatever the weights",
        conditions=(),
        changes="without the condition that the weights sum to one, which is printed nowhere",
    ),
    line("22", "428")(
        "the average drift is the sum of the delayed gradients of all clients",
        eq(mean_move, -beta * sp.Sum(gps_mean[j], (j, 0, E - 1))),
        conditions=WEIGHTS,
        uses=("eq21", "eq21.zero"),
    ),
)
