"""The paper's letters. Quantities of a round belong to round r; "_0" marks those before the round."""

from __future__ import annotations

import sympy as sp

from bounds.statement import Paper
from bounds.symbols import Glossary

GLOSSARY = Glossary("scaffold")
PAPER = Paper(
    key="scaffold",
    title="SCAFFOLD: Stochastic Controlled Averaging for Federated Learning",
    version="ICML 2020, arXiv 1910.06378v4",
    glossary=GLOSSARY,
)
at = PAPER.at
"""Maker of the statements that stand at one place, ``at(place, lines)(id, says, relation, ...)``."""

_positive, _nonnegative = GLOSSARY.positive, GLOSSARY.nonnegative
K = GLOSSARY.count("K", "number of local steps")
S = GLOSSARY.count("S", "number of clients that take part in a round")
N = GLOSSARY.count("N", "number of clients")
R = GLOSSARY.count("R", "rounds")
j = GLOSSARY.count("j", "the local step with the largest mean squared distance")
k = GLOSSARY.count("k", "a local step, or a round")
tau = _positive("tau", "number of vectors", r"\tau")
beta = _positive("beta", "smoothness of every client's loss", r"\beta")
mu = _positive("mu", "strong convexity of every client's loss", r"\mu")
a = _positive("a", "weight in the relaxed triangle inequality")
eta = _positive("eta", "step size", r"\eta")
eta_max = _positive("eta_max", "largest step size", r"\eta_{\max}")
eta_l = _positive("eta_l", "local step size", r"\eta_l")
eta_g = _positive("eta_g", "global step size", r"\eta_g")
h = _positive("h", "effective step size, K eta_l eta_g", r"\tilde\eta")
spread = _nonnegative(
    "spread", "(N - S)/(S (N - 1)), the variance that sampling clients leaves", r"\tfrac{N-S}{S(N-1)}"
)
sigma2 = _nonnegative("sigma2", "variance of a stochastic gradient", r"\sigma^2")

pair2 = _nonnegative("pair2", "squared length of a sum of two vectors", r"\|v_i+v_j\|^2")
u2 = _nonnegative("u2", "squared length of the first vector", r"\|v_i\|^2")
v2 = _nonnegative("v2", "squared length of the second vector", r"\|v_j\|^2")
sum2 = _nonnegative(
    "sum2", "expected squared length of the sum of tau vectors", r"\mathbb E\|\sum_i\Xi_i\|^2"
)
mean2 = _nonnegative("mean2", "mean squared length of tau vectors", r"\tfrac1\tau\sum_i\|v_i\|^2")
means2 = _nonnegative("means2", "squared length of the sum of the means", r"\|\sum_i\xi_i\|^2")
inner = GLOSSARY.real(
    "inner", "inner product of the gradient at x with z - y", r"\langle\nabla h(x),z-y\rangle"
)
fall = GLOSSARY.real("fall", "value at z less that at y", r"h(z)-h(y)")
far_yz = _nonnegative("far_yz", "squared distance of y and z", r"\|y-z\|^2")
far_xz = _nonnegative("far_xz", "squared distance of x and z", r"\|z-x\|^2")
before = _nonnegative("before", "squared distance of two points", r"\|x-y\|^2")
after = _nonnegative(
    "after", "the same after a gradient step from each", r"\|x-\eta\nabla h(x)-y+\eta\nabla h(y)\|^2"
)

gap = _nonnegative(
    "gap", "expected loss above the least one before the round", r"\mathbb E f(x^{r-1})-f^\star"
)
lag_0 = _nonnegative("lag_0", "control lag before the round", r"\mathcal C_{r-1}")
lag = _nonnegative("lag", "control lag after the round", r"\mathcal C_r")
drift = _nonnegative("drift", "mean squared distance of the local models from the server's", r"\mathcal E_r")
largest = _nonnegative(
    "largest", "largest of the mean squared distances of all local steps", r"\max_k\mathcal E_{r,k}"
)
moved2 = _nonnegative("moved2", "expected squared step of the server", r"\mathbb E\|x^r-x^{r-1}\|^2")
distance2_0 = _nonnegative(
    "distance2_0", "expected squared distance before the round", r"\mathbb E\|x^{r-1}-x^\star\|^2"
)
distance2 = _nonnegative(
    "distance2", "expected squared distance after the round", r"\mathbb E\|x^r-x^\star\|^2"
)
apart_0 = _nonnegative(
    "apart_0",
    "mean squared distance of the local models before a step",
    r"\tfrac1N\sum_i\mathbb E\|y_{i,k-1}-x\|^2",
)
apart = _nonnegative("apart", "the same after the step", r"\tfrac1N\sum_i\mathbb E\|y_{i,k}-x\|^2")
c1 = _positive("c1", "factor of the step size in Lemmas 1 and 2", "c_1")
c2 = _positive("c2", "factor of its square", "c_2")
step = _nonnegative("step", "what one step of a sequence adds", "B")
kept = _positive("kept", "share that a step keeps", "q")
left = _positive("left", "share of the start that is left after R steps", "q^R")
start = _nonnegative("start", "first number of a sequence", "d_0")
progress = _nonnegative("progress", "weighted sum of progress, over the last weight", r"\Psi W")
weight = _positive("weight", "sum of the weights, over the last weight", "W")
rate = _positive("rate", "growth of the drift in a step, 1/(K - 1)", r"\tfrac1{K-1}")
part = _nonnegative("part", "steps over K - 1", r"\tfrac k{K-1}")
walk = sp.IndexedBase(sp.Symbol("walk", nonnegative=True))
GLOSSARY.series(walk, "mean squared distance of the local models after each local step", r"\mathcal E_{r,k}")
potential = sp.IndexedBase(sp.Symbol("potential", nonnegative=True))
GLOSSARY.series(potential, "a sequence of nonnegative numbers", r"\Phi")
far = sp.IndexedBase(sp.Symbol("far", nonnegative=True))
GLOSSARY.series(far, "expected squared distance after each round", r"\mathbb E\|x^r-x^\star\|^2")
lags = sp.IndexedBase(sp.Symbol("lags", nonnegative=True))
GLOSSARY.series(lags, "control lag after each round", r"\mathcal C")
drifts = sp.IndexedBase(sp.Symbol("drifts", nonnegative=True))
GLOSSARY.series(drifts, "drift of each round", r"\mathcal E")
most = sp.IndexedBase(sp.Symbol("most", nonnegative=True))
GLOSSARY.series(
    most, "largest of the mean squared distances of all local steps of each round", r"\max_k\mathcal E_{r,k}"
)
place = sp.IndexedBase(sp.Symbol("place", integer=True, positive=True))
GLOSSARY.series(place, "the local step with this distance in each round", "j")
gaps = sp.IndexedBase(sp.Symbol("gaps", nonnegative=True))
GLOSSARY.series(gaps, "expected loss above the least one before each round", r"\mathbb E f(x^r)-f^\star")
weighted = sp.IndexedBase(sp.Symbol("weighted", nonnegative=True))
GLOSSARY.series(weighted, "weighted sum of the gaps so far", "A")
weights = sp.IndexedBase(sp.Symbol("weights", nonnegative=True))
GLOSSARY.series(weights, "sum of the weights so far", "W")
distance = sp.IndexedBase(sp.Symbol("distance", nonnegative=True))
GLOSSARY.series(distance, "a sequence of nonnegative numbers", "d")
total = sp.IndexedBase(sp.Symbol("total", real=True))
GLOSSARY.series(total, "weighted sum of progress and noise so far", r"\Psi W")

# Losses that need not be convex
z = _positive(
    "z", "cube root of the share of clients that take part, or a number between both", r"(S/N)^{1/3}"
)
edge = _positive("edge", "the share to the power alpha", r"(S/N)^\alpha")
window = _positive("window", "the share to the power 2 alpha - 1", r"(S/N)^{2\alpha-1}")
push2 = _nonnegative(
    "push2",
    "mean squared length of the corrected gradients of a local step, without new noise",
    r"\tfrac1N\sum_i\mathbb E\|\nabla f_i(y_{i,k-1})+c-c_i\|^2",
)
slope2 = _nonnegative(
    "slope2", "expected squared gradient before the round", r"\mathbb E\|\nabla f(x^{r-1})\|^2"
)
behind_0 = _nonnegative(
    "behind_0",
    "mean squared distance of the server's model from those of the control variates, before the round",
    r"\Xi_{r-1}",
)
behind = _nonnegative("behind", "the same after the round", r"\Xi_r")
mean_moved2 = _nonnegative(
    "mean_moved2",
    "squared expected step of the server, given the past",
    r"\mathbb E\|\mathbb E_{r-1}[x^r]-x^{r-1}\|^2",
)
value_0 = GLOSSARY.real("value_0", "expected loss before the round", r"\mathbb E f(x^{r-1})")
value = GLOSSARY.real("value", "expected loss after the round", r"\mathbb E f(x^r)")
slopes = _nonnegative(
    "slopes",
    "sum of the expected squared gradients of all rounds",
    r"\textstyle\sum_r\mathbb E\|\nabla f(x^{r-1})\|^2",
)
behinds = sp.IndexedBase(sp.Symbol("behinds", nonnegative=True))
GLOSSARY.series(behinds, "distance from the models of the control variates after each round", r"\Xi")
slopes2 = sp.IndexedBase(sp.Symbol("slopes2", nonnegative=True))
GLOSSARY.series(
    slopes2, "expected squared gradient at the model of each round", r"\mathbb E\|\nabla f(x^r)\|^2"
)
slopes_sum = sp.IndexedBase(sp.Symbol("slopes_sum", nonnegative=True))
GLOSSARY.series(
    slopes_sum, "sum of the squared gradients so far", r"\textstyle\sum_r\mathbb E\|\nabla f(x^r)\|^2"
)
summed = sp.IndexedBase(sp.Symbol("summed", nonnegative=True))
GLOSSARY.series(
    summed,
    "sum of the mean squared distances of the local models so far",
    r"\textstyle\sum_k\mathcal E_{r,k}",
)
