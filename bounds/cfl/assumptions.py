"""CFL, Assumptions 2 and 4 to 7: how they hang together, and what they admit and exclude."""

from __future__ import annotations

import sympy as sp

from bounds.cfl.correlated import C2_pair, F2_pair, corr, decay, p_sum
from bounds.cfl.correlated import p as weight
from bounds.cfl.symbols import A2, C2, CFL, D2, F2, R2, alpha, at, g2, sigma2
from bounds.relations import eq, ge, le, lt

_nonnegative, _real = CFL.nonnegative, CFL.real

# Stochastic gradients
mixed_noise = _nonnegative(
    "mixed_noise",
    "variance of the weighted sum of the stochastic gradients of all rounds",
    r"\mathbb E\|\sum_\tau p_{\tau,i}\nu_\tau\|^2",
)
round_noise = _nonnegative(
    "round_noise", "variance of a stochastic gradient of each round", r"\mathbb E\|\nu_\tau\|^2"
)
nu_mean = _real("nu_mean", "expected noise of a stochastic gradient", r"\mathbb E\nu")
here_noise = _nonnegative("here_noise", "variance of a sample's gradient at a model")
there_noise = _nonnegative("there_noise", "the same at another model")
middle_noise = _nonnegative("middle_noise", "the same half way between them")
optimum_noise = _nonnegative("optimum_noise", "the same at the minimiser of their mean")
spread_h = _nonnegative("spread_h", "variance of the curvatures of the samples", r"\operatorname{Var}h_j")
apart2 = _nonnegative("models_apart2", "squared distance of two models", r"\|\omega_1-\omega_2\|^2")

# Information loss
here_lost = _nonnegative("here_lost", "information loss at a model", r"\|\Delta_{t,i}(\omega_1)\|")
there_lost = _nonnegative("there_lost", "the same at another model", r"\|\Delta_{t,i}(\omega_2)\|")
least_off = _nonnegative(
    "least_off",
    "what the Hessian of the approximation is off by in every direction, at least",
    r"\sigma_{\min}(H-\hat H)",
)
models_apart = _nonnegative("models_apart", "distance of two models", r"\|\omega_1-\omega_2\|")

# Time drifts of two or three rounds
one2 = _nonnegative("one2", "time drift of the first of two rounds", r"\mathbb E\|\xi_{t_1,i}\|^2")
other2 = _nonnegative("other2", "time drift of the second", r"\mathbb E\|\xi_{t_2,i}\|^2")
corr_far = _real(
    "corr_far",
    "correlation of the time drifts of rounds 1 and 3",
    r"\mathbb E\langle\xi_{1,i},\xi_{3,i}\rangle",
)
corr_near = _real(
    "corr_near",
    "correlation of the time drifts of rounds 1 and 2",
    r"\mathbb E\langle\xi_{1,i},\xi_{2,i}\rangle",
)
changed2 = _nonnegative(
    "changed2",
    "squared difference of the time drifts of two rounds",
    r"\mathbb E\|\xi_{t_1,i}-\xi_{t_2,i}\|^2",
)

_time = D2 + A2 * g2
_next = le(corr, alpha * _time)
_bounded = (le(one2, _time), le(other2, _time))
_sum_one = eq(p_sum, 1)
_quiet = (le(here_noise, sigma2), le(there_noise, sigma2))

at_ass2 = at("Assumption 2", "158")
STATEMENTS = (
    at_ass2("ass2.unbiased", "stochastic gradients have the right mean", eq(nu_mean, 0)),
    ass2_weighted := at("Algorithm 2, line 6; Assumption 2", "158, 642")(
        "ass2.weighted",
        "line 6 of Algorithm 2: stochastic gradients of all rounds, weighted, have the noise of one of them",
        le(mixed_noise, sigma2),
        conditions=(_sum_one, le(round_noise, sigma2)),
    ),
    ass2_weighted.variant(
        "nonnegative",
        conditions=(_sum_one, le(round_noise, sigma2), ge(weight, 0)),
        changes="no weight is negative",
    ),
    at_ass2(
        "ass2.samples",
        "where quadratic losses of samples differ in curvature, no two models whose stochastic gradients have variance "
        "at most sigma^2 are farther apart than 2 sigma over the deviation of the curvatures: on all of R^d Assumption "
        "2 excludes them",
        le(spread_h * apart2, 4 * sigma2),
        conditions=_quiet,
        uses=("ass2.samples.middle",),
    ),
    at_ass2(
        "ass2.samples.middle",
        "the variance of a sample's gradient grows like a parabola",
        eq(here_noise + there_noise, 2 * middle_noise + spread_h * apart2 / 2),
    ),
    at("Section 3.4, after Assumption 2", "160")(
        "ass2.optimum",
        "a variance that is bounded at the optimum, which the text calls a relaxation, is bounded at every model",
        le(here_noise, sigma2),
        conditions=(le(optimum_noise, sigma2),),
        changes="our own question, the converse: if it were true, the relaxation would be none",
    ),
    at("Assumption 4; Appendix C.1.2", "184, 1099-1107")(
        "ass4.hessian",
        "where the second-order approximation of a quadratic has another Hessian, no two models with information loss at "
        "most R are farther apart than 2 R over what the Hessian is off by: on all of R^d Assumption 4 excludes every "
        "approximation with a wrong Hessian",
        le(least_off * models_apart, 2 * sp.sqrt(R2)),
        conditions=(le(here_lost, sp.sqrt(R2)), le(there_lost, sp.sqrt(R2))),
    ),
    at("Assumptions 3 and 5", "162, 246")(
        "ass5.implied",
        "Assumption 5 adds nothing to Assumption 3: it holds with F = D and C = A",
        le(corr, _time),
        conditions=_bounded,
        uses=("ass5.square",),
    ),
    at("Assumption 5", "246")(
        "ass5.square",
        "the correlation of two time drifts is what the square of their difference lacks",
        eq(changed2, one2 + other2 - 2 * corr),
    ),
    at("Assumption 5; Lemma B.10", "246, 1048")(
        "ass5.both-sides",
        "Assumption 5 bounds correlation of either sign, as Lemma B.10 needs it for weights of either sign",
        le(-corr, F2_pair + C2_pair * g2),
        assumes=("ass5",),
    ),
    at("Assumptions 5 and 6", "246, 254-256")(
        "ass6.special",
        "Assumption 6 is Assumption 5 with the same constants for all pairs",
        le(corr, F2 + C2 * g2),
        conditions=(eq(F2_pair, F2), eq(C2_pair, C2)),
        assumes=("ass5",),
    ),
    at("Assumptions 5 and 7", "246, 280-284")(
        "ass7.special",
        "Assumption 7 is Assumption 5 with F^2 = alpha^|t1-t2| D^2 and C^2 = alpha^|t1-t2| A^2",
        le(corr, F2_pair + C2_pair * g2),
        conditions=(eq(F2_pair, decay * D2), eq(C2_pair, decay * A2)),
        assumes=("ass7",),
    ),
    at("Assumptions 6 and 7", "254, 280-284")(
        "ass7.case1",
        "case 2 lies within case 1: Assumption 7 gives Assumption 6 with F^2 = alpha D^2 and C^2 = alpha A^2",
        le(corr, F2 + C2 * g2),
        conditions=(le(decay, alpha), eq(F2, alpha * D2), eq(C2, alpha * A2)),
        assumes=("ass7",),
    ),
    at("Section 4.3.2, Assumption 7 and the text after it", "280-286")(
        "ass7.decreases",
        "under Assumption 7 the correlation of time drifts decreases with the distance of the rounds",
        le(corr_far, corr_near),
        conditions=(le(corr_near, alpha * _time), le(corr_far, alpha**2 * _time), lt(alpha, 1)),
        assumes=("ass3.time",),
    ),
    ass7_slow := at("Section 4.3.2, text after Assumption 7", "286")(
        "ass7.slow",
        "under Assumption 7 a large alpha means that local data change slowly",
        le(changed2, 2 * (1 - alpha) * _time),
        conditions=(_next, lt(alpha, 1), *_bounded),
    ),
    ass7_slow.variant(
        "equality",
        says="a large alpha means that local data change slowly",
        conditions=(eq(corr, alpha * _time), lt(alpha, 1), *_bounded),
        uses=("ass5.square",),
        changes="reads Assumption 7 as an equation: the drifts are as correlated as it allows",
    ),
    at("Assumption 7", "280-284")(
        "ass7.fast",
        "what Assumption 7 does say: a small alpha means that local data change fast, where drifts are as large as "
        "Assumption 3 allows",
        ge(changed2, 2 * (1 - alpha) * _time),
        conditions=(_next, eq(one2, _time), eq(other2, _time), lt(alpha, 1)),
        uses=("ass5.square",),
    ),
    at("Assumption 7; Remark 3.2", "148, 280-284")(
        "ass7.independent",
        "at alpha = 0 time drifts of different rounds are uncorrelated, as Remark 3.2 assumes",
        eq(corr, 0),
        conditions=(_next, eq(alpha, 0)),
        assumes=("ass3.time",),
    ),
)
