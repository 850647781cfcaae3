"""CFL, Appendix B.5: what the text makes of Eq. (32), whose factor c_0 of the squared gradient must be negative."""

from __future__ import annotations

import sympy as sp

from bounds.cfl.convex import P, c_pB, g2_start
from bounds.cfl.symbols import A2, B2, CFL, D2, R2, K, L, N, T, at, c_m, eta, t
from bounds.cfl.weights_statements import DEFINED
from bounds.relations import eq, ge, le, lt
from bounds.statement import Scaling

_count, _positive, _nonnegative, _real = CFL.count, CFL.positive, CFL.nonnegative, CFL.real

now = _nonnegative("now", "mean weight of the current round", r"\bar p_t")
more_t = _count("more_t", "rounds later")
constant_printed = _nonnegative(
    "constant_printed", "term of Eq. (32) without gradient, at the weights of Lemma B.4"
)
least_other = _real("least_other", "smallest of those other weights")
constant_other = _nonnegative("constant_other", "term of Eq. (32) without gradient, at other weights")
excess_start = _positive("excess_start", "excess of the loss at the start", "f_0-f_*")
level = _positive("level", "term of Eq. (32) that drifts and losses of information leave")
noise_level = _positive(
    "noise_level", "variance of the stochastic gradient where there is noise", r"\sigma^2"
)
square_t = _nonnegative("square_t", "sum of the squared weights of Lemma B.4", r"\sum_{\tau\le t}p_\tau^2")
square_later = _nonnegative("square_later", "the same a round later", r"\sum_{\tau\le t+1}p_\tau^2")

c_0 = (L**2 + 1) * c_pB - 1 - now / 2


def _mixed(square: sp.Expr) -> sp.Expr:
    """By the definition of c_pB."""
    return (L**2 + 1) * (1 + B2 + A2 * square)


def _swapped(square: sp.Expr) -> sp.Expr:
    """As printed."""
    return (L**2 + 1) * (1 + A2 + B2 * square)


_avg = _swapped(1) - sp.Rational(3, 2)
_equal = _swapped(1 / t) - 1 - 1 / (2 * t)
_share = (le(now, 1), ge(c_pB, 1))
RATE_STEP = {eta: sp.sqrt(K * N) / sp.sqrt(T * L)}
_hetero = sp.sqrt(K * N) / L

at_growing = at("Appendix B.5", "947")
STATEMENTS = (
    at("Appendix B.5; Lemma B.4", "799, 926")(
        "nc.weights",
        "the weight problem is that of Lemma B.4",
        eq(D2 * square_t + P**2 * R2, (1 - now) ** 2 * R2 + D2 * square_t),
        conditions=(eq(P, 1 - now),),
    ),
    at("Appendix B.5", "924-928")(
        "nc.weights.constant",
        "its weights minimise the term of Eq. (32) without gradient",
        le(constant_printed, constant_other),
        conditions=(ge(least_other, 0),),
        uses=("lemB.4",),
    ),
    at("Appendix B.5, (32), L930, L940", "918, 930, 940")(
        "nc.descent",
        "minus c_0 is the factor of the gradient in Eq. (32)",
        eq(-c_0, (L**2 + 1) * c_pB - 1 - now / 2),
        conditions=_share,
    ),
    at("Appendix B.5", "930-934")(
        "nc.sum",
        "summed over T rounds and divided by T, the start counts 1/eta",
        eq(excess_start / eta, excess_start / (eta * T)),
    ),
    at("Appendix B.5", "934-936")(
        "nc.sum.sign",
        "where c_0 < 0, as the text asks, the sum says nothing: its left side is not positive",
        le(c_0 * g2_start, 0),
        conditions=(lt(c_0, 0),),
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
        eq(_mixed(square_t) - 1 - now / 2, _swapped(square_t) - 1 - now / 2),
    ),
    at("Appendix B.5", "942")(
        "nc.c0.fedavg",
        "at the weights of FedAvg both agree: c_0 = (L^2+1)(1+A^2+B^2) - 3/2",
        eq(_mixed(square_t) - 1 - now / 2, _avg),
        conditions=(eq(square_t, 1), eq(now, 1)),
    ),
    at("Appendix B.5", "936, 940")(
        "nc.c0.convergent",
        "losses with L^2 >= 1/2 converge where c_0 < 0",
        le(c_0 * g2_start, 0),
        conditions=(*_share, ge(L**2, sp.Rational(1, 2)), lt(c_0, 0)),
    ),
    at("Appendix B.5", "936, 940")(
        "nc.c0.never",
        "no loss with L^2 >= 1/2 has c_0 < 0, whatever the drifts and weights",
        ge(c_0, 0),
        conditions=(*_share, ge(L**2, sp.Rational(1, 2))),
    ),
    nc_observations := at("Appendix B.5", "942-946")(
        "nc.observations", "equal weights give a c_0 of at most that of FedAvg", le(_equal, _avg)
    ),
    nc_observations.variant(
        "large-B",
        conditions=(ge((L**2 + 1) * B2, sp.Rational(1, 2)),),
        changes="B is large: (L^2+1) B^2 >= 1/2",
    ),
    at("Appendix B.5", "946; 719")(
        "nc.observations.variance",
        "with equal weights the variance term falls from B^2 to B^2/t",
        eq(_mixed(1 / t), _swapped(1 / t)),
    ),
    at_growing(
        "nc.observations.later",
        "c_pB with equal weights falls from round to round",
        le(1 + B2 + A2 / (t + more_t), 1 + B2 + A2 / t),
    ),
    at_growing(
        "nc.observations.later.c0",
        "so c_0 with equal weights falls from round to round",
        le(_mixed(1 / (t + more_t)) - 1 - 1 / (2 * (t + more_t)), _mixed(1 / t) - 1 - 1 / (2 * t)),
    ),
    at_growing(
        "nc.observations.optimal",
        "c_pB with the weights of Lemma B.4 falls from round to round",
        le(1 + B2 + A2 * square_later, 1 + B2 + A2 * square_t),
        conditions=(DEFINED,),
    ),
    at("Appendix B.5", "948")(
        "nc.observations.clients",
        "more clients (local steps likewise: N and K enter as a product) reduce the terms of f_0 - f_* and sigma^2",
        le(sp.diff(L * excess_start / (sp.sqrt(T * N * K) * c_m) + noise_level / sp.sqrt(T * N * K), N), 0),
    ),
    at("Appendix B.5", "948")(
        "nc.observations.steps",
        "more clients (local steps likewise) enlarge the terms of R and D",
        ge(sp.diff(_hetero * level, N), 0),
    ),
)
