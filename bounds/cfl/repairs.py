"""CFL: what is true instead, where the paper is not: steps, constants of a round, correlation, non-convex losses, noise.

Each statement has the shape of one of the paper's and says what it changes; the sharpest constants that its proof gives
are written out.
"""

from __future__ import annotations

import sympy as sp

from bounds.cfl.convex import (
    ALL,
    SIZE,
    STEP,
    P,
    R,
    after2,
    c_max,
    c_pB,
    c_pG,
    cB,
    dist,
    dist2,
    gap,
    step_limit,
)
from bounds.cfl.nonconvex_text import noise_level
from bounds.cfl.rates import forgotten
from bounds.cfl.steps import FIRST, added, c_1, c_3, c_R, onestep, ratio, step_ratio
from bounds.cfl.symbols import CFL, D2, F2, R2, H, K, L, N, T, at, eta, eta_g, excess_0, mu, sigma2
from bounds.cfl.weight_sums import F2_more, least_value
from bounds.hypotheses import Hypothesis
from bounds.relations import eq, ge, gt, le
from bounds.statement import Scaling

_positive, _nonnegative = CFL.positive, CFL.nonnegative

# Steady state along one axis of the noisy quadratic model
curve = _positive("curve", "curvature of the axis", "a")
share = _nonnegative("steady_share", "weight of the present", "p")
other_share = _nonnegative("other_share", "another weight of the present", "p'")
kept_part = _nonnegative("kept_part", "share of the distance that a round leaves", r"\rho^K")
at_rest = _nonnegative("at_rest", "expected squared gradient in the end", r"\mathbb E(a\omega)^2")
at_rest_other = _nonnegative("at_rest_other", "the same at the other weight")
at_rest_fed = _nonnegative("at_rest_fed", "the same for FedAvg")
at_rest_limit = _nonnegative("at_rest_limit", "the same at the weights of Lemma B.4 after many rounds")

# Weights of all rounds while steps are short
early = _nonnegative("early", "variance of the model after T rounds, equal weights, clients that come back")
early_fed = _positive("early_fed", "the same for FedAvg")
harmonic_T = _positive("harmonic_T", "sum of 1/t over the rounds", "H_T")
loss_left = _nonnegative(
    "loss_left",
    "excess loss where the objective with its information loss is least",
    r"f(\tilde\omega^*)-f(\omega^*)",
)
level_G = _positive("level_G", "mean over rounds of c_pG", r"\overline{c_{p_G}}")

_c_2 = 5 * (L * c_pG + L * c_R + L * sigma2 / (2 * K)) / eta_g**2
_left_over = eta_g**2 - 4 * eta**2 * L**2 * cB
_times = 16 * eta * L * cB * _left_over + 16 * eta**2 * L**2 * cB * (1 + 4 * eta * L * cB)
_one = 16 * eta * L * cB + 16 * (eta / eta_g) ** 2 * L**2 * cB * (1 + 4 * eta * L * cB) / (
    1 - 4 * (eta / eta_g) ** 2 * L**2 * cB
)
_limit = 12 * (eta * L / eta_g) ** 2 * cB + 8 * eta * L * cB
_at_step = at("Appendix B.4.2", "763-783")
STEPS = (
    _at_step(
        "step/client",
        "the corrected factor of the excess loss is not positive for one client, where 12 eta^2 L^2 c/eta_g^2 + 8 eta L c <= 1",
        le(_one, 2),
        conditions=(le(_limit, 1), ge(cB, 1)),
        changes="for each client alone, and with the quadratic equation of which line 767 is the solution",
    ),
    _at_step(
        "step/client-defined",
        "the denominator of the local drift is positive where 12 eta^2 L^2 c/eta_g^2 + 8 eta L c <= 1",
        gt(_left_over, 0),
        conditions=(le(_limit, 1), ge(cB, 1)),
        changes="says what the text divides by",
    ),
    _at_step(
        "step/client-times",
        "the same times the denominator of the local drift",
        le(_times, 2 * _left_over),
        conditions=(le(_limit, 1), ge(cB, 1)),
        changes="multiplied by what the text divides by",
    ),
    _at_step(
        "step.half/client-times",
        "the same for half of the step",
        le(_times, _left_over),
        conditions=(le(_limit.subs(eta, 2 * eta), 1), ge(cB, 1)),
        changes="multiplied by what the text divides by",
    ),
    _at_step(
        "step.half/client-defined",
        "and where twice the step meets it",
        gt(_left_over, 0),
        conditions=(le(_limit.subs(eta, 2 * eta), 1), ge(cB, 1)),
        changes="says what the text divides by",
    ),
    _at_step(
        "step/quadratic",
        "line 767 is the solution of 12 eta^2 L^2 c/eta_g^2 + 8 eta L c = 1",
        le(_limit, 1),
        conditions=(le(eta, step_limit(cB, 6)), ge(cB, 1)),
        changes="says where the limit comes from",
    ),
    _at_step(
        "step.half/client",
        "and at most -eta where twice the step meets it, as line 771 has it",
        le(_one, 1),
        conditions=(le(_limit.subs(eta, 2 * eta), 1), ge(cB, 1)),
        changes="for each client alone, and with the quadratic equation of which line 771 is the solution",
    ),
    _at_step(
        "step/each",
        "each client adds at most 2 eta to the corrected factor of the excess loss under the first condition",
        le(added, 2),
        conditions=FIRST,
        changes="for each client by itself; the factor is the mean over the clients, less 2 eta",
    ),
    _at_step(
        "step.half/each",
        "and at most eta under the second",
        le(added, 1),
        conditions=STEP,
        changes="for each client by itself; the factor is the mean over the clients, less 2 eta",
    ),
    step_ratio.variant(
        "repaired",
        le(ratio(cB).subs(eta, SIZE), sp.Rational(5, 4)),
        says="the factor of the local drift is at most 5/4",
        conditions=(*STEP, le(cB, c_max), ge(cB, 1)),
        uses=(),
        changes="5/4 for 1/12: attained as eta_g grows",
    ),
    onestep.variant(
        "repaired",
        le(after2, (1 - mu * eta / 2) * dist2 - eta * gap + c_1 * eta**2 + _c_2 * eta**3 + c_3 * eta * dist),
        says="one round with the c_2 that the factor 5/4 gives",
        uses=("eq21/corrected", "step/corrected", "step.half/corrected", "step.ratio/repaired"),
        changes="c_2 = 5 (L c_pG + L c_R + L sigma^2/(2K))/eta_g^2",
    ),
)

ONE_STEP = (
    at("Appendix B.4.2", "781-783")(
        "onestep/single",
        "one round of one local step: drifts and noise are averaged over the clients",
        le(
            after2,
            (1 - mu * eta) * dist2 - eta * gap + 2 * eta**2 * ((c_pG + sigma2) / N + c_R) + c_3 * eta * dist,
        ),
        conditions=(eq(K, 1), le(SIZE * L * (1 + 2 * (c_pB - 1) / N), sp.Rational(1, 2))),
        assumes=ALL,
        hypotheses=(Hypothesis.NEW_CLIENTS,),
        changes="K = 1 and a step of 1/(2 L (1 + 2 (c_pB - 1)/N)): c_1 with c_pG/N and sigma^2/N for c_pG and sigma^2/(N K), "
        "no c_2, and the contraction 1 - mu eta",
    ),
)


def _less(bound: sp.Expr) -> sp.Expr:
    """M^2 at a bound on the correlation."""
    return sp.Max(0, D2 - bound)


CORRELATION = (
    at("Remark 4.8, second sentence; Theorem 4.7", "258-274")(
        "rem4.8.impact/repaired",
        "correlation increases the noise that optimal weights leave",
        le(least_value(_less(F2)) + sp.Min(F2, D2), least_value(_less(F2_more)) + sp.Min(F2_more, D2)),
        conditions=(ge(F2_more, F2), gt(R2, 0)),
        changes="increases for reduces: the shared drift min(F^2, D^2), which no weights reduce, is counted",
    ),
)

NONCONVEX = (
    at("Appendix B.5", "932-938")(
        "nc.rate/repaired",
        "with eta = sqrt(KN)/sqrt(TL) and local steps in proportion everything but the information loss vanishes like 1/sqrt(T)",
        Scaling(
            {
                "start": 4 * excess_0 / (eta * T),
                "drift": 4 * (4 * L * eta + 3 * (eta * L) ** 2) * level_G,
                "noise": 4 * (L * eta / (N * K) + 3 * (eta * L) ** 2 / K) * noise_level,
            },
            {eta: sp.sqrt(K * N) / sp.sqrt(T * L)},
            1 / sp.sqrt(T),
            (T,),
        ),
        uses=("nc.descent/repaired",),
        changes="four times what the descent sums to, at eta_g = 1; the mean of 5 c_R stays",
    ),
)

_q = (1 - kept_part) / (1 + kept_part)
_best = N * R2 / (_q * D2 + N * R2)
_place = at("Section 5.1", "327-359")
STEADY = (
    _place(
        "nqm.steady",
        "in the end the squared gradient is q p^2 D^2/N + (1 - p)^2 R^2, q = (1 - rho^K)/(1 + rho^K), p the weight of the "
        "present, where the mean of the past has no variance left and its information loss is R in every round",
        eq(at_rest, _q * share**2 * D2 / N + (1 - share) ** 2 * R2),
    ),
    _place(
        "nqm.steady.best",
        "the best weight of the present is N R^2/(q D^2 + N R^2)",
        eq(at_rest_other - at_rest, (_q * D2 / N + R2) * (other_share - share) ** 2),
        conditions=(eq(share, _best), gt(R2, 0)),
        uses=("nqm.steady",),
    ),
    _place(
        "nqm.steady.criterion",
        "CFL with the weights of Lemma B.4 ends below FedAvg exactly if q (D^2 + 2 R^2) > N R^2: by this much",
        eq(at_rest_fed - at_rest_limit, D2**2 / (N * (R2 + D2) ** 2) * (_q * (D2 + 2 * R2) - N * R2)),
        conditions=(gt(D2 + R2, 0),),
        uses=("nqm.steady",),
    ),
)

OURS = (
    at("Appendix B.4.4", "809-821")(
        "B44.forgotten",
        "what is left of the start, in closed form: it falls geometrically, so that the rounds count a logarithm",
        eq(forgotten, mu * H / (2 * ((1 - mu * eta / 2) ** (-T) - 1))),
    ),
    at("Remark 4.6", "240")(
        "rem4.6.early",
        "a question of our own: clients come back, steps are short, nothing is lost; equal weights then leave a variance of "
        "2 - H_T/T times that of FedAvg, because early data are used again in every round",
        eq(early, (2 - harmonic_T / T) * early_fed),
    ),
)
_systematic = (
    "the losses of all clients bend alike, and the information loss of every past round is R in one direction"
)
OPTIMUM = (
    optimum := at("Appendix B.4.4, 'the drift of optimal point'", "831-833")(
        "phi.optimum",
        "where objectives with information loss are least, the excess loss is at most phi (with 100 as the constant of the O)",
        le(loss_left, 200 * P * R * sp.sqrt(H)),
        uses=("phi.split",),
    ),
    optimum.variant(
        "value",
        eq(loss_left, P**2 * R2 / (2 * curve)),
        says="the excess loss there",
        uses=(),
        changes=_systematic,
    ),
    optimum.variant(
        "strong",
        le(loss_left, P**2 * R2 / (2 * mu)),
        says="where objectives with information loss are least, the excess loss",
        conditions=(le(mu, curve),),
        uses=("phi.optimum/value",),
        changes=f"divides by mu, so that nothing bounds it at mu = 0, and asks nothing of the start; {_systematic}",
    ),
)

STATEMENTS = (*STEPS, *ONE_STEP, *CORRELATION, *NONCONVEX, *STEADY, *OURS, *OPTIMUM)
