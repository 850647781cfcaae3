"""CFL, what is true in place of Theorems 4.1(c), 4.4(c) and 4.7(c): runs of any length on losses of any curvature.

The loss falls in every round by what Appendix B.5, repaired, says of one; added up over the rounds this is a rate at any step
within its limits. What is lost about past rounds stays, as it has a direction; clients without memory lose nothing.
"""

from __future__ import annotations

import sympy as sp

from bounds.cfl.convex import LOST, NEW, c_pG, g2_start
from bounds.cfl.nonconvex import SMOOTH, loss_next, loss_now
from bounds.cfl.nonconvex_repairs import DESCENT, DRIFTS, NOISY, SHORT
from bounds.cfl.nonconvex_rounds import grad2_mean, thm4_1_nc, thm4_4_nc, thm4_7_nc
from bounds.cfl.runs import FORGETFUL, played, played_next, summed
from bounds.cfl.symbols import CFL, D2, G2, L, T, at, eps, eta, f0, fs
from bounds.hypotheses import Hypothesis
from bounds.relations import eq, ge, le
from bounds.statement import Statement

_nonnegative = CFL.nonnegative

grads, grads_next = summed("grads", "expected squared gradient before each round")
spreads, spreads_next = summed("spreads", "c_pG")
losses, losses_next = summed("losses_of_past", "c_R")
spread_mean = _nonnegative("spread_mean", "mean of c_pG over the rounds", r"\overline{c_{p_G}}")
lost_mean = _nonnegative("c_R_mean", "mean of c_R over the rounds", r"\overline{c_R}")
strays = _nonnegative("strays", "what a round adds for each unit of c_pG", "s_1")
shakes = _nonnegative("shakes", "what the noise of a round adds", "s_2")
STRAYS, SHAKES = eq(strays, DRIFTS), eq(shakes, NOISY)
_quarters = sp.Rational(5, 4)

_RUN, _NEW = (*SHORT, NEW), (Hypothesis.NEW_CLIENTS,)
_run = at("Appendix B.5", "849-938", conditions=_RUN, assumes=SMOOTH, hypotheses=_NEW)
ROUND = _run(
    "nc.runs.round", "one round from a random model", DESCENT.compared, uses=("nc.downhill/repaired",)
)
STEP = _run(
    "nc.runs.step",
    "one round, in sums over the rounds",
    le(
        loss_next + eta / 4 * (grads_next - grads),
        loss_now + eta * (strays * (spreads_next - spreads) + _quarters * (losses_next - losses) + shakes),
    ),
    uses=("nc.runs.round",),
)
INVARIANT = _run(
    "nc.runs.invariant",
    "squared gradients of any number of rounds, and the loss after them",
    le(eta / 4 * grads + loss_now, f0 + eta * (strays * spreads + _quarters * losses + shakes * played)),
    uses=("nc.runs.step",),
)
MEAN = _run(
    "nc.runs.mean",
    "mean of the squared gradients of T rounds, and the loss after them",
    le(
        eta * T * grad2_mean / 4 + loss_next,
        f0 + eta * T * (strays * spread_mean + _quarters * lost_mean + shakes),
    ),
    uses=("nc.runs.invariant", "nc.runs.step"),
)
BELOW = le(fs, loss_next)
RATE = _run(
    "nc.runs.rate",
    "mean of the squared gradients of T rounds, at any step within its limits; f_* is no larger than the loss after them",
    le(grad2_mean, 4 * (f0 - fs) / (eta * T) + 4 * strays * spread_mean + 5 * lost_mean + 4 * shakes),
    conditions=(*_RUN, BELOW),
    uses=("nc.runs.mean",),
)
_without = (*_RUN, FORGETFUL)
_added = strays * (G2 + D2) + shakes
FED_STEP = _run(
    "nc.runs.fed.step",
    "one round without memory, in sums over the rounds",
    le(loss_next + eta / 4 * (grads_next - grads), loss_now + eta * _added),
    conditions=_without,
    uses=("nc.runs.step",),
)
FED_INVARIANT = _run(
    "nc.runs.fed.invariant",
    "without memory: squared gradients of any number of rounds, and the loss after them",
    le(eta / 4 * grads + loss_now, f0 + eta * _added * played),
    conditions=_without,
    uses=("nc.runs.fed.step",),
)
FED_MEAN = _run(
    "nc.runs.fed.mean",
    "without memory: mean of the squared gradients of T rounds, and the loss after them",
    le(eta * T * grad2_mean / 4 + loss_next, f0 + eta * T * _added),
    conditions=_without,
    uses=("nc.runs.fed.invariant", "nc.runs.fed.step"),
)
FED_RATE = _run(
    "nc.runs.fed.rate",
    "without memory: mean of the squared gradients of T rounds, at any step within its limits; f_* is no larger than the loss "
    "after them",
    le(grad2_mean, 4 * (f0 - fs) / (eta * T) + 4 * strays * (G2 + D2) + 4 * shakes),
    conditions=(*_without, BELOW),
    uses=("nc.runs.fed.mean",),
)
FREE = at(
    "Assumption 1, by standing still",
    "154",
    changes="not of the paper: what the assumptions give without the theorem",
)(
    "nc.runs.free",
    "a model that stands still has the squared gradient that smoothness allows at the start",
    le(grad2_mean, 2 * L * (f0 - fs)),
)


def _repaired(
    printed: Statement, changes: str, error: dict[str, sp.Expr], spread: sp.Expr, proof: str, *more: sp.Rel
) -> Statement:
    return printed.variant(
        "repaired",
        le(grad2_mean, sum(error.values())),
        terms=error,
        says="after so many rounds, at steps that are as short as eps asks for, the mean squared gradient is small enough",
        conditions=(
            *_RUN,
            *more,
            BELOW,
            ge(T, 8 * (f0 - fs) / (eta * eps)),
            le(16 * strays * spread, eps),
            le(16 * shakes, eps),
        ),
        assumes=SMOOTH,
        hypotheses=_NEW,
        uses=(proof,),
        changes=f"{changes}; steps with K eta_l <= 1/(8 L sqrt(c)), eta <= 1/(32 L c), c = 1 + A^2 + B^2, in place of c_m; new clients in every round",
    )


_drifts = "drifts count, times the step: 4 L eta + 3 (K eta_l L)^2 for each unit of"
_biased = f"eps + 5 c_R in the mean for eps, c_R = P^2 R^2 with the weight P of the past; {_drifts} c_pG"
_common = "G^2 stands for G^2 + F^2 and D^2 for M^2, as what time drifts share counts as client drift"
_remembers = ({"eps": eps, "c_R": 5 * lost_mean}, spread_mean, "nc.runs.rate")
REPAIRED = {
    "4.1": _repaired(thm4_1_nc, _biased, *_remembers),
    "4.4": _repaired(thm4_4_nc, f"{_drifts} G^2 + D^2", {"eps": eps}, G2 + D2, "nc.runs.fed.rate", FORGETFUL),
    "4.7": _repaired(thm4_7_nc, f"{_common}; {_biased}", *_remembers),
}
"""What is true in place of each theorem, by its number."""
MEANT = (
    eq(grads_next, T * grad2_mean),
    eq(spreads_next, T * spread_mean),
    eq(losses_next, T * lost_mean),
    eq(played_next, T),
)
GROWN = (
    eq(grads_next, grads + g2_start),
    eq(spreads_next, spreads + c_pG),
    eq(losses_next, losses + LOST),
    eq(played_next, played + 1),
)
FED = (FED_STEP, FED_INVARIANT, FED_MEAN, FED_RATE)
STATEMENTS = (ROUND, STEP, INVARIANT, MEAN, RATE, *FED, FREE, *REPAIRED.values())
