"""CFL, Section 3 and Appendices A to B.3: the problem, its drifts, and the lemmas that every proof cites.

An O() is judged with an explicit constant, which the sentence of the statement names. Where a lemma says that a step
size exists, the scene takes one, given in closed form.
"""

from __future__ import annotations

import sympy as sp

from bounds.cfl_correlated import DRIFT, SUM_ONE, delta2, grad2, p_cross, p_square, xi2
from bounds.cfl_symbols import A2, B2, C2, CFL, D2, F2, G2, R2, K, L, N, T, eta, eta_g, eta_l, g2, mu, sigma2, source
from bounds.statement import Statement

_define = CFL.define

# Lemmas A.1 and A.2: a sequence d_0, d_1, ..
Phi = _define("Phi", "the mean that the lemma bounds", "real", r"\Phi_T")
Phi_used = _define("Phi_used", "the same mean with the weight omega_t at both terms", "real", r"\Phi_T'")
d0 = _define("d0", "start of the sequence", "nonnegative", "d_0")
eta_max = _define("eta_max", "largest step size allowed", "positive", r"\eta_{max}")
shrunk = _define("shrunk", "factor of the linear rate", "nonnegative", r"e^{-\mu\eta_{max}T}")
W_T = _define("W_T", "sum of the weights (1 - mu eta)^(1-t)", "positive", "W_T")
c1 = _define("c1", "factor of eta in Lemma A.2", "nonnegative", "c_1")
c2 = _define("c2", "factor of eta^2 in Lemma A.2", "nonnegative", "c_2")

# Lemmas A.3 and A.4: vectors, fixed or random
tau = _define("tau", "number of vectors", "count", r"\tau")
mean_norm2 = _define("mean_norm2", "squared norm of the mean of vectors", "nonnegative", r"\|\frac1\tau\sum_iv_i\|^2")
mean_sq = _define("mean_sq", "mean of their squared norms", "nonnegative", r"\frac1\tau\sum_i\|v_i\|^2")
pairs2 = _define("pairs2", "sum of squared differences over pairs", "nonnegative", r"\sum_{i<j}\|v_i-v_j\|^2")
sum_X2 = _define("sum_X2", "expected squared norm of the sum of random vectors", "nonnegative", r"\mathbb E\|\sum_i\Xi_i\|^2")
means2 = _define("means2", "squared norm of each mean", "nonnegative", r"\|\xi_i\|^2")
sum_means2 = _define("sum_means2", "sum of squared norms of the means", "nonnegative", r"\sum_i\|\xi_i\|^2")
of_means2 = _define("of_means2", "squared norm of the sum of the means", "nonnegative", r"\|\sum_i\xi_i\|^2")
scatter = _define("scatter", "variance of each vector", "nonnegative", r"\mathbb E\|\Xi_i-\xi_i\|^2")
sum_scatter = _define("sum_scatter", "sum of the variances", "nonnegative", r"\sum_i\mathbb E\|\Xi_i-\xi_i\|^2")
of_scatter = _define("of_scatter", "variance of the sum", "nonnegative", r"\mathbb E\|\sum_i(\Xi_i-\xi_i)\|^2")
covariance = _define("covariance", "largest covariance of two of the vectors", "nonnegative")
M_var = _define("M_var", "growth of the variance with the mean", "nonnegative", "M")

# Assumption 1, its corollary and Lemma A.5: one loss at three points
h_x = _define("h_x", "loss at x", "real", "h(x)")
h_y = _define("h_y", "loss at y", "real", "h(y)")
h_z = _define("h_z", "loss at z", "real", "h(z)")
x_to_y = _define("x_to_y", "slope at x towards y", "real", r"\langle\nabla h(x),y-x\rangle")
x_to_z = _define("x_to_z", "slope at x towards z", "real", r"\langle\nabla h(x),z-x\rangle")
y_to_z = _define("y_to_z", "slope at x along the way from y to z", "real", r"\langle\nabla h(x),z-y\rangle")
y_to_x = _define("y_to_x", "slope at y towards x", "real", r"\langle\nabla h(y),x-y\rangle")
xy2 = _define("xy2", "squared distance of x and y", "nonnegative", r"\|x-y\|^2")
xz2 = _define("xz2", "squared distance of x and z", "nonnegative", r"\|x-z\|^2")
yz2 = _define("yz2", "squared distance of y and z", "nonnegative", r"\|y-z\|^2")
turn2 = _define("turn2", "squared change of the gradient", "nonnegative", r"\|\nabla h(x)-\nabla h(y)\|^2")
h_w = _define("h_w", "loss at w = x - (grad h(x) - grad h(y)) / L", "real", "h(w)")
turn_x = _define("turn_x", "gradient at x times its change", "real", r"\langle\nabla h(x),\nabla h(x)-\nabla h(y)\rangle")
turn_y = _define("turn_y", "gradient at y times the change", "real", r"\langle\nabla h(y),\nabla h(x)-\nabla h(y)\rangle")
bregman = _define("bregman", "error of the linear approximation of a loss", "real")

# Lemma A.6
S_p = _define("S_p", "weighted mean of 1/t", "real", r"\sum_tp_t/t")
harmonic = _define("harmonic", "sum of 1/t over the rounds", "nonnegative", r"\sum_{t=1}^T1/t")
log_T = _define("log_T", "logarithm of the number of rounds", "nonnegative", r"\ln T")
total = _define("total", "sum of the weights of all rounds", "real", r"\sum_{t=1}^Tp_t")
rise = _define("rise", "rise of the weight from a round to the next", "real", "p_{t+1}-p_t")
crossed = _define("crossed", "sum of products of differences over pairs of rounds", "real", r"\sum_{s<t}(p_t-p_s)(\frac1s-\frac1t)")

# Lemmas B.1 and B.2
grad_i2 = _define("grad_i2", "expected squared gradient of a client", "nonnegative", r"\mathbb E\|\nabla f_i(\omega)\|^2")
drift_i2 = _define("drift_i2", "expected squared drift of a client", "nonnegative", r"\mathbb E\|\varsigma_i\|^2")
A_1 = _define("A_1", "A of Lemma B.1", "nonnegative", "A")
B_1 = _define("B_1", "B of Lemma B.1", "nonnegative", "B")
grad_now2 = _define("grad_now2", "expected squared gradient in the current round", "nonnegative", r"\mathbb E\|\nabla f_{t,i}(\omega)\|^2")
grad_once2 = _define("grad_once2", "weighted gradient of clients that come once", "nonnegative", r"\mathbb E\|\sum_\tau p_{\tau,i}\nabla f_{\tau,i}(\omega)\|^2")
doubled2 = _define("doubled2", "weighted local gradients with the drifts added once more", "nonnegative", r"\mathbb E\|\sum_\tau p_{\tau,i}(\nabla f_{\tau,i}+\delta_{\tau,i}+\xi_{\tau,i})\|^2")
restored2 = _define("restored2", "weighted global gradient with the drifts added", "nonnegative", r"\mathbb E\|\sum_\tau p_{\tau,i}(\nabla f+\delta_{\tau,i}+\xi_{\tau,i})\|^2")
mixed_delta2 = _define("mixed_delta2", "squared norm of the weighted client drifts", "nonnegative", r"\mathbb E\|\sum_\tau p_{\tau,i}\delta_{\tau,i}\|^2")
mixed_xi2 = _define("mixed_xi2", "squared norm of the weighted time drifts", "nonnegative", r"\mathbb E\|\sum_\tau p_{\tau,i}\xi_{\tau,i}\|^2")

# Lemma B.3
loss_norm = _define("loss_norm", "information loss of the Taylor expansion", "nonnegative", r"\|\Delta_{t,i}(\omega)\|")
from_point = _define("from_point", "distance from the point of expansion", "nonnegative", r"\|\omega-\hat\omega_{t,i}\|")
from_end = _define("from_end", "distance from the end of the local steps", "nonnegative", r"\|\omega-\omega_{t,i,K}\|")
bend = _define("bend", "largest change of the Hessian", "nonnegative", r"\|\nabla^2f(\omega_1)-\nabla^2f(\omega_2)\|")
bend_here = _define("bend_here", "largest change of the Hessian since the point of expansion", "nonnegative")
eps_H = _define("eps_H", "bound on the change of the Hessian", "nonnegative", r"\epsilon")
missed_by = _define("missed_by", "by how much every point between misses the mean value equation, at least", "nonnegative", r"\min_{c\in[\hat\omega,\omega]}\|\nabla f(\omega)-\nabla f(\hat\omega)-\nabla^2f(c)(\omega-\hat\omega)\|")
reach = _define("reach", "radius of a ball around the point of expansion", "positive")

# Section 3: losses, drifts and steps
S = _define("S", "clients sampled in a round", "count")
eq1_loss = _define("eq1_loss", "loss of Eq. (1)", "real", r"\sum_ip_if_i(\omega)")
eq2_loss = _define("eq2_loss", "loss of Eq. (2)", "real", r"\sum_{t,i\in\mathcal S_t}p_{t,i}f_{t,i}(\omega)")
eq2_whole = _define("eq2_whole", "loss of Eq. (2) with all clients in one round", "real", r"\sum_{i=1}^Np_{1,i}f_{1,i}(\omega)")
eq3_loss = _define("eq3_loss", "loss of Eq. (3) in the last round, nothing being lost", "real", r"\sum_{\tau\le T}\sum_{i\in\mathcal S_T}p_{\tau,i}f_{\tau,i}(\omega)")
mean_loss = _define("mean_loss", "mean of all losses", "real", r"\mathbb E f_{t,i}(\omega)")
client_share = _define("client_share", "weight of each client in Eq. (1)", "nonnegative", "p_i")
mean_pull = _define("mean_pull", "expected mean gradient of the sampled clients", "real", r"\mathbb E\frac1S\sum_{i\in\mathcal S_t}\nabla f_i(\omega)")
whole_pull = _define("whole_pull", "gradient of the loss of Eq. (1)", "real", r"\nabla f(\omega)")
mean_drift = _define("mean_drift", "mean over the clients of their drifts", "real", r"\frac1N\sum_i\delta_i")
sets_differ = _define("sets_differ", "0 if the same clients are chosen in every round, else 1", "nonnegative")
step_minus = _define("step_minus", "next model, the mean update subtracted", "real", r"\omega_t-\frac{\eta_g}{S}\sum_i\Delta\omega_{t,i}")
step_plus = _define("step_plus", "next model, the mean update added", "real", r"\omega_t+\frac{\eta_g}{S}\sum_i\Delta\omega_{t,i}")
loss_before = _define("loss_before", "global loss before a round", "real", r"f(\omega_t)")
loss_minus = _define("loss_minus", "global loss after it, the update subtracted", "real", r"f(\omega_t-\Delta\omega_t)")
loss_plus = _define("loss_plus", "global loss after it, the update added", "real", r"f(\omega_t+\Delta\omega_t)")
noise_sgd = _define("noise_sgd", "true gradient less stochastic gradient", "real", r"\nabla f(\omega)-g(\omega)")
noise_ass = _define("noise_ass", "stochastic gradient less true gradient", "real", r"g(\omega)-\nabla f(\omega)")
drift_eq5 = _define("drift_eq5", "drift by Eq. (5)", "real", r"\nabla f(\omega)-\nabla f_{t,i}(\omega)")
drift_proof = _define("drift_proof", "drift in the proofs", "real", r"\nabla f_{t,i}(\omega)-\nabla f(\omega)")
value_f = _define("value_f", "global loss at a model", "real", r"f(\omega)")
value_grad = _define("value_grad", "global gradient there", "real", r"\nabla f(\omega)")
value_drifted = _define("value_drifted", "local gradient plus drifts", "real", r"\nabla f_{t,i}(\omega)+\delta_i+\xi_{t,i}")
grow_GB = _define("grow_GB", "G^2 of the (G, B) gradient drift", "nonnegative", r"\mathsf G^2")
level_GB = _define("level_GB", "B^2 of the (G, B) gradient drift", "nonnegative", r"\mathsf B^2")
optimum_gap = _define("optimum_gap", "distance of the local from the global optimum", "nonnegative", r"\|\omega^*_{i,t}-\omega^*\|")
stale = _define("stale", "client drift along the global gradient at a model that the client has trained", "real", r"\mathbb E\langle\nabla f(\omega_t),\delta_i\rangle")
again2 = _define("again2", "squared gradient of the client there", "nonnegative", r"\mathbb E\|\nabla f_{t,i}(\omega_t)\|^2")
g2_again = _define("g2_again", "squared global gradient there", "nonnegative", r"\mathbb E\|\nabla f(\omega_t)\|^2")
curvature = _define("curvature", "curvature of the losses", "real", "h")
kept_gap = _define("kept_gap", "weighted true gradient less the gradient of the round's objective", "real", r"\sum_{\tau\le t}p_{\tau,i}\nabla f_{\tau,i}-\nabla\bar f_{t,i}")
lost_sum = _define("lost_sum", "weighted information losses", "real", r"\sum_{\tau<t}p_{\tau,i}\Delta_{\tau,i}")
bar_approx = _define("bar_approx", "gradient of the round's objective, past losses approximated", "real", r"p_{t,i}\nabla f_{t,i}+\sum_{\tau<t}p_{\tau,i}\nabla\tilde f_{\tau,i}")
bar_recursive = _define("bar_recursive", "the same with the objectives of past rounds in their place", "real", r"p_{t,i}\nabla f_{t,i}+\sum_{\tau<t}p_{\tau,i}\nabla\bar f_{\tau,i}")
lost_mean = _define("lost_mean", "estimate of the information loss", "nonnegative", r"\frac1{tS}\sum_{i,\tau}\|\Delta_{\tau,i}(\omega)\|")
line6 = _define("line6", "gradient of line 6 of Algorithm 2, without noise", "real", r"\tilde g_{t,i,k}")
slope3 = _define("slope3", "derivative of a client's part of Eq. (3)", "real")
moved_alg1 = _define("moved_alg1", "update of the server in Algorithm 1", "real", r"\Delta\omega_t")
slope3_all = _define("slope3_all", "derivative of Eq. (3)", "real")
c_theorem = _define("c_theorem", "1 + B^2 + A^2", "positive", "1+B^2+A^2")
c_client = _define("c_client", "largest c_pB of a client", "positive", r"\hat c_{p_B}")

_rate = 3 * mu * d0 * shrunk
_two = 2 * sp.sqrt(c1 * d0) / sp.sqrt(T + 1) + 2 * (d0 / (T + 1)) ** sp.Rational(2, 3) * c2 ** sp.Rational(1, 3)
_sub = d0 / (eta_max * (T + 1)) + _two
LONG = (sp.Ge(T, 1 / (2 * eta_max * mu)), sp.Le(eta, eta_max))
SPREAD = (sp.Le(scatter, M_var * means2 + sigma2),)
AT_X = (sp.Le(h_z - h_x - x_to_z, L / 2 * xz2), sp.Ge(h_y - h_x - x_to_y, mu / 2 * xy2), sp.Ge(L, mu))
"""Assumption 1, where the proof of Lemma A.5 uses it."""
SORTED = (sp.Eq(total, 1), sp.Ge(rise, 0))

TECHNIQUES = (
    Statement("cfl.lemA.1", "a constant step gives the linear rate (with 3 as the constant of the O)", sp.Le(Phi, _rate),
              source("Lemma A.1", "554-556"), LONG, (), ("cfl.lemA.1.telescope",)),
    Statement("cfl.lemA.1.telescope", "the weighted sum is at most what the start of the sequence leaves",
              sp.Le(Phi, (1 - mu * eta) ** 2 * d0 / (eta * W_T)), source("Lemma A.1", "554-556"), (sp.Le(eta, eta_max),)),
    Statement("cfl.lemA.1.use", "the sum in the lemma is the one that Eq. (23), weighted and summed, leads to", sp.Eq(Phi, Phi_used),
              source("Lemma A.1; Eq. (23) and B.4.4", "556, 787, 809"), LONG),
    Statement("cfl.lemA.1/same-weight", "a constant step gives the linear rate (with 3 as the constant of the O)", sp.Le(Phi_used, _rate),
              source("Lemma A.1", "554-556"), LONG, changes="both terms of a round have the weight omega_t, not omega_(t-1) and omega_t"),
    Statement("cfl.lemA.2", "a constant step gives the sub-linear rate", sp.Le(Phi, _sub), source("Lemma A.2", "558-560"),
              (sp.Le(eta, eta_max),)),
    Statement("cfl.lemA.2/positive", "a constant step gives the sub-linear rate", sp.Le(Phi, _sub), source("Lemma A.2", "558-560"),
              (sp.Le(eta, eta_max), sp.Gt(d0, 0)), changes="the sequence does not start at zero"),
    Statement("cfl.lemA.2.start", "where the sequence is zero and c_1 is not, the mean exceeds its bound, which is zero, at every step size",
              sp.Gt(c1 * eta + c2 * eta**2, _sub.subs(d0, 0), evaluate=False), source("Lemma A.2 at d_0 = 0", "558-560"), (sp.Gt(c1, 0),)),
    Statement("cfl.lemA.3", "the squared norm of a mean is at most the mean of the squared norms", sp.Le(mean_norm2, mean_sq),
              source("Lemma A.3", "562-564"), (), (), ("cfl.lemA.3.pairs",)),
    Statement("cfl.lemA.3.pairs", "they differ by the squared differences over all pairs", sp.Eq(mean_sq - mean_norm2, pairs2 / tau**2),
              source("Lemma A.3", "562-564")),
    Statement("cfl.lemA.4", "mean and variance of a sum of vectors that need not be independent",
              sp.Le(sum_X2, (tau + M_var) * sum_means2 + tau * sigma2), source("Lemma A.4", "566-568"), SPREAD),
    Statement("cfl.lemA.4/uncorrelated", "mean and variance of a sum of uncorrelated vectors",
              sp.Le(sum_X2, (tau + M_var) * sum_means2 + tau * sigma2), source("Lemma A.4", "566-568"),
              (*SPREAD, sp.Eq(covariance, 0)), changes="the deviations from the means are uncorrelated"),
    Statement("cfl.lemA.4/dependent", "mean and variance of a sum of vectors that need not be independent",
              sp.Le(sum_X2, tau * (1 + M_var) * sum_means2 + tau**2 * sigma2), source("Lemma A.4", "566-568"), SPREAD,
              changes="M and sigma^2 are multiplied by the number of vectors once more"),
    Statement("cfl.lemA.5", "perturbed strong convexity", sp.Ge(y_to_z, h_z - h_y + mu / 4 * yz2 - L * xz2),
              source("Lemma A.5", "570-572"), AT_X),
    Statement("cfl.lemA.6", "weights that do not fall give a mean of 1/t of at most the plain mean", sp.Le(S_p, harmonic / T),
              source("Lemma A.6", "574"), SORTED, (), ("cfl.lemA.6.pairs",)),
    Statement("cfl.lemA.6.pairs", "T S is the product of both sums less the products of differences over pairs",
              sp.Eq(T * S_p, total * harmonic - crossed), source("Lemma A.6", "574")),
    Statement("cfl.lemA.6.order", "the plain mean of 1/t is O(ln T / T) (with 3 as the constant of the O, from T = 2)",
              sp.Le(harmonic / T, 3 * log_T / T), source("Lemma A.6", "574"), (sp.Ge(T, 2),), (), ("cfl.lemA.6.harmonic",)),
    Statement("cfl.lemA.6.harmonic", "the harmonic sum is at most 1 + ln T", sp.Le(harmonic, 1 + log_T), source("Lemma A.6", "574")),
)

_now = (1 + A2 + B2) * g2 + G2 + D2
_returning = (1 + B2 + A2 * p_square) * g2 + G2 + D2 * p_square
_once = (1 + (B2 + A2) * p_square) * g2 + (G2 + D2) * p_square
_taylor = sp.Le(loss_norm, eps_H * from_point)

DRIFTS = (
    Statement("cfl.ass1.corollary", "a smooth convex loss lies above its linear approximation by the squared change of its gradient",
              sp.Le(turn2 / (2 * L), h_x - h_y + x_to_y), source("Assumption 1, corollary", "156"),
              (sp.Ge(L, mu),), ),
    Statement("cfl.ass1.corollary/corrected", "a smooth convex loss lies above its linear approximation by the squared change of its gradient",
              sp.Le(turn2 / (2 * L), h_x - h_y - y_to_x), source("Assumption 1, corollary", "156"), (sp.Ge(L, mu),),
              changes="the gradient of the linear approximation is taken at y, not at x"),
    Statement("cfl.ass1.corollary.order", "Assumption 1 implies L >= mu", sp.Ge(L, mu), source("Assumption 1, corollary", "156"),
              (sp.Le(mu / 2 * xy2, bregman), sp.Le(bregman, L / 2 * xy2), sp.Gt(xy2, 0))),
    Statement("cfl.lemB.1", "the squared gradient of a client by that of the global loss", sp.Le(grad_i2, (A_1**2 + 1) * g2 + B_1**2),
              source("Lemma B.1", "582-588"), (sp.Le(drift_i2, A_1**2 * g2 + B_1**2),), (), ("cfl.lemB.1.last",)),
    Statement("cfl.lemB.1.last", "the last line of the proof", sp.Le(grad_i2, (A_1 + 1) * g2 + B_1), source("Lemma B.1, proof", "588"),
              (sp.Le(drift_i2, A_1**2 * g2 + B_1**2),)),
    Statement("cfl.lemB.2.1", "the squared gradient of the current round", sp.Le(grad_now2, _now), source("Lemma B.2 (1)", "598"), (), DRIFT),
    Statement("cfl.lemB.2.2", "the squared weighted gradient of a client that comes in every round", sp.Le(grad2, _returning),
              source("Lemma B.2 (2)", "602"), SUM_ONE, DRIFT, ("cfl.lemB.2.proof",)),
    Statement("cfl.lemB.2.3", "the squared weighted gradient of clients that come once", sp.Le(grad_once2, _once),
              source("Lemma B.2 (3)", "606"), SUM_ONE, DRIFT, ("cfl.lemB.2.proof",)),
    Statement("cfl.lemB.2.weights", "the lemma as it stands, which asks nothing of the weights", sp.Le(grad2, _returning),
              source("Lemma B.2 (2)", "594-602"), (), DRIFT),
    Statement("cfl.lemB.2.reduces", "the second part with the weight 1 on the current round is the first",
              sp.Eq(_returning.subs(p_square, 1), _now, evaluate=False), source("Lemma B.2 (1), (2)", "598-602")),
    Statement("cfl.lemB.2.proof", "the gradient model is put into the weighted gradient", sp.Eq(grad2, doubled2),
              source("Lemma B.2, proof", "617"), SUM_ONE),
    Statement("cfl.lemB.2.proof/corrected", "the gradient model is put into the weighted gradient", sp.Eq(grad2, restored2),
              source("Lemma B.2, proof", "617"), SUM_ONE, changes="drifts are added to the global gradient, not to the local ones"),
    Statement("cfl.lemB.3", "the Taylor expansion of a gradient is off by at most epsilon times the distance", _taylor,
              source("Lemma B.3", "624-630"), (sp.Le(bend, eps_H),), (), ("cfl.lemB.3.mean-value",)),
    Statement("cfl.lemB.3.mean-value", "some point between gives the change of the gradient by its Hessian", sp.Eq(missed_by, 0),
              source("Lemma B.3, proof", "655-659")),
    Statement("cfl.lemB.3.point", "the distance is that from the end of the local steps, while the expansion is at the start",
              sp.Le(loss_norm, eps_H * from_end), source("Lemma B.3 and its proof", "626-630, 655-657"), (sp.Le(bend, eps_H),)),
    Statement("cfl.rem3.3", "Lemma B.3 supplies Assumption 4: one R, here epsilon times a radius, bounds the loss at every model",
              sp.Le(loss_norm, eps_H * reach), source("Remark 3.3, Assumption 4", "184-186"), (sp.Le(bend, eps_H),), (), ("cfl.lemB.3",)),
    Statement("cfl.rem3.3/ball", "Lemma B.3 supplies Assumption 4", sp.Le(loss_norm, eps_H * reach),
              source("Remark 3.3, Assumption 4", "184-186"), (sp.Le(bend, eps_H), sp.Le(from_point, reach)), (), ("cfl.lemB.3",),
              changes="the model stays in a ball around the point of expansion"),
    Statement("cfl.rem3.2", "without correlation (F = C = 0), Lemma B.7 is Lemma B.2 (2)",
              sp.Eq(_returning + C2 * p_cross * g2 + sp.Min(F2, D2) * p_cross, _returning),
              source("Remark 3.2; Lemmas B.2 and B.7", "148, 602, 990"), (sp.Eq(F2, 0), sp.Eq(C2, 0))),
)



def limit(c: sp.Expr, factor: int) -> sp.Expr:
    """Limit of K eta_l at eta_g = 1: factor 6 in the theorems and line 767, 12 in line 771."""
    return (sp.sqrt(3 + 4 * c) - sp.sqrt(4 * c)) / (factor * L * sp.sqrt(c))


_drift_of_client = source("Assumption 3", "162")
_wide = (sp.Le(c_client, c_theorem), sp.Ge(c_client, 1), sp.Le(K * eta_l, limit(c_theorem, 6)))
_update = (sp.Le(K * eta_l * L, 1), sp.Le(eta_g, 1))

PROBLEM = (
    Statement("cfl.eq1", "Eq. (2) with one round and all clients is Eq. (1)", sp.Eq(eq2_whole, eq1_loss), source("Eq. (1), (2)", "77, 108")),
    Statement("cfl.eq1.sampling", "the plain mean over randomly chosen clients is the gradient of Eq. (1), in expectation",
              sp.Eq(mean_pull, whole_pull), source("Eq. (1); Section 3.1.1", "77-81, 102")),
    Statement("cfl.eq1.sampling/uniform", "the plain mean over randomly chosen clients is the gradient of Eq. (1), in expectation",
              sp.Eq(mean_pull, whole_pull), source("Eq. (1); Section 3.1.1", "77-81, 102"), (sp.Eq(client_share, 1 / N),),
              changes="every client has the weight 1/N"),
    Statement("cfl.eq2", "with the weights 1 of FedAvg, Eq. (2) is the global loss E f_ti of Section 3.3", sp.Eq(eq2_loss, mean_loss),
              source("Eq. (2); Section 3.3; Theorem 4.4", "108, 146, 222")),
    Statement("cfl.eq2/mean", "with equal weights, Eq. (2) is the global loss E f_ti of Section 3.3", sp.Eq(eq2_loss / (T * S), mean_loss),
              source("Eq. (2); Section 3.3", "108, 146"), changes="the weights are 1/(T S)"),
    Statement("cfl.eq3", "in the last round, nothing being lost, Eq. (3) is Eq. (2)", sp.Eq(eq3_loss, eq2_loss), source("Eq. (2), (3)", "108, 116")),
    Statement("cfl.eq3/same-clients", "in the last round, nothing being lost, Eq. (3) is Eq. (2)", sp.Eq(eq3_loss, eq2_loss),
              source("Eq. (2), (3)", "108, 116"), (sp.Eq(sets_differ, 0),), changes="the same clients are chosen in every round"),
    Statement("cfl.fedavg-update", "the server step of Section 3.1.1 is that of Algorithms 1 and 2", sp.Eq(step_minus, step_plus),
              source("Section 3.1.1; Algorithms 1, 2", "81, 98-102, 646")),
    Statement("cfl.fedavg-update.descent", "a round with small steps does not increase the loss: step of Section 3.1.1",
              sp.Le(loss_minus, loss_before), source("Section 3.1.1", "102"), _update),
    Statement("cfl.fedavg-update.descent/algorithm", "a round with small steps does not increase the loss: step of Algorithms 1 and 2",
              sp.Le(loss_plus, loss_before), source("Algorithms 1, 2", "98-99, 646"), _update, changes="the mean update is added"),
    Statement("cfl.alg1", "with one exact local step the server moves against the gradient of Eq. (3)",
              sp.Eq(moved_alg1, -eta_g * eta_l / S * slope3_all), source("Algorithm 1; Eq. (3)", "83-100, 116"), (sp.Eq(K, 1),)),
    Statement("cfl.alg2", "line 6 of Algorithm 2 is the derivative of a client's part of Eq. (3)", sp.Eq(line6, slope3),
              source("Algorithm 2; Eq. (3)", "116, 642")),
    Statement("cfl.def3.1", "the round's objective misses the weighted true gradient by the weighted information losses",
              sp.Eq(kept_gap, lost_sum), source("Definition 3.1, Eq. (4); B.4.1", "124-128, 669-673")),
    Statement("cfl.def3.1.recursion", "the approximated losses are the objectives of past rounds, as their common symbol says",
              sp.Eq(bar_approx, bar_recursive), source("Eq. (3); B.4.1", "116, 669")),
    Statement("cfl.def3.1.estimate", "the estimate of footnote 6 is at most R", sp.Le(lost_mean, sp.sqrt(R2)), source("Footnote 6; Assumption 4", "184, 447"),
              (), ("cfl.ass4",)),
    Statement("cfl.noise.sgd", "the noise of Section 3.3 is that of Assumption 2", sp.Eq(noise_sgd, noise_ass),
              source("Section 3.3; Assumption 2", "134, 158")),
    Statement("cfl.noise.sgd.square", "both have the same square", sp.Eq(noise_sgd**2, noise_ass**2), source("Section 3.3; Assumption 2", "134, 158")),
    Statement("cfl.noise.fl", "a randomly chosen client has a drift of mean zero from the loss of Eq. (1)", sp.Eq(mean_drift, 0),
              source("Section 3.3; Eq. (1)", "77, 138-140")),
    Statement("cfl.noise.fl/uniform", "a randomly chosen client has a drift of mean zero from the loss of Eq. (1)", sp.Eq(mean_drift, 0),
              source("Section 3.3; Eq. (1)", "77, 138-140"), (sp.Eq(client_share, 1 / N),), changes="every client has the weight 1/N"),
    Statement("cfl.eq5", "the drifts of Eq. (5) are those of the proofs", sp.Eq(drift_eq5, drift_proof),
              source("Eq. (5); Lemma B.2, proof", "144, 608")),
    Statement("cfl.eq5.square", "both have the same square", sp.Eq(drift_eq5**2, drift_proof**2), source("Eq. (5); Lemma B.2, proof", "144, 608")),
    Statement("cfl.ass3", "the global loss, as printed, is the local gradient plus the drifts (one dimension)", sp.Eq(value_f, value_drifted),
              source("Assumption 3; Eq. (5)", "144, 162")),
    Statement("cfl.ass3/corrected", "the global gradient is the local gradient plus the drifts", sp.Eq(value_grad, value_drifted),
              source("Assumption 3; Eq. (5)", "144, 162"), changes="the gradient of the global loss, as in Eq. (5)"),
    Statement("cfl.ass3.equivalent.there", "Assumption 3 gives the (G, B) gradient drift", sp.Le(grad_now2, grow_GB * g2 + level_GB),
              source("Assumption 3 and footnote 2", "164-166"), (sp.Eq(grow_GB, 1 + A2 + B2), sp.Eq(level_GB, G2 + D2)), DRIFT),
    Statement("cfl.ass3.equivalent.back", "the (G, B) gradient drift gives Assumption 3, for client and time drift alike",
              sp.Le(sp.Max(delta2, xi2), (grow_GB - 1) * g2 + level_GB), source("Assumption 3 and footnote 2", "164-166"),
              (sp.Ge(grow_GB, 1), sp.Le(grad_now2, grow_GB * g2 + level_GB))),
    Statement("cfl.ass3.optimum", "where D > 0 or G > 0, the local optimum differs from the global one", sp.Gt(optimum_gap, 0),
              source("Section 3.4", "182"), (sp.Gt(D2 + G2, 0),), DRIFT),
    Statement("cfl.ass3.returning", "the drift of a client that took part before has mean zero given the model, so no part along its gradient",
              sp.Eq(stale, 0), source("Assumption 3; Lemma B.2 (2)", "146, 162, 600"), (), DRIFT),
    Statement("cfl.ass3.returning.square", "Lemma B.2 (1) holds at a model that the client has trained",
              sp.Le(again2, (1 + A2 + B2) * g2_again + G2 + D2), source("Assumption 3; Lemma B.2 (1)", "162, 598"), (), DRIFT),
    Statement("cfl.ass3.returning.square/convex", "Lemma B.2 (1) holds at a model that the client has trained",
              sp.Le(again2, (1 + A2 + B2) * g2_again + G2 + D2), source("Assumption 3; Lemma B.2 (1)", "162, 598"), (sp.Ge(curvature, 0),), DRIFT,
              changes="losses are convex"),
    Statement("cfl.step.theorem", "the step size of Theorem 4.1 is one under which its proof ends (line 771)",
              sp.Le(K * eta_l, limit(c_client, 12)), source("Theorem 4.1; B.4.2", "196, 771"), _wide),
    Statement("cfl.step.theorem.first", "the step size of Theorem 4.1 is one of line 767", sp.Le(K * eta_l, limit(c_client, 6)),
              source("Theorem 4.1; B.4.2", "196, 767"), _wide),
    Statement("cfl.step.theorem.order", "the largest step is at least 1/(10 L c), as the rate exp(-mu T/(L c_O)) needs",
              sp.Ge(limit(c_theorem, 6), 1 / (10 * L * c_theorem)), source("Theorem 4.1; B.4.4", "196, 821"), (sp.Ge(c_theorem, 1),)),
)

STATEMENTS = (*PROBLEM, *TECHNIQUES, *DRIFTS)
