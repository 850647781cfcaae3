"""C-FLAG: what is true instead of Theorems 2 and 5 and Lemmas 4, 7, 13 and Corollary 14, with constants that are needed.

With memories that are kept, everything holds for whichever memories were drawn: no expectation is taken.
"""

from __future__ import annotations

import sympy as sp

from bounds.cflag.adaptive_lemmas import best_T_w, round_w, sum_I_w
from bounds.cflag.drift_lemmas import QUARTER, SMOOTH, STEPS, TWELFTH, drift, e, lem13
from bounds.cflag.drift_sums import cor14
from bounds.cflag.forgetting import BIAS, bs, forgetting
from bounds.cflag.growth import gap2
from bounds.cflag.rate import KNOWN_M, F_path, least_gf2, over_rounds, t, thm2, thm5
from bounds.cflag.symbols import (
    CFLAG,
    E,
    L,
    T,
    alpha,
    at,
    beta,
    f_next,
    f_now,
    fd2,
    gf2,
    gg,
    k,
    m,
    omega2,
    s2,
)
from bounds.relations import eq, ge, gt, le, lt
from bounds.statement import Scaling

_positive, _nonnegative, _real = CFLAG.positive, CFLAG.nonnegative, CFLAG.real

least_path = _nonnegative(
    "least_path",
    "least squared gradient of the past data over the rounds, for the memories drawn",
    r"\min_t\|\nabla f(\mathbf x_t)\|^2",
)
s2_path, bs_path, ds_path = (sp.IndexedBase(name) for name in ("s2_path", "bs_path", "ds_path"))
CFLAG.series(
    s2_path, "squared sum of the delayed gradients by round, for the memories drawn", r"\|\mathbf s\|^2"
)
CFLAG.series(bs_path, "that sum along the bias", r"\langle b,\mathbf s\rangle")
CFLAG.series(ds_path, "that sum along the memory gradient", r"\langle\nabla f^\dagger,\mathbf s\rangle")
F_most = _nonnegative(
    "F_most", "loss of the past data at the start, less its infimum", r"f(\mathbf x_0)-\inf f"
)
along_T_w = _real(
    "along_T_w",
    "sum of p_i beta_i Lambda_i over the transferring clients at worst-case rates",
    r"\sum_{i\in T}p_i\beta_{t,i}\Lambda_{t,i}",
)
against_I_w = _real(
    "against_I_w",
    "minus the sum of p_i Lambda_i over the interfering clients",
    r"-\sum_{i\in I}p_i\Lambda_{t,i}",
)
s2_most = _nonnegative(
    "s2_most",
    "largest squared sum of the delayed gradients of a round over the rounds",
    r"\max_t\|\mathbf s_t\|^2",
)
g2_most = _nonnegative(
    "g2_most",
    "largest squared gradient of the current data over the rounds",
    r"\max_t\|\nabla g(\mathbf x_t)\|^2",
)
gap2_most = _nonnegative(
    "gap2_most",
    "largest squared difference between the gradients of current data and memory over the rounds and memories",
    r"\max_t\|\nabla g(\mathbf x_t)-\nabla f^\dagger(\mathbf x_t)\|^2",
)
w_least = _positive(
    "w_least",
    "smallest share of the memory in the samples of a client",
    r"\min_i\frac{|\mathcal M^i|}{|\mathcal M^i|+|\mathcal C^i|}",
)
m_root = _positive("m_root", "square root of m", r"\sqrt m")
Lam_each = _real("Lam_each", "Lambda_i of every client", r"\Lambda_{t,i}")
z = _positive("z", "beta L")
grown = _positive("grown", "growth of the drift over k steps, (1 + z)^k")

_half = sp.Rational(1, 2)
_kept = "one memory for all rounds, whichever was drawn"
LIPSCHITZ = (eq(alpha, 1 / L),)
PRINTED = (eq(alpha, 1 / (L * (1 + m))),)
CONTRACTS = (lt(m, 1),)
MEMORY = ("ass1", "ass2")
_summed = ((1 + beta * L) ** E - 1) / (beta * L)
_SHARP = 2 * L * (1 + m) / ((1 - 2 * m_root**3 / (1 + m)) * T)
_pade = (1 + z * k / 2) / (1 - z * k / 2)

PAST = (
    at("Lemma 1", "115-130, 511-583")(
        "thm2.round/fixed",
        "a round at alpha = 1/L lowers the past loss by its squared gradient, up to what the current data do",
        le((1 - m) / (2 * L) * gf2, f_now - f_next + L / 2 * beta**2 * s2 + beta * bs),
        conditions=(*LIPSCHITZ, BIAS),
        assumes=MEMORY,
        uses=("eq36",),
        changes="alpha = 1/L, where all inner products of the gradient of the past data cancel",
    ),
    thm2.variant(
        "fixed",
        le(
            least_path,
            2 * L / ((1 - m) * T) * (F_path + over_rounds(L / 2 * beta**2 * s2_path[t] + beta * bs_path[t])),
        ),
        terms={
            "start": 2 * L / ((1 - m) * T) * F_path,
            "current data": 2
            * L
            / ((1 - m) * T)
            * over_rounds(L / 2 * beta**2 * s2_path[t] + beta * bs_path[t]),
        },
        says="the least squared gradient of the past data by the fall of their loss and what the current data do",
        conditions=(*LIPSCHITZ, *CONTRACTS, BIAS),
        uses=("thm2.round/fixed",),
        changes=f"alpha = 1/L and m < 1; {_kept}, and what it does along the bias is counted",
    ),
    thm2.variant(
        "fixed-rate",
        le(
            least_path,
            _SHARP * (F_path + over_rounds(forgetting(_half, s2_path[t], ds_path[t]) + beta * bs_path[t])),
        ),
        terms={
            "start": _SHARP * F_path,
            "forgetting and overfitting": _SHARP
            * over_rounds(forgetting(_half, s2_path[t], ds_path[t]) + beta * bs_path[t]),
        },
        says="the least squared gradient of the past data by the fall of their loss, forgetting and overfitting",
        conditions=(*PRINTED, *CONTRACTS, eq(m, m_root**2), BIAS),
        uses=("lem1/all-steps",),
        changes=f"m < 1, and a constant that takes up the bias along the gradient; {_kept}, and what the current data do "
        "along the bias is counted",
    ),
    at("Theorem 5, Eq. (13), (168)", "162-166, 895-906")(
        "thm5.past/fixed",
        "the least squared gradient of the past data by their loss and the longest sum of delayed gradients",
        le(
            least_path, 4 * L * F_most / ((1 - m) * T) + 2 * L**2 * (1 + m) * beta**2 * s2_most / (1 - m) ** 2
        ),
        conditions=(*LIPSCHITZ, *CONTRACTS, BIAS),
        assumes=MEMORY,
        uses=("thm2.round/fixed",),
        changes=f"alpha = 1/L, m < 1, past loss bounded below; {_kept}",
    ),
    at("Lemma 15; Theorem 5", "788-820, 162-166")(
        "thm5.longest/fixed",
        "the longest sum of delayed gradients by the largest gradient of the current data",
        le(s2_most, _summed**2 * g2_most),
        assumes=SMOOTH,
        changes="delayed gradients in place of true ones, and growth (1 + beta L)^k",
    ),
    thm5.variant(
        "fixed",
        le(
            least_path,
            4 * L * F_most / ((1 - m) * T)
            + 2 * L**2 * (1 + m) * beta**2 * _summed**2 * g2_most / (1 - m) ** 2,
        ),
        terms={
            "start": 4 * L * F_most / ((1 - m) * T),
            "current data": 2 * L**2 * (1 + m) * beta**2 * _summed**2 * g2_most / (1 - m) ** 2,
        },
        says="the least squared gradient of the past data is at most of order 1/T + beta^2",
        conditions=(*LIPSCHITZ, *CONTRACTS, BIAS),
        assumes=(*SMOOTH, "ass2"),
        uses=("thm5.past/fixed", "thm5.longest/fixed"),
        changes=f"alpha = 1/L, m < 1, past loss bounded below, current gradients bounded along the run; {_kept}",
    ),
    thm5.variant(
        "fixed.order",
        Scaling(
            {
                "start": 4 * L * F_most / ((1 - m) * T),
                "current": 2 * L**2 * (1 + m) * beta**2 * sp.exp(2) * E**2 * g2_most / (1 - m) ** 2,
            },
            {beta: 1 / (E * L * sp.sqrt(T))},
            1 / T,
            (T,),
        ),
        says="at beta = 1/(EL sqrt(T)) the bound with a memory that is kept is of order 1/T",
        conditions=(),
        assumes=(),
        uses=("thm5/fixed",),
        changes="the order of a right side, with (1 + 1/n)^n < e; faster than printed",
    ),
    thm5.variant(
        "redrawn",
        le(least_gf2, 2 * L * (1 + m) / T * F_most + L * (1 + m) * beta * E * (1 - L * alpha) * gap2_most),
        terms={
            "start": 2 * L * (1 + m) / T * F_most,
            "gap": L * (1 + m) * beta * E * (1 - L * alpha) * gap2_most,
        },
        says="the least expected squared gradient of the past data by its loss and the gap between memory and current data",
        conditions=(*KNOWN_M, le(beta, 1 / (12 * L * E)), le(beta, 9 * (1 - L * alpha) / (10 * L * E))),
        assumes=(*SMOOTH, "ass2"),
        uses=("thm5.redrawn.sum", "thm5.redrawn.least", "thm5.redrawn.most"),
        changes="memories are redrawn in every round, past loss bounded below, the gradients of memory and current data "
        "differ by a bounded vector, m is that of Lemma 9, whose inequality is a condition",
    ),
    thm5.variant(
        "redrawn.order",
        Scaling(
            {"start": 2 * L * (1 + m) / T * F_most, "gap": L * (1 + m) * beta * E * m / (1 + m) * gap2_most},
            {beta: 1 / sp.sqrt(T)},
            1 / sp.sqrt(T),
            (T,),
        ),
        says="at beta = c/sqrt(T) the bound with memories redrawn is of order 1/sqrt(T)",
        conditions=(),
        assumes=(),
        uses=("thm5/redrawn",),
        changes="the order of a right side",
    ),
)

DRIFT = (
    at("Lemma 13", "727-771")(
        "lem13.growth",
        "induction: growth by a factor 1 + z a step stays below (1 + zk/2)/(1 - zk/2)",
        le((1 + z) * _pade, _pade.subs(k, k + 1)),
        conditions=(ge(k, 0), lt(z * (k + 1), 2)),
    ),
    at("Lemma 13", "727-771")(
        "lem13.growth/quarter",
        "so with steps up to 1/(4LE) the drift grows by at most 8/7 z k",
        le(grown - 1, sp.Rational(8, 7) * z * k),
        conditions=(le(grown, _pade), ge(k, 0), le(z * k, sp.Rational(1, 4))),
        uses=("lem13.growth",),
        changes="8/7 in place of 4",
    ),
    lem13.variant(
        "tight",
        le(drift, sp.Rational(8, 7) * beta * k * gg),
        terms={"drift": sp.Rational(8, 7) * beta * k * gg},
        says="with steps up to 1/(4LE) the drift after k local steps is at most 8/7 k times the first step",
        conditions=(QUARTER, *STEPS),
        uses=("lem13/sharp", "lem13.growth/quarter"),
        changes="8/7 in place of 4",
    ),
    cor14.variant(
        "tight",
        le(e, sp.Rational(24, 23) * beta * L * k * gg),
        terms={"drift": sp.Rational(24, 23) * beta * L * k * gg},
        says="with steps up to 1/(12LE) the gradient error is at most 24/23 k times the change over the first step",
        conditions=(TWELFTH, *STEPS),
        uses=("cor14/sharp", "lem13.growth"),
        changes="24/23 k in place of 2 E",
    ),
)

FORGETTING = (
    at("Lemma 11; Lemma 4", "633-660, 154-158")(
        "lem4.gap",
        "the difference between current data and memory, by omega^2 and the smallest share of a memory",
        le(gap2, omega2 / w_least**2),
    ),
    at("Lemma 7", "208-210, 1070-1081")(
        "lem7.worst/transferring",
        "if all clients transfer, the forgetting term of the round with adapted rates is at most the sum of least terms",
        le(round_w, best_T_w),
        terms={"transferring clients": best_T_w},
        conditions=(le(alpha, 1 / L), gt(Lam_each, 0)),
        changes="all clients transfer, worst-case rates; Gamma_ad(t) is the forgetting term of the round, not (195)",
    ),
    at("Lemma 7", "208-210, 1070-1081")(
        "lem7.worst/interfering",
        "the forgetting term of the round with adapted rates is at most the interfering clients' terms at common rates, the "
        "least terms of the others, and what the raised alpha makes of the steps of both along the memory gradient",
        le(round_w, sum_I_w + best_T_w + L * alpha * against_I_w * (along_T_w - alpha * against_I_w) / fd2),
        terms={
            "interfering clients": sum_I_w,
            "transferring clients": best_T_w,
            "raised alpha": L * alpha * against_I_w * (along_T_w - alpha * against_I_w) / fd2,
        },
        conditions=(gt(fd2, 0),),
        changes="worst-case rates; Gamma_ad(t) is the forgetting term of the round, not (195), in which the rates of all "
        "clients are multiplied",
    ),
    at("Lemma 7", "208-210, 1070-1081")(
        "lem7.worst/interfering-little",
        "if clients interfere so little that the raised alpha gives away at most half of 1 - L alpha, the forgetting term of the round "
        "with adapted rates is at most the interfering clients' terms at common rates",
        le(round_w, sum_I_w),
        terms={"interfering clients": sum_I_w},
        uses=("lem7.worst/interfering",),
        conditions=(gt(fd2, 0), le(alpha, 1 / L), le(2 * L * alpha * against_I_w, (1 - L * alpha) * fd2)),
        changes="worst-case rates and little interference; Gamma_ad(t) is the forgetting term of the round, not (195)",
    ),
)

STATEMENTS = (*PAST, *DRIFT, *FORGETTING)
