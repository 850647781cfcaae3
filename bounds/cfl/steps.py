"""CFL, Appendix B.4.2: the parts of one round put together, and the step sizes that make them contract.

Eq. (21) to (24), with the conditions of lines 763 to 779. `X_i` is the factor in which the bounds of the local
drift end. The printed Eq. (21) lacks a factor: local drift enters Eq. (13) and (15) as 2 eta L (1 + 4 eta L c) e.
"""

from __future__ import annotations

import sympy as sp

from bounds.cfl.convex import (
    ALL,
    LOST,
    NEW,
    SIZE,
    STEP,
    P_i,
    R,
    after2,
    c_max,
    c_pB,
    c_pG,
    cB,
    cB_i,
    cG_i,
    dist,
    dist2,
    gap,
    gap_round,
    i,
    line,
    over_clients,
    step_limit,
)
from bounds.cfl.symbols import CFL, D2, G2, R2, K, L, N, at, eta, eta_g, eta_l, mu, sigma2
from bounds.hypotheses import Hypothesis
from bounds.relations import eq, ge, le


def ratio(c: sp.Expr) -> sp.Expr:
    """X_i, the factor in which the bounds of the local drift end."""
    return (1 + 4 * eta * L * c) / (1 - 4 * K**2 * eta_l**2 * L**2 * c)


def contraction(strength: sp.Expr, drift: sp.Expr) -> sp.Expr:
    """Right side of Eq. (21); `strength` stands before 2 K^2 eta_l^2 c_pB (f - f*) X, `drift` before the other X."""
    X = ratio(cB_i[i])
    return (
        (1 - mu * eta / 2) * dist2
        + (
            -2 * eta
            + 16 * eta**2 * L * c_pB
            + over_clients(16 * K**2 * eta_l**2 * strength * cB_i[i] * X) / N
        )
        * gap
        + 2 * eta**2 * c_pG
        + eta**2 * sigma2 / (N * K)
        + over_clients(2 * eta**2 * P_i[i] ** 2 + 4 * K**2 * eta_l**2 * drift * P_i[i] ** 2 * X) / N * R2
        + over_clients(2 * K * eta_l**2 * drift * (2 * K * cG_i[i] + sigma2) * X) / N
        + 2 * eta / N * over_clients(P_i[i]) * R * dist
    )


def excess_factor(strength: sp.Expr) -> sp.Expr:
    """Left side of Eq. (22), which must not be positive."""
    return (
        -2 * eta
        + 16 * eta**2 * L * c_pB
        + over_clients(16 * K**2 * eta_l**2 * strength * cB_i[i] * ratio(cB_i[i])) / N
    )


added = CFL.real("added", "what a client adds to the factor of the excess loss, over eta")
added_mean = CFL.real("added_mean", "its mean over the clients")

c_R = LOST
c_1 = 2 * c_pG + sigma2 / (N * K) + 2 * c_R
c_2 = L * c_pG / (3 * eta_g**2) + L * sigma2 / (6 * eta_g**2 * K) + L * c_R / (3 * eta_g**2)
c_3 = 2 / N * over_clients(P_i[i]) * R
_next = (1 - mu * eta / 2) * dist2 - eta * gap
_root = sp.sqrt(3 * eta_g**2 * c_max + 4 * eta_g**4 * c_max**2)
FIRST = (le(SIZE, step_limit(c_max, 6)),)
_unit = (
    "with the factor eta L that Eq. (13) and (15) give: 2 eta L (1 + 4 eta L c) e, not 2 (1 + 4 eta L c) e"
)
_fed = {c_pG: G2 + D2, over_clients(P_i[i]): 0, over_clients(P_i[i] ** 2): 0}


_unbiased = at("Appendix B.4.2, from (13) to (21)", "713-761")(
    "onestep.unbiased",
    "by how much the weighted losses of a round exceed their values at the minimiser is in the mean what it is of the global loss: "
    "given the model of the round, the drifts of its clients, past ones too, have mean zero",
    eq(gap_round, gap),
    conditions=STEP,
    assumes=ALL,
)
STEPS = (
    _unbiased,
    _unbiased.variant(
        "new",
        conditions=(*STEP, NEW),
        hypotheses=(Hypothesis.NEW_CLIENTS,),
        changes="clients are new in every round, so that their drifts have not shaped its model",
    ),
    eq21 := line("eq21", "759-761")(
        "one round: all parts together",
        le(after2, contraction(L, L)),
        uses=("eq10", "eq13", "onestep.unbiased", "eq15", "eq20"),
    ),
    eq21.variant(
        "corrected",
        le(after2, contraction(eta * L**2, eta * L)),
        uses=("eq10/corrected", "eq13/corrected", "onestep.unbiased", "eq15", "eq20"),
        changes=_unit,
    ),
    eq22 := at("Appendix B.4.2", "763")(
        "eq22",
        "the factor of the excess loss is not positive",
        le(excess_factor(L**2), 0),
        conditions=STEP,
        uses=("step",),
    ),
    eq22.variant(
        "theorem",
        says="the factor of the excess loss is not positive for eta_g = 1",
        conditions=(*STEP, eq(eta_g, 1)),
        changes="adds eta_g = 1, which Theorem 4.1 asks for",
    ),
    eq22.variant(
        "theorem-units",
        says="the factor of the excess loss is not positive for eta_g = 1 and L = 1",
        conditions=(*STEP, eq(eta_g, 1), eq(L, 1)),
        changes="adds eta_g = 1 and L = 1, where the missing factor L makes no difference",
    ),
    at("Appendix B.4.2", "760, 763")(
        "eq22.coefficient",
        "Eq. (22) speaks of the factor in Eq. (21)",
        eq(excess_factor(L**2), excess_factor(L)),
        conditions=STEP,
    ),
    eq22.variant("corrected", le(excess_factor(eta * L**2), 0), uses=("step.half/each",), changes=_unit),
    step := at("Appendix B.4.2", "763-769")(
        "step",
        "the first step-size condition makes Eq. (22) true",
        le(excess_factor(L**2), 0),
        conditions=FIRST,
    ),
    step.variant(
        "corrected",
        le(excess_factor(eta * L**2), 0),
        says="the first step-size condition makes the corrected Eq. (22) true",
        uses=("step/each",),
        changes=_unit,
    ),
    at("Appendix B.4.2", "771")(
        "step.simplified",
        "the second step-size condition implies the first for every client",
        le(SIZE, step_limit(cB, 6)),
        conditions=(*STEP, le(cB, c_max), ge(cB, 1)),
    ),
    step_half := at("Appendix B.4.2", "783")(
        "step.half",
        "under the second condition the factor of the excess loss is at most -eta",
        le(excess_factor(L**2), -eta),
        conditions=STEP,
    ),
    step_half.variant(
        "corrected", le(excess_factor(eta * L**2), -eta), uses=("step.half/each",), changes=_unit
    ),
    at("Appendix B.4.2", "775")(
        "step.denominator",
        "the denominator of the local drift is bounded below",
        ge(1 - 4 * K**2 * eta_l**2 * L**2 * cB, (33 - 8 * eta_g**2 * c_max + 4 * _root) / 36),
        conditions=(*STEP, le(cB, c_max), ge(cB, 1)),
    ),
    step_ratio := at("Appendix B.4.2", "779")(
        "step.ratio",
        "the factor of the local drift is at most 1/12 minus something",
        le(ratio(cB), sp.Rational(1, 12) - 7 / (33 + _root - 2 * eta_g**2 * c_max)),
        conditions=(*STEP, le(cB, c_max), ge(cB, 1)),
        uses=("step.denominator",),
    ),
    at("Appendix B.4.2", "779")(
        "step.ratio.twelfth",
        "what is subtracted from 1/12 is not negative",
        le(sp.Rational(1, 12) - 7 / (33 + _root - 2 * eta_g**2 * c_max), sp.Rational(1, 12)),
        conditions=(ge(c_max, 1),),
    ),
    step_ratio.variant(
        "corrected",
        le(ratio(cB), 3 - 63 / (33 + 4 * _root - 8 * eta_g**2 * c_max)),
        says="the factor of the local drift is at most 3 - 63/(33 + 4 root - 8 eta_g^2 c)",
        changes="numerator at most 1 + (root - 2 eta_g^2 c)/3 over the printed denominator; it lies between 1 and 5/4",
    ),
    onestep := line("onestep", "781-783")(
        "one round with the constants c_1, c_2, c_3",
        le(after2, _next + c_1 * eta**2 + c_2 * eta**3 + c_3 * eta * dist),
        uses=("eq21", "eq22", "step", "step.simplified", "step.half", "step.ratio"),
    ),
    onestep.variant(
        "corrected",
        le(after2, _next + c_1 * eta**2 + 18 * c_2 * eta**3 + c_3 * eta * dist),
        says="one round with a c_2 that is 18 times as large",
        uses=("eq21/corrected", "step/corrected", "step.half/corrected", "step.ratio/corrected"),
        changes="c_2 with 3/2, not 1/12, as the bound of the factor of the local drift",
    ),
    at("Theorem 4.1 and Appendix B.4.2", "200, 781-783")(
        "onestep/theorem",
        "one round with the constants c_1, c_2, c_3, under the step size of Theorem 4.1",
        le(after2, _next + c_1 * eta**2 + c_2 * eta**3 + c_3 * eta * dist),
        conditions=(eq(eta_g, 1), *FIRST),
        assumes=ALL,
        uses=("thm4.1.step",),
        changes="the step size of Theorem 4.1, that of line 767 for eta_g = 1, instead of line 771",
    ),
    at("Appendix B.4.2", "200, 771")(
        "thm4.1.step",
        "the step size of Theorem 4.1 meets the condition under which its proof goes on",
        le(SIZE, step_limit(c_max, 12)),
        conditions=(eq(eta_g, 1), *FIRST),
    ),
    line("eq24", "837")(
        "one round of FedAvg",
        le(gap, (1 - mu * eta / 2) / eta * dist2 - after2 / eta + (c_1 * eta + c_2 * eta**2).subs(_fed)),
        uses=("onestep",),
    ),
)

STATEMENTS = STEPS
