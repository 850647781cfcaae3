"""Letters of theorems about runs and functions: what `verify.run` and `verify.points` compute, under one name each."""

from __future__ import annotations

from bounds.symbols import Glossary

QUANTITIES = Glossary("quantities")
_define = QUANTITIES.define

# Sizes
M = _define("M", "clients", "count")
N = _define("N", "clients sampled in a round, uniformly without replacement", "count")
E = _define("E", "local steps of a round", "count")
t = _define("t", "rounds", "count")
d = _define("d", "dimension", "count")

# Step sizes
eta = _define("eta", "local step size", "positive", r"\eta")
eta_g = _define("eta_g", "step size of the server", "positive", r"\eta_g")

# Constants of the losses
L = _define("L", "smoothness constant of every client's loss", "positive")
mu = _define("mu", "strong convexity constant of every client's loss", "positive", r"\mu")
sigma2 = _define("sigma2", "variance of a stochastic gradient", "nonnegative", r"\sigma^2")
G2 = _define("G2", "bound on the squared norm of every client's gradient", "nonnegative", "G^2")
zeta2 = _define("zeta2", "mean squared gradient of the clients at the optimum", "nonnegative", r"\zeta^2")

# Of a run: after t rounds, at the start (_0), one round before the end (_before); expectations are exact
distance2 = _define("distance2", "expected squared distance from the optimum", "nonnegative")
distance2_0 = _define("distance2_0", "the same at the start", "nonnegative")
distance2_before = _define("distance2_before", "the same one round earlier", "nonnegative")
gap = _define("gap", "expected loss above the least loss", "nonnegative")
gap_0 = _define("gap_0", "the same at the start", "nonnegative")
gap_before = _define("gap_before", "the same one round earlier", "nonnegative")
gap_mean = _define("gap_mean", "mean over the rounds 0 to t - 1 of the gap", "nonnegative")
loss = _define("loss", "expected loss", "real")
loss_0 = _define("loss_0", "the same at the start", "real")
loss_before = _define("loss_before", "the same one round earlier", "real")
loss_mean = _define("loss_mean", "mean over the rounds 0 to t - 1 of the expected loss", "real")
distance2_mean = _define("distance2_mean", "mean over the rounds 0 to t - 1", "nonnegative")
grad2 = _define("grad2", "expected squared norm of the gradient", "nonnegative")
grad2_0 = _define("grad2_0", "the same at the start", "nonnegative")
grad2_before = _define("grad2_before", "the same one round earlier", "nonnegative")
grad2_min = _define("grad2_min", "smallest over the rounds 0 to t - 1", "nonnegative")
grad2_mean = _define("grad2_mean", "mean over the rounds 0 to t - 1", "nonnegative")
inner_before = _define(
    "inner_before",
    "expected inner product of the gradient one round earlier with the way from the optimum",
    "real",
)
drift2 = _define(
    "drift2", "mean squared distance of the local models from the server's, last round", "nonnegative"
)
move2 = _define("move2", "expected squared step of the server in the last round", "nonnegative")

# Of a function at two points x and y
f_x = _define("f_x", "loss at x", "real")
f_y = _define("f_y", "loss at y", "real")
slope_x = _define("slope_x", "inner product of the gradient at x with y - x", "real")
slope_y = _define("slope_y", "inner product of the gradient at y with x - y", "real")
grad2_x = _define("grad2_x", "squared norm of the gradient at x", "nonnegative")
grad2_y = _define("grad2_y", "squared norm of the gradient at y", "nonnegative")
turn2 = _define("turn2", "squared norm of the difference of the gradients", "nonnegative")
apart2 = _define("apart2", "squared distance of x and y", "nonnegative")
