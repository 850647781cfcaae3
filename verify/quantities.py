"""Letters of theorems about runs and functions: what `verify.run` and `verify.points` compute, under one name each."""

from __future__ import annotations

from bounds.symbols import Glossary

QUANTITIES = Glossary("quantities")
_count, _real = QUANTITIES.count, QUANTITIES.real
_positive, _nonnegative = QUANTITIES.positive, QUANTITIES.nonnegative

# Sizes
M = _count("M", "clients")
N = _count("N", "clients sampled in a round, uniformly without replacement")
E = _count("E", "local steps of a round")
t = _count("t", "rounds")
d = _count("d", "dimension")

# Step sizes
eta = _positive("eta", "local step size", r"\eta")
eta_g = _positive("eta_g", "step size of the server", r"\eta_g")

# Constants of the losses
L = _positive("L", "smoothness constant of every client's loss")
mu = _positive("mu", "strong convexity constant of every client's loss", r"\mu")
sigma2 = _nonnegative("sigma2", "variance of a stochastic gradient", r"\sigma^2")
G2 = _nonnegative("G2", "bound on the squared norm of every client's gradient", "G^2")
zeta2 = _nonnegative("zeta2", "mean squared gradient of the clients at the optimum", r"\zeta^2")

# Of a run: after t rounds, at the start (_0), one round before the end (_before); expectations are exact
distance2 = _nonnegative("distance2", "expected squared distance from the optimum")
distance2_0 = _nonnegative("distance2_0", "the same at the start")
distance2_before = _nonnegative("distance2_before", "the same one round earlier")
gap = _nonnegative("gap", "expected loss above the least loss")
gap_0 = _nonnegative("gap_0", "the same at the start")
gap_before = _nonnegative("gap_before", "the same one round earlier")
gap_mean = _nonnegative("gap_mean", "mean over the rounds 0 to t - 1 of the gap")
gap_mean_before = _nonnegative("gap_mean_before", "the same one round earlier, before the first round 0")
loss = _real("loss", "expected loss")
loss_0 = _real("loss_0", "the same at the start")
loss_before = _real("loss_before", "the same one round earlier")
loss_mean = _real("loss_mean", "mean over the rounds 0 to t - 1 of the expected loss")
loss_mean_before = _real("loss_mean_before", "the same one round earlier, before the first round 0")
distance2_mean = _nonnegative("distance2_mean", "mean over the rounds 0 to t - 1")
distance2_mean_before = _nonnegative(
    "distance2_mean_before", "the same one round earlier, before the first round 0"
)
grad2 = _nonnegative("grad2", "expected squared norm of the gradient")
grad2_0 = _nonnegative("grad2_0", "the same at the start")
grad2_before = _nonnegative("grad2_before", "the same one round earlier")
grad2_min = _nonnegative("grad2_min", "smallest over the rounds 0 to t - 1")
grad2_mean = _nonnegative("grad2_mean", "mean over the rounds 0 to t - 1")
grad2_mean_before = _nonnegative("grad2_mean_before", "the same one round earlier, before the first round 0")
inner_before = _real(
    "inner_before", "expected inner product of the gradient one round earlier with the way from the optimum"
)
inner = _real("inner", "expected inner product of the gradient with the way from the optimum")
drift2 = _nonnegative("drift2", "mean squared distance of the local models from the server's, last round")
move2 = _nonnegative("move2", "expected squared step of the server in the last round")

# Of a function at two points x and y
f_x = _real("f_x", "loss at x")
f_y = _real("f_y", "loss at y")
slope_x = _real("slope_x", "inner product of the gradient at x with y - x")
slope_y = _real("slope_y", "inner product of the gradient at y with x - y")
grad2_x = _nonnegative("grad2_x", "squared norm of the gradient at x")
grad2_y = _nonnegative("grad2_y", "squared norm of the gradient at y")
turn2 = _nonnegative("turn2", "squared norm of the difference of the gradients")
apart2 = _nonnegative("apart2", "squared distance of x and y")

MEASURED = frozenset(QUANTITIES) - {s.name for s in (M, N, E, t, d, eta, eta_g, L, mu, sigma2, G2, zeta2)}
"""Names of what only a run, or a function at two points, can give."""
