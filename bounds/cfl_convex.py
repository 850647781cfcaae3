"""CFL, Appendix B.4.1 and B.4.2: the analysis of one round on convex losses, line by line.

Each display is a chain. A statement bounds the first quantity of its display by the numbered line; the steps in
between are statements of their own, from one printed line to the next. Sums over clients are sums over the index
``i`` from 0 here; sums over local steps and rounds are part of the named quantities. Printed without expectation,
but random, are values at local models: they are read in expectation, as the line in which they end demands.
"""

from __future__ import annotations

import sympy as sp

from bounds.cfl_symbols import CFL, D2, G2, R2, K, L, N, eta, eta_g, eta_l, mu, sigma2, source
from bounds.statement import Statement

_define = CFL.define
i = sp.Symbol("i", integer=True, nonnegative=True)

# What Assumptions 1 and 2 bound, as it is in a world
curved_sup = _define("curved_sup", "largest smoothness constant of a local loss", "nonnegative")
curved_inf = _define("curved_inf", "smallest strong convexity of a local loss", "nonnegative")
noisy2 = _define("noisy2", "variance of the stochastic gradient", "nonnegative", r"\mathbb E\|\nu\|^2")

# The round as a whole
pos = r"\omega_t-\omega^*"
dist = _define("dist_star", "distance of the model from the minimiser", "nonnegative", rf"\|{pos}\|")
dist2 = _define("dist2_star", "its square", "nonnegative", rf"\mathbb E\|{pos}\|^2")
after2 = _define(
    "after2",
    "squared distance after the round",
    "nonnegative",
    r"\mathbb E\|\omega_t+\Delta\omega_t-\omega^*\|^2",
)
gap = _define("gap", "excess of the global loss", "nonnegative", r"f(\omega_t)-f(\omega^*)")
gap_round = _define(
    "gap_round",
    "excess of the weighted losses of the round's clients",
    "real",
    r"f_t(\omega_t)-f_t(\omega^*)",
)
moved = _define("moved", "update of the server", "real", r"\Delta\omega_t")
moved_mean = _define("moved_mean", "its mean over the noise", "real", r"\mathbb E\Delta\omega_t")
moved2 = _define("moved2", "its squared norm", "nonnegative", r"\mathbb E\|\Delta\omega_t\|^2")
along = _define(
    "along",
    "update along the way from the minimiser",
    "real",
    rf"\mathbb E\langle {pos},\Delta\omega_t\rangle",
)
pulled = _define(
    "pulled", "sum of the stochastic gradients", "real", r"\sum_{i,k}\bar g_{t,i}(\omega_{t,i,k-1})"
)
true_pulled = _define(
    "true_pulled", "sum of their means", "real", r"\sum_{i,k}\nabla\tilde f_{t,i}(\omega_{t,i,k-1})"
)
mean_pulled = _define(
    "mean_pulled",
    "its mean over the noise",
    "real",
    r"\mathbb E\sum_{i,k}\nabla\tilde f_{t,i}(\omega_{t,i,k-1})",
)
_slope = (
    r"\sum_{i,k,\tau}p_{\tau,i}\mathbb E\langle\nabla f_{\tau,i}(\omega_{t,i,%s}),\omega^*-\omega_t\rangle"
)
slope_before = _define(
    "slope_before", "slopes towards the minimiser before each step", "real", _slope % "k-1"
)
slope_after = _define("slope_after", "slopes towards the minimiser after each step", "real", _slope % "k")
strayed = _define(
    "strayed",
    "squared local drift before each step, summed",
    "nonnegative",
    r"\sum_{i,k}\mathbb E\|\omega_{t,i,k-1}-\omega_t\|^2",
)
true2 = _define(
    "true2",
    "squared weighted true gradients, summed",
    "nonnegative",
    r"\sum_{i,k}\mathbb E\|\sum_{\tau\le t}p_{\tau,i}\nabla f_{\tau,i}\|^2",
)
missed2 = _define(
    "missed2",
    "squared weighted information losses, summed",
    "nonnegative",
    r"\sum_{i,k}\mathbb E\|\sum_{\tau<t}p_{\tau,i}\Delta_{\tau,i}\|^2",
)
bar2 = _define(
    "bar2",
    "squared gradients of the round's objective, summed",
    "nonnegative",
    r"\sum_{i,k}\mathbb E\|\nabla\bar f_{t,i}(\omega_{t,i,k-1})\|^2",
)

# One client, one local step, one past round: arrays over all of them
slope = _define(
    "slope",
    "slope of one loss towards the minimiser",
    "real",
    r"\langle\nabla f_{\tau,i}(\omega_{t,i,k-1}),\omega^*-\omega_t\rangle",
)
gain = _define(
    "gain", "gain of one loss at the minimiser", "real", r"f_{\tau,i}(\omega^*)-f_{\tau,i}(\omega_t)"
)
away = _define(
    "away", "distance of a local model from the server's", "nonnegative", r"\|\omega_{t,i,k-1}-\omega_t\|"
)
away2 = _define("away2", "its square", "nonnegative", r"\|\omega_{t,i,k-1}-\omega_t\|^2")
k = _define("k", "number of a local step", "count")
e_now = _define(
    "e_now",
    "expected squared local drift after step k",
    "nonnegative",
    r"\mathbb E\|\omega_{t,i,k}-\omega_t\|^2",
)
e_before = _define(
    "e_before",
    "expected squared local drift before step k",
    "nonnegative",
    r"\mathbb E\|\omega_{t,i,k-1}-\omega_t\|^2",
)
sum2 = _define(
    "sum2",
    "squared sum of k stochastic gradients",
    "nonnegative",
    r"\mathbb E\|\sum_{\tau\le k}\bar g_{t,i}(\omega_{t,i,\tau-1})\|^2",
)
bar2_upto = _define(
    "bar2_upto",
    "squared gradients of k steps",
    "nonnegative",
    r"\sum_{\tau\le k}\mathbb E\|\nabla\bar f_{t,i}(\omega_{t,i,\tau-1})\|^2",
)
bar2_here = _define(
    "bar2_here",
    "squared gradient of the round's objective",
    "nonnegative",
    r"\mathbb E\|\nabla\bar f_{t,i}(\omega)\|^2",
)
grad2_here = _define(
    "grad2_here",
    "squared global gradient at the same model",
    "nonnegative",
    r"\mathbb E\|\nabla f(\omega)\|^2",
)
cB = _define("cB", "1 + B^2 + A^2 sum p^2 of a client", "nonnegative", "c_{p_B,i}")
cG = _define("cG", "G^2 + D^2 sum p^2 of a client", "nonnegative", "c_{p_G,i}")
P = _define("P_past", "total weight of past rounds of a client", "nonnegative", r"\sum_{\tau<t}p_{\tau,i}")

# Means over clients, and sequences over clients
c_pB = _define("c_pB", "mean of c_pB over the clients", "nonnegative", "c_{p_B}")
c_pG = _define("c_pG", "mean of c_pG over the clients", "nonnegative", "c_{p_G}")
c_max = _define("c_max", "largest c_pB of a client", "positive", r"\hat c_{p_B}")
cB_i, cG_i, P_i = sp.IndexedBase("cB_i"), sp.IndexedBase("cG_i"), sp.IndexedBase("P_i")
grad2_i = sp.IndexedBase("grad2_i")
"""Squared global gradients at a client's local models, summed over local steps."""
change2_i = sp.IndexedBase("change2_i")
"""Squared changes of the global gradient since the start of the round, summed over local steps."""
strayed_i = sp.IndexedBase("strayed_i")
"""Squared local drift before each step, summed over local steps."""
g2_start = _define(
    "g2_start",
    "squared global gradient at the start of the round",
    "nonnegative",
    r"\mathbb E\|\nabla f(\omega_t)\|^2",
)


def over_clients(term: sp.Expr) -> sp.Expr:
    """Sum over the clients i = 0..N-1."""
    return sp.Sum(term, (i, 0, N - 1))


R = sp.sqrt(R2)
LOST = over_clients(P_i[i] ** 2) * R2 / N
"""c_R: mean over clients of (sum of past weights)^2 R^2."""


def step_limit(c: sp.Expr, factor: int) -> sp.Expr:
    """Limit of eta in the conditions of lines 767 (factor 6) and 771 (factor 12)."""
    return (sp.sqrt(3 * eta_g**2 + 4 * c * eta_g**4) - sp.sqrt(4 * c * eta_g**4)) / (factor * L * sp.sqrt(c))


SIZE = K * eta_l * eta_g
STEP = (sp.Le(SIZE, step_limit(c_max, 12)),)
"""The step size of line 771, under which Appendix B.4.2 goes on; every step of the proof is judged under it."""

ASSUMPTIONS = (
    Statement(
        "cfl.ass1.smooth", "every local loss is L-smooth", sp.Le(curved_sup, L), source("Assumption 1", "154")
    ),
    Statement(
        "cfl.ass1.convex",
        "every local loss is mu-strongly convex",
        sp.Ge(curved_inf, mu),
        source("Assumption 1", "154"),
    ),
    Statement(
        "cfl.ass2",
        "stochastic gradients have variance at most sigma^2",
        sp.Le(noisy2, sigma2),
        source("Assumption 2", "158"),
    ),
)
ALL = ("cfl.ass1.smooth", "cfl.ass1.convex", "cfl.ass2", "cfl.ass3.client", "cfl.ass3.time", "cfl.ass4")


def ratio(c: sp.Expr) -> sp.Expr:
    """X_i, the factor in which the bounds of the local drift end."""
    return (1 + 4 * eta * L * c) / (1 - 4 * K**2 * eta_l**2 * L**2 * c)


def _line(
    id: str, says: str, relation: sp.Basic, lines: str, uses: tuple[str, ...] = (), changes: str = ""
) -> Statement:
    """A line of the proof, under all hypotheses of Theorem 4.1."""
    place = f"Appendix B.4.2, {id.split('/')[0].removeprefix('cfl.')}"
    return Statement(
        f"cfl.{id.removeprefix('cfl.')}",
        says,
        relation,
        source(place, lines),
        STEP,
        ALL,
        tuple(f"cfl.{u}" for u in uses),
        changes=changes,
    )


_noise = eta**2 * sigma2 / (N * K)
_line14 = 2 * eta**2 / (N * K) * (true2 + missed2) + _noise
_tail = 2 * eta**2 * LOST + _noise
_mid1 = 2 * eta**2 / (N * K) * over_clients(cB_i[i] * grad2_i[i] + K * cG_i[i]) + _tail
_mid2 = (
    4 * eta**2 / (N * K) * over_clients(cB_i[i] * (change2_i[i] + K * g2_start)) + 2 * eta**2 * c_pG + _tail
)
_line15 = (
    16 * eta**2 * L * c_pB * gap
    + 8 * eta**2 * L**2 / (N * K) * over_clients(cB_i[i] * strayed_i[i])
    + 2 * eta**2 * c_pG
    + _tail
)
_fall = -2 * eta * (gap_round + mu / 4 * dist2) + 2 * eta * L / (N * K) * strayed
_drift_terms = (
    8 * K**2 * eta_l**2 * L * cB * gap
    + 2 * K**2 * eta_l**2 * cG
    + 2 * K**2 * eta_l**2 * P**2 * R2
    + K * eta_l**2 * sigma2
)

ROUND = (
    _line(
        "eq8",
        "the server moves against the mean of all stochastic gradients",
        sp.Eq(moved, -eta / (N * K) * pulled),
        "688",
    ),
    _line(
        "eq9",
        "in expectation over the noise it moves against the mean of the gradients at the local models",
        sp.Eq(moved_mean, -eta / (N * K) * true_pulled),
        "690",
        ("eq8",),
    ),
    _line(
        "eq9/expected",
        "the same with the expectation on both sides",
        sp.Eq(moved_mean, -eta / (N * K) * mean_pulled),
        "690",
        ("eq8",),
        "the local models are random, so their gradients are taken in expectation",
    ),
    _line(
        "eq10",
        "the squared distance after a round, expanded",
        sp.Eq(after2, dist2 - 2 * along + moved2),
        "696",
    ),
    _line(
        "eq10/corrected",
        "the squared distance after a round, expanded",
        sp.Eq(after2, dist2 + 2 * along + moved2),
        "696",
        (),
        "the mixed term has the sign +",
    ),
    _line(
        "eq11",
        "the mixed term is at most the slopes of the true losses and a term of the information loss",
        sp.Le(-2 * along, 2 * eta / (N * K) * slope_after + 2 * eta / N * over_clients(P_i[i]) * R * dist),
        "700-705",
        ("eq9",),
    ),
    _line(
        "eq11/sign",
        "the same with the sign that Eq. (9) gives",
        sp.Le(2 * along, 2 * eta / (N * K) * slope_after + 2 * eta / N * over_clients(P_i[i]) * R * dist),
        "700-705",
        ("eq9",),
        "the mixed term has the sign +",
    ),
    _line(
        "eq11/corrected",
        "the same with the sign and the local models of Eq. (9)",
        sp.Le(2 * along, 2 * eta / (N * K) * slope_before + 2 * eta / N * over_clients(P_i[i]) * R * dist),
        "700-705",
        ("eq9",),
        "the mixed term has the sign +, and gradients stand at w_(t,i,k-1), not w_(t,i,k)",
    ),
    _line(
        "eq12",
        "perturbed strong convexity of one loss",
        sp.Le(slope, gain - mu / 4 * dist2 + L * away),
        "709",
        ("lemA.5",),
    ),
    _line(
        "eq12/corrected",
        "perturbed strong convexity of one loss",
        sp.Le(slope, gain - mu / 4 * dist2 + L * away2),
        "709",
        ("lemA.5",),
        "the distance is squared, as in Lemma A.5",
    ),
    _line(
        "eq13",
        "the mixed term: gain in the loss, local drift, information loss of a client",
        sp.Le(-2 * along, _fall + 2 * eta * P * R * dist),
        "713-717",
        ("eq11", "eq12"),
    ),
    _line(
        "eq13/corrected",
        "the mixed term: gain in the loss, local drift, information loss of all clients",
        sp.Le(2 * along, _fall + 2 * eta / N * over_clients(P_i[i]) * R * dist),
        "713-717",
        ("eq11/corrected", "eq12/corrected"),
        "the mixed term has the sign +, and the last term is the mean over the clients",
    ),
    _line(
        "eq14",
        "the squared update: squared true gradients, information losses, noise",
        sp.Le(moved2, _line14),
        "721-725",
        ("eq14.noise",),
    ),
    _line(
        "eq14.noise",
        "mean and noise of the gradients separated",
        sp.Le(moved2, eta**2 / (N * K) * bar2 + _noise),
        "722",
        ("lemA.4",),
    ),
    _line("eq15.mid1", "drift and information loss inserted", sp.Le(_line14, _mid1), "726", ("lemB.2.2",)),
    _line(
        "eq15.mid1/independent",
        "drift and information loss inserted",
        sp.Le(_line14, _mid1),
        "726",
        ("lemB.2.2",),
        "the information loss does not depend on the drifts, so the local models depend on them through the true gradients alone",
    ),
    _line(
        "eq15.mid2",
        "gradients at local models compared with the start of the round",
        sp.Le(_mid1, _mid2),
        "728",
        ("lemA.3",),
    ),
    _line("eq15.last", "smoothness inserted", sp.Le(_mid2, _line15), "730-731", ("ass1.corollary",)),
    _line(
        "eq15",
        "the squared update: excess loss, local drift, drift, information loss, noise",
        sp.Le(moved2, _line15),
        "721-731",
        ("eq14", "eq15.mid1", "eq15.mid2", "eq15.last"),
    ),
    _line("eq16", "local drift is the sum of the stochastic gradients", sp.Eq(e_now, eta_l**2 * sum2), "736"),
    _line(
        "eq17",
        "mean and noise of the local steps separated",
        sp.Le(e_now, k * eta_l**2 * bar2_upto + k * eta_l**2 * sigma2),
        "738",
        ("eq16", "lemA.4"),
    ),
    _line(
        "eq18.mid",
        "squared gradient of the round's objective: drift and information loss",
        sp.Le(bar2_here, 2 * cB * grad2_here + 2 * cG + 2 * P**2 * R2),
        "744-745",
        ("lemA.3", "lemB.2.2"),
    ),
    _line(
        "eq18",
        "squared gradient of the round's objective: local drift, excess loss, drift, information loss",
        sp.Le(bar2_here, 4 * L**2 * cB * e_before + 8 * L * cB * gap + 2 * cG + 2 * P**2 * R2),
        "742-746",
        ("eq18.mid",),
    ),
    _line(
        "eq19",
        "local drift after a step by that before it",
        sp.Le(
            e_now,
            4 * k**2 * eta_l**2 * L**2 * cB * e_before
            + 8 * k**2 * eta_l**2 * L * cB * gap
            + 2 * k**2 * eta_l**2 * cG
            + 2 * k**2 * eta_l**2 * P**2 * R2
            + k * eta_l**2 * sigma2,
        ),
        "751",
        ("eq17", "eq18"),
    ),
    _line(
        "eq20",
        "local drift, solved",
        sp.Le(e_now, _drift_terms / (1 - 4 * K**2 * eta_l**2 * L**2 * cB)),
        "755",
        ("eq17", "eq19"),
    ),
)


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


c_R = LOST
c_1 = 2 * c_pG + sigma2 / (N * K) + 2 * c_R
c_2 = L * c_pG / (3 * eta_g**2) + L * sigma2 / (6 * eta_g**2 * K) + L * c_R / (3 * eta_g**2)
c_3 = 2 / N * over_clients(P_i[i]) * R
_next = (1 - mu * eta / 2) * dist2 - eta * gap
_root = sp.sqrt(3 * eta_g**2 * c_max + 4 * eta_g**4 * c_max**2)
_first = (sp.Le(SIZE, step_limit(c_max, 6)),)
_unit = (
    "with the factor eta L that Eq. (13) and (15) give: 2 eta L (1 + 4 eta L c) e, not 2 (1 + 4 eta L c) e"
)
_fed = {c_pG: G2 + D2, over_clients(P_i[i]): 0, over_clients(P_i[i] ** 2): 0}


def _scalar(
    id: str,
    says: str,
    relation: sp.Basic,
    lines: str,
    conditions: tuple,
    uses: tuple[str, ...] = (),
    changes: str = "",
) -> Statement:
    """A claim about step sizes and constants alone."""
    return Statement(
        f"cfl.{id}", says, relation, source("Appendix B.4.2", lines), conditions, (), uses, changes=changes
    )


STEPS = (
    _line(
        "eq21",
        "one round: all parts together",
        sp.Le(after2, contraction(L, L)),
        "759-761",
        ("eq10", "eq13", "eq15", "eq20"),
    ),
    _line(
        "eq21/corrected",
        "one round: all parts together",
        sp.Le(after2, contraction(eta * L**2, eta * L)),
        "759-761",
        ("eq10/corrected", "eq13/corrected", "eq15", "eq20"),
        _unit,
    ),
    _scalar(
        "eq22",
        "the factor of the excess loss is not positive",
        sp.Le(excess_factor(L**2), 0),
        "763",
        STEP,
        ("cfl.step",),
    ),
    _scalar(
        "eq22/theorem",
        "the factor of the excess loss is not positive for eta_g = 1",
        sp.Le(excess_factor(L**2), 0),
        "763",
        (*STEP, sp.Eq(eta_g, 1)),
        ("cfl.step",),
        "adds eta_g = 1, which Theorem 4.1 asks for",
    ),
    _scalar(
        "eq22/theorem-units",
        "the factor of the excess loss is not positive for eta_g = 1 and L = 1",
        sp.Le(excess_factor(L**2), 0),
        "763",
        (*STEP, sp.Eq(eta_g, 1), sp.Eq(L, 1)),
        ("cfl.step",),
        "adds eta_g = 1 and L = 1, where the missing factor L makes no difference",
    ),
    _scalar(
        "eq22.coefficient",
        "Eq. (22) speaks of the factor in Eq. (21)",
        sp.Eq(excess_factor(L**2), excess_factor(L)),
        "760, 763",
        STEP,
    ),
    _scalar(
        "eq22/corrected",
        "the factor of the excess loss is not positive",
        sp.Le(excess_factor(eta * L**2), 0),
        "763",
        STEP,
        ("cfl.step/corrected",),
        _unit,
    ),
    _scalar(
        "step",
        "the first step-size condition makes Eq. (22) true",
        sp.Le(excess_factor(L**2), 0),
        "763-769",
        _first,
    ),
    _scalar(
        "step/corrected",
        "the first step-size condition makes the corrected Eq. (22) true",
        sp.Le(excess_factor(eta * L**2), 0),
        "763-769",
        _first,
        (),
        _unit,
    ),
    _scalar(
        "step.simplified",
        "the second step-size condition implies the first for every client",
        sp.Le(SIZE, step_limit(cB, 6)),
        "771",
        (*STEP, sp.Le(cB, c_max), sp.Ge(cB, 1)),
    ),
    _scalar(
        "step.half",
        "under the second condition the factor of the excess loss is at most -eta",
        sp.Le(excess_factor(L**2), -eta),
        "783",
        STEP,
    ),
    _scalar(
        "step.half/corrected",
        "under the second condition the factor of the excess loss is at most -eta",
        sp.Le(excess_factor(eta * L**2), -eta),
        "783",
        STEP,
        (),
        _unit,
    ),
    _scalar(
        "step.denominator",
        "the denominator of the local drift is bounded below",
        sp.Ge(1 - 4 * K**2 * eta_l**2 * L**2 * cB, (33 - 8 * eta_g**2 * c_max + 4 * _root) / 36),
        "775",
        (*STEP, sp.Le(cB, c_max), sp.Ge(cB, 1)),
    ),
    _scalar(
        "step.ratio",
        "the factor of the local drift is at most 1/12 minus something",
        sp.Le(ratio(cB), sp.Rational(1, 12) - 7 / (33 + _root - 2 * eta_g**2 * c_max)),
        "779",
        (*STEP, sp.Le(cB, c_max), sp.Ge(cB, 1)),
        ("cfl.step.denominator",),
    ),
    _scalar(
        "step.ratio.twelfth",
        "what is subtracted from 1/12 is not negative",
        sp.Le(sp.Rational(1, 12) - 7 / (33 + _root - 2 * eta_g**2 * c_max), sp.Rational(1, 12)),
        "779",
        (sp.Ge(c_max, 1),),
    ),
    _scalar(
        "step.ratio/corrected",
        "the factor of the local drift is at most 3 - 63/(33 + 4 root - 8 eta_g^2 c)",
        sp.Le(ratio(cB), 3 - 63 / (33 + 4 * _root - 8 * eta_g**2 * c_max)),
        "779",
        (*STEP, sp.Le(cB, c_max), sp.Ge(cB, 1)),
        ("cfl.step.denominator",),
        "numerator at most 1 + (root - 2 eta_g^2 c)/3 over the printed denominator; it lies between 1 and 5/4",
    ),
    _line(
        "onestep",
        "one round with the constants c_1, c_2, c_3",
        sp.Le(after2, _next + c_1 * eta**2 + c_2 * eta**3 + c_3 * eta * dist),
        "781-783",
        ("eq21", "step.half", "step.ratio"),
    ),
    _line(
        "onestep/corrected",
        "one round with a c_2 that is 18 times as large",
        sp.Le(after2, _next + c_1 * eta**2 + 18 * c_2 * eta**3 + c_3 * eta * dist),
        "781-783",
        ("eq21/corrected", "step.half/corrected", "step.ratio/corrected"),
        "c_2 with 3/2, not 1/12, as the bound of the factor of the local drift",
    ),
    _line(
        "eq24",
        "one round of FedAvg",
        sp.Le(gap, (1 - mu * eta / 2) / eta * dist2 - after2 / eta + (c_1 * eta + c_2 * eta**2).subs(_fed)),
        "837",
        ("onestep",),
    ),
)

STATEMENTS = (*ASSUMPTIONS, *ROUND, *STEPS)
