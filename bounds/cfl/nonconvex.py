"""CFL, Appendix B.5: the analysis for losses that need not be convex, line by line, and what the text makes of it.

Eq. (26) to (29) print gradients at the local models after a step, w_(t,i,k); the algorithm takes them before it.
Eq. (32) has a factor c_0 of the squared gradient, which must be negative for the loss to fall.
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
from bounds.cfl.symbols import A2, B2, CFL, D2, R2, K, L, N, T, at, c_m, eta, eta_g, eta_l, proof, sigma2, t
from bounds.statement import Scaling

_define = CFL.define

# The round as a whole
loss_now = _define("loss_now", "global loss before the round", "real", r"\mathbb E f(\omega_t)")
loss_next = _define("loss_next", "global loss after the round", "real", r"\mathbb E f(\omega_{t+1})")
downhill = _define(
    "downhill",
    "update along the global gradient",
    "real",
    r"\mathbb E\langle\nabla f(\omega_t),\Delta\omega_t\rangle",
)
_bar = r"\sum_{i,k}\mathbb E\langle\nabla f(\omega_t),\nabla\bar f_{t,i}(\omega_{t,i,%s})\rangle"
bar_after = _define(
    "bar_after",
    "gradients of the round's objective along the global gradient, after each step",
    "real",
    _bar % "k",
)
bar_before = _define("bar_before", "the same before each step", "real", _bar % "k-1")
_v = r"\sum_{\tau\le t}p_{\tau,i}\nabla f_{\tau,i}(\omega_{t,i,%s})"
true2_after = _define(
    "true2_after",
    "squared weighted true gradients after each step, summed",
    "nonnegative",
    rf"\sum_{{i,k}}\mathbb E\|{_v % 'k'}\|^2",
)
apart2_after = _define(
    "apart2_after",
    "squared distances of the global from the weighted gradients after each step",
    "nonnegative",
    rf"\sum_{{i,k}}\mathbb E\|\nabla f(\omega_t)-{_v % 'k'}\|^2",
)
apart2_before = _define(
    "apart2_before",
    "the same before each step",
    "nonnegative",
    rf"\sum_{{i,k}}\mathbb E\|\nabla f(\omega_t)-{_v % 'k-1'}\|^2",
)
strayed_after_i = sp.IndexedBase("strayed_after_i")
"""Squared local drift after each step of a client, summed over local steps."""

# One client and one local model
apart2 = _define(
    "apart2",
    "squared distance of the global gradient from the weighted one at a local model",
    "nonnegative",
    r"\mathbb E\|\nabla f(\omega_t)-\sum_\tau p_{\tau,i}\nabla f_{\tau,i}(\omega_{t,i,k})\|^2",
)
turned2 = _define(
    "turned2",
    "squared change of the global gradient on the way there",
    "nonnegative",
    r"\mathbb E\|\nabla f(\omega_t)-\nabla f(\omega_{t,i,k})\|^2",
)
apart2_there = _define(
    "apart2_there",
    "squared distance of both gradients at the local model",
    "nonnegative",
    r"\mathbb E\|\nabla f(\omega_{t,i,k})-\sum_\tau p_{\tau,i}\nabla f_{\tau,i}(\omega_{t,i,k})\|^2",
)
grad2_there = _define(
    "grad2_there",
    "squared global gradient at the local model",
    "nonnegative",
    r"\mathbb E\|\nabla f(\omega_{t,i,k})\|^2",
)
e_there = _define(
    "e_there",
    "squared local drift of the local model",
    "nonnegative",
    r"\mathbb E\|\omega_{t,i,k}-\omega_t\|^2",
)

# Numbers
now = _define("now", "mean weight of the current round", "nonnegative", r"\bar p_t")
more_t = _define("more_t", "rounds later", "count")
constant_printed = _define(
    "constant_printed", "term of Eq. (32) without gradient, at the weights of Lemma B.4", "nonnegative"
)
least_other = _define("least_other", "smallest of those other weights", "real")
constant_other = _define(
    "constant_other", "term of Eq. (32) without gradient, at other weights", "nonnegative"
)
excess_start = _define("excess_start", "excess of the loss at the start", "positive", "f_0-f_*")
level = _define("level", "term of Eq. (32) that drifts and losses of information leave", "positive")
noise_level = _define(
    "noise_level", "variance of the stochastic gradient where there is noise", "positive", r"\sigma^2"
)
square_t = _define(
    "square_t", "sum of the squared weights of Lemma B.4", "nonnegative", r"\sum_{\tau\le t}p_\tau^2"
)
square_later = _define("square_later", "the same a round later", "nonnegative", r"\sum_{\tau\le t+1}p_\tau^2")

SIZE = K * eta_l * eta_g
STEP = (sp.Le(SIZE, 1 / (2 * L)), sp.Le(K * eta_l, 1 / sp.sqrt(8 * c_max)))
"""Lines 863 and 907; the second is 8 K^2 eta_l^2 c_pB <= 1."""
CONTRACTING = (*STEP, sp.Lt(2 * K * eta_l * L * sp.sqrt(c_max), 1))
"""And the denominator of the local drift is positive."""
SMALL = (sp.Le(SIZE, 1 / (2 * L)), sp.Le(K * eta_l, 1 / (sp.sqrt(8 * c_max) * L)))
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


_line = proof("Appendix B.5", conditions=STEP, assumes=SMOOTH)
"""Lines of the proof, under all hypotheses but convexity."""

ROUND = (
    _line(
        "eq25", "smoothness of the global loss", sp.Le(loss_next, loss_now + downhill + L / 2 * moved2), "853"
    ),
    eq26_first := _line(
        "eq26.first",
        "the update is the mean of the gradients of the round's objectives",
        sp.Eq(downhill, -eta / (N * K) * bar_after),
        "857",
    ),
    eq26_first.reading("before", sp.Eq(downhill, -eta / (N * K) * bar_before), changes=_after),
    eq26 := _line(
        "eq26",
        "the update along the gradient",
        sp.Le(downhill, _mean * (apart2_after - true2_after) + _lin - eta / 2 * g2_start),
        "857",
        uses=("eq26.first",),
    ),
    eq26.reading(
        "before",
        sp.Le(downhill, _mean * (apart2_before - true2) + _lin - eta / 2 * g2_start),
        uses=("eq26.first/before",),
        changes=_after,
    ),
    eq27 := _line(
        "eq27",
        "the squared update",
        sp.Le(moved2, 2 * eta**2 / (N * K) * (true2_after + missed2) + _noise),
        "861",
        uses=("eq14/any-curvature",),
    ),
    eq27.reading("before", sp.Le(moved2, 2 * eta**2 / (N * K) * (true2 + missed2) + _noise), changes=_after),
    eq27.reading(
        "doubled",
        sp.Le(moved2, 4 * eta**2 / (N * K) * (true2 + missed2) + 2 * _noise),
        uses=("lemA.3",),
        changes="both terms are doubled, since later gradients depend on earlier noise; gradients before the local steps",
    ),
    at("Appendix B.5, below (27)", "863")(
        "eq27.drop",
        "for eta <= 1/(2L) the squared true gradients drop out",
        sp.Le(L / 2 * 2 * eta**2 / (N * K) - _mean, 0),
        conditions=(sp.Le(eta, 1 / (2 * L)),),
    ),
    _line(
        "eq27.drop.rest",
        "what remains of the squared update is the information loss",
        sp.Le(2 * eta**2 / (N * K) * missed2, 2 * eta**2 * LOST),
        "863",
    ),
    _line(
        "eq28.split",
        "the distance of the gradients is split at the local model",
        sp.Le(apart2, _split28),
        "868-869",
        uses=("lemA.3",),
    ),
    eq28_third := _line(
        "eq28.third",
        "smoothness and drifts inserted",
        sp.Le(_split28, _third28),
        "869-870",
        uses=("lemB.2.2",),
    ),
    eq28_third.reading("twice", sp.Le(_split28, _third28_right), changes=_twice),
    _line(
        "eq28.last",
        "the gradient at the local model by that of the round start",
        sp.Le(_third28, _last28),
        "870-873",
        uses=("lemA.3",),
    ),
    eq28 := _line(
        "eq28",
        "distance of the global from a weighted gradient",
        sp.Le(apart2, _last28),
        "865-873",
        uses=("eq28.split", "eq28.third", "eq28.last"),
    ),
    eq28.reading(
        "twice", sp.Le(apart2, _last28_right), uses=("eq28.split", "eq28.third/twice"), changes=_twice
    ),
    eq29 := _line(
        "eq29",
        "the update along the gradient: local drift, gradient, constants",
        sp.Le(downhill, _stray_after + _rest29),
        "877-881",
        uses=("eq26", "eq28"),
    ),
    eq29.reading(
        "before", sp.Le(downhill, _stray + _rest29), uses=("eq26/before", "eq28"), changes=_after
    ),
    _line(
        "eq29.combined",
        "the loss after a round: local drift, gradient, constants",
        sp.Le(loss_next, loss_now + _stray_after + _rest29 + _more),
        "885-889",
        uses=("eq25", "eq27.drop", "eq29"),
    ),
    _line(
        "eq30",
        "local drift after a step by that before it",
        sp.Le(e_now, 4 * k**2 * eta_l**2 * L**2 * cB * e_before + _walk),
        "893-897",
        uses=("eq17/any-curvature", "eq18.mid"),
    ),
    _line(
        "eq30.iter",
        "local drift, solved",
        sp.Le(e_now, _walk / (1 - 4 * k**2 * eta_l**2 * L**2 * cB)),
        "901-905",
        conditions=CONTRACTING,
        uses=("eq30",),
    ),
    eq31 := _line(
        "eq31",
        "mean local drift by gradient and constants",
        sp.Le(_sum31, _rhs31),
        "907-914",
        uses=("eq30.iter", "eq31.numbers"),
    ),
    eq31.reading(
        "smooth",
        sp.Le(L**2 * _sum31, _rhs31),
        conditions=SMALL,
        uses=("eq30.iter",),
        changes="8 K^2 eta_l^2 L^2 c_pB <= 1, and the left side times L^2",
    ),
    eq31_numbers := at("Appendix B.5, (31), second line", "907-912")(
        "eq31.numbers",
        "with 8 K^2 eta_l^2 c_pB <= 1 the factor of the gradient is at most c_pB",
        sp.Le(cB * 4 * K**2 * eta_l**2 * cB, cB * (1 - 4 * K**2 * eta_l**2 * L**2 * cB)),
        conditions=(sp.Le(8 * K**2 * eta_l**2 * cB, 1), sp.Ge(cB, 1)),
    ),
    eq31_numbers.reading(
        "smooth",
        sp.Le(L**2 * cB * 4 * K**2 * eta_l**2 * cB, cB * (1 - 4 * K**2 * eta_l**2 * L**2 * cB)),
        says="with 8 K^2 eta_l^2 L^2 c_pB <= 1 the factor of the gradient is at most c_pB / L^2",
        conditions=(sp.Le(8 * K**2 * eta_l**2 * L**2 * cB, 1), sp.Ge(cB, 1)),
        changes="the condition with L^2, the left side times L^2",
    ),
    eq32 := _line(
        "eq32",
        "the loss after a round: gradient and constants",
        sp.Le(loss_next, _rhs32),
        "918-922",
        uses=("eq29.combined", "eq31"),
    ),
    eq32.reading(
        "smooth",
        sp.Le(loss_next, loss_now + _rest29 + _more + eta * _rhs31),
        conditions=SMALL,
        uses=("eq29.combined", "eq31/smooth"),
        changes="8 K^2 eta_l^2 L^2 c_pB <= 1, and no factor L^2 where (31) is put in",
    ),
    eq32.reading(
        "convergent",
        says="the loss after a round, where Eq. (32) promises that it falls with the gradient",
        conditions=(*STEP, sp.Lt((L**2 + 1) * c_pB - 1 - p_bar / 2, 0)),
        changes="c_0 < 0 is added, which the text asks for",
    ),
)

c_0 = (L**2 + 1) * c_pB - 1 - now / 2
_mixed = lambda square: (L**2 + 1) * (1 + B2 + A2 * square)  # noqa: E731 - by the definition of c_pB
_swapped = lambda square: (L**2 + 1) * (1 + A2 + B2 * square)  # noqa: E731 - as printed
_avg = _swapped(1) - sp.Rational(3, 2)
_equal = _swapped(1 / t) - 1 - 1 / (2 * t)
_share = (sp.Le(now, 1), sp.Ge(c_pB, 1))
RATE_STEP = {eta: sp.sqrt(K * N) / sp.sqrt(T * L)}
_hetero = sp.sqrt(K * N) / L

at_growing = at("Appendix B.5", "947")
TEXT = (
    at("Appendix B.5; Lemma B.4", "799, 926")(
        "nc.weights",
        "the weight problem is that of Lemma B.4",
        sp.Eq(D2 * square_t + P**2 * R2, (1 - now) ** 2 * R2 + D2 * square_t),
        conditions=(sp.Eq(P, 1 - now),),
    ),
    at("Appendix B.5", "924-928")(
        "nc.weights.constant",
        "its weights minimise the term of Eq. (32) without gradient",
        sp.Le(constant_printed, constant_other),
        conditions=(sp.Ge(least_other, 0),),
        uses=("lemB.4",),
    ),
    at("Appendix B.5, (32), L930, L940", "918, 930, 940")(
        "nc.descent",
        "minus c_0 is the factor of the gradient in Eq. (32)",
        sp.Eq(-c_0, (L**2 + 1) * c_pB - 1 - now / 2, evaluate=False),
        conditions=_share,
    ),
    at("Appendix B.5", "930-934")(
        "nc.sum",
        "summed over T rounds and divided by T, the start counts 1/eta",
        sp.Eq(excess_start / eta, excess_start / (eta * T)),
    ),
    at("Appendix B.5", "934-936")(
        "nc.sum.sign",
        "where c_0 < 0, as the text asks, the sum says nothing: its left side is not positive",
        sp.Le(c_0 * g2_start, 0),
        conditions=(sp.Lt(c_0, 0),),
    ),
    at("Appendix B.5", "932-938")(
        "nc.rate",
        "with eta = sqrt(KN)/sqrt(TL) the terms of Eq. (32), divided by eta, vanish like 1/sqrt(T)",
        Scaling(
            {
                "start": excess_start / (eta * T * c_m),
                "noise": L * eta * noise_level / (2 * N * K),
                "constant": (1 + L**2) * level / (2 * c_m),
                "local noise": L**2 * noise_level / (4 * K),
            },
            RATE_STEP,
            1 / sp.sqrt(T),
            (T,),
        ),
        uses=("eq32",),
    ),
    at("Appendix B.5", "938")(
        "nc.rate.noise",
        "the noise term of Eq. (32) is sigma^2/sqrt(NKT), without L",
        Scaling(
            {"noise": L * eta * noise_level / (2 * N * K)},
            RATE_STEP,
            noise_level / sp.sqrt(N * K * T),
            (N, K, T, L),
        ),
    ),
    at("Appendix B.5; B.4.2", "719, 940")(
        "nc.c0",
        "c_0 in the text is c_0 by the definition of c_pB (L719)",
        sp.Eq(_mixed(square_t) - 1 - now / 2, _swapped(square_t) - 1 - now / 2),
    ),
    at("Appendix B.5", "942")(
        "nc.c0.fedavg",
        "at the weights of FedAvg both agree: c_0 = (L^2+1)(1+A^2+B^2) - 3/2",
        sp.Eq(_mixed(square_t) - 1 - now / 2, _avg),
        conditions=(sp.Eq(square_t, 1), sp.Eq(now, 1)),
    ),
    at("Appendix B.5", "936, 940")(
        "nc.c0.convergent",
        "losses with L^2 >= 1/2 converge where c_0 < 0",
        sp.Le(c_0 * g2_start, 0),
        conditions=(*_share, sp.Ge(L**2, sp.Rational(1, 2)), sp.Lt(c_0, 0)),
    ),
    at("Appendix B.5", "936, 940")(
        "nc.c0.never",
        "no loss with L^2 >= 1/2 has c_0 < 0, whatever the drifts and weights",
        sp.Ge(c_0, 0),
        conditions=(*_share, sp.Ge(L**2, sp.Rational(1, 2))),
    ),
    nc_observations := at("Appendix B.5", "942-946")(
        "nc.observations", "equal weights give a c_0 of at most that of FedAvg", sp.Le(_equal, _avg)
    ),
    nc_observations.reading(
        "large-B",
        conditions=(sp.Ge((L**2 + 1) * B2, sp.Rational(1, 2)),),
        changes="B is large: (L^2+1) B^2 >= 1/2",
    ),
    at("Appendix B.5", "946; 719")(
        "nc.observations.variance",
        "with equal weights the variance term falls from B^2 to B^2/t",
        sp.Eq(_mixed(1 / t), _swapped(1 / t)),
    ),
    at_growing(
        "nc.observations.later",
        "c_pB with equal weights falls from round to round",
        sp.Le(1 + B2 + A2 / (t + more_t), 1 + B2 + A2 / t),
    ),
    at_growing(
        "nc.observations.later.c0",
        "so c_0 with equal weights falls from round to round",
        sp.Le(_mixed(1 / (t + more_t)) - 1 - 1 / (2 * (t + more_t)), _mixed(1 / t) - 1 - 1 / (2 * t)),
    ),
    at_growing(
        "nc.observations.optimal",
        "c_pB with the weights of Lemma B.4 falls from round to round",
        sp.Le(1 + B2 + A2 * square_later, 1 + B2 + A2 * square_t),
    ),
    at("Appendix B.5", "948")(
        "nc.observations.clients",
        "more clients (local steps likewise: N and K enter as a product) reduce the terms of f_0 - f_* and sigma^2",
        sp.Le(
            sp.diff(L * excess_start / (sp.sqrt(T * N * K) * c_m) + noise_level / sp.sqrt(T * N * K), N),
            0,
            evaluate=False,
        ),
    ),
    at("Appendix B.5", "948")(
        "nc.observations.steps",
        "more clients (local steps likewise) enlarge the terms of R and D",
        sp.Ge(sp.diff(_hetero * level, N), 0, evaluate=False),
    ),
)

CITED = tuple(
    cited.reading(
        "any-curvature",
        assumes=SMOOTH,
        changes="losses need not be convex, as where Appendix B.5 cites this line",
    )
    for cited in (eq14, eq14_noise, eq17)
)
"""Lines of the convex proof that rest on smoothness and noise alone, under its own conditions on the step sizes."""

STATEMENTS = (*ROUND, *CITED, *TEXT)
