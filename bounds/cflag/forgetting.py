"""C-FLAG, Lemma 1: descent on the past data up to an overfitting and a forgetting term, line by line.

The overfitting term B(t) and the forgetting term Gamma(t) speak of sums of delayed gradients. The proof sums over the
local steps from k = 0; both are printed with sums from k = 1, and Gamma(t) with two different factors.
"""

from __future__ import annotations

from functools import partial

import sympy as sp

from bounds.cflag.symbols import CFLAG, L, alpha, at, b2, beta, ds, f_next, f_now, gf2, line, m, s2
from bounds.relations import eq, le, lt

_nonnegative, _real = CFLAG.nonnegative, CFLAG.real

fb = _real("fb", "bias along the gradient", r"\langle\nabla f(\mathbf x_t),b(\mathbf x_t)\rangle")
fs = _real(
    "fs",
    "delayed gradients along the gradient of the past data",
    r"\langle\nabla f(\mathbf x_t),\mathbf s_t\rangle",
)
bs = _real("bs", "delayed gradients along the bias", r"\langle b(\mathbf x_t),\mathbf s_t\rangle")
_late = r"\textstyle\sum_i\sum_{k=1}^{E-1}p_i\nabla g_i'"
s2_late = _nonnegative("s2_late", "squared sum of the delayed gradients from step 1 on", rf"\|{_late}\|^2")
ds_late = _real("ds_late", "that sum along the memory gradient", rf"\langle\nabla f^\dagger,{_late}\rangle")
bs_late = _real("bs_late", "that sum along the bias", rf"\langle b,{_late}\rangle")

# The proof's own letters
A_line = _real("A_line", "A of Eq. (36)", "A")
AI = _real("AI", "part of A along the memory gradient")
AII = _real("AII", "part of A along the delayed gradients")
B_line = _real("B_line", "B of Eq. (36)", "B")
BI = _real("BI", "part of B of the memory gradient")
BII = _real("BII", "part of B of the delayed gradients")
BIII = _real("BIII", "mixed part of B")
along = _real(
    "along",
    "update along the gradient of the past data",
    r"\langle\nabla f(\mathbf x_t),\mathbf x_{t+1}-\mathbf x_t\rangle",
)
along_rule = _real("along_rule", "the same with the server rule put in")
moved2 = _nonnegative("moved2", "squared update", r"\|\mathbf x_{t+1}-\mathbf x_t\|^2")
rule_norm = _nonnegative("rule_norm", "norm of the update, with the server rule put in")
f_fd = _real("f_fd", "weighted memory gradients of the clients along the gradient")
f_split = _real("f_split", "the same, each as gradient and bias")
f_less_b = _real("f_less_b", "delayed gradients along memory gradient less bias")
fd2_sum = _nonnegative("fd2_sum", "squared weighted sum of the clients' memory gradients")
fd2_split = _nonnegative("fd2_split", "the same, each as gradient and bias")
fd2_b = _nonnegative("fd2_b", "squared gradient plus bias")
fd_s_steps = _real("fd_s_steps", "the same, summed over local steps last")


over_t = _real("over_t", "overfitting term, in any form", "B(t)")
forget_t = _real("forget_t", "forgetting term, in any form", r"\Gamma(t)")


def overfitting(along_bias: sp.Expr) -> sp.Expr:
    """B(t), with the sum of delayed gradients along the bias."""
    return (L * alpha**2 - alpha) * fb + beta * along_bias


def forgetting(factor: sp.Expr, squared: sp.Expr, along_memory: sp.Expr) -> sp.Expr:
    """Gamma(t), with the factor of L beta^2, the squared sum of delayed gradients and that sum along the memory's."""
    return factor * L * beta**2 * squared - beta * (1 - L * alpha) * along_memory


_half = sp.Rational(1, 2)
B_PRINTED, B_ALL = overfitting(bs_late), overfitting(bs)
GAMMA_10 = forgetting(sp.Integer(1), s2_late, ds_late)
GAMMA_35 = forgetting(_half, s2_late, ds_late)
GAMMA_15 = forgetting(_half, s2, ds)
RATE = (lt(alpha, 2 / (L * (1 + m))),)
BIAS = le(b2, m * gf2)
"""What Lemma 9 gives, at the model of the round."""
FACTOR = alpha * (1 - L / 2 * alpha * (1 + m))

_all = "sums from k = 0, as in the proof"
_lines = "115-130, 511-521"


def descent(overfit: sp.Expr, forgot: sp.Expr) -> sp.Basic:
    """Eq. (8) with forms of B(t) and Gamma(t)."""
    return le(gf2, (f_now - f_next + overfit + forgot) / FACTOR)


def _parts(overfit: sp.Expr, forgot: sp.Expr) -> dict[str, sp.Expr]:
    """Terms of Eq. (8)."""
    return {
        "descent": (f_now - f_next) / FACTOR,
        "overfitting": overfit / FACTOR,
        "forgetting": forgot / FACTOR,
    }


_proof = ("eq36", "eq39", "eq49", "eq55", "eq56")
_proof_all = ("eq36", "eq39", "eq49", "eq55/all-steps", "eq56")

_whole = descent(B_ALL, GAMMA_15)

LEMMA = (
    lem1 := at("Lemma 1, Eq. (8)-(10), (33)-(35), (59)", _lines)(
        "lem1",
        "the squared gradient of the past data by descent, overfitting and forgetting",
        descent(B_PRINTED, GAMMA_10),
        terms=_parts(B_PRINTED, GAMMA_10),
        conditions=(*RATE, BIAS),
        assumes=("ass1", "ass2"),
        uses=_proof,
    ),
    lem1.variant("eq35", descent(B_PRINTED, GAMMA_35), changes="Gamma(t) of the appendix, Eq. (35)"),
    lem1.variant(
        "eq15", descent(B_PRINTED, GAMMA_15), changes="Gamma(t) of Eq. (15) and (86), sums from k = 0"
    ),
    lem1.variant(
        "all-steps",
        _whole,
        terms=_parts(B_ALL, GAMMA_15),
        uses=_proof_all,
        changes=f"B(t) and Gamma(t) with {_all}",
    ),
    lem1.variant(
        "all-steps-L",
        descent(B_ALL, forgetting(sp.Integer(1), s2, ds)),
        uses=_proof_all,
        changes=f"B(t) and Gamma(t) of Eq. (9) and (10) with {_all}",
    ),
    lem1.variant(
        "alg1",
        _whole,
        uses=("eq7", *_proof_all),
        changes=f"the server rule of Algorithm 1 as printed instead of Eq. (24); {_all}",
    ),
    lem1.variant(
        "eq7",
        _whole,
        uses=("eq7", *_proof_all),
        changes=f"the server rule of Eq. (7) as printed instead of Eq. (24); {_all}",
    ),
    lem1.variant(
        "ass2",
        _whole,
        conditions=RATE,
        uses=_proof_all,
        changes=f"the hypotheses as printed: m is any positive number, not that of Lemma 9; {_all}",
    ),
    at("Lemma 1", _lines)(
        "lem1.stationary",
        "where f is stationary Lemma 1 says, whatever m is, that its descent is at least -B(t) - Gamma(t)",
        le(f_next - f_now, B_ALL + GAMMA_15),
        conditions=(le(gf2, 0), *RATE),
        assumes=("ass1", "ass2"),
        uses=("lem9",),
    ),
)


_step = partial(line, of="Lemma 1, ")

_sum = (
    -alpha * gf2
    - alpha * fb
    - beta * ds
    + beta * bs
    + L / 2 * alpha**2 * gf2
    + L / 2 * alpha**2 * b2
    + L * alpha**2 * fb
    + L / 2 * beta**2 * s2
    + L * alpha * beta * ds
)


def _rest(overfit: sp.Expr, forgot: sp.Expr) -> sp.Expr:
    """Eq. (55), last line."""
    return -alpha * (1 - L / 2 * alpha) * gf2 + overfit + forgot + L / 2 * alpha**2 * m * gf2


_BI = L / 2 * alpha**2 * gf2 + L / 2 * alpha**2 * b2 + L * alpha**2 * fb

PROOF = (
    _step("36", "525")(
        "smoothness of the past loss", le(f_next - f_now, along + L / 2 * moved2), assumes=("ass1",)
    ),
    _step("37", "529")("A is the update along the gradient", eq(A_line, along)),
    _step("38", "530")("the server rule put in", eq(A_line, along_rule)),
    _step("39", "531")("A is split", eq(A_line, AI + AII)),
    _step("40", "535")("AI along the clients' memory gradients", eq(AI, -alpha * f_fd)),
    _step("41", "536")("each is gradient and bias", eq(AI, -alpha * f_split)),
    _step("42", "537")("AI by gradient and bias", eq(AI, -alpha * gf2 - alpha * fb)),
    _step("43", "538")("AI with the squared gradient", eq(AI, -alpha * gf2 - alpha * fb)),
    _step("44", "542")("AII along the gradient", eq(AII, -beta * fs)),
    _step("45", "543")("the gradient is memory gradient less bias", eq(AII, -beta * f_less_b)),
    _step("46", "544")("AII by memory gradient and bias", eq(AII, -beta * ds + beta * bs)),
    _step("47", "548")("B is half the squared update, times L", eq(B_line, L / 2 * moved2)),
    eq48 := _step("48", "549")("the server rule put in, without a square", eq(B_line, L / 2 * rule_norm)),
    eq48.variant(
        "squared", eq(B_line, L / 2 * rule_norm**2), says="the server rule put in", changes="with the square"
    ),
    _step("49", "551")("B is split", eq(B_line, BI + BII + BIII)),
    _step("50", "555")("BI by the clients' memory gradients", eq(BI, L / 2 * alpha**2 * fd2_sum)),
    _step("51", "556")("each is gradient and bias", eq(BI, L / 2 * alpha**2 * fd2_split)),
    _step("52", "557")("BI by gradient plus bias", eq(BI, L / 2 * alpha**2 * fd2_b)),
    _step("53", "558")("BI, expanded", eq(BI, _BI)),
    _step("54", "562")("BIII, summed over local steps last", eq(BIII, L * alpha * beta * fd_s_steps)),
    _step("55.sum", "566-569")(
        "all terms together", le(f_next - f_now, _sum), assumes=("ass1",), uses=("eq36",)
    ),
    eq55 := _step("55", "570")(
        "with Lemma 9 and B(t), Gamma(t) as printed",
        le(f_next - f_now, _rest(B_PRINTED, GAMMA_35)),
        conditions=(BIAS,),
        assumes=("ass1",),
        uses=("eq55.sum", "lem9", "eq57", "eq58"),
    ),
    eq55.variant(
        "all-steps",
        le(f_next - f_now, _rest(B_ALL, GAMMA_15)),
        says="with Lemma 9, B(t) and Gamma(t)",
        uses=("eq55.sum", "lem9", "eq57/all-steps", "eq58/all-steps"),
        changes=_all,
    ),
    _step("56", "571")(
        "terms of the gradient together", eq(_rest(over_t, forget_t), -FACTOR * gf2 + over_t + forget_t)
    ),
    eq57 := _step("57", "575")(
        "B(t) collects the terms with the bias", eq(B_PRINTED, -alpha * fb + beta * bs + L * alpha**2 * fb)
    ),
    eq57.variant("all-steps", eq(B_ALL, -alpha * fb + beta * bs + L * alpha**2 * fb), changes=_all),
    eq58 := _step("58", "579")(
        "Gamma(t) collects the terms of memory and current data",
        eq(GAMMA_35, -beta * ds + L / 2 * beta**2 * s2 + L * alpha * beta * ds),
    ),
    eq58.variant(
        "all-steps", eq(GAMMA_15, -beta * ds + L / 2 * beta**2 * s2 + L * alpha * beta * ds), changes=_all
    ),
)

FORMS = (
    at("Eq. (10); Eq. (35), (58)", "129, 521, 579")(
        "eq10.eq35", "Gamma(t) of the text is that of the appendix", eq(GAMMA_10, GAMMA_35)
    ),
    at("Eq. (35); Eq. (15), (86)", "521, 180, 666")(
        "eq35.eq15",
        "Gamma(t) of Lemma 1 in the appendix is that of the adaptive rates and of the bound on it",
        eq(GAMMA_35, GAMMA_15),
    ),
    at("Eq. (10); Eq. (15)", "129, 178-180")(
        "eq10.eq15",
        "Gamma(t) of Lemma 1 in the text, (10), is that of the adaptive rates, (15), which names (10) as its source",
        eq(GAMMA_10, GAMMA_15),
    ),
)

STATEMENTS = (*LEMMA, *PROOF, *FORMS)
