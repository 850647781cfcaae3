"""CFL, Appendix A and Assumption 1: sums of sequences and of vectors, convex losses at three points, weights that do not fall.

An O() is judged with an explicit constant, which the sentence of the statement names. Where a lemma says that a step
size exists, the scene takes one, given in closed form.
"""

from __future__ import annotations

import sympy as sp

from bounds.cfl.symbols import CFL, L, T, at, eta, mu, sigma2
from bounds.relations import eq, ge, gt, le

_count, _positive, _nonnegative, _real = CFL.count, CFL.positive, CFL.nonnegative, CFL.real

# Lemmas A.1 and A.2: a sequence d_0, d_1, ..
Phi = _real("Phi", "the mean that the lemma bounds", r"\Phi_T")
Phi_used = _real("Phi_used", "the same mean with the weight omega_t at both terms", r"\Phi_T'")
d0 = _nonnegative("d0", "start of the sequence", "d_0")
eta_max = _positive("eta_max", "largest step size allowed", r"\eta_{max}")
shrunk = _nonnegative("shrunk", "factor of the linear rate", r"e^{-\mu\eta_{max}T}")
W_T = _positive("W_T", "sum of the weights (1 - mu eta)^(1-t)", "W_T")
c1 = _nonnegative("c1", "factor of eta in Lemma A.2", "c_1")
c2 = _nonnegative("c2", "factor of eta^2 in Lemma A.2", "c_2")

# Lemmas A.3 and A.4: vectors, fixed or random
tau = _count("tau", "number of vectors", r"\tau")
mean_norm2 = _nonnegative("mean_norm2", "squared norm of the mean of vectors", r"\|\frac1\tau\sum_iv_i\|^2")
mean_sq = _nonnegative("mean_sq", "mean of their squared norms", r"\frac1\tau\sum_i\|v_i\|^2")
pairs2 = _nonnegative("pairs2", "sum of squared differences over pairs", r"\sum_{i<j}\|v_i-v_j\|^2")
sum_X2 = _nonnegative(
    "sum_X2", "expected squared norm of the sum of random vectors", r"\mathbb E\|\sum_i\Xi_i\|^2"
)
means2 = _nonnegative("means2", "squared norm of each mean", r"\|\xi_i\|^2")
sum_means2 = _nonnegative("sum_means2", "sum of squared norms of the means", r"\sum_i\|\xi_i\|^2")
of_means2 = _nonnegative("of_means2", "squared norm of the sum of the means", r"\|\sum_i\xi_i\|^2")
scatter = _nonnegative("scatter", "variance of each vector", r"\mathbb E\|\Xi_i-\xi_i\|^2")
sum_scatter = _nonnegative("sum_scatter", "sum of the variances", r"\sum_i\mathbb E\|\Xi_i-\xi_i\|^2")
of_scatter = _nonnegative("of_scatter", "variance of the sum", r"\mathbb E\|\sum_i(\Xi_i-\xi_i)\|^2")
covariance = _nonnegative("covariance", "largest covariance of two of the vectors")
M_var = _nonnegative("M_var", "growth of the variance with the mean", "M")

# Assumption 1, its corollary and Lemma A.5: one loss at three points
h_x = _real("h_x", "loss at x", "h(x)")
h_y = _real("h_y", "loss at y", "h(y)")
h_z = _real("h_z", "loss at z", "h(z)")
x_to_y = _real("x_to_y", "slope at x towards y", r"\langle\nabla h(x),y-x\rangle")
x_to_z = _real("x_to_z", "slope at x towards z", r"\langle\nabla h(x),z-x\rangle")
y_to_z = _real("y_to_z", "slope at x along the way from y to z", r"\langle\nabla h(x),z-y\rangle")
y_to_x = _real("y_to_x", "slope at y towards x", r"\langle\nabla h(y),x-y\rangle")
xy2 = _nonnegative("xy2", "squared distance of x and y", r"\|x-y\|^2")
xz2 = _nonnegative("xz2", "squared distance of x and z", r"\|x-z\|^2")
yz2 = _nonnegative("yz2", "squared distance of y and z", r"\|y-z\|^2")
turn2 = _nonnegative("turn2", "squared change of the gradient", r"\|\nabla h(x)-\nabla h(y)\|^2")
h_w = _real("h_w", "loss at w = x - (grad h(x) - grad h(y)) / L", "h(w)")
both2 = _nonnegative("both2", "squared norm of y + z - 2x", r"\|y+z-2x\|^2")
turn_x = _real(
    "turn_x", "gradient at x times its change", r"\langle\nabla h(x),\nabla h(x)-\nabla h(y)\rangle"
)
turn_y = _real(
    "turn_y", "gradient at y times the change", r"\langle\nabla h(y),\nabla h(x)-\nabla h(y)\rangle"
)
bregman = _real("bregman", "error of the linear approximation of a loss")

# Lemma A.6
S_p = _real("S_p", "weighted mean of 1/t", r"\sum_tp_t/t")
harmonic = _nonnegative("harmonic", "sum of 1/t over the rounds", r"\sum_{t=1}^T1/t")
log_T = _nonnegative("log_T", "logarithm of the number of rounds", r"\ln T")
total = _real("total", "sum of the weights of all rounds", r"\sum_{t=1}^Tp_t")
rise = _real("rise", "rise of the weight from a round to the next", "p_{t+1}-p_t")
crossed = _real(
    "crossed", "sum of products of differences over pairs of rounds", r"\sum_{s<t}(p_t-p_s)(\frac1s-\frac1t)"
)

_rate = 3 * mu * d0 * shrunk
_two = 2 * sp.sqrt(c1 * d0) / sp.sqrt(T + 1) + 2 * (d0 / (T + 1)) ** sp.Rational(2, 3) * c2 ** sp.Rational(
    1, 3
)
_sub = d0 / (eta_max * (T + 1)) + _two
LONG = (ge(T, 1 / (2 * eta_max * mu)), le(eta, eta_max))
SPREAD = (le(scatter, M_var * means2 + sigma2),)
AT_X = (le(h_z - h_x - x_to_z, L / 2 * xz2), ge(h_y - h_x - x_to_y, mu / 2 * xy2), ge(L, mu))
"""Assumption 1, where the proof of Lemma A.5 uses it."""
AT_W = (le(h_w, h_x - turn_x / L + turn2 / (2 * L)), ge(h_w, h_y + y_to_x - turn_y / L), ge(L, mu))
"""Assumption 1, where the proof of its corollary uses it: from x to w = x - (grad h(x) - grad h(y)) / L, and from y."""
SORTED = (eq(total, 1), ge(rise, 0))

at_lemA_5 = at("Lemma A.5", "570-572")
at_lemA_6 = at("Lemma A.6", "574")
at_corollary = at("Assumption 1, corollary", "156")
STATEMENTS = (
    lemA_1 := at("Lemma A.1", "554-556")(
        "lemA.1",
        "a constant step gives the linear rate (with 3 as the constant of the O)",
        le(Phi, _rate),
        conditions=LONG,
        uses=("lemA.1.telescope",),
    ),
    at("Lemma A.1", "554-556")(
        "lemA.1.telescope",
        "the weighted sum is at most what the start of the sequence leaves",
        le(Phi, (1 - mu * eta) ** 2 * d0 / (eta * W_T)),
        conditions=(le(eta, eta_max),),
    ),
    at("Lemma A.1; Eq. (23) and B.4.4", "556, 787, 809")(
        "lemA.1.use",
        "the sum in the lemma is the one that Eq. (23), weighted and summed, leads to",
        eq(Phi, Phi_used),
        conditions=LONG,
    ),
    lemA_1.variant(
        "same-weight",
        le(Phi_used, _rate),
        uses=(),
        changes="both terms of a round have the weight omega_t, not omega_(t-1) and omega_t",
    ),
    lemA_2 := at("Lemma A.2", "558-560")(
        "lemA.2", "a constant step gives the sub-linear rate", le(Phi, _sub), conditions=(le(eta, eta_max),)
    ),
    lemA_2.variant(
        "positive",
        conditions=(le(eta, eta_max), gt(d0, 0)),
        changes="the sequence does not start at zero, the only case in which the lemma fails",
    ),
    at("Lemma A.2 at d_0 = 0", "558-560")(
        "lemA.2.start",
        "where the sequence is zero and c_1 is not, the mean exceeds its bound, which is zero, at every step size",
        gt(c1 * eta + c2 * eta**2, _sub.subs(d0, 0)),
        conditions=(gt(c1, 0),),
    ),
    at("Lemma A.3", "562-564")(
        "lemA.3",
        "the squared norm of a mean is at most the mean of the squared norms",
        le(mean_norm2, mean_sq),
        uses=("lemA.3.pairs",),
    ),
    at("Lemma A.3", "562-564")(
        "lemA.3.pairs",
        "they differ by the squared differences over all pairs",
        eq(mean_sq - mean_norm2, pairs2 / tau**2),
    ),
    lemA_4 := at("Lemma A.4", "566-568")(
        "lemA.4",
        "mean and variance of a sum of vectors that need not be independent",
        le(sum_X2, (tau + M_var) * sum_means2 + tau * sigma2),
        conditions=SPREAD,
    ),
    lemA_4.variant(
        "uncorrelated",
        says="mean and variance of a sum of uncorrelated vectors",
        conditions=(*SPREAD, eq(covariance, 0)),
        changes="the deviations from the means are uncorrelated",
    ),
    lemA_4.variant(
        "dependent",
        le(sum_X2, tau * (1 + M_var) * sum_means2 + tau**2 * sigma2),
        changes="M and sigma^2 are multiplied by the number of vectors once more",
    ),
    at_lemA_5(
        "lemA.5",
        "perturbed strong convexity",
        ge(y_to_z, h_z - h_y + mu / 4 * yz2 - L * xz2),
        conditions=AT_X,
    ),
    at_lemA_5("lemA.5.slopes", "the way from y to z goes by x", eq(y_to_z, x_to_z - x_to_y)),
    at_lemA_5(
        "lemA.5.triangle",
        "the parallelogram of the ways from x to y and z",
        eq(yz2 + both2, 2 * xy2 + 2 * xz2),
    ),
    at_lemA_6(
        "lemA.6",
        "weights that do not fall give a mean of 1/t of at most the plain mean",
        le(S_p, harmonic / T),
        conditions=SORTED,
        uses=("lemA.6.pairs",),
    ),
    at_lemA_6(
        "lemA.6.pairs",
        "T S is the product of both sums less the products of differences over pairs",
        eq(T * S_p, total * harmonic - crossed),
    ),
    at_lemA_6(
        "lemA.6.order",
        "the plain mean of 1/t is O(ln T / T) (with 3 as the constant of the O, from T = 2)",
        le(harmonic / T, 3 * log_T / T),
        conditions=(ge(T, 2),),
        uses=("lemA.6.harmonic",),
    ),
    at_lemA_6("lemA.6.harmonic", "the harmonic sum is at most 1 + ln T", le(harmonic, 1 + log_T)),
    ass1_corollary := at_corollary(
        "ass1.corollary",
        "a smooth convex loss lies above its linear approximation by the squared change of its gradient",
        le(turn2 / (2 * L), h_x - h_y + x_to_y),
        conditions=AT_W,
    ),
    ass1_corollary.variant(
        "corrected",
        le(turn2 / (2 * L), h_x - h_y - y_to_x),
        changes="the gradient of the linear approximation is taken at y, not at x",
    ),
    at_corollary(
        "ass1.corollary.turn",
        "the slopes at x and y along the change of the gradient differ by its square",
        eq(turn_x - turn_y, turn2),
    ),
    at_corollary(
        "ass1.corollary.order",
        "Assumption 1 implies L >= mu",
        ge(L, mu),
        conditions=(le(mu / 2 * xy2, bregman), le(bregman, L / 2 * xy2), gt(xy2, 0)),
    ),
)
