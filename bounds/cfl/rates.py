"""CFL: from one round to the rate on convex losses (Appendix B.4.4).

The O() of the paper hides constants. Where its proof supplies them they are written out: the statements bound the
weighted mean of the excess loss by what Eq. (23) adds up to, at any admissible step size.
"""

from __future__ import annotations

from functools import partial

import sympy as sp

from bounds.cfl.convex import ALL, STEP, P, R, after2, c_pG, dist2, gap
from bounds.cfl.symbols import A2, B2, CFL, D2, G2, R2, H, K, L, N, T, at, eps, eta, eta_g, mu, sigma2, t
from bounds.cfl.techniques import log_T
from bounds.hypotheses import Hypothesis
from bounds.relations import eq, ge, gt, le
from bounds.statement import Scaling

_positive, _nonnegative = CFL.positive, CFL.nonnegative

# Weighted means over the rounds
gap_mean = _nonnegative(
    "gap_mean", "weighted mean of the excess loss over the rounds", r"\mathbb E f(\omega_F)-f(\omega^*)"
)
forgotten = _nonnegative(
    "forgotten", "what is left of the start", r"\frac{1-\mu\eta/2}{\eta\sum_tq_t}\mathcal H"
)
c1_mean = _nonnegative("c1_mean", "weighted mean of c_1", "c_1^o")
c2_mean = _nonnegative("c2_mean", "weighted mean of c_2", "c_2^o")
c3_mean = _nonnegative("c3_mean", "weighted mean of c_3", "c_3^o")
bias_mean = _nonnegative(
    "bias_mean",
    "weighted mean of c_3 times the distance in that round",
    r"\overline{c_3\|\omega_t-\omega^*\|}",
)
noise_mean = _nonnegative("noise_mean", "weighted mean of c_pG + c_R", r"\overline{c_{p_G}+c_R}")
past_mean = _nonnegative(
    "past_mean", "weighted mean of the weight of past rounds", r"\overline{\sum_{\tau<t}p_\tau}"
)
harmonic = _positive(
    "harmonic_loss", "plain mean of 1/(t - R^2/(R^2+D^2))", r"\frac1T\sum_t\frac1{t-R^2/(R^2+D^2)}"
)
harmonic_before = _nonnegative(
    "harmonic_before", "sum of 1/t over the rounds before the last", r"\sum_{t=1}^{T-1}\frac1t"
)

c_O = 1 + A2 + B2
c_A = G2 + D2 * R2 / (R2 + D2)
c_B = D2**3 / (R2 + D2) ** 2
c_C = L * sigma2 / (eta_g**2 * K) + L * c_A / eta_g**2
c_D = L * c_B / eta_g**2
fed_A = G2 + D2
fed_C = L * sigma2 / (eta_g**2 * K) + L * fed_A / eta_g**2
_c1 = 2 * c_pG + sigma2 / (N * K) + 2 * P**2 * R2
_c2 = L * c_pG / (3 * eta_g**2) + L * sigma2 / (6 * eta_g**2 * K) + L * P**2 * R2 / (3 * eta_g**2)
_progress = (1 - mu * eta / 2) / eta * dist2 - after2 / eta + _c1 * eta + _c2 * eta**2
_fed_progress = _progress.subs({P: 0, c_pG: fed_A})
_moving = "phi_t is c_3 times the distance in round t (root of its mean square), not in round 0"
_returning = "the N clients are the same in every round, so their drifts have shaped the model of round t"
_CONVEX = tuple(id for id in ALL if id != "ass1.convex")
_run = partial(at, "Appendix B.4", conditions=STEP, assumes=ALL)

_QUADRATICS = (
    *(Hypothesis.QUADRATIC, Hypothesis.SHARED_HESSIAN),
    *(Hypothesis.CONSTANT_DRIFT, Hypothesis.NEW_CLIENTS),
)
_bound_sc = forgotten + c1_mean * eta + c2_mean * eta**2
_bound_gc = H / (eta * T) + c1_mean * eta + c2_mean * eta**2
RUNS = (
    eq23 := _run("785-791")(
        "eq23",
        "excess loss of a round by the distances before and after it; the bias is at most c_3 times the distance of the start",
        le(gap, _progress + 2 * P * R * sp.sqrt(H)),
        uses=("onestep",),
    ),
    eq23.variant(
        "moving",
        le(gap, _progress + 2 * P * R * sp.sqrt(dist2)),
        says="excess loss of a round by the distances before and after it; the bias is c_3 times the distance",
        changes=_moving,
    ),
    eq23.variant(
        "returning",
        le(gap, _progress + 2 * P * R * sp.sqrt(dist2)),
        says="the same for clients that come back",
        changes=f"{_moving}; {_returning}",
    ),
    _run("837")(
        "eq24/returning",
        "one round of FedAvg with clients that come back",
        le(gap, _fed_progress),
        uses=("onestep",),
        changes=_returning,
    ),
    B44_sc := _run("809-821")(
        "B44.sc",
        "strongly convex: weighted mean of the excess loss",
        le(gap_mean, _bound_sc + c3_mean * sp.sqrt(H)),
        uses=("eq23", "lemA.1", "B44.sc.sum", "phi.average", "B44.sc.rate.first", "B44.sc.rate.second"),
    ),
    B44_sc.variant(
        "moving",
        le(gap_mean, _bound_sc + bias_mean),
        hypotheses=_QUADRATICS,
        uses=("eq23/moving", "lemA.1"),
        changes=_moving,
    ),
    B44_gc := _run("825-829")(
        "B44.gc",
        "convex: mean of the excess loss",
        le(gap_mean, _bound_gc + c3_mean * sp.sqrt(H)),
        assumes=_CONVEX,
        uses=("eq23", "lemA.2"),
    ),
    B44_gc.variant(
        "moving",
        le(gap_mean, _bound_gc + bias_mean),
        hypotheses=_QUADRATICS,
        uses=("eq23/moving", "lemA.2"),
        changes=_moving,
    ),
)

_s = R2 + D2
_at = "Appendix B.4.4"
MEANS = (
    at(_at, "815-817, 831-833")(
        "phi.split",
        "weight of the past in c_3, split into its limit and the rest",
        eq((t - 1) * D2 / (t * D2 + (t - 1) * R2), D2 / _s - D2**2 / _s**2 / (t - R2 / _s)),
    ),
    phi_average := at(_at, "815-817, 831-833")(
        "phi.average",
        "the weighted mean of 1/(t - R^2/(R^2+D^2)) is replaced by the plain mean in phi, where it is subtracted",
        le(past_mean, D2 / _s - D2**2 / _s**2 * harmonic),
        conditions=(gt(D2, 0),),
        uses=("phi.split", "lemA.6"),
    ),
    phi_average.variant(
        "limit",
        le(past_mean, D2 / _s),
        says="without what is subtracted",
        uses=("phi.split",),
        changes="leaves out the term with log(T)/T",
    ),
    at(_at, "811-813")(
        "B44.sc.sum",
        "the weighted mean of 1/(t - R^2/(R^2+D^2)) is replaced by the plain mean in c_1 and c_2",
        le(noise_mean, G2 + D2 * (R2 / _s + D2**2 / _s**2 * harmonic)),
        conditions=(gt(D2, 0),),
        uses=("min-value.split", "lemA.6"),
    ),
    harmonic_order := at(_at, "811-813, 831-833")(
        "B44.sc.sum.order",
        "the plain mean of 1/(t - R^2/(R^2+D^2)) is O(ln T/T) (with 100 (1 + ln T)/T)",
        le(harmonic, 100 * (1 + log_T) / T),
        conditions=(ge(T, 2),),
    ),
    harmonic_order.variant(
        "first-round",
        le(harmonic, ((R2 + D2) / D2 + 1 + log_T) / T),
        conditions=(gt(D2, 0),),
        changes="the first round counts (R^2 + D^2)/D^2, which no constant bounds where R is much larger than D",
    ),
    harmonic_order.variant(
        "absorbed",
        le(noise_mean, G2 + (1 + 1 / T) * D2 * R2 / _s + D2**3 / _s**2 * (2 + log_T) / T),
        says="the weighted mean of c_pG + c_R is of order c_A + c_B ln(T)/T, where R is much larger than D, too",
        conditions=(gt(D2, 0),),
        uses=("B44.sc.sum", "B44.sc.sum.order/first-round"),
        changes="what the first round adds is D^4/((R^2 + D^2) T), no more than D^2 R^2/((R^2 + D^2) T) and c_B/T together",
    ),
    at("Appendix B.4.4, (24)", "821, 841")(
        "eq24.start",
        "the start counts as in the rate of CFL: it falls with the rounds",
        eq(sp.exp(mu * T / (L * c_O)), sp.exp(-mu * T / (L * c_O))),
    ),
    at(_at, "821")(
        "B44.sc.rate.first",
        "the part of c_B in c_1 eta is of order c_B/(mu T^2)",
        Scaling(
            {"c_B": 2 * D2 * (D2 / _s) ** 2 * sp.log(T) / T * eta},
            {eta: 1 / (mu * T)},
            c_B / (mu * T**2),
            (T, D2, mu),
        ),
    ),
    at(_at, "821")(
        "B44.sc.rate.second",
        "c_2 eta^2 is of order c_C/(mu^2 T^2)",
        Scaling(
            {"c_C": L * (2 * c_A + sigma2 / K) / (6 * eta_g**2) * eta**2},
            {eta: 1 / (mu * T)},
            c_C / (mu**2 * T**2),
            (T, L, sigma2, mu),
        ),
    ),
)


def terms_sc(client_drift: sp.Expr) -> dict[str, sp.Expr]:
    """Terms of the rounds of Theorems 4.1(a) and 4.4(a)."""
    return {"start": L * c_O / mu, "noise": sigma2 / (mu * N * K * eps), "c_A": client_drift / (mu * eps)}


def terms_gc(client_drift: sp.Expr) -> dict[str, sp.Expr]:
    """Terms of the rounds of Theorems 4.1(b) and 4.4(b)."""
    return {"start": c_O * H / eps, "noise": sigma2 * H / (N * K * eps**2), "c_A": client_drift * H / eps**2}


def rounds_sc(client_drift: sp.Expr) -> sp.Expr:
    """Rounds of Theorems 4.1(a) and 4.4(a)."""
    return sum(terms_sc(client_drift).values())


def rounds_gc(client_drift: sp.Expr) -> sp.Expr:
    """Rounds of Theorems 4.1(b) and 4.4(b)."""
    return sum(terms_gc(client_drift).values())


RATE_SC = {
    "noise": sigma2 / (mu * N * K * T),
    "c_A": c_A / (mu * T),
    "c_B": c_B / (mu * T**2),
    "c_C": c_C / (mu**2 * T**2),
    "c_D": c_D / (mu**2 * T**3),
}
"""Terms of the rate of line 821, without the exponential one; `thmB.5.sc.start` speaks of that."""
RATE_GC = {
    "start": c_O * H / T,
    "noise": sp.sqrt(sigma2 * H / (N * K * T)),
    "c_A": sp.sqrt(H * c_A / T),
    "c_B": sp.sqrt(c_B * H) / T,
    "c_C": sp.cbrt(c_C * H**2 / T**2),
    "c_D": sp.cbrt(c_D * H**2) / T,
}
FED_RATE_SC = {"noise": RATE_SC["noise"], "c_A": fed_A / (mu * T), "c_C": fed_C / (mu**2 * T**2)}
FED_RATE_GC = {
    "start": c_O * H / T,
    "noise": RATE_GC["noise"],
    "c_A": sp.sqrt(H * fed_A / T),
    "c_C": sp.cbrt(fed_C * H**2 / T**2),
}

STATEMENTS = (*RUNS, *MEANS)
