"""Local SGD on heterogeneous data: convex losses, with the noise sigma_dif^2 of the clients at the optimum only.

Every sampled loss is smooth and convex. The theorem and its lemmas are written from memory of arXiv:1909.04746; its text was
not at hand. The proof of the bound of the local models is our own.
"""

from __future__ import annotations

import sympy as sp

from bounds.localsgd.symbols import (
    GLOSSARY,
    H,
    L,
    M,
    T,
    apart,
    at,
    bregman,
    distance2,
    distance2_0,
    drift,
    excess,
    far,
    gamma,
    gap,
    spent,
    t,
)
from bounds.relations import eq, ge, le

_nonnegative = GLOSSARY.nonnegative
dif2 = _nonnegative("dif2", "mean square of the sampled gradients at the optimum", r"\sigma_{\mathrm{dif}}^2")
gradient2 = _nonnegative("gradient2", "expected square of the averaged gradient", r"\mathbb E\|g_t\|^2")
gradients2 = _nonnegative(
    "gradients2", "mean square of the clients' gradients", r"\tfrac1M\sum_m\mathbb E\|g_t^m\|^2"
)
inner = GLOSSARY.real(
    "inner",
    "mean inner product of the clients' gradients with the distance",
    r"\tfrac1M\sum_m\langle\hat x_t-x_*,\nabla f_m(x_t^m)\rangle",
)
way2 = _nonnegative(
    "way2", "mean square of the ways since the last communication", r"\tfrac1M\sum_m\|x_t^m-\hat x_{t_p}\|^2"
)
way2_next = _nonnegative(
    "way2_next", "the same after one more step", r"\tfrac1M\sum_m\|x_{t+1}^m-\hat x_{t_p}\|^2"
)
paid = _nonnegative(
    "paid", "sum of the mean squares of the gradients of these steps", r"\sum_i\tfrac1M\sum_m\|g_i^m\|^2"
)
strayed = _nonnegative("strayed", "sum of the distances of the local models", r"\sum_i\mathbb E V_i")
losses = _nonnegative(
    "losses", "sum of the losses of T models above the least loss", r"\sum_i\mathbb E D_f(\hat x_i,x_*)"
)
reach = _nonnegative("reach", "square of the largest number of local steps before a communication", "(H-1)^2")
strays, bills, ways, moves = (
    sp.IndexedBase(sp.Symbol(name, nonnegative=True)) for name in ("strays", "bills", "ways", "moves")
)
GLOSSARY.series(strays, "sum of the distances of the local models, before each step", r"\sum\mathbb E V")
GLOSSARY.series(bills, "sum of the squared gradients, before each step", r"\sum\tfrac1M\sum_m\|g^m\|^2")
GLOSSARY.series(
    ways, "mean square of the ways before each step since a communication", r"\tfrac1M\sum_m\|x^m-\hat x\|^2"
)
GLOSSARY.series(
    moves, "mean square of the clients' gradients in each step", r"\tfrac1M\sum_m\mathbb E\|g^m\|^2"
)
R = GLOSSARY.count("R", "communications")
k = GLOSSARY.count("k", "number of a communication")
apart_sums, loss_sums, step_sums, aparts, costs = (
    sp.IndexedBase(sp.Symbol(name, nonnegative=True))
    for name in ("apart_sums", "loss_sums", "step_sums", "aparts", "costs")
)
lengths = sp.IndexedBase(sp.Symbol("lengths", integer=True, positive=True))
GLOSSARY.series(lengths, "number of steps before each communication, since the one before it", "H")
GLOSSARY.series(aparts, "sum of the distances of the local models over these steps", r"\sum\mathbb E V")
GLOSSARY.series(costs, "sum of the losses over these steps", r"\sum\mathbb E D_f")
GLOSSARY.series(step_sums, "number of all steps before", r"\sum H")
GLOSSARY.series(apart_sums, "sum of the distances over all steps before", r"\sum\sum\mathbb E V")
GLOSSARY.series(loss_sums, "sum of the losses over all steps before", r"\sum\sum\mathbb E D_f")

SHORT = (le(gamma, 1 / (8 * L)), le(64 * gamma**2 * L**2 * reach, 1))
"""Steps of at most 1/(8 L) and 1/(8 L (H - 1))."""
MANY = (ge(M, 2),)
OFTEN = (ge(H, 2), eq(reach, (H - 1) ** 2))
"""At most H steps from one communication to the next, and local steps at all."""


def _averaged(floor: sp.Expr) -> sp.Expr:
    """The right side of the bound on the averaged gradient with a weight of the noise at the optimum."""
    return 2 * L**2 * apart + 8 * L * bregman + floor * dif2 / M


def distance_after_step(before: sp.Expr, apart: sp.Expr, loss: sp.Expr) -> sp.Expr:
    """The bound on the squared distance after a step."""
    grown = gamma * L * (1 + 2 * gamma * L) * apart + 4 * gamma**2 * dif2 / M
    return before + grown - 2 * gamma * (1 - 4 * gamma * L) * loss


GRADIENTS = sp.Rational(12, 5) * L**2, sp.Rational(24, 5) * L, sp.Rational(15, 2)
"""Weights of the distance of the local models, the loss and the noise in the bound of the clients' gradients."""
RATE = {
    "start": 4 * distance2_0 / (gamma * T),
    "noise": 20 * gamma * dif2 / M,
    "local steps": 16 * gamma**2 * L * reach * dif2,
}
AVERAGED = at("Heterogeneous data, averaged gradient", conditions=MANY)(
    "dif.gradient",
    "the averaged gradient is bounded by the distance of the local models, the loss and the noise at the optimum over M",
    le(gradient2, _averaged(sp.Integer(4))),
)
PRODUCT = at("Heterogeneous data, inner product")(
    "dif.product",
    "local gradients lead to the optimum up to the distance of the local models",
    le(-2 * inner, -2 * bregman + L * apart),
)
SQUARE = le(distance2, distance2_0 - 2 * gamma * inner + gamma**2 * gradient2)
LONGER = le(ways[t + 2] / (t + 1), ways[t + 1] / t + gamma**2 * moves[t + 1])
"""The mean square of the ways over the number of steps, in every local step."""
NEAR = le(drift[t + 1], t * gamma**2 * bills[t + 1])
BILLED = (eq(bills[t + 1], bills[t] + moves[t]), eq(bills[1], 0))
STRAYS = (eq(strays[t + 1], strays[t] + drift[t]), eq(strays[1], 0))
SPENT = (eq(spent[t + 1], spent[t] + excess[t]), eq(spent[1], 0))


def gradients(apart: sp.Expr, loss: sp.Expr, steps: sp.Expr) -> sp.Expr:
    """The bound on the clients' squared gradients, summed over some steps."""
    return GRADIENTS[0] * apart + GRADIENTS[1] * loss + GRADIENTS[2] * steps * dif2


def strayed_by(loss: sp.Expr, steps: sp.Expr) -> sp.Expr:
    """The bound on the distances of the local models, summed over some steps."""
    return gamma**2 * reach * (5 * L * loss + 8 * steps * dif2)


IN_EVERY = le(moves[t], gradients(drift[t], excess[t], sp.Integer(1)))
SHORT_WAYS, SQUARES = le(strayed, gamma**2 * reach * paid), le(paid, gradients(strayed, losses, T))
PERIODS = (le(lengths[k], H),)
PERIOD = le(aparts[k], strayed_by(costs[k], lengths[k]))
STRAYED = le(strayed, strayed_by(losses, T))
EVERY = le(far[t + 1], distance_after_step(far[t], drift[t], excess[t]))
MEAN = le(T * gap, losses)
SUM = le(0, distance_after_step(distance2_0, strayed, losses) + 4 * gamma**2 * (T - 1) * dif2 / M)
FINAL = at("Heterogeneous data, theorem", conditions=(*MANY, *SHORT, *OFTEN, *PERIODS, MEAN, SUM, STRAYED))(
    "dif.thm",
    "the loss of the mean model falls like 1/T up to noise over M and (H - 1)^2 gamma^2",
    le(gap, sum(RATE.values())),
    terms=RATE,
    uses=("dif.sum", "dif.run", "thm2.mean"),
)

STATEMENTS = (
    AVERAGED,
    AVERAGED.variant(
        "quarter", le(gradient2, _averaged(sp.Integer(1))), changes="a quarter of the noise, which is false"
    ),
    PRODUCT,
    PRODUCT.variant(
        "half", le(-2 * inner, -2 * bregman + L * apart / 2), changes="half the distance, which is false"
    ),
    at("Heterogeneous data, one step")(
        "dif.square", "a step changes the squared distance by an inner product and a squared gradient", SQUARE
    ),
    at("Heterogeneous data, one step", conditions=(*MANY, SQUARE, PRODUCT.relation, AVERAGED.relation))(
        "dif.step",
        "a step contracts the distance of the averaged model up to the distance of the local models and noise over M",
        le(distance2, distance_after_step(distance2_0, apart, bregman)),
        uses=("dif.square", "dif.product", "dif.gradient"),
    ),
    at("Heterogeneous data, local models")(
        "dif.gradients",
        "the clients' gradients are bounded by the distance of the local models, the loss and the noise at the optimum",
        le(gradients2, gradients(apart, bregman, sp.Integer(1))),
    ),
    at("Heterogeneous data, local models")(
        "dif.mean", "distances from the mean are at most those from the last common model", le(apart, way2)
    ),
    at("Heterogeneous data, local models")(
        "dif.longer",
        "after t local steps, one more step adds its square to the mean square of the ways over their number",
        le(way2_next / (t + 1), way2 / t + gamma**2 * gradients2),
    ),
    at("Heterogeneous data, local models", conditions=(LONGER, eq(ways[2], gamma**2 * moves[1]), *BILLED))(
        "dif.way",
        "the way of T local steps is at most T times the sum of the squared steps",
        le(ways[T + 1], T * gamma**2 * bills[T + 1]),
        uses=("dif.longer",),
    ),
    at("Heterogeneous data, local models", conditions=(*BILLED, NEAR, eq(drift[1], 0), *STRAYS))(
        "dif.summed",
        "so the distances of T local steps add up to at most T (T - 1)/2 times the sum of the squared steps",
        le(strays[T + 1], gamma**2 * T * (T - 1) / 2 * bills[T + 1]),
        uses=("dif.mean", "dif.way"),
    ),
    at("Heterogeneous data, local models", conditions=(*BILLED, *STRAYS, *SPENT, IN_EVERY))(
        "dif.billed",
        "the squared gradients of T steps add up to distances of the local models, losses and noise",
        le(bills[T + 1], gradients(strays[T + 1], spent[T + 1], T)),
        uses=("dif.gradients",),
    ),
    at("Heterogeneous data, local models", conditions=(le(T, H), ge(H, 2)))(
        "dif.count", "T (T - 1)/2 is at most (H - 1)^2 for T <= H", le(T * (T - 1) / 2, (H - 1) ** 2)
    ),
    at("Heterogeneous data, local models", conditions=(le(T, H), *OFTEN, SHORT[1], SHORT_WAYS, SQUARES))(
        "dif.strayed",
        "between communications the distances of the local models add up to (H - 1)^2 gamma^2 times losses and noise",
        STRAYED,
        uses=("dif.summed", "dif.count", "dif.billed"),
    ),
    at(
        "Heterogeneous data, local models",
        conditions=(
            *(SHORT[1], *OFTEN, *PERIODS, PERIOD),
            *(eq(apart_sums[k + 1], apart_sums[k] + aparts[k]), eq(apart_sums[1], 0)),
            *(eq(loss_sums[k + 1], loss_sums[k] + costs[k]), eq(loss_sums[1], 0)),
            *(eq(step_sums[k + 1], step_sums[k] + lengths[k]), eq(step_sums[1], 0)),
        ),
    )(
        "dif.run",
        "the same for all steps before R communications",
        le(apart_sums[R + 1], strayed_by(loss_sums[R + 1], step_sums[R + 1])),
        uses=("dif.strayed",),
    ),
    at("Heterogeneous data, theorem", conditions=(*MANY, EVERY, *SPENT, *STRAYS, le(gamma, 1 / (4 * L))))(
        "dif.sum",
        "the losses of all steps add up to the distance of the start, the distances of the local models and noise",
        le(
            far[T + 1],
            distance_after_step(far[1], strays[T + 1], spent[T + 1]) + 4 * gamma**2 * (T - 1) * dif2 / M,
        ),
        uses=("dif.step",),
    ),
    FINAL,
    FINAL.variant(
        "tenth",
        le(gap, sum(RATE.values()) / 10),
        terms={},
        changes="a tenth of the bound, which the steps of the proof do not imply",
    ),
)
