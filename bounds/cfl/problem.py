"""CFL, Section 3: the problem and its approximation, the drifts, the steps of the server, and what Assumption 3 says."""

from __future__ import annotations

import sympy as sp

from bounds.cfl.correlated import DRIFT, delta2, xi2
from bounds.cfl.lemmas import grad_now2
from bounds.cfl.symbols import A2, B2, CFL, D2, G2, R2, K, L, N, T, at, eta_g, eta_l, g2
from bounds.relations import eq, ge, gt, le

_count, _positive, _nonnegative, _real = CFL.count, CFL.positive, CFL.nonnegative, CFL.real

# Section 3: losses, drifts and steps
S = _count("S", "clients sampled in a round")
eq1_loss = _real("eq1_loss", "loss of Eq. (1)", r"\sum_ip_if_i(\omega)")
eq2_loss = _real("eq2_loss", "loss of Eq. (2)", r"\sum_{t,i\in\mathcal S_t}p_{t,i}f_{t,i}(\omega)")
eq2_whole = _real(
    "eq2_whole", "loss of Eq. (2) with all clients in one round", r"\sum_{i=1}^Np_{1,i}f_{1,i}(\omega)"
)
eq3_loss = _real(
    "eq3_loss",
    "loss of Eq. (3) in the last round, nothing being lost",
    r"\sum_{\tau\le T}\sum_{i\in\mathcal S_T}p_{\tau,i}f_{\tau,i}(\omega)",
)
mean_loss = _real("mean_loss", "mean of all losses", r"\mathbb E f_{t,i}(\omega)")
client_share = _nonnegative("client_share", "weight of each client in Eq. (1)", "p_i")
mean_pull = _real(
    "mean_pull",
    "expected mean gradient of the sampled clients",
    r"\mathbb E\frac1S\sum_{i\in\mathcal S_t}\nabla f_i(\omega)",
)
whole_pull = _real("whole_pull", "gradient of the loss of Eq. (1)", r"\nabla f(\omega)")
mean_drift = _real("mean_drift", "mean over the clients of their drifts", r"\frac1N\sum_i\delta_i")
sets_differ = _nonnegative("sets_differ", "0 if the same clients are chosen in every round, else 1")
step_minus = _real(
    "step_minus",
    "next model, the mean update subtracted",
    r"\omega_t-\frac{\eta_g}{S}\sum_i\Delta\omega_{t,i}",
)
step_plus = _real(
    "step_plus", "next model, the mean update added", r"\omega_t+\frac{\eta_g}{S}\sum_i\Delta\omega_{t,i}"
)
loss_before = _real("loss_before", "global loss before a round", r"f(\omega_t)")
loss_minus = _real("loss_minus", "global loss after it, the update subtracted", r"f(\omega_t-\Delta\omega_t)")
loss_plus = _real("loss_plus", "global loss after it, the update added", r"f(\omega_t+\Delta\omega_t)")
noise_sgd = _real("noise_sgd", "true gradient less stochastic gradient", r"\nabla f(\omega)-g(\omega)")
noise_ass = _real("noise_ass", "stochastic gradient less true gradient", r"g(\omega)-\nabla f(\omega)")
drift_eq5 = _real("drift_eq5", "drift by Eq. (5)", r"\nabla f(\omega)-\nabla f_{t,i}(\omega)")
drift_proof = _real("drift_proof", "drift in the proofs", r"\nabla f_{t,i}(\omega)-\nabla f(\omega)")
value_f = _real("value_f", "global loss at a model", r"f(\omega)")
value_grad = _real("value_grad", "global gradient there", r"\nabla f(\omega)")
value_drifted = _real(
    "value_drifted", "local gradient plus drifts", r"\nabla f_{t,i}(\omega)+\delta_i+\xi_{t,i}"
)
grow_GB = _nonnegative("grow_GB", "G^2 of the (G, B) gradient drift", r"\mathsf G^2")
level_GB = _nonnegative("level_GB", "B^2 of the (G, B) gradient drift", r"\mathsf B^2")
optimum_gap = _nonnegative(
    "optimum_gap", "distance of the local from the global optimum", r"\|\omega^*_{i,t}-\omega^*\|"
)
stale = _real(
    "stale",
    "client drift along the global gradient at a model that the client has trained",
    r"\mathbb E\langle\nabla f(\omega_t),\delta_i\rangle",
)
again2 = _nonnegative(
    "again2", "squared gradient of the client there", r"\mathbb E\|\nabla f_{t,i}(\omega_t)\|^2"
)
g2_again = _nonnegative("g2_again", "squared global gradient there", r"\mathbb E\|\nabla f(\omega_t)\|^2")
curvature = _real("curvature", "curvature of the losses", "h")
kept_gap = _real(
    "kept_gap",
    "weighted true gradient less the gradient of the round's objective",
    r"\sum_{\tau\le t}p_{\tau,i}\nabla f_{\tau,i}-\nabla\bar f_{t,i}",
)
lost_sum = _real("lost_sum", "weighted information losses", r"\sum_{\tau<t}p_{\tau,i}\Delta_{\tau,i}")
bar_approx = _real(
    "bar_approx",
    "gradient of the round's objective, past losses approximated",
    r"p_{t,i}\nabla f_{t,i}+\sum_{\tau<t}p_{\tau,i}\nabla\tilde f_{\tau,i}",
)
bar_recursive = _real(
    "bar_recursive",
    "the same with the objectives of past rounds in their place",
    r"p_{t,i}\nabla f_{t,i}+\sum_{\tau<t}p_{\tau,i}\nabla\bar f_{\tau,i}",
)
lost_mean = _nonnegative(
    "lost_mean", "estimate of the information loss", r"\frac1{tS}\sum_{i,\tau}\|\Delta_{\tau,i}(\omega)\|"
)
line6 = _real("line6", "gradient of line 6 of Algorithm 2, without noise", r"\tilde g_{t,i,k}")
slope3 = _real("slope3", "derivative of a client's part of Eq. (3)")
moved_alg1 = _real("moved_alg1", "update of the server in Algorithm 1", r"\Delta\omega_t")
slope3_all = _real("slope3_all", "derivative of Eq. (3)")
c_theorem = _positive("c_theorem", "1 + B^2 + A^2", "1+B^2+A^2")
c_client = _positive("c_client", "largest c_pB of a client", r"\hat c_{p_B}")


def limit(c: sp.Expr, factor: int) -> sp.Expr:
    """Limit of K eta_l at eta_g = 1: factor 6 in the theorems and line 767, 12 in line 771."""
    return (sp.sqrt(3 + 4 * c) - sp.sqrt(4 * c)) / (factor * L * sp.sqrt(c))


_wide = (le(c_client, c_theorem), ge(c_client, 1), le(K * eta_l, limit(c_theorem, 6)))
_update = (le(K * eta_l * L, 1), le(eta_g, 1))

STATEMENTS = (
    at("Eq. (1), (2)", "77, 108")(
        "eq1", "Eq. (2) with one round and all clients is Eq. (1)", eq(eq2_whole, eq1_loss)
    ),
    eq1_sampling := at("Eq. (1); Section 3.1.1", "77-81, 102")(
        "eq1.sampling",
        "the plain mean over randomly chosen clients is the gradient of Eq. (1), in expectation",
        eq(mean_pull, whole_pull),
    ),
    eq1_sampling.variant(
        "uniform", conditions=(eq(client_share, 1 / N),), changes="every client has the weight 1/N"
    ),
    at("Eq. (2); Section 3.3; Theorem 4.4", "108, 146, 222")(
        "eq2",
        "with the weights 1 of FedAvg, Eq. (2) is the global loss E f_ti of Section 3.3",
        eq(eq2_loss, mean_loss),
    ),
    at("Eq. (2); Section 3.3", "108, 146")(
        "eq2/mean",
        "with equal weights, Eq. (2) is the global loss E f_ti of Section 3.3",
        eq(eq2_loss / (T * S), mean_loss),
        changes="the weights are 1/(T S)",
    ),
    eq3 := at("Eq. (2), (3)", "108, 116")(
        "eq3", "in the last round, nothing being lost, Eq. (3) is Eq. (2)", eq(eq3_loss, eq2_loss)
    ),
    eq3.variant(
        "same-clients", conditions=(eq(sets_differ, 0),), changes="the same clients are chosen in every round"
    ),
    at("Section 3.1.1; Algorithms 1, 2", "81, 98-102, 646")(
        "fedavg-update",
        "the server step of Section 3.1.1 is that of Algorithms 1 and 2",
        eq(step_minus, step_plus),
    ),
    at("Section 3.1.1", "102")(
        "fedavg-update.descent",
        "a round of one client with small steps does not increase the loss: step of Section 3.1.1",
        le(loss_minus, loss_before),
        conditions=_update,
    ),
    at("Algorithms 1, 2", "98-99, 646")(
        "fedavg-update.descent/algorithm",
        "a round of one client with small steps does not increase the loss: step of Algorithms 1 and 2",
        le(loss_plus, loss_before),
        conditions=_update,
        changes="the mean update is added",
    ),
    at("Algorithm 1; Eq. (3)", "83-100, 116")(
        "alg1",
        "with one exact local step the server moves against the gradient of Eq. (3)",
        eq(moved_alg1, -eta_g * eta_l / S * slope3_all),
        conditions=(eq(K, 1),),
    ),
    at("Algorithm 2; Eq. (3)", "116, 642")(
        "alg2", "line 6 of Algorithm 2 is the derivative of a client's part of Eq. (3)", eq(line6, slope3)
    ),
    at("Definition 3.1, Eq. (4); B.4.1", "124-128, 669-673")(
        "def3.1",
        "the round's objective misses the weighted true gradient by the weighted information losses",
        eq(kept_gap, lost_sum),
    ),
    at("Eq. (3); B.4.1", "116, 669")(
        "def3.1.recursion",
        "the approximated losses are the objectives of past rounds, as their common symbol says",
        eq(bar_approx, bar_recursive),
    ),
    at("Footnote 6; Assumption 4", "184, 447")(
        "def3.1.estimate",
        "the estimate of footnote 6 is at most R",
        le(lost_mean, sp.sqrt(R2)),
        assumes=("ass4",),
    ),
    at("Section 3.3; Assumption 2", "134, 158")(
        "noise.sgd", "the noise of Section 3.3 is that of Assumption 2", eq(noise_sgd, noise_ass)
    ),
    at("Section 3.3; Assumption 2", "134, 158")(
        "noise.sgd.square", "both have the same square", eq(noise_sgd**2, noise_ass**2)
    ),
    noise_fl := at("Section 3.3; Eq. (1)", "77, 138-140")(
        "noise.fl",
        "a randomly chosen client has a drift of mean zero from the loss of Eq. (1)",
        eq(mean_drift, 0),
    ),
    noise_fl.variant(
        "uniform", conditions=(eq(client_share, 1 / N),), changes="every client has the weight 1/N"
    ),
    at("Eq. (5); Lemma B.2, proof", "144, 608")(
        "eq5", "the drifts of Eq. (5) are those of the proofs", eq(drift_eq5, drift_proof)
    ),
    at("Eq. (5); Lemma B.2, proof", "144, 608")(
        "eq5.square", "both have the same square", eq(drift_eq5**2, drift_proof**2)
    ),
    ass3 := at("Assumption 3; Eq. (5)", "144, 162")(
        "ass3",
        "the global loss, as printed, is the local gradient plus the drifts (one dimension)",
        eq(value_f, value_drifted),
    ),
    ass3.variant(
        "corrected",
        eq(value_grad, value_drifted),
        says="the global gradient is the local gradient plus the drifts",
        changes="the gradient of the global loss, as in Eq. (5)",
    ),
    at("Assumption 3 and footnote 2", "164-166")(
        "ass3.equivalent.there",
        "Assumption 3 gives the (G, B) gradient drift",
        le(grad_now2, grow_GB * g2 + level_GB),
        conditions=(eq(grow_GB, 1 + A2 + B2), eq(level_GB, G2 + D2)),
        assumes=DRIFT,
    ),
    at("Assumption 3 and footnote 2", "164-166")(
        "ass3.equivalent.back",
        "the (G, B) gradient drift gives Assumption 3, for client and time drift alike",
        le(sp.Max(delta2, xi2), (grow_GB - 1) * g2 + level_GB),
        conditions=(ge(grow_GB, 1), le(grad_now2, grow_GB * g2 + level_GB)),
    ),
    at("Assumption 3 and footnote 2", "162, 166")(
        "ass3.equivalent.letters",
        "footnote 2 bounds the squared gradient of a client as Assumption 3 does, by the same letters (without time drift)",
        eq(G2 * g2 + B2, (1 + B2) * g2 + G2),
        conditions=(ge(G2, 1),),
    ),
    at("Section 3.4", "182")(
        "ass3.optimum",
        "where there is drift, which D > 0 or G > 0 stand for, the local optimum differs from the global one",
        gt(optimum_gap, 0),
        conditions=(gt(D2 + G2, 0), gt(delta2 + xi2, 0)),
        assumes=DRIFT,
    ),
    at("Assumption 3; Lemma B.2 (2)", "146, 162, 600")(
        "ass3.returning",
        "the drift of a client that took part before has mean zero given the model, so no part along its gradient",
        eq(stale, 0),
        assumes=DRIFT,
    ),
    ass3_returning_square := at("Assumption 3; Lemma B.2 (1)", "162, 598")(
        "ass3.returning.square",
        "Lemma B.2 (1) holds at a model that the client has trained",
        le(again2, (1 + A2 + B2) * g2_again + G2 + D2),
        assumes=DRIFT,
    ),
    ass3_returning_square.variant("convex", conditions=(ge(curvature, 0),), changes="losses are convex"),
    at("Theorem 4.1; B.4.2", "196, 771")(
        "step.theorem",
        "the step size of Theorem 4.1 is one under which its proof ends (line 771)",
        le(K * eta_l, limit(c_client, 12)),
        conditions=_wide,
    ),
    at("Theorem 4.1; B.4.2", "196, 767")(
        "step.theorem.first",
        "the step size of Theorem 4.1 is one of line 767",
        le(K * eta_l, limit(c_client, 6)),
        conditions=_wide,
    ),
    at("Theorem 4.1; B.4.4", "196, 821")(
        "step.theorem.order",
        "the largest step is at least 1/(10 L c), as the rate exp(-mu T/(L c_O)) needs",
        ge(limit(c_theorem, 6), 1 / (10 * L * c_theorem)),
        conditions=(ge(c_theorem, 1),),
    ),
)
