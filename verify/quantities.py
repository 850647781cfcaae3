"""Symbols for theorems about runs and functions: the quantities that `verify.run` and `verify.points` compute."""

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

# Quantities of a run: after t rounds, at the start (_0), one round before the end (_before); expectations are exact
distance2 = _nonnegative("distance2", "expected squared distance from the optimum", r"\mathbb E\|x_t-x^*\|^2")
distance2_0 = _nonnegative("distance2_0", "the same at the start", r"\mathbb E\|x_0-x^*\|^2")
distance2_before = _nonnegative(
    "distance2_before", "the same one round earlier", r"\mathbb E\|x_{t-1}-x^*\|^2"
)
gap = _nonnegative("gap", "expected loss above the least loss", r"\mathbb E[f(x_t)-f^*]")
gap_0 = _nonnegative("gap_0", "the same at the start", r"\mathbb E[f(x_0)-f^*]")
gap_before = _nonnegative("gap_before", "the same one round earlier", r"\mathbb E[f(x_{t-1})-f^*]")
gap_mean = _nonnegative(
    "gap_mean", "mean over the rounds 0 to t - 1 of the gap", r"\tfrac1t\sum_{s<t}\mathbb E[f(x_s)-f^*]"
)
gap_mean_before = _nonnegative(
    "gap_mean_before",
    "the same one round earlier, before the first round 0",
    r"\tfrac1{t-1}\sum_{s<t-1}\mathbb E[f(x_s)-f^*]",
)
loss = _real("loss", "expected loss", r"\mathbb Ef(x_t)")
loss_0 = _real("loss_0", "the same at the start", r"\mathbb Ef(x_0)")
loss_before = _real("loss_before", "the same one round earlier", r"\mathbb Ef(x_{t-1})")
loss_mean = _real(
    "loss_mean", "mean over the rounds 0 to t - 1 of the expected loss", r"\tfrac1t\sum_{s<t}\mathbb Ef(x_s)"
)
loss_mean_before = _real(
    "loss_mean_before",
    "the same one round earlier, before the first round 0",
    r"\tfrac1{t-1}\sum_{s<t-1}\mathbb Ef(x_s)",
)
distance2_mean = _nonnegative(
    "distance2_mean", "mean over the rounds 0 to t - 1", r"\tfrac1t\sum_{s<t}\mathbb E\|x_s-x^*\|^2"
)
distance2_mean_before = _nonnegative(
    "distance2_mean_before",
    "the same one round earlier, before the first round 0",
    r"\tfrac1{t-1}\sum_{s<t-1}\mathbb E\|x_s-x^*\|^2",
)
grad2 = _nonnegative("grad2", "expected squared norm of the gradient", r"\mathbb E\|\nabla f(x_t)\|^2")
grad2_0 = _nonnegative("grad2_0", "the same at the start", r"\mathbb E\|\nabla f(x_0)\|^2")
grad2_before = _nonnegative("grad2_before", "the same one round earlier", r"\mathbb E\|\nabla f(x_{t-1})\|^2")
grad2_min = _nonnegative(
    "grad2_min", "smallest over the rounds 0 to t - 1", r"\min_{s<t}\mathbb E\|\nabla f(x_s)\|^2"
)
grad2_mean = _nonnegative(
    "grad2_mean", "mean over the rounds 0 to t - 1", r"\tfrac1t\sum_{s<t}\mathbb E\|\nabla f(x_s)\|^2"
)
grad2_mean_before = _nonnegative(
    "grad2_mean_before",
    "the same one round earlier, before the first round 0",
    r"\tfrac1{t-1}\sum_{s<t-1}\mathbb E\|\nabla f(x_s)\|^2",
)
inner_before = _real(
    "inner_before",
    "expected inner product of the gradient one round earlier with the way from the optimum",
    r"\mathbb E\langle\nabla f(x_{t-1}),x_{t-1}-x^*\rangle",
)
inner = _real(
    "inner",
    "expected inner product of the gradient with the way from the optimum",
    r"\mathbb E\langle\nabla f(x_t),x_t-x^*\rangle",
)
drift2 = _nonnegative(
    "drift2",
    "mean squared distance of the local models from the server's, last round",
    r"\tfrac1{NE}\sum_{i,k}\mathbb E\|y_{i,k}-x_{t-1}\|^2",
)
move2 = _nonnegative(
    "move2", "expected squared step of the server in the last round", r"\mathbb E\|x_t-x_{t-1}\|^2"
)

# Quantities of a sequence of tasks (`verify.tasks`)
K = _count("K", "tasks")
forgetting = _real(
    "forgetting", "mean over the visits of the rise of the visited task's loss since its visit", r"F_t"
)
backward_transfer = _real(
    "backward_transfer",
    "mean over the earlier visits of the fall of the visited task's loss since its visit",
    r"\operatorname{BWT}_t",
)
regret = _real(
    "regret",
    "sum over the visits of the loss before the visit, minus the least sum of one model",
    r"\operatorname{Regret}_t",
)

# Quantities of a function at two points x and y
f_x = _real("f_x", "loss at x", r"f(x)")
f_y = _real("f_y", "loss at y", r"f(y)")
slope_x = _real("slope_x", "inner product of the gradient at x with y - x", r"\langle\nabla f(x),y-x\rangle")
slope_y = _real("slope_y", "inner product of the gradient at y with x - y", r"\langle\nabla f(y),x-y\rangle")
grad2_x = _nonnegative("grad2_x", "squared norm of the gradient at x", r"\|\nabla f(x)\|^2")
grad2_y = _nonnegative("grad2_y", "squared norm of the gradient at y", r"\|\nabla f(y)\|^2")
turn2 = _nonnegative(
    "turn2", "squared norm of the difference of the gradients", r"\|\nabla f(x)-\nabla f(y)\|^2"
)
apart2 = _nonnegative("apart2", "squared distance of x and y", r"\|x-y\|^2")

MEASURED = frozenset(QUANTITIES) - {s.name for s in (K, M, N, E, t, d, eta, eta_g, L, mu, sigma2, G2, zeta2)}
"""Names of quantities that only a run, or a function at two points, can determine."""
