"""C-FLAG, Theorems 2 and 5 and Corollary 17: convergence on the past data, line by line.

Indexed quantities are expectations over the memories, by round. The forgetting term is that of Eq. (10) where the source
does not say; with sums from k = 0 it is that of Eq. (15), with which Lemma 1 holds.
"""

from __future__ import annotations

import sympy as sp

from bounds.cflag.forgetting import FACTOR, fb, forgetting, overfitting
from bounds.cflag.growth import Q, Z, gap2
from bounds.cflag.symbols import CFLAG, Dht, E, F, L, T, alpha, beta, c, m, omega2, source
from bounds.statement import Scaling, Statement

_define = CFLAG.define

least_gf2 = _define(
    "least_gf2",
    "least expected squared gradient of the past data over the rounds",
    "nonnegative",
    r"\min_t\mathbb E\|\nabla f(\mathbf x_t)\|^2",
)
average_gf2 = _define(
    "average_gf2",
    "mean over the rounds of the expected squared gradient of the past data",
    "nonnegative",
    r"\frac1T\sum_t\mathbb E\|\nabla f(\mathbf x_t)\|^2",
)
each_gf2 = _define(
    "each_gf2",
    "expected squared gradient of the past data in a round",
    "nonnegative",
    r"\mathbb E\|\nabla f(\mathbf x_t)\|^2",
)
falls = _define(
    "falls",
    "expected fall of the past loss in a round",
    "real",
    r"\mathbb E[f(\mathbf x_t)-f(\mathbf x_{t+1})]",
)
over_each = _define("over_each", "expected overfitting term of a round", "real", r"\mathbb E B(t)")
over_each_late = _define("over_each_late", "the same with sums from k = 1", "real", r"\mathbb E B(t)")
forget_each = _define("forget_each", "expected forgetting term of a round", "real", r"\mathbb E\Gamma(t)")
forget_each_late = _define("forget_each_late", "the same with sums from k = 1", "real", r"\mathbb E\Gamma(t)")
F_path = _define(
    "F_path",
    "fall of the past loss over the run, for the memories drawn",
    "real",
    r"f(\mathbf x_0)-f(\mathbf x_T)",
)
first_x = _define("first_x", "first coordinate of the first model, in size", "positive", r"|x_{0,1}|")
calls = _define("calls", "gradients of samples in a round", "positive")
reach = _define("reach", "constant of the order of Theorem 5", "positive", "C")
precision = _define("precision", "reciprocal of epsilon", "positive", r"\epsilon^{-1}")
t = sp.Symbol("t", integer=True)
fs_mean, fbs, bss, bss_late, s2s, s2s_late, dss, dss_late = (
    sp.IndexedBase(name)
    for name in ("fs_mean", "fbs", "bss", "bss_late", "s2s", "s2s_late", "dss", "dss_late")
)
"""Expectations by round: past loss; inner products and squares of `bounds.cflag.forgetting`."""

_half = sp.Rational(1, 2)
GAMMA_10 = forgetting(sp.Integer(1), s2s_late[t], dss_late[t])
GAMMA_35 = forgetting(_half, s2s_late[t], dss_late[t])
GAMMA_15 = forgetting(_half, s2s[t], dss[t])
RATE = (sp.Eq(alpha, 1 / (L * (m + 1))),)
MEMORY = ("cflag.ass2",)
_all = "sums from k = 0, as in Eq. (15)"
_drawn = "the memories are drawn anew in every round"


def over_rounds(summand: sp.Expr) -> sp.Expr:
    """Sum over t = 0..T-1."""
    return sp.Sum(summand, (t, 0, T - 1))


def _bound(gamma: sp.Expr) -> sp.Expr:
    return 2 * L * (1 + m) / T * (F + over_rounds(gamma))


def _theorem(reading: str, relation: sp.Basic, changes: str, uses: tuple[str, ...]) -> Statement:
    return Statement(
        f"cflag.thm2{reading}",
        "the least expected squared gradient of the past data by the fall of their loss and the cumulative forgetting",
        relation,
        source("Theorem 2", "136-142, 585-601"),
        RATE,
        MEMORY,
        uses,
        changes=changes,
    )


def _line(
    number: str,
    says: str,
    relation: sp.Basic,
    lines: str,
    uses: tuple[str, ...] = (),
    changes: str = "",
    conditions: tuple = RATE,
    assumes: tuple[str, ...] = MEMORY,
) -> Statement:
    return Statement(
        f"cflag.eq{number}",
        says,
        relation,
        source(f"Theorem 2, Eq. ({number.split('/')[0]})", lines),
        conditions,
        assumes,
        tuple(f"cflag.{used}" for used in uses),
        changes=changes,
    )


_each = lambda over, gamma: sp.Le(each_gf2, (falls + over + gamma) / FACTOR)  # noqa: E731
_falls = fs_mean[t] - fs_mean[t + 1]
_overfit = lambda along: overfitting(along).subs(fb, fbs[t])  # noqa: E731
_summed = lambda along, gamma: over_rounds(_overfit(along) + gamma)  # noqa: E731
_without = lambda gamma: sp.Le(average_gf2, (F + over_rounds(gamma)) / (T * FACTOR))  # noqa: E731
_lemma_all = "cflag.lem1/all-steps"

THEOREM = (
    _theorem("", sp.Le(least_gf2, _bound(GAMMA_10)), "", tuple(f"cflag.eq{n}" for n in range(60, 66))),
    _theorem(
        "/eq15",
        sp.Le(least_gf2, _bound(GAMMA_15)),
        _all,
        ("cflag.eq60/all-steps", "cflag.eq61", "cflag.eq63", "cflag.eq64/all-steps", "cflag.eq65"),
    ),
    _theorem(
        "/redrawn",
        sp.Le(least_gf2, _bound(GAMMA_15)),
        f"{_drawn}; {_all}",
        ("cflag.eq60/all-steps", "cflag.eq61", "cflag.eq63", "cflag.eq64/redrawn", "cflag.eq65"),
    ),
    _theorem(
        "/path",
        sp.Le(least_gf2, 2 * L * (1 + m) / T * (F_path + over_rounds(GAMMA_15))),
        f"F for the memories drawn, whatever they are, as it is defined; {_all}",
        ("cflag.eq64/all-steps",),
    ),
    Statement(
        "cflag.thm2.rate",
        "alpha = 1/(L(m+1)) meets the condition of Lemma 1 with room",
        sp.Lt(1 / (L * (m + 1)), 2 / (L * (1 + m)), evaluate=False),
        source("Theorem 2; Lemma 1", "138, 118"),
    ),
    _line("60", "Lemma 1 in expectation", _each(over_each_late, forget_each_late), "591", ("lem1/eq35",)),
    _line(
        "60/all-steps",
        "Lemma 1 in expectation",
        _each(over_each, forget_each),
        "591",
        ("lem1/all-steps",),
        _all,
    ),
    _line("61", "the least is at most the mean", sp.Le(least_gf2, average_gf2), "595", (), "", (), ()),
    _line(
        "62",
        "the mean of Eq. (60)",
        sp.Le(average_gf2, over_rounds(_falls + _overfit(bss_late[t]) + GAMMA_35) / (T * FACTOR)),
        "596",
        ("eq60",),
    ),
    _line(
        "62/all-steps",
        "the mean of Eq. (60)",
        sp.Le(average_gf2, over_rounds(_falls + _overfit(bss[t]) + GAMMA_15) / (T * FACTOR)),
        "596",
        ("eq60/all-steps",),
        _all,
    ),
    _line(
        "63",
        "the losses telescope",
        sp.Eq(over_rounds(_falls), fs_mean[0] - fs_mean[T]),
        "597",
        (),
        "",
        (),
        (),
    ),
    _line(
        "64",
        "the overfitting terms are left out",
        _without(GAMMA_35),
        "598",
        ("eq62", "eq63", "lem8.overfitting"),
    ),
    _line(
        "64/all-steps",
        "the overfitting terms are left out",
        _without(GAMMA_15),
        "598",
        ("eq62/all-steps", "eq63", "lem8.overfitting"),
        _all,
    ),
    _line(
        "64/redrawn",
        "the overfitting terms are left out",
        _without(GAMMA_15),
        "598",
        ("eq62/all-steps", "eq63", "lem8.overfitting/redrawn"),
        f"{_drawn}; {_all}",
    ),
    _line(
        "65",
        "the factor at alpha = 1/(L(m+1))",
        sp.Eq((1 / (T * FACTOR)).subs(alpha, 1 / (L * (m + 1))), 2 * L * (1 + m) / T, evaluate=False),
        "599",
        (),
        "",
        (),
        (),
    ),
)

_steps = {beta: c / sp.sqrt(T), alpha: 1 / (L * (m + 1))}
_order = 1 / sp.sqrt(T)
_twice = 2 * L * (1 + m)
BOTH = ("cflag.ass2", "cflag.ass3")
_terms = {"start": _twice * F / T, "descent": _twice * Q / Z * Dht / T, "spread": _twice * Q * omega2}

LIMIT = (
    Statement(
        "cflag.thm5",
        "the least expected squared gradient of the past data is of order 1/sqrt(T)",
        Scaling(_terms, _steps, _order, (T,)),
        source("Theorem 5, Eq. (13), (168)", "162-166, 895-906"),
        RATE,
        BOTH,
        ("cflag.thm2", "cflag.lem4"),
    ),
    Statement(
        "cflag.thm5.floor",
        "two clients whose memories cancel with probability 1/4: all assumptions hold, and no round has an expected "
        "squared gradient below this (past losses may go on linearly beyond the run, so that omega^2 is finite)",
        sp.Ge(each_gf2, L**2 * first_x**2 / 64),
        source("Theorem 5", "162-166"),
        RATE,
        BOTH,
    ),
    Statement(
        "cflag.thm5/redrawn",
        "the least expected squared gradient of the past data is of order 1/sqrt(T)",
        Scaling(
            {"start": _twice * F / T, "gap": _twice * beta * E * (1 - L * alpha) * gap2 / 2},
            _steps,
            _order,
            (T,),
        ),
        source("Theorem 5, Eq. (13), (168)", "162-166, 895-906"),
        RATE,
        MEMORY,
        ("cflag.thm2/redrawn", "cflag.lem4/heterogeneity"),
        changes=f"{_drawn}; the gradients of memory and current data differ by a bounded vector; m >= 1",
    ),
    Statement(
        "cflag.eq169",
        "if Theorem 5 holds with a constant C, C^2/epsilon^2 rounds suffice, each with a number of gradients that does "
        "not depend on epsilon",
        Scaling({"calls": calls * T}, {T: (reach * precision) ** 2}, precision**2, (precision,)),
        source("Corollary 17, Eq. (169)-(170)", "910-925"),
        uses=("cflag.thm5",),
    ),
    Statement(
        "cflag.cor17",
        "an accuracy epsilon is reached: with rounds enough some expected squared gradient is below epsilon",
        Scaling({"start": _twice * F / T, "spread": _twice * Q * omega2}, _steps, _order, (T,)),
        source("Corollary 17, Eq. (169)-(171)", "910-925"),
        RATE,
        BOTH,
        ("cflag.thm5", "cflag.eq169"),
    ),
)

STATEMENTS = (*THEOREM, *LIMIT)
