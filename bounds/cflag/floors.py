"""C-FLAG, lower bounds of Lemmas 4 and 18 and of Theorem 5: what one round does to the runs that they speak of."""

from __future__ import annotations

import sympy as sp

from bounds.cflag.forgetting import RATE
from bounds.cflag.rate import first_x
from bounds.cflag.symbols import CFLAG, L, alpha, at, beta
from bounds.hypotheses import Hypothesis
from bounds.relations import eq, ge

_nonnegative, _real = CFLAG.nonnegative, CFLAG.real

x2_now = _nonnegative("x2_now", "squared norm of the model before a round", r"\|\mathbf x_t\|^2")
x2_next = _nonnegative("x2_next", "the same one round later", r"\|\mathbf x_{t+1}\|^2")
least2 = _nonnegative("least2", "what that is at least, by growth from the start")
least2_next = _nonnegative("least2_next", "the same one round later")
least2_before = _nonnegative("least2_before", "the same one round before; 0 before the first round")
forget_sum = _real(
    "forget_sum", "sum of the forgetting terms of the rounds so far", r"\sum_{\tau<t}\Gamma(\tau)"
)
forget_sum_next = _real("forget_sum_next", "the same one round later")
frozen2 = _nonnegative(
    "frozen2", "squared first coordinate of the model, if the memories cancel", r"x_{t,1}^2"
)
frozen2_next = _nonnegative("frozen2_next", "the same one round later")

_half = sp.Rational(1, 2)
LARGE = (*RATE, eq(alpha, 3 / (2 * L)))
"""A rate at which Lemma 4 fails."""
LIMIT = (*RATE, eq(alpha, 1 / L))
"""The first such rate."""
_limit = "alpha = 1/L in place of 3/(2L)"
PARABOLA, CANCELLING = (Hypothesis.PARABOLA,), (Hypothesis.CANCELLING,)
_concave = at("Lemma 4, for past and current losses -L|x|^2/2", "154-158", hypotheses=PARABOLA)

STATEMENTS = (
    apart := _concave(
        "lem4.floor.apart",
        "the model goes away from the origin at least as fast as by a factor of 5/2 in every round",
        ge(x2_now, least2),
        conditions=LARGE,
    ),
    apart.variant("limit", says="by a factor of 2", conditions=LIMIT, changes=_limit),
    total := _concave(
        "lem4.floor.sum",
        "the forgetting terms add up to at least what the last round adds",
        ge(forget_sum, beta * L**2 / 2 * least2_before),
        conditions=LARGE,
        uses=("lem4.floor.apart",),
    ),
    total.variant(
        "limit",
        ge(forget_sum, beta**2 * L**3 / 2 * least2_before),
        conditions=LIMIT,
        uses=("lem4.floor.apart/limit",),
        changes=_limit,
    ),
    at("Theorem 5, for two clients whose memories may cancel", "162-166")(
        "thm5.floor.frozen",
        "if the memories cancel, the first coordinate of the model stays where it is",
        ge(frozen2, first_x**2),
        hypotheses=CANCELLING,
    ),
)
STEP = ge(x2_next, x2_now * (1 + L * (alpha + beta)) ** 2)
ADDED = ge(forget_sum_next, forget_sum + L**2 * x2_now * (L * beta**2 * _half - beta * (1 - L * alpha)))
