"""C-FLAG, Theorems 2 and 5 with memories redrawn in every round: their proofs, by what one round does in expectation."""

from __future__ import annotations

from functools import partial

import sympy as sp

from bounds.cflag.drift_lemmas import SMOOTH
from bounds.cflag.floors import forget_sum, forget_sum_next
from bounds.cflag.forgetting import forgetting
from bounds.cflag.growth import TWELFTH
from bounds.cflag.rate import KNOWN_M, forget_each, least_gf2
from bounds.cflag.repairs import gap2_most
from bounds.cflag.so_far import passed
from bounds.cflag.symbols import CFLAG, E, L, alpha, at, beta, m
from bounds.relations import eq, ge, le

_nonnegative, _real = CFLAG.nonnegative, CFLAG.real

gf2_mean = _nonnegative(
    "gf2_mean",
    "expected squared gradient of the past data in a round",
    r"\mathbb E\|\nabla f(\mathbf x_t)\|^2",
)
gf2_mean_next = _nonnegative("gf2_mean_next", "the same one round later")
gf2_sum = _nonnegative("gf2_sum", "sum of these over the rounds that are over")
gf2_sum_next = _nonnegative("gf2_sum_next", "the same one round later")
least_gf2_next = _nonnegative("least_gf2_next", "the least of them one round later")
gap2_mean = _nonnegative(
    "gap2_mean",
    "expected squared difference between the gradients of current data and memory in a round",
    r"\mathbb E\|\nabla g(\mathbf x_t)-\nabla f^\dagger(\mathbf x_t)\|^2",
)
gap2_mean_next = _nonnegative("gap2_mean_next", "the same one round later")
gap2_sum = _nonnegative("gap2_sum", "sum of these over the rounds that are over")
gap2_sum_next = _nonnegative("gap2_sum_next", "the same one round later")
gap2_most_next = _nonnegative("gap2_most_next", "the largest such difference one round later")
gg2_mean = _nonnegative("gg2_mean", "expected squared gradient of the current data in a round")
s2_mean = _nonnegative("s2_mean", "expected squared sum of the delayed gradients of a round")
ds_mean = _real("ds_mean", "expected inner product of that sum with the memory gradient")
gs_mean = _real("gs_mean", "expected inner product of that sum with the gradient of the current data")
forget_each_next = _real("forget_each_next", "the same one round later")
f_first = _real("f_first", "loss of the past data at the start", r"f(\mathbf x_0)")
f_mean = _real("f_mean", "expected loss of the past data before a round", r"\mathbb E f(\mathbf x_t)")
f_mean_next = _real("f_mean_next", "the same one round later")

_half = sp.Rational(1, 2)
_agree = 1 - L * alpha
_along = sp.Rational(264, 529)
SHORT_STEPS = (*TWELFTH, le(beta, 9 * (1 - L * alpha) / (10 * L * E)))
RATES = (*KNOWN_M, *SHORT_STEPS)
_FORGOT = forgetting(_half, s2_mean, ds_mean)
_anew = partial(at, "Theorem 5, with memories redrawn in every round", "162-166, 895-906")
_anew_2 = at(
    "Theorem 2, with memories redrawn in every round",
    "136-142, 585-601",
    conditions=KNOWN_M,
    assumes=("ass1", "ass2"),
)
EACH = eq(forget_each, _FORGOT)
ADDED = eq(forget_sum_next, forget_sum + forget_each)
DESCENT_ANEW = le(gf2_mean, 2 * L * (1 + m) * (f_mean - f_mean_next + _FORGOT))
GAP = L * (1 + m) * beta * E * _agree

STATEMENTS = (
    _anew(assumes=("ass1", "ass2"))(
        "thm5.redrawn.descent",
        "a round in expectation: the past loss falls by the squared gradient, up to what is forgotten",
        DESCENT_ANEW,
        conditions=KNOWN_M,
    ),
    _anew(assumes=SMOOTH)(
        "thm5.redrawn.along",
        "the delayed gradients go along the memory gradient, but for its difference from the current one",
        ge(ds_mean, _along * E * gg2_mean - E * gap2_mean / 2),
        conditions=TWELFTH,
    ),
    _anew(assumes=SMOOTH)(
        "thm5.redrawn.length",
        "and their square is outweighed by that",
        le(L * beta * s2_mean, 2 * _along * _agree * E * gg2_mean),
        conditions=RATES,
    ),
    _anew(assumes=SMOOTH)(
        "thm5.redrawn.forgets",
        "a round forgets no more in expectation than the gap between memory and current data",
        le(_FORGOT, beta * E * _agree * gap2_mean / 2),
        conditions=RATES,
        uses=("thm5.redrawn.along", "thm5.redrawn.length"),
    ),
    _anew(assumes=(*SMOOTH, "ass2"))(
        "thm5.redrawn.round",
        "a round in expectation: the squared gradient by the fall of the past loss and that gap",
        le(gf2_mean, 2 * L * (1 + m) * (f_mean - f_mean_next) + GAP * gap2_mean),
        conditions=RATES,
        uses=("thm5.redrawn.descent", "thm5.redrawn.forgets"),
    ),
    _anew()(
        "thm5.redrawn.sum",
        "the rounds together: the sum of the squared gradients by the fall of the past loss and the sum of the gaps",
        le(gf2_sum, 2 * L * (1 + m) * (f_first - f_mean) + GAP * gap2_sum),
        conditions=RATES,
        assumes=(*SMOOTH, "ass2"),
        uses=("thm5.redrawn.round",),
    ),
    _anew_2(
        "thm2.redrawn.round",
        "a round in expectation: the squared gradient by the fall of the past loss and what is forgotten",
        le(gf2_mean, 2 * L * (1 + m) * (f_mean - f_mean_next + forget_each)),
        uses=("thm5.redrawn.descent",),
    ),
    _anew_2(
        "thm2.redrawn.sum",
        "the rounds together: the sum of the squared gradients by the fall of the past loss and the forgetting of all rounds",
        le(gf2_sum, 2 * L * (1 + m) * (f_first - f_mean + forget_sum)),
        uses=("thm2.redrawn.round",),
    ),
    _anew_2(
        "thm2.redrawn.rounds",
        "after any number of rounds: the least expected squared gradient of the past data by the fall of their loss and the "
        "forgetting of all rounds",
        le(passed * least_gf2, 2 * L * (1 + m) * (f_first - f_mean + forget_sum)),
        uses=("thm2.redrawn.sum", "thm5.redrawn.least"),
    ),
    _anew()("thm5.redrawn.least", "the least is at most the mean", le(passed * least_gf2, gf2_sum)),
    _anew()("thm5.redrawn.most", "the gaps add up to at most the largest", le(gap2_sum, passed * gap2_most)),
)
