"""CFL, Appendix B.4.1 and B.4.2: the analysis of one round on convex losses, line by line.

Each display is a chain. A statement bounds the first quantity of its display by the numbered line; the steps in
between are statements of their own, from one printed line to the next. Sums over clients are sums over the index
``i`` from 0 here; sums over local steps and rounds are part of the named quantities. Printed without expectation,
but random, are values at local models: they are read in expectation, as the line in which they end demands.
"""

from __future__ import annotations

import sympy as sp

from bounds.cfl.symbols import CFL, R2, K, L, N, at, eta, eta_g, eta_l, mu, proof, sigma2
from bounds.relations import eq, ge, le

_count, _positive, _nonnegative, _real = CFL.count, CFL.positive, CFL.nonnegative, CFL.real
i = sp.Symbol("i", integer=True, nonnegative=True)

# What Assumptions 1 and 2 bound, as it is in a world
curved_sup = _nonnegative("curved_sup", "largest smoothness constant of a local loss", r"L_{\sup}")
curved_inf = _nonnegative("curved_inf", "smallest strong convexity of a local loss", r"\mu_{\inf}")
noisy2 = _nonnegative("noisy2", "variance of the stochastic gradient", r"\mathbb E\|\nu\|^2")

# Who takes part
returning = _nonnegative(
    "returning",
    "clients of a round that have taken part before, so that their drifts have shaped the model of the round",
    r"|\mathcal S_t\cap\mathcal S_{<t}|",
)
NEW = eq(returning, 0)
"""New clients in every round: given the model of a round, the drifts of its clients have mean zero, past ones too."""
SAME = eq(returning, N)
"""The same clients in every round."""

# The round as a whole
pos = r"\omega_t-\omega^*"
dist = _nonnegative("dist_star", "distance of the model from the minimiser", rf"\|{pos}\|")
dist2 = _nonnegative("dist2_star", "its square", rf"\mathbb E\|{pos}\|^2")
after2 = _nonnegative(
    "after2", "squared distance after the round", r"\mathbb E\|\omega_t+\Delta\omega_t-\omega^*\|^2"
)
gap = _nonnegative("gap", "excess of the global loss", r"f(\omega_t)-f(\omega^*)")
gap_round = _real(
    "gap_round", "excess of the weighted losses of the round's clients", r"f_t(\omega_t)-f_t(\omega^*)"
)
moved = _real("moved", "update of the server", r"\Delta\omega_t")
moved_mean = _real("moved_mean", "its mean over the noise", r"\mathbb E\Delta\omega_t")
moved2 = _nonnegative("moved2", "its squared norm", r"\mathbb E\|\Delta\omega_t\|^2")
along = _real(
    "along", "update along the way from the minimiser", rf"\mathbb E\langle {pos},\Delta\omega_t\rangle"
)
pulled = _real("pulled", "sum of the stochastic gradients", r"\sum_{i,k}\bar g_{t,i}(\omega_{t,i,k-1})")
true_pulled = _real("true_pulled", "sum of their means", r"\sum_{i,k}\nabla\tilde f_{t,i}(\omega_{t,i,k-1})")
mean_pulled = _real(
    "mean_pulled", "its mean over the noise", r"\mathbb E\sum_{i,k}\nabla\tilde f_{t,i}(\omega_{t,i,k-1})"
)
_slope = (
    r"\sum_{i,k,\tau}p_{\tau,i}\mathbb E\langle\nabla f_{\tau,i}(\omega_{t,i,%s}),\omega^*-\omega_t\rangle"
)
slope_before = _real("slope_before", "slopes towards the minimiser before each step", _slope % "k-1")
slope_after = _real("slope_after", "slopes towards the minimiser after each step", _slope % "k")
lost_along = _real(
    "lost_along",
    "weighted information losses along the way from the minimiser, summed",
    rf"\sum_{{i,k}}\mathbb E\langle {pos},\sum_{{\tau<t}}p_{{\tau,i}}\Delta_{{\tau,i}}\rangle",
)
strayed = _nonnegative(
    "strayed",
    "squared local drift before each step, summed",
    r"\sum_{i,k}\mathbb E\|\omega_{t,i,k-1}-\omega_t\|^2",
)
left = _nonnegative(
    "left",
    "distance from the minimiser that a step against the global gradient leaves",
    rf"\|{pos}-\eta\nabla f(\omega_t)\|",
)
left2 = _nonnegative("left2", "its square", rf"\|{pos}-\eta\nabla f(\omega_t)\|^2")
lost_left = _real(
    "lost_left",
    "mean weighted information loss along that way",
    rf"\frac1N\sum_i\mathbb E\langle {pos}-\eta\nabla f(\omega_t),\sum_{{\tau<t}}p_{{\tau,i}}\Delta_{{\tau,i}}\rangle",
)
drift_mean2 = _nonnegative(
    "drift_mean2",
    "squared mean over the clients of the weighted drifts at the start",
    r"\mathbb E\|\frac1N\sum_i\sum_\tau p_{\tau,i}\nabla f_{\tau,i}(\omega_t)-\nabla f(\omega_t)\|^2",
)
true2 = _nonnegative(
    "true2",
    "squared weighted true gradients, summed",
    r"\sum_{i,k}\mathbb E\|\sum_{\tau\le t}p_{\tau,i}\nabla f_{\tau,i}\|^2",
)
missed2 = _nonnegative(
    "missed2",
    "squared weighted information losses, summed",
    r"\sum_{i,k}\mathbb E\|\sum_{\tau<t}p_{\tau,i}\Delta_{\tau,i}\|^2",
)
bar2 = _nonnegative(
    "bar2",
    "squared gradients of the round's objective, summed",
    r"\sum_{i,k}\mathbb E\|\nabla\bar f_{t,i}(\omega_{t,i,k-1})\|^2",
)

# One client, one local step, one past round: arrays over all of them
slope = _real(
    "slope",
    "slope of one loss towards the minimiser",
    r"\langle\nabla f_{\tau,i}(\omega_{t,i,k-1}),\omega^*-\omega_t\rangle",
)
gain = _real("gain", "gain of one loss at the minimiser", r"f_{\tau,i}(\omega^*)-f_{\tau,i}(\omega_t)")
away = _nonnegative("away", "distance of a local model from the server's", r"\|\omega_{t,i,k-1}-\omega_t\|")
away2 = _nonnegative("away2", "its square", r"\|\omega_{t,i,k-1}-\omega_t\|^2")
k = _count("k", "number of a local step")
e_now = _nonnegative(
    "e_now", "expected squared local drift after step k", r"\mathbb E\|\omega_{t,i,k}-\omega_t\|^2"
)
e_before = _nonnegative(
    "e_before", "expected squared local drift before step k", r"\mathbb E\|\omega_{t,i,k-1}-\omega_t\|^2"
)
sum2 = _nonnegative(
    "sum2",
    "squared sum of k stochastic gradients",
    r"\mathbb E\|\sum_{\tau\le k}\bar g_{t,i}(\omega_{t,i,\tau-1})\|^2",
)
bar2_upto = _nonnegative(
    "bar2_upto",
    "squared gradients of k steps",
    r"\sum_{\tau\le k}\mathbb E\|\nabla\bar f_{t,i}(\omega_{t,i,\tau-1})\|^2",
)
bar2_here = _nonnegative(
    "bar2_here", "squared gradient of the round's objective", r"\mathbb E\|\nabla\bar f_{t,i}(\omega)\|^2"
)
grad2_here = _nonnegative(
    "grad2_here", "squared global gradient at the same model", r"\mathbb E\|\nabla f(\omega)\|^2"
)
cB = _nonnegative("cB", "1 + B^2 + A^2 sum p^2 of a client", "c_{p_B,i}")
cG = _nonnegative("cG", "G^2 + D^2 sum p^2 of a client", "c_{p_G,i}")
P = _nonnegative("P_past", "total weight of past rounds of a client", r"\sum_{\tau<t}p_{\tau,i}")

# Means over clients, and sequences over clients
c_pB = _nonnegative("c_pB", "mean of c_pB over the clients", "c_{p_B}")
c_pG = _nonnegative("c_pG", "mean of c_pG over the clients", "c_{p_G}")
c_max = _positive("c_max", "largest c_pB of a client", r"\hat c_{p_B}")
cB_i, cG_i, P_i = sp.IndexedBase("cB_i"), sp.IndexedBase("cG_i"), sp.IndexedBase("P_i")
grad2_i, change2_i, strayed_i = (sp.IndexedBase(name) for name in ("grad2_i", "change2_i", "strayed_i"))
CFL.series(cB_i, "c_pB of a client", r"\mathbf c_{p_B}")
CFL.series(cG_i, "c_pG of a client", r"\mathbf c_{p_G}")
CFL.series(P_i, "weight of the past of a client", r"\mathbf P")
CFL.series(
    grad2_i,
    "squared global gradients at a client's local models, summed over local steps",
    r"\sum_k\mathbb E\|\nabla f(\omega_{t,k})\|^2",
)
CFL.series(
    change2_i,
    "squared changes of the global gradient since the start of the round, summed over local steps",
    r"\sum_k\mathbb E\|\nabla f(\omega_{t,k})-\nabla f(\omega_t)\|^2",
)
CFL.series(
    strayed_i,
    "squared local drift before each step, summed over local steps",
    r"\sum_k\mathbb E\|\omega_{t,k}-\omega_t\|^2",
)
g2_start = _nonnegative(
    "g2_start", "squared global gradient at the start of the round", r"\mathbb E\|\nabla f(\omega_t)\|^2"
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
STEP = (le(SIZE, step_limit(c_max, 12)),)
"""The step size of line 771, under which Appendix B.4.2 goes on; every step of the proof is judged under it."""

ASSUMPTIONS = (
    at("Assumption 1", "154")("ass1.smooth", "every local loss is L-smooth", le(curved_sup, L)),
    at("Assumption 1", "154")("ass1.convex", "every local loss is mu-strongly convex", ge(curved_inf, mu)),
    at("Assumption 2", "158")(
        "ass2", "stochastic gradients have variance at most sigma^2", le(noisy2, sigma2)
    ),
)
ALL = ("ass1.smooth", "ass1.convex", "ass2", "ass3.client", "ass3.time", "ass4")


line = proof("Appendix B.4.2", conditions=STEP, assumes=ALL)
"""Lines of the proof, under all hypotheses of Theorem 4.1."""

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
    line("eq8", "688")(
        "the server moves against the mean of all stochastic gradients", eq(moved, -eta / (N * K) * pulled)
    ),
    eq9 := line("eq9", "690")(
        "in expectation over the noise it moves against the mean of the gradients at the local models",
        eq(moved_mean, -eta / (N * K) * true_pulled),
        uses=("eq8",),
    ),
    eq9.variant(
        "expected",
        eq(moved_mean, -eta / (N * K) * mean_pulled),
        says="the same with the expectation on both sides",
        changes="the local models are random, so their gradients are taken in expectation",
    ),
    eq10 := line("eq10", "696")(
        "the squared distance after a round, expanded", eq(after2, dist2 - 2 * along + moved2)
    ),
    eq10.variant(
        "corrected", eq(after2, dist2 + 2 * along + moved2), changes="the mixed term has the sign +"
    ),
    eq11 := line("eq11", "700-705")(
        "the mixed term is at most the slopes of the true losses and a term of the information loss",
        le(-2 * along, 2 * eta / (N * K) * slope_after + 2 * eta / N * over_clients(P_i[i]) * R * dist),
        uses=("eq9",),
    ),
    eq11.variant(
        "sign",
        le(2 * along, 2 * eta / (N * K) * slope_after + 2 * eta / N * over_clients(P_i[i]) * R * dist),
        says="the same with the sign that Eq. (9) gives",
        changes="the mixed term has the sign +",
    ),
    eq11.variant(
        "corrected",
        le(2 * along, 2 * eta / (N * K) * slope_before + 2 * eta / N * over_clients(P_i[i]) * R * dist),
        says="the same with the sign and the local models of Eq. (9)",
        changes="the mixed term has the sign +, and gradients stand at w_(t,i,k-1), not w_(t,i,k)",
    ),
    eq12 := line("eq12", "709")(
        "perturbed strong convexity of one loss",
        le(slope, gain - mu / 4 * dist2 + L * away),
        uses=("lemA.5",),
    ),
    eq12.variant(
        "corrected",
        le(slope, gain - mu / 4 * dist2 + L * away2),
        changes="the distance is squared, as in Lemma A.5",
    ),
    eq13 := line("eq13", "713-717")(
        "the mixed term: gain in the loss, local drift, information loss of a client",
        le(-2 * along, _fall + 2 * eta * P * R * dist),
        uses=("eq11", "eq12"),
    ),
    eq13.variant(
        "corrected",
        le(2 * along, _fall + 2 * eta / N * over_clients(P_i[i]) * R * dist),
        says="the mixed term: gain in the loss, local drift, information loss of all clients",
        uses=("eq11/corrected", "eq12/corrected"),
        changes="the mixed term has the sign +, and the last term is the mean over the clients",
    ),
    eq14 := line("eq14", "721-725")(
        "the squared update: squared true gradients, information losses, noise",
        le(moved2, _line14),
        uses=("eq14.noise",),
    ),
    eq14_noise := line("eq14.noise", "722")(
        "mean and noise of the gradients separated",
        le(moved2, eta**2 / (N * K) * bar2 + _noise),
        uses=("lemA.4",),
    ),
    eq15_mid1 := line("eq15.mid1", "726")(
        "drift and information loss inserted", le(_line14, _mid1), uses=("lemB.2.2",)
    ),
    eq15_mid1.variant(
        "independent",
        changes="the information loss does not depend on the drifts, so the local models depend on them through the true gradients alone",
    ),
    line("eq15.mid2", "728")(
        "gradients at local models compared with the start of the round", le(_mid1, _mid2), uses=("lemA.3",)
    ),
    line("eq15.last", "730-731")("smoothness inserted", le(_mid2, _line15), uses=("ass1.corollary",)),
    line("eq15", "721-731")(
        "the squared update: excess loss, local drift, drift, information loss, noise",
        le(moved2, _line15),
        uses=("eq14", "eq15.mid1", "eq15.mid2", "eq15.last"),
    ),
    line("eq16", "736")("local drift is the sum of the stochastic gradients", eq(e_now, eta_l**2 * sum2)),
    eq17 := line("eq17", "738")(
        "mean and noise of the local steps separated",
        le(e_now, k * eta_l**2 * bar2_upto + k * eta_l**2 * sigma2),
        uses=("eq16", "lemA.4"),
    ),
    line("eq18.mid", "744-745")(
        "squared gradient of the round's objective: drift and information loss",
        le(bar2_here, 2 * cB * grad2_here + 2 * cG + 2 * P**2 * R2),
        uses=("lemA.3", "lemB.2.2"),
    ),
    line("eq18", "742-746")(
        "squared gradient of the round's objective: local drift, excess loss, drift, information loss",
        le(bar2_here, 4 * L**2 * cB * e_before + 8 * L * cB * gap + 2 * cG + 2 * P**2 * R2),
        uses=("eq18.mid",),
    ),
    line("eq19", "751")(
        "local drift after a step by that before it",
        le(
            e_now,
            4 * k**2 * eta_l**2 * L**2 * cB * e_before
            + 8 * k**2 * eta_l**2 * L * cB * gap
            + 2 * k**2 * eta_l**2 * cG
            + 2 * k**2 * eta_l**2 * P**2 * R2
            + k * eta_l**2 * sigma2,
        ),
        uses=("eq17", "eq18"),
    ),
    line("eq20", "755")(
        "local drift, solved",
        le(e_now, _drift_terms / (1 - 4 * K**2 * eta_l**2 * L**2 * cB)),
        uses=("eq17", "eq19"),
    ),
)

STATEMENTS = (*ASSUMPTIONS, *ROUND)
