"""CFL, Appendix C.1.2: how past losses are approximated, as far as that is mathematics; Algorithm 3."""

from __future__ import annotations

from bounds.cfl.lemmas import bend, eps_H, from_end, from_point
from bounds.cfl.symbols import CFL, D2, G2, R2, N, at, eta_g, t
from bounds.cfl.weight_sums import least_value
from bounds.relations import eq, ge, gt, le, lt

_count, _positive, _nonnegative, _real = CFL.count, CFL.positive, CFL.nonnegative, CFL.real

# Taylor approximation
slope_near = _real("slope_near", "derivative of the approximated loss", r"\nabla\tilde f(\omega)")
slope_printed = _real(
    "slope_printed",
    "gradient that the text gives for it",
    r"\nabla f(\hat\omega)+\nabla^2f(\hat\omega)(\omega-\hat\omega)",
)
slope_true = _real("slope_true", "gradient of the past loss", r"\nabla f(\omega)")
slope_taylor = _real("slope_taylor", "gradient of its Taylor approximation")
lost_end = _nonnegative(
    "lost_end", "information loss of an expansion at the end of the local steps", r"\|\Delta_{t,i}(\omega)\|"
)
lost_off = _nonnegative(
    "lost_off", "information loss with another matrix for the Hessian", r"\|\Delta_{t,i}(\omega)\|"
)
hessian_off = _nonnegative(
    "hessian_off", "what the matrix differs from the Hessian by, at most", r"\|\nabla^2f(\hat\omega)-\hat H\|"
)
lost_next2 = _nonnegative(
    "lost_next2",
    "squared information loss about a round at the start of the next one",
    r"\|\Delta_{t,i}(\omega_{t+1})\|^2",
)
lost_top2 = _nonnegative("lost_top2", "squared information loss where the top layers alone are approximated")
bottom2 = _nonnegative("bottom2", "squared gradient of the other layers", r"\|\nabla_{bottom}f\|^2")
buffered = _count("buffered", "rounds whose losses are remembered", "b")

# Fisher information
hessian_diagonal = _real(
    "hessian_diagonal", "diagonal of the Hessian of the cross entropy", r"\nabla^2_{jj}f(\hat\omega)"
)
square_of_mean = _nonnegative(
    "square_of_mean", "squared gradient of the cross entropy", r"[\nabla f(\hat\omega)]_j^2"
)
mean_of_squares = _nonnegative(
    "mean_of_squares", "mean of the squared gradients of the samples", r"\frac1n\sum_s[\nabla f_s]_j^2"
)
model_squares = _nonnegative(
    "model_squares",
    "the same, with labels drawn from the model",
    r"\frac1n\sum_s\mathbb E_{y\sim p_\omega}[\nabla f_s]_j^2",
)

# Core sets
n_local = _count("n_local", "samples of a local data set", "n")
m_kept = _count("m_kept", "samples of a core set", "m")
mean_kept = _real("mean_kept", "expected mean of a uniform core set")
mean_all = _real("mean_all", "mean over the local data set", r"\nabla f_{t,i}(\omega)")
kept_loss2 = _nonnegative(
    "kept_loss2", "expected squared information loss of a uniform core set", r"\mathbb E\|\Delta\|^2"
)
spread2 = _nonnegative(
    "spread2", "mean squared distance from the mean", r"\frac1n\sum_s\|\phi_s-\bar\phi\|^2"
)
union_slope = _real("union_slope", "mean gradient over current data and core sets together")
mixed_slope = _real("mixed_slope", "weighted sum of the gradients of the rounds")
kept_share = _positive("kept_share", "share of a local data set that is kept", "m/n")
miss2 = _nonnegative(
    "miss2",
    "squared distance of the mean feature of the core set from that of the data set",
    r"\|\mu-\frac1m\sum_j\phi(p_j)\|^2",
)
herd_rise = _real(
    "herd_rise", "growth of the squared distance of the sums in a step of the algorithm, at most"
)
herd_mean = _real("herd_mean", "the same, on average over all samples in its place")
distinct = _nonnegative("distinct", "different samples of the core set", "|P|")
nearest2 = _nonnegative("nearest2", "least squared distance of the features of two samples")

# Generated samples
step_x = _positive("step_x", "step size of the chain", r"\eta")
h_energy = _positive("h_energy", "curvature of the energy", "h")
noise_x = _nonnegative("noise_x", "variance of the noise of a step", r"\sigma^2")
steps_x = _count("steps_x", "steps of the chain", "k")
start_spread = _nonnegative("start_spread", "variance of the start")
chain_spread = _nonnegative("chain_spread", "variance after k steps", r"\operatorname{Var}x^k")
lost_made = _nonnegative("lost_made", "information loss of generated samples", r"\|\Delta\|")
made_off = _nonnegative("made_off", "distance of the mean of generated from that of real samples")

_place = "Appendix C.1.2"
_smooth = le(bend, eps_H)
_corrected = (eps_H + hessian_off) * from_point
_kept_part = (1 - step_x * h_energy) ** 2
_slow = lt(step_x * h_energy, 2)

TAYLOR = (
    at(_place, "1099-1105")(
        "approx.taylor",
        "the gradient of the second-order expansion is the one that the text gives",
        eq(slope_near, slope_printed),
    ),
    at(_place, "1099-1105")(
        "approx.taylor.quadratic",
        "on quadratic losses the expansion loses no information",
        eq(slope_taylor, slope_true),
    ),
    at("Lemma B.3, proof", "655-657")(
        "lemB.3/end",
        "the Taylor expansion of a gradient at the end of the local steps is off by at most epsilon times the distance",
        le(lost_end, eps_H * from_end),
        conditions=(_smooth,),
        uses=("lemB.3.mean-value",),
        changes="the expansion is at w_(t,i,K), as in the proof, not at w_t",
    ),
    at("Lemma B.3", "624-630")(
        "approx.taylor.next",
        "one client, eta_g = 1: at the start of the next round nothing is lost about the last one",
        eq(lost_next2, 0),
        conditions=(eq(N, 1), eq(eta_g, 1)),
    ),
    at("Lemma B.3, proof", "655-657")(
        "approx.taylor.next/end",
        "one client, eta_g = 1: at the start of the next round nothing is lost about the last one",
        eq(lost_next2, 0),
        conditions=(eq(N, 1), eq(eta_g, 1)),
        changes="the expansion is at w_(t,i,K), as in the proof, not at w_t",
    ),
    approx_taylor_hessian := at(f"Lemma B.3; {_place}", "624-630, 1107")(
        "approx.taylor.hessian",
        "Lemma B.3 bounds the information loss that is reached with a stand-in for the Hessian",
        le(lost_off, eps_H * from_point),
        conditions=(_smooth,),
    ),
    approx_taylor_hessian.variant(
        "corrected",
        le(lost_off, _corrected),
        says="Lemma B.3 with a stand-in for the Hessian",
        uses=("lemB.3",),
        changes="what the stand-in is off by is added to epsilon",
    ),
    at(f"{_place}; Section 5.3.1", "406, 1107")(
        "approx.taylor.diagonal",
        "on quadratic losses the expansion with the diagonal of the Hessian loses no information",
        eq(lost_off, 0),
    ),
    at(_place, "1131")(
        "approx.taylor.layers",
        "on quadratic losses, where only the top layers are approximated, what is lost is the whole past gradient of the others",
        eq(lost_top2, bottom2),
    ),
    at(f"{_place}; Appendix B.4.3", "811, 1129")(
        "approx.taylor.buffer",
        "a buffer of b rounds makes the least variance term larger than in the limit by at most D^2/b",
        le(least_value(D2).subs(t, buffered + 1), G2 + D2 * R2 / (D2 + R2) + D2 / buffered),
        conditions=(gt(D2 + R2, 0),),
    ),
)

FISHER = (
    approx_taylor_fisher := at(_place, "1107")(
        "approx.taylor.fisher",
        "with the cross entropy the squared gradient, as printed, is the diagonal of the Hessian (logistic regression)",
        eq(square_of_mean, hessian_diagonal),
    ),
    approx_taylor_fisher.variant(
        "samples",
        eq(mean_of_squares, hessian_diagonal),
        says="with the cross entropy the mean squared gradient of the samples is the diagonal of the Hessian (logistic "
        "regression)",
        changes="the gradients of the samples are squared before the mean is taken: the empirical Fisher information",
    ),
    approx_taylor_fisher.variant(
        "model",
        eq(model_squares, hessian_diagonal),
        says="with the cross entropy the Fisher information is the diagonal of the Hessian (logistic regression)",
        changes="labels are drawn from the model: the Fisher information itself",
    ),
    approx_taylor_fisher.variant(
        "network",
        eq(model_squares, hessian_diagonal),
        says="with the cross entropy the Fisher information is the diagonal of the Hessian (a network with two layers)",
        changes="labels are drawn from the model, and the logit is not linear in the parameters",
    ),
)

CORE_SETS = (
    at(_place, "1141-1143")(
        "approx.coreset", "the gradient of a uniform core set has the right mean", eq(mean_kept, mean_all)
    ),
    at(_place, "1141-1143")(
        "approx.coreset.loss",
        "its expected squared information loss, in closed form",
        eq(kept_loss2, spread2 * (n_local - m_kept) / (m_kept * (n_local - 1))),
        conditions=(ge(n_local, 2), le(m_kept, n_local)),
    ),
    at(f"Section 5.3.2; {_place}", "441, 1141-1143")(
        "approx.coreset.more",
        "a larger uniform core set loses less information, as Figure 3 shows",
        le(
            spread2 * (n_local - m_kept - 1) / ((m_kept + 1) * (n_local - 1)),
            spread2 * (n_local - m_kept) / (m_kept * (n_local - 1)),
        ),
        conditions=(ge(n_local, 2), lt(m_kept, n_local)),
        uses=("approx.coreset.loss",),
    ),
    at(f"{_place}; Eq. (3)", "116, 1143")(
        "approx.coreset.union",
        "training on current data and core sets together is Eq. (3) with the weights m and n, made to sum to one",
        eq(union_slope, mixed_slope),
    ),
    at(f"Theorem 4.1; {_place}", "196, 1143")(
        "approx.coreset.union.weights",
        "core sets that give Theorem 4.1's weights in one round give them in the next",
        eq(kept_share, D2 / (D2 + t * R2)),
        conditions=(eq(kept_share, D2 / (D2 + (t - 1) * R2)), ge(t, 2)),
        changes="our own question: the text adds core sets to current data and says nothing of their weights",
    ),
)

HERDING = (
    alg3 := at("Algorithm 3", "1111-1118")(
        "alg3",
        "the core set of m choices misses the mean feature by no more than m random samples do on average",
        le(miss2, spread2 / m_kept),
        uses=("alg3.step",),
    ),
    at("Algorithm 3, line 3", "1116")(
        "alg3.step",
        "in every step the squared distance of the sums grows by at most the spread of the features",
        le(herd_rise, spread2),
        uses=("alg3.average",),
    ),
    at("Algorithm 3, line 3", "1116")(
        "alg3.average",
        "on average over all samples in place of the best it grows by the spread",
        eq(herd_mean, spread2),
    ),
    alg3.variant(
        "once",
        conditions=(le(m_kept, n_local),),
        uses=(),
        changes="a sample is chosen at most once, so that there are no more choices than samples",
    ),
    alg3_distinct := at("Algorithm 3, input m", "1113")(
        "alg3.distinct",
        "the core set consists of m samples (m up to n)",
        eq(distinct, m_kept),
        conditions=(le(m_kept, n_local), gt(nearest2, 0)),
    ),
    alg3_distinct.variant("once", changes="a sample is chosen at most once"),
    alg3_whole := at("Algorithm 3", "1111-1118")(
        "alg3.whole",
        "a core set of n choices has the mean feature of the data set",
        eq(miss2, 0),
        conditions=(eq(m_kept, n_local),),
        changes="our own question, of what the algorithm does where it could keep everything",
    ),
    alg3_whole.variant("once", changes="a sample is chosen at most once"),
)

MCMC = (
    approx_mcmc := at(_place, "1133-1137")(
        "approx.mcmc",
        "spread of the generated samples after k steps, for a quadratic energy",
        eq(
            chain_spread * (1 - _kept_part),
            _kept_part**steps_x * start_spread * (1 - _kept_part) + noise_x * (1 - _kept_part**steps_x),
        ),
    ),
    approx_mcmc.variant(
        "langevin",
        eq(2 * step_x / (1 - _kept_part), 1 / (h_energy * (1 - step_x * h_energy / 2))),
        says="with noise of variance 2 eta the chain ends with a variance that is too large by the factor 1/(1 - eta h/2)",
        conditions=(_slow,),
        uses=("approx.mcmc",),
        changes="a question of our own, for the text does not say how large the noise is: that of Langevin's method",
    ),
    at(_place, "1133-1137")(
        "approx.mcmc.collapse",
        "without noise the samples draw together at one point: their spread falls in every step",
        le(_kept_part * start_spread, start_spread),
        conditions=(_slow,),
        uses=("approx.mcmc",),
    ),
    at(f"{_place}; Assumption 4", "184, 1133-1139")(
        "approx.mcmc.loss",
        "for losses that are quadratic in the data, generated samples lose the curvature times what their mean is off "
        "by, at every model: Assumption 4 holds",
        eq(lost_made, h_energy * made_off),
    ),
)

STATEMENTS = (*TAYLOR, *FISHER, *CORE_SETS, *HERDING, *MCMC)
