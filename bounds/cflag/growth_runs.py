"""C-FLAG: what bounds the cumulative forgetting term (Lemmas 4 and 18, Eq. 162 to 183), line by line."""

from __future__ import annotations

from functools import partial

import sympy as sp

from bounds.cflag.drift_lemmas import SMOOTH
from bounds.cflag.forgetting import GAMMA_15, RATE
from bounds.cflag.growth import AGREE, APART, MEMORY, SMALL, TWELFTH, Q, Z, gap2
from bounds.cflag.symbols import CFLAG, Dht, E, L, T, alpha, at, beta, c, line, omega2, r
from bounds.hypotheses import Hypothesis
from bounds.relations import eq, ge, le, lt
from bounds.statement import Scaling

_positive, _real = CFLAG.positive, CFLAG.real

forget_mean = _real("forget_mean", "mean forgetting term of a run", r"\frac1T\sum_t\mathbb E\Gamma(t)")
x0 = _positive("x0", "norm of the first model", r"\|\mathbf x_0\|")
t = sp.Symbol("t", integer=True)
forget, ht = sp.IndexedBase("forget"), sp.IndexedBase("ht")
CFLAG.series(forget, "forgetting term of each round of a run, Eq. (15)", r"\Gamma")
CFLAG.series(ht, "loss of memory and current data before each round, and after the last", r"\tilde h")

_agree = 1 - L * alpha
CONSTANT = (*RATE, eq(beta, 1 / (60 * L * E)))
_small = "alpha <= 1/L and beta <= 1/(12LE), which the proof uses"
_total = sp.Sum(forget[t], (t, 0, T - 1))
_each = sp.Sum(Q / Z * (ht[t] - ht[t + 1]) + Q * omega2, (t, 0, T - 1))
_explicit = Q / Z * Dht + Q * T * omega2
_numerator = (
    72 * beta**4 * L**3 * E**4
    + 4 * beta**2 * L * E**2
    + 2 * r * beta * E * _agree * (4 * beta * L**2 * E + 2 * beta * L * E + 1)
)
_flat = beta**3 * L**4 + beta * L + beta * L**2 + beta * L + 1
_constant_Q = sp.Rational(11, 60) / L + 2 * r / (15 * L) * _agree
_constant_QZ = 16 * r * _agree + 22
_rate = {beta: c / sp.sqrt(T)}
_order4 = 1 / T + 1 / sp.sqrt(T)
_of_165 = {
    "descent": _flat / (1 - beta**3 * L**3 - 10 * beta * L) * Dht / T,
    "spread": (beta**4 * L**3 + beta**2 * L + beta * (beta * L + 1)) * omega2,
}
_bounded_fall = (
    "the loss of memory and current data falls over a run by no more than a number that does not depend on T"
)
_of_167 = {
    "descent": (beta**3 + beta + 1) / (1 - beta**3 - beta) * Dht / T,
    "spread": (beta**4 + beta**2 + beta) * omega2,
}

RUN = (
    line("162", "876")(
        "Eq. (161) summed over the rounds",
        le(_total, _each),
        conditions=RATE,
        assumes=MEMORY,
        uses=("eq161",),
    ),
    line("163.sum", "877")("the sum telescopes", eq(_each, Q / Z * (ht[0] - ht[T]) + Q * T * omega2)),
    eq163 := line("163", "877")(
        "the cumulative forgetting by the descent on memory and current data, and omega^2",
        le(_total, _explicit),
        conditions=RATE,
        assumes=MEMORY,
        uses=("eq162", "eq163.sum"),
    ),
    eq163.variant("small", conditions=(*RATE, *SMALL), uses=("eq161/small", "eq163.sum"), changes=_small),
    line("164", "882; 870")("Q with its definition put in", eq(Q, _numerator)),
    eq165 := line("165", "883")(
        "the bound of Eq. (163) over T has the order of its terms, whatever the loss of memory and current data falls by",
        Scaling(_of_165, _rate, _order4, (T, Dht)),
    ),
    eq165.variant(
        "bounded-fall",
        Scaling(_of_165, _rate, _order4, (T,)),
        says="the bound of Eq. (163) over T has the order of its terms",
        changes=_bounded_fall,
    ),
    line("166", "883, 887")(
        "the factor that chooses D* is that of Eq. (165)",
        eq(_flat, beta**3 * L**4 + beta * L**2 + 2 * beta * L + 1),
    ),
    eq167 := line("167", "891")(
        "with beta = c/sqrt(T) the mean forgetting has the claimed order, whatever the loss of memory and current data falls by",
        Scaling(_of_167, _rate, _order4, (T, Dht)),
    ),
    eq167.variant(
        "bounded-fall",
        Scaling(_of_167, _rate, _order4, (T,)),
        says="with beta = c/sqrt(T) the mean forgetting has the claimed order",
        changes=_bounded_fall,
    ),
    lem4 := at("Lemma 4, Eq. (12), (148)", "154-158, 837-891")(
        "lem4",
        "the mean forgetting term is of order 1/T + 1/sqrt(T)",
        Scaling({"descent": Q / Z * Dht / T, "spread": Q * omega2}, _rate, _order4, (T,)),
        conditions=RATE,
        assumes=MEMORY,
        uses=("eq163", "eq164", "eq167"),
    ),
    lem4_floor := at("Lemma 4", "154-158")(
        "lem4.floor",
        "past and current losses -L|x|^2/2: all assumptions hold, with omega^2 = 0, and the mean forgetting grows with T",
        ge(forget_mean, beta * L**2 * x0**2 / 2 * sp.Rational(25, 4) ** (T - 1) / T),
        conditions=(*RATE, eq(alpha, 3 / (2 * L))),
        assumes=MEMORY,
        uses=("lem4.floor.sum",),
        hypotheses=(Hypothesis.PARABOLA,),
    ),
    lem4_floor.variant(
        "limit",
        ge(forget_mean, beta**2 * L**3 * x0**2 / 2 * 4 ** (T - 1) / T),
        conditions=(*RATE, eq(alpha, 1 / L)),
        uses=("lem4.floor.sum/limit",),
        changes="alpha = 1/L, which is the first rate at which Lemma 4 fails",
    ),
    lem4.variant(
        "heterogeneity.order",
        Scaling({"gap": beta * E * _agree * gap2 / 2}, _rate, 1 / sp.sqrt(T), (T,)),
        says="the bound by the gap between memory and current data is of order 1/sqrt(T)",
        conditions=(),
        assumes=(),
        uses=("lem4/heterogeneity",),
        changes="where the gradients of memory and current data differ by a bounded vector, for every alpha < 1/L",
    ),
)

_at_alpha = "alpha <= 1/L, so that 1 - L alpha >= 0"
_constant = partial(line, conditions=CONSTANT, assumes=MEMORY)
CONSTANT_RATE = (
    _constant("174", "943")("Eq. (161) at beta = 1/(60LE)", lt(*APART.args), uses=("eq161",)),
    _constant("176", "950")("Eq. (163) at beta = 1/(60LE)", le(_total, _explicit), uses=("eq174",)),
    eq177 := line("177", "954")("Q/Z in numbers", le(Q / Z, _constant_QZ), conditions=CONSTANT),
    eq177.variant("small", conditions=(*CONSTANT, AGREE[0]), changes=_at_alpha),
    eq178 := line("178", "955")("Q in numbers", le(Q, _constant_Q), conditions=CONSTANT),
    eq178.variant("small", conditions=(*CONSTANT, AGREE[0]), changes=_at_alpha),
    eq179 := _constant("179", "959")(
        "the numbers put in",
        le(_total, _constant_QZ * Dht + _constant_Q * T * omega2),
        uses=("eq176", "eq177", "eq178"),
    ),
    eq179.variant(
        "falling",
        conditions=(*CONSTANT, AGREE[0], ge(Dht, 0)),
        uses=("eq176", "eq177/small", "eq178/small"),
        changes="the loss of memory and current data falls over the run, and alpha <= 1/L",
    ),
    _constant("180", "963")(
        "the mean over the rounds",
        le(_total / T, _constant_QZ / T * Dht + _constant_Q * omega2),
        uses=("eq179",),
    ),
    at("Lemma 18", "929-974")(
        "lem18/heterogeneity",
        "with a constant rate on the current data the forgetting term by the gap between memory and current data",
        le(GAMMA_15, _agree * gap2 / (120 * L)),
        terms={"gap": _agree * gap2 / (120 * L)},
        conditions=(
            lt(alpha, 1 / L),
            *TWELFTH,
            le(beta, 9 * (1 - L * alpha) / (10 * L * E)),
            eq(beta, 1 / (60 * L * E)),
        ),
        assumes=SMOOTH,
        uses=("lem4/heterogeneity",),
        changes="without Lemma 3, Assumptions 2 and 3 and omega^2, for alpha <= 53/(54L), which is what the last condition says",
    ),
    at("Lemma 18", "929-974")(
        "lem18.floor",
        "past and current losses -L|x|^2/2, alpha = 1/L: all assumptions hold, with omega^2 = 0, and the mean forgetting "
        "grows with T",
        ge(forget_mean, L * x0**2 / 7200 * 4 ** (T - 1) / T),
        conditions=(*RATE, eq(alpha, 1 / L), eq(beta, 1 / (60 * L))),
        assumes=MEMORY,
        hypotheses=(Hypothesis.PARABOLA,),
        uses=("lem4.floor.sum/limit",),
    ),
    at("Lemma 18, Eq. (172), (182)-(183)", "929-974")(
        "lem18",
        "with a constant rate on the current data the mean forgetting term is of order 1/T + 1",
        Scaling({"descent": _constant_QZ * Dht / T, "spread": _constant_Q * omega2}, {}, 1 / T + 1, (T,)),
        conditions=CONSTANT,
        assumes=MEMORY,
        uses=("eq180",),
    ),
)

STATEMENTS = (*RUN, *CONSTANT_RATE)
