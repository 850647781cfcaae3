"""C-FLAG, Theorems 2 and 5 and Corollary 17: convergence on the past data, line by line.

Indexed quantities are expectations over the memories, by round. The forgetting term is that of Eq. (10) where the source
does not say; with sums from k = 0 it is that of Eq. (15), with which Lemma 1 holds.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import sympy as sp

from bounds.cflag.forgetting import BIAS, FACTOR, fb, forgetting, overfitting
from bounds.cflag.growth import Q, Z
from bounds.cflag.symbols import CFLAG, Dht, F, L, T, alpha, at, beta, c, line, m, omega2
from bounds.hypotheses import Hypothesis
from bounds.relations import eq, ge, le, lt
from bounds.statement import Scaling

_positive, _nonnegative, _real = CFLAG.positive, CFLAG.nonnegative, CFLAG.real

least_gf2 = _nonnegative(
    "least_gf2",
    "least expected squared gradient of the past data over the rounds",
    r"\min_t\mathbb E\|\nabla f(\mathbf x_t)\|^2",
)
average_gf2 = _nonnegative(
    "average_gf2",
    "mean over the rounds of the expected squared gradient of the past data",
    r"\frac1T\sum_t\mathbb E\|\nabla f(\mathbf x_t)\|^2",
)
each_gf2 = _nonnegative(
    "each_gf2",
    "expected squared gradient of the past data in a round",
    r"\mathbb E\|\nabla f(\mathbf x_t)\|^2",
)
falls = _real(
    "falls", "expected fall of the past loss in a round", r"\mathbb E[f(\mathbf x_t)-f(\mathbf x_{t+1})]"
)
over_each = _real("over_each", "expected overfitting term of a round", r"\mathbb E B(t)")
over_each_late = _real(
    "over_each_late", "expected overfitting term of a round with sums from k = 1", r"\mathbb E B_{k\geq1}(t)"
)
forget_each = _real("forget_each", "expected forgetting term of a round", r"\mathbb E\Gamma(t)")
forget_each_late = _real(
    "forget_each_late",
    "expected forgetting term of a round with sums from k = 1",
    r"\mathbb E\Gamma_{k\geq1}(t)",
)
F_path = _real(
    "F_path", "fall of the past loss over the run, for the memories drawn", r"f(\mathbf x_0)-f(\mathbf x_T)"
)
first_x = _positive("first_x", "first coordinate of the first model, in size", r"|x_{0,1}|")
calls = _positive("calls", "gradients of samples in a round")
reach = _positive("reach", "constant of the order of Theorem 5", "C")
precision = _positive("precision", "reciprocal of epsilon", r"\epsilon^{-1}")
t = sp.Symbol("t", integer=True)
fs_mean, fbs, bss, bss_late, s2s, s2s_late, dss, dss_late = (
    sp.IndexedBase(name)
    for name in ("fs_mean", "fbs", "bss", "bss_late", "s2s", "s2s_late", "dss", "dss_late")
)
CFLAG.series(fs_mean, "expected loss of the past data before each round, and after the last", r"\mathbb E f")
CFLAG.series(fbs, "expected bias along the gradient, by round", r"\mathbb E\langle\nabla f,b\rangle")
CFLAG.series(
    bss,
    "expected sum of the delayed gradients along the bias, by round",
    r"\mathbb E\langle b,\mathbf s\rangle",
)
CFLAG.series(
    bss_late,
    "expected sum of the delayed gradients from step 1 on along the bias, by round",
    r"\mathbb E\langle b,\mathbf s'\rangle",
)
CFLAG.series(s2s, "expected squared sum of the delayed gradients, by round", r"\mathbb E\|\mathbf s\|^2")
CFLAG.series(
    s2s_late,
    "expected squared sum of the delayed gradients from step 1 on, by round",
    r"\mathbb E\|\mathbf s'\|^2",
)
CFLAG.series(
    dss,
    "expected sum of the delayed gradients along the memory gradient, by round",
    r"\mathbb E\langle\nabla f^\dagger,\mathbf s\rangle",
)
CFLAG.series(
    dss_late,
    "expected sum of the delayed gradients from step 1 on along the memory gradient, by round",
    r"\mathbb E\langle\nabla f^\dagger,\mathbf s'\rangle",
)

_half = sp.Rational(1, 2)
GAMMA_10 = forgetting(sp.Integer(1), s2s_late[t], dss_late[t])
GAMMA_35 = forgetting(_half, s2s_late[t], dss_late[t])
GAMMA_15 = forgetting(_half, s2s[t], dss[t])
RATE = (eq(alpha, 1 / (L * (m + 1))),)
KNOWN_M = (*RATE, BIAS)
"""With what Lemma 9 says of m, which the theorem has from there."""
MEMORY = ("ass1", "ass2")
_all = "sums from k = 0, as in Eq. (15)"
_drawn = "the memories are redrawn in every round"
_lemma_9 = "m is that of Lemma 9, whose inequality is a condition"


def over_rounds(summand: sp.Expr) -> sp.Expr:
    """Sum over t = 0..T-1."""
    return sp.Sum(summand, (t, 0, T - 1))


def _bound(gamma: sp.Expr, start: sp.Expr = F) -> dict[str, Any]:
    """The relation of Theorem 2 with a forgetting term and a fall of the past loss, and its terms."""
    factor = 2 * L * (1 + m) / T
    return {
        "relation": le(least_gf2, factor * (start + over_rounds(gamma))),
        "terms": {"start": factor * start, "forgetting": factor * over_rounds(gamma)},
    }


_line = partial(line, of="Theorem 2, ")
_mean = partial(_line, conditions=RATE, assumes=MEMORY)


def _each(over: sp.Expr, gamma: sp.Expr) -> sp.Rel:
    """Descent of one round, solved for the squared gradient."""
    return le(each_gf2, (falls + over + gamma) / FACTOR)


_falls = fs_mean[t] - fs_mean[t + 1]


def _overfit(along: sp.Expr) -> sp.Expr:
    """The overfitting term of one round."""
    return overfitting(along).subs(fb, fbs[t])


def _summed(along: sp.Expr, gamma: sp.Expr) -> sp.Expr:
    """Overfitting and forgetting over all rounds."""
    return over_rounds(_overfit(along) + gamma)


def _without(gamma: sp.Expr) -> sp.Rel:
    """The mean squared gradient without overfitting."""
    return le(average_gf2, (F + over_rounds(gamma)) / (T * FACTOR))


THEOREM = (
    thm2 := at("Theorem 2", "136-142, 585-601")(
        "thm2",
        "the least expected squared gradient of the past data by the fall of their loss and the cumulative forgetting",
        **_bound(GAMMA_10),
        conditions=RATE,
        assumes=MEMORY,
        uses=tuple(f"eq{n}" for n in range(60, 66)),
    ),
    at("Theorem 2; Appendix 4 and Table 5", "136-142, 1085")(
        "thm2.applicability",
        "the experiments have rounds enough for Theorem 2 to say more than the trivial bound, where the past loss falls to its least",
        thm2.relation,
        conditions=(*RATE, ge(T, m + 1)),
        changes="our own question: 2 L (m + 1) F/T, what is left where nothing is forgotten, against 2 L F, which smoothness gives "
        "at the start (thm5.free)",
    ),
    thm2.variant(
        "eq15",
        **_bound(GAMMA_15),
        uses=("eq60/all-steps", "eq61", "eq63", "eq64/all-steps", "eq65"),
        changes=_all,
    ),
    thm2.variant(
        "redrawn",
        **_bound(GAMMA_15),
        conditions=KNOWN_M,
        uses=("eq60/all-steps", "eq61", "eq63", "eq64/redrawn", "eq65"),
        changes=f"{_drawn}; {_all}; {_lemma_9}",
    ),
    thm2.variant(
        "path",
        **_bound(GAMMA_15, F_path),
        uses=("eq64/all-steps",),
        changes=f"F for the memories drawn, whatever they are, as it is defined; {_all}",
    ),
    at("Theorem 2; Lemma 1", "138, 118")(
        "thm2.rate",
        "alpha = 1/(L(m+1)) meets the condition of Lemma 1 with slack",
        lt(1 / (L * (m + 1)), 2 / (L * (1 + m))),
    ),
    eq60 := _mean("60", "591")(
        "Lemma 1 in expectation", _each(over_each_late, forget_each_late), uses=("lem1/eq35",)
    ),
    eq60.variant(
        "all-steps",
        _each(over_each, forget_each),
        conditions=KNOWN_M,
        uses=("lem1/all-steps",),
        changes=f"{_all}; {_lemma_9}",
    ),
    _line("61", "595")("the least is at most the mean", le(least_gf2, average_gf2)),
    eq62 := _mean("62", "596")(
        "the mean of Eq. (60)",
        le(average_gf2, over_rounds(_falls + _overfit(bss_late[t]) + GAMMA_35) / (T * FACTOR)),
        uses=("eq60",),
    ),
    eq62.variant(
        "all-steps",
        le(average_gf2, over_rounds(_falls + _overfit(bss[t]) + GAMMA_15) / (T * FACTOR)),
        conditions=KNOWN_M,
        uses=("eq60/all-steps",),
        changes=f"{_all}; {_lemma_9}",
    ),
    _line("63", "597")("the losses telescope", eq(over_rounds(_falls), fs_mean[0] - fs_mean[T])),
    eq64 := _mean("64", "598")(
        "the overfitting terms are left out", _without(GAMMA_35), uses=("eq62", "eq63", "lem8.overfitting")
    ),
    eq64.variant(
        "all-steps", _without(GAMMA_15), uses=("eq62/all-steps", "eq63", "lem8.overfitting"), changes=_all
    ),
    eq64.variant(
        "redrawn",
        _without(GAMMA_15),
        conditions=KNOWN_M,
        uses=("eq62/all-steps", "eq63", "lem8.overfitting/redrawn"),
        changes=f"{_drawn}; {_all}; {_lemma_9}",
    ),
    _line("65", "599")(
        "the factor at alpha = 1/(L(m+1))",
        eq((1 / (T * FACTOR)).subs(alpha, 1 / (L * (m + 1))), 2 * L * (1 + m) / T),
    ),
)

_steps = {beta: c / sp.sqrt(T), alpha: 1 / (L * (m + 1))}
_order = 1 / sp.sqrt(T)
_twice = 2 * L * (1 + m)
BOTH = ("ass1", "ass2", "ass3")
_terms = {"start": _twice * F / T, "descent": _twice * Q / Z * Dht / T, "spread": _twice * Q * omega2}

LIMIT = (
    thm5 := at("Theorem 5, Eq. (13), (168)", "162-166, 895-906")(
        "thm5",
        "the least expected squared gradient of the past data is of order 1/sqrt(T)",
        Scaling(_terms, _steps, _order, (T,)),
        conditions=RATE,
        assumes=BOTH,
        uses=("thm2", "lem4"),
    ),
    at("Theorem 5", "162-166")(
        "thm5.floor",
        "two clients whose memories cancel with probability 1/4: all assumptions hold, and no round has an expected "
        "squared gradient below this (past losses may go on linearly beyond the run, so that omega^2 is finite)",
        ge(each_gf2, L**2 * first_x**2 / 64),
        conditions=RATE,
        assumes=BOTH,
        uses=("thm5.floor.frozen",),
        hypotheses=(Hypothesis.CANCELLING,),
    ),
    at("Theorem 2, for two clients whose memories may cancel", "136-142, 585-601")(
        "thm2.floor",
        "the left side of Theorem 2 is at least T/(16(1+m)) times its right side without forgetting terms, which are as small as "
        "the gradient of the current data: the theorem fails by a factor that grows with T",
        le(2 * L * (1 + m) / T * F, 16 * (1 + m) / T * each_gf2),
        conditions=RATE,
        assumes=BOTH,
        uses=("thm5.floor",),
        hypotheses=(Hypothesis.CANCELLING,),
    ),
    at("Corollary 17, Eq. (169)-(170)", "910-925")(
        "eq169",
        "if Theorem 5 holds with a constant C, C^2/epsilon^2 rounds suffice, each with a number of gradients that does "
        "not depend on epsilon",
        Scaling({"calls": calls * T}, {T: (reach * precision) ** 2}, precision**2, (precision,)),
        uses=("thm5",),
    ),
    at("Corollary 17, Eq. (169)-(171)", "910-925")(
        "cor17",
        "an accuracy epsilon is reached: with rounds enough some expected squared gradient is below epsilon",
        Scaling(_terms, _steps, _order, (T,)),
        conditions=RATE,
        assumes=BOTH,
        uses=("thm5", "eq169"),
    ),
)

STATEMENTS = (*THEOREM, *LIMIT)
