"""CFL, what is true of clients that take part again, on convex losses with one local step: memory divides their drifts by T, not the step.

The drifts that clients remember have shaped the model, so they are errors of the gradient that may lead anywhere. A round is a
step along the gradient with an error whose mean square is `off2`. Of mu it takes 2/mu for each unit of that, which no step size
makes smaller: D^2/(mu T) stays, where new clients leave eta D^2/T. The theorems hold for new clients, too.
"""

from __future__ import annotations

from bounds.cfl.convex import NEW, SAME, SIZE, after2, dist2, gap
from bounds.cfl.rates import forgotten, gap_mean
from bounds.cfl.runs import (
    REPAIRED,
    TIME,
    gaps,
    gaps_next,
    keep,
    kept,
    kept_next,
    level_mean,
    summed,
    weight,
    weight_next,
)
from bounds.cfl.symbols import A2, B2, CFL, R2, H, K, L, N, at, eps, eta, mu, sigma2
from bounds.cfl.theorems import (
    thm4_1_gc,
    thm4_1_sc,
    thm4_4_gc,
    thm4_4_sc,
    thmB_5_gc,
    thmB_5_sc,
    thmB_6_gc,
    thmB_6_sc,
)
from bounds.hypotheses import Hypothesis
from bounds.relations import eq, ge, le
from bounds.statement import Statement

_nonnegative = CFL.nonnegative
off2 = _nonnegative(
    "off2",
    "mean square of what the gradient of the objective of a round is off the global gradient: drifts and information loss",
    r"\mathbb E\|\nabla\tilde f_t(\omega_t)-\nabla f(\omega_t)\|^2",
)
offs, offs_next = summed("offs", "weighted squared error of the gradient")
off_mean = _nonnegative(
    "off_mean",
    "weighted mean over the rounds of the squared error of the gradient",
    r"\overline{\|\nabla\tilde f_t(\omega_t)-\nabla f(\omega_t)\|^2}",
)
drift_error = _nonnegative("drift_error", "(2/mu + 2 eta) times that mean", "s_3")
noise_error = _nonnegative("noise_error", "eta sigma^2/N", "s_4")
_assumed = ("ass1.smooth", "ass1.convex", "ass2")
SHORT = (eq(K, 1), le(SIZE, 1 / (4 * L)), le(mu, L))
"""One local step in each round."""
EACH = 2 * eta / mu + 2 * eta**2
"""What a round adds for each unit of `off2`."""
NOISE = eta**2 * sigma2 / N
ERRORS = (eq(drift_error, (2 / mu + 2 * eta) * off_mean), eq(noise_error, eta * sigma2 / N))

_run = at("Appendix B.4.2 and B.4.4", "713-841", conditions=SHORT, assumes=_assumed)
ROUND = _run(
    "back.round",
    "one round of clients that may have taken part before",
    le(after2, (1 - mu * eta / 2) * dist2 - eta * gap + EACH * off2 + NOISE),
)
KEEPING = _run("back.keep", "no weight is negative", ge(keep, 0))
STEP = _run(
    "back.step",
    "one round, in sums over the rounds",
    le(eta * gaps_next + after2, keep * (eta * gaps + dist2) + EACH * (offs_next - keep * offs) + NOISE),
    uses=("back.round",),
)
INVARIANT = _run(
    "back.invariant",
    "excess losses of any number of rounds, and the distance after them",
    le(eta * gaps + dist2, kept + EACH * offs + NOISE * weight),
    uses=("back.step",),
)
LEFT = _run(
    "back.left",
    "what the rounds leave of the start, and what their weights add up to",
    eq(H - kept, mu * eta / 2 * H * weight),
)
LEFT_NEXT = _run(
    "back.left.next",
    "the same after one round more",
    eq(H - kept_next, mu * eta / 2 * H * weight_next),
    uses=("back.left",),
)
WEIGHTY = _run("back.weight", "the last round has the weight 1", ge(weight_next, 1))
MEAN = _run(
    "back.mean",
    "weighted mean of the excess losses of T rounds",
    le(eta * gap_mean * weight_next, kept_next + (EACH * off_mean + NOISE) * weight_next),
    uses=("back.invariant", "back.step"),
)
RATE = _run(
    "back.rate",
    "the same, over the step and the weight of all rounds",
    le(gap_mean, forgotten + drift_error + noise_error),
    uses=("back.mean", "back.weight"),
)
VANISHES = _run(
    "back.vanishes",
    "after so many rounds no more than eps/3 is left of the start",
    le(forgotten, eps / 3),
    conditions=(*SHORT, *TIME),
    uses=("back.left.next",),
)
_constant = (*SHORT, eq(A2, 0), eq(B2, 0))
_quadratic = (Hypothesis.QUADRATIC, Hypothesis.SHARED_HESSIAN, Hypothesis.CONSTANT_DRIFT)
OFF = _run(
    "back.off",
    "what drifts and information loss come to, c_pG + 2 c_R in the mean for each of two parts; drifts are the same at every model",
    le(off_mean, 2 * level_mean),
    conditions=_constant,
    hypotheses=_quadratic,
    assumes=("ass3.client", "ass3.time", "ass4"),
)
OFF_LOSSLESS = _run(
    "back.off.lossless",
    "without information loss: c_pG in the mean, which is G^2 + D^2/t in round t where all rounds weigh alike; drifts are the "
    "same at every model",
    le(off_mean, level_mean),
    conditions=(*_constant, eq(R2, 0)),
    hypotheses=_quadratic,
    assumes=("ass3.client", "ass3.time", "ass4"),
)

_any = (
    "any clients, new or returning; one local step of at most 1/(4 L); c_1 eta and phi give way to (2/mu + 2 eta) times the mean "
    "square of drifts and information loss: 2/mu times it does not shrink with the step"
)
_says = "weighted mean of the excess loss over T rounds, whatever the clients and their drifts have to do with the model"
_soon = "after so many rounds the weighted mean of the excess loss is small enough, where drifts and information loss are, too"


def _any_clients(printed: Statement) -> Statement:
    """The rate, of any clients."""
    return printed.variant(
        "any-clients",
        le(gap_mean, forgotten + (2 / mu + 2 * eta) * off_mean + eta * sigma2 / N),
        terms={"start": forgotten, "drift": (2 / mu + 2 * eta) * off_mean, "noise": eta * sigma2 / N},
        says=_says,
        conditions=SHORT,
        assumes=_assumed,
        uses=("back.rate",),
        changes=_any,
    )


def _rounds(printed: Statement) -> Statement:
    """The number of rounds, of any clients."""
    return printed.variant(
        "any-clients",
        le(gap_mean, eps),
        terms={"eps": eps},
        says=_soon,
        conditions=(*SHORT, *TIME, le(drift_error, eps / 3), le(noise_error, eps / 3)),
        assumes=_assumed,
        uses=("back.rate", "back.vanishes"),
        changes=_any,
    )


ANY_CLIENTS = (_any_clients(thmB_5_sc), _any_clients(thmB_6_sc), _rounds(thm4_1_sc), _rounds(thm4_4_sc))


def _same(number: str, printed: Statement) -> Statement:
    """What is true of new clients, said of the same ones in every round."""
    repaired = REPAIRED[number]
    return printed.variant(
        "repaired.returning",
        repaired.compared,
        terms=repaired.terms,
        says=f"{repaired.says}; the N clients are the same in every round",
        conditions=(*(SAME if condition == NEW else condition for condition in repaired.conditions),),
        assumes=repaired.assumes,
        uses=("onestep.unbiased",),
        changes="what is true of new clients, of the same clients: their drifts, past ones too, have shaped the model",
    )


SAME_CLIENTS = (
    *(_same("4.1.sc", thm4_1_sc), _same("4.1.gc", thm4_1_gc)),
    *(_same("4.4.sc", thm4_4_sc), _same("4.4.gc", thm4_4_gc)),
    *(_same("B.5.sc", thmB_5_sc), _same("B.5.gc", thmB_5_gc)),
    *(_same("B.6.sc", thmB_6_sc), _same("B.6.gc", thmB_6_gc)),
)
STATEMENTS = (
    *(ROUND, KEEPING, STEP, INVARIANT, LEFT, LEFT_NEXT, WEIGHTY, MEAN, RATE, VANISHES, OFF, OFF_LOSSLESS),
    *ANY_CLIENTS,
    *SAME_CLIENTS,
)
