"""CFL, Appendix B.5: the analysis for losses that need not be convex, line by line.

Eq. (26) to (29) print gradients at the local models after a step, w_(t,i,k); the algorithm takes them before it.
"""

from __future__ import annotations

import sympy as sp

from bounds.cfl.convex import (
    ALL,
    LOST,
    P,
    P_i,
    c_max,
    c_pB,
    c_pG,
    cB,
    cB_i,
    cG,
    e_before,
    e_now,
    eq14,
    eq14_noise,
    eq17,
    g2_start,
    i,
    k,
    missed2,
    moved2,
    over_clients,
    strayed_i,
    true2,
)
from bounds.cfl.symbols import CFL, R2, K, L, N, at, eta, eta_g, eta_l, proof, sigma2
from bounds.hypotheses import Hypothesis
from bounds.relations import eq, ge, le, lt

_nonnegative, _real = CFL.nonnegative, CFL.real

# The round as a whole
loss_now = _real("loss_now", "global loss before the round", r"\mathbb E f(\omega_t)")
loss_next = _real("loss_next", "global loss after the round", r"\mathbb E f(\omega_{t+1})")
downhill = _real(
    "downhill",
    "update along the global gradient",
    r"\mathbb E\langle\nabla f(\omega_t),\Delta\omega_t\rangle",
)
_bar = r"\sum_{i,k}\mathbb E\langle\nabla f(\omega_t),\nabla\bar f_{t,i}(\omega_{t,i,%s})\rangle"
bar_after = _real(
    "bar_after", "gradients of the round's objective along the global gradient, after each step", _bar % "k"
)
bar_before = _real("bar_before", "the same before each step", _bar % "k-1")
_v = r"\sum_{\tau\le t}p_{\tau,i}\nabla f_{\tau,i}(\omega_{t,i,%s})"
true2_after = _nonnegative(
    "true2_after",
    "squared weighted true gradients after each step, summed",
    rf"\sum_{{i,k}}\mathbb E\|{_v % 'k'}\|^2",
)
apart2_after = _nonnegative(
    "apart2_after",
    "squared distances of the global from the weighted gradients after each step",
    rf"\sum_{{i,k}}\mathbb E\|\nabla f(\omega_t)-{_v % 'k'}\|^2",
)
apart2_before = _nonnegative(
    "apart2_before",
    "the same before each step",
    rf"\sum_{{i,k}}\mathbb E\|\nabla f(\omega_t)-{_v % 'k-1'}\|^2",
)
start2 = _nonnegative(
    "start2",
    "squared weighted true gradients at the start of the round, summed over clients",
    r"\sum_i\mathbb E\|\sum_\tau p_{\tau,i}\nabla f_{\tau,i}(\omega_t)\|^2",
)
strayed_after_i = sp.IndexedBase("strayed_after_i")
CFL.series(
    strayed_after_i,
    "squared local drift after each step of a client, summed over local steps",
    r"\sum_k\mathbb E\|\omega_{t,k+1}-\omega_t\|^2",
)

# One client and one local model
apart2 = _nonnegative(
    "apart2",
    "squared distance of the global gradient from the weighted one at a local model",
    r"\mathbb E\|\nabla f(\omega_t)-\sum_\tau p_{\tau,i}\nabla f_{\tau,i}(\omega_{t,i,k})\|^2",
)
apart2_start = _nonnegative(
    "apart2_start",
    "the same at the start of the round",
    r"\mathbb E\|\nabla f(\omega_t)-\sum_\tau p_{\tau,i}\nabla f_{\tau,i}(\omega_t)\|^2",
)
turned2 = _nonnegative(
    "turned2",
    "squared change of the global gradient on the way there",
    r"\mathbb E\|\nabla f(\omega_t)-\nabla f(\omega_{t,i,k})\|^2",
)
apart2_there = _nonnegative(
    "apart2_there",
    "squared distance of both gradients at the local model",
    r"\mathbb E\|\nabla f(\omega_{t,i,k})-\sum_\tau p_{\tau,i}\nabla f_{\tau,i}(\omega_{t,i,k})\|^2",
)
grad2_there = _nonnegative(
    "grad2_there", "squared global gradient at the local model", r"\mathbb E\|\nabla f(\omega_{t,i,k})\|^2"
)
e_there = _nonnegative(
    "e_there", "squared local drift of the local model", r"\mathbb E\|\omega_{t,i,k}-\omega_t\|^2"
)

SIZE = K * eta_l * eta_g
STEP = (le(SIZE, 1 / (2 * L)), le(K * eta_l, 1 / sp.sqrt(8 * c_max)))
"""Lines 863 and 907; the second is 8 K^2 eta_l^2 c_pB <= 1."""
CONTRACTING = (*STEP, lt(2 * K * eta_l * L * sp.sqrt(c_max), 1))
"""And the denominator of the local drift is positive."""
NEW_CLIENTS = (Hypothesis.NEW_CLIENTS,)
SMALL = (le(SIZE, 1 / (2 * L)), le(K * eta_l, 1 / (sp.sqrt(8 * c_max) * L)))
SHORT = (le(SIZE, 1 / (4 * L)), SMALL[1])
"""Half of the first."""
SMOOTH = tuple(id for id in ALL if id != "ass1.convex")

p_bar = 1 - over_clients(P_i[i]) / N
_past = over_clients(P_i[i]) / N
_noise = eta**2 * sigma2 / (N * K)
_mean = eta / (2 * N * K)
_lin = eta / 2 * _past * (g2_start + R2)
_stray_after = eta * L**2 / (N * K) * over_clients(cB_i[i] * strayed_after_i[i])
_stray = eta * L**2 / (N * K) * over_clients(cB_i[i] * strayed_i[i])
_rest29 = eta * (c_pB - 1 - p_bar / 2) * g2_start + eta / 2 * (c_pG + _past * R2)
_more = L * eta**2 * LOST + L * eta**2 * sigma2 / (2 * N * K)
_split28 = 2 * turned2 + 2 * apart2_there
_third28 = 2 * L**2 * e_there + (cB - 1) * grad2_there + cG
_last28 = 2 * L**2 * e_there + 2 * L**2 * (cB - 1) * e_there + 2 * (cB - 1) * g2_start + cG
_third28_right = 2 * L**2 * e_there + 2 * (cB - 1) * grad2_there + 2 * cG
_last28_right = 2 * L**2 * e_there + 4 * L**2 * (cB - 1) * e_there + 4 * (cB - 1) * g2_start + 2 * cG
_walk = (
    4 * k**2 * eta_l**2 * cB * g2_start
    + 2 * k**2 * eta_l**2 * cG
    + 2 * k**2 * eta_l**2 * P**2 * R2
    + k * eta_l**2 * sigma2
)
_sum31 = over_clients(cB_i[i] * strayed_i[i]) / (N * K)
_rhs31 = c_pB * g2_start + c_pG / 2 + LOST / 2 + sigma2 / (4 * K)
_rhs32 = (
    loss_now
    + eta * ((L**2 + 1) * c_pB - 1 - p_bar / 2) * g2_start
    + eta / 2 * (c_pG + _past * R2)
    + _more
    + eta * L**2 * (_rhs31 - c_pB * g2_start)
)
_after = "with gradients before the local steps, as the algorithm takes them"
_twice = "with the factor 2 of the line before"
_smooth = "8 K^2 eta_l^2 L^2 c_pB <= 1, and no factor L^2 where (31) is put in"


_line = proof("Appendix B.5", conditions=STEP, assumes=SMOOTH)
"""Lines of the proof, under all hypotheses but convexity."""

ROUND = (
    _line("eq25", "853")(
        "smoothness of the global loss", le(loss_next, loss_now + downhill + L / 2 * moved2)
    ),
    eq26_first := _line("eq26.first", "857")(
        "the update is the mean of the gradients of the round's objectives",
        eq(downhill, -eta / (N * K) * bar_after),
    ),
    eq26_first.variant("before", eq(downhill, -eta / (N * K) * bar_before), changes=_after),
    eq26 := _line("eq26", "857")(
        "the update along the gradient",
        le(downhill, _mean * (apart2_after - true2_after) + _lin - eta / 2 * g2_start),
        uses=("eq26.first",),
    ),
    eq26.variant(
        "before",
        le(downhill, _mean * (apart2_before - true2) + _lin - eta / 2 * g2_start),
        uses=("eq26.first/before",),
        changes=_after,
    ),
    eq27 := _line("eq27", "861")(
        "the squared update",
        le(moved2, 2 * eta**2 / (N * K) * (true2_after + missed2) + _noise),
        uses=("eq14/any-curvature",),
    ),
    eq27.variant("before", le(moved2, 2 * eta**2 / (N * K) * (true2 + missed2) + _noise), changes=_after),
    eq27.variant(
        "doubled",
        le(moved2, 4 * eta**2 / (N * K) * (true2 + missed2) + 2 * _noise),
        uses=("lemA.3",),
        changes="both terms are doubled, since later gradients depend on earlier noise; gradients before the local steps",
    ),
    at("Appendix B.5, below (27)", "863")(
        "eq27.drop",
        "for eta <= 1/(2L) the squared true gradients drop out",
        le(L / 2 * 2 * eta**2 / (N * K) - _mean, 0),
        conditions=(le(eta, 1 / (2 * L)),),
    ),
    _line("eq27.drop.rest", "863")(
        "what remains of the squared update is the information loss",
        le(2 * eta**2 / (N * K) * missed2, 2 * eta**2 * LOST),
    ),
    _line("eq28.split", "868-869")(
        "the distance of the gradients is split at the local model", le(apart2, _split28), uses=("lemA.3",)
    ),
    eq28_third := _line("eq28.third", "869-870")(
        "smoothness and drifts inserted", le(_split28, _third28), uses=("lemB.2.2",)
    ),
    eq28_third.variant("twice", le(_split28, _third28_right), changes=_twice),
    _line("eq28.last", "870-873")(
        "the gradient at the local model by that of the round start", le(_third28, _last28), uses=("lemA.3",)
    ),
    eq28 := _line("eq28", "865-873")(
        "distance of the global from a weighted gradient",
        le(apart2, _last28),
        uses=("eq28.split", "eq28.third", "eq28.last"),
    ),
    eq28.variant(
        "twice",
        le(apart2, _last28_right),
        hypotheses=NEW_CLIENTS,
        uses=("eq28.split", "eq28.third/twice"),
        changes=_twice,
    ),
    eq29 := _line("eq29", "877-881")(
        "the update along the gradient: local drift, gradient, constants",
        le(downhill, _stray_after + _rest29),
        uses=("eq26", "eq28"),
    ),
    eq29.variant("before", le(downhill, _stray + _rest29), uses=("eq26/before", "eq28"), changes=_after),
    _line("eq29.combined", "885-889")(
        "the loss after a round: local drift, gradient, constants",
        le(loss_next, loss_now + _stray_after + _rest29 + _more),
        uses=("eq25", "eq27.drop", "eq29"),
    ),
    _line("eq30", "893-897")(
        "local drift after a step by that before it",
        le(e_now, 4 * k**2 * eta_l**2 * L**2 * cB * e_before + _walk),
        uses=("eq17/any-curvature", "eq18.mid"),
    ),
    _line("eq30.iter", "901-905")(
        "local drift, solved",
        le(e_now, _walk / (1 - 4 * k**2 * eta_l**2 * L**2 * cB)),
        conditions=CONTRACTING,
        uses=("eq30",),
    ),
    eq31 := _line("eq31", "907-914")(
        "mean local drift by gradient and constants", le(_sum31, _rhs31), uses=("eq30.iter", "eq31.numbers")
    ),
    eq31.variant(
        "smooth",
        le(L**2 * _sum31, _rhs31),
        conditions=SMALL,
        hypotheses=NEW_CLIENTS,
        uses=("eq30.iter",),
        changes="8 K^2 eta_l^2 L^2 c_pB <= 1, and the left side times L^2",
    ),
    eq31_numbers := at("Appendix B.5, (31), second line", "907-912")(
        "eq31.numbers",
        "with 8 K^2 eta_l^2 c_pB <= 1 the factor of the gradient is at most c_pB",
        le(cB * 4 * K**2 * eta_l**2 * cB, cB * (1 - 4 * K**2 * eta_l**2 * L**2 * cB)),
        conditions=(le(8 * K**2 * eta_l**2 * cB, 1), ge(cB, 1)),
    ),
    eq31_numbers.variant(
        "smooth",
        le(L**2 * cB * 4 * K**2 * eta_l**2 * cB, cB * (1 - 4 * K**2 * eta_l**2 * L**2 * cB)),
        says="with 8 K^2 eta_l^2 L^2 c_pB <= 1 the factor of the gradient is at most c_pB / L^2",
        conditions=(le(8 * K**2 * eta_l**2 * L**2 * cB, 1), ge(cB, 1)),
        changes="the condition with L^2, the left side times L^2",
    ),
    eq32 := _line("eq32", "918-922")(
        "the loss after a round: gradient and constants",
        le(loss_next, _rhs32),
        uses=("eq29.combined", "eq31"),
    ),
    eq32_smooth := eq32.variant(
        "smooth",
        le(loss_next, loss_now + _rest29 + _more + eta * _rhs31),
        conditions=SMALL,
        hypotheses=NEW_CLIENTS,
        uses=("eq29.combined", "eq31/smooth"),
        changes=_smooth,
    ),
    eq32.variant(
        "short",
        eq32_smooth.compared,
        conditions=SHORT,
        hypotheses=NEW_CLIENTS,
        uses=("eq25",),
        changes=f"{_smooth}; K eta_l eta_g <= 1/(4 L), half as long",
    ),
    eq32.variant(
        "convergent",
        says="the loss after a round, where Eq. (32) promises that it falls with the gradient",
        conditions=(*STEP, lt((L**2 + 1) * c_pB - 1 - p_bar / 2, 0)),
        changes="c_0 < 0 is added, which the text asks for",
    ),
)

CITED = tuple(
    cited.variant(
        "any-curvature",
        assumes=SMOOTH,
        changes="losses need not be convex, as where Appendix B.5 cites this line",
    )
    for cited in (eq14, eq14_noise, eq17)
)
"""Lines of the convex proof that rest on smoothness and noise alone, under its own conditions on the step sizes."""

STATEMENTS = (*ROUND, *CITED)
