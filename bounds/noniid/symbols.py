"""Letters of FedAvg on non-iid data."""

from __future__ import annotations

import sympy as sp

from bounds.statement import Paper
from bounds.symbols import Glossary

GLOSSARY = Glossary("noniid")
PAPER = Paper(
    key="noniid", title="On the Convergence of FedAvg on Non-IID Data", version="ICLR 2020", glossary=GLOSSARY
)
at = PAPER.at
"""Maker of the statements that stand at one place, ``at(place, lines)(id, says, relation, ...)``."""

_positive, _nonnegative = GLOSSARY.positive, GLOSSARY.nonnegative
t = GLOSSARY.count("t", "number of a step, or of clients")
p = GLOSSARY.count("p", "number of a step since the last communication, which precedes step 1", "t-t_0+1")
T = GLOSSARY.count("T", "steps of SGD")
E = GLOSSARY.count("E", "steps between communications")
K = GLOSSARY.count("K", "sampled clients")
N = GLOSSARY.count("N", "clients")
L = _positive("L", "smoothness of every client's loss (Assumption 1)")
mu = _positive("mu", "strong convexity of every client's loss (Assumption 2)", r"\mu")
eta = _positive("eta", "step size", r"\eta_t")
zeta = _positive("zeta", "largest step size since the last communication", r"\eta_{t_0}")
Gamma = _nonnegative(
    "Gamma", "heterogeneity: F* less the weighted mean of the clients' least losses", r"\Gamma"
)
G2 = _positive("G2", "bound of squared gradients (Assumption 4)", "G^2")
noise = _nonnegative("noise", "weighted variance of the gradients (Assumption 3)", r"\sum_kp_k^2\sigma_k^2")
C = _nonnegative("C", "what sampling adds in a step, over its squared length", "C")
offset = _positive("offset", "what is added to t in the step size, at least 8 L/mu and E", r"\gamma")
distance2_0 = _nonnegative("distance2_0", "squared distance before the step", r"\|\bar w_t-w^\star\|^2")
distance2 = _nonnegative("distance2", "squared distance after the step", r"\|\bar v_{t+1}-w^\star\|^2")
start = _nonnegative("start", "squared distance of the start", r"\mathbb E\|w_1-w^\star\|^2")
apart = _nonnegative(
    "apart", "weighted mean squared distance of local models", r"\sum_kp_k\|\bar w_t-w_t^k\|^2"
)
way2 = _nonnegative(
    "way2",
    "weighted mean square of the ways since the last communication",
    r"\sum_kp_k\|w_t^k-\bar w_{t_0}\|^2",
)
way2_next = _nonnegative(
    "way2_next", "the same after one more step", r"\sum_kp_k\|w_{t+1}^k-\bar w_{t_0}\|^2"
)
move2 = _nonnegative("move2", "weighted mean square of that step", r"\sum_kp_k\|w_{t+1}^k-w_t^k\|^2")
inner = GLOSSARY.real("inner", "weighted mean of the inner products of ways and steps")
steep = _nonnegative(
    "steep", "largest weighted mean square of the gradients", r"\sum_kp_k\|\nabla F_k(w^k)\|^2"
)
sampled2 = _nonnegative(
    "sampled2",
    "expected squared distance of the mean of the sampled models from that of all",
    r"\mathbb E\|\bar w_{t+1}-\bar v_{t+1}\|^2",
)
gap = _nonnegative("gap", "loss above the least one", r"\mathbb E[F(w_T)]-F^\star")
gradient2 = _nonnegative("gradient2", "squared gradient of a client at a model", r"\|\nabla F_k(w)\|^2")
far2 = _nonnegative(
    "far2", "squared distance of that model from the client's own optimum", r"\|w-w_k^\star\|^2"
)
before = _nonnegative("before", "expected squared distance after T steps", r"\Delta_T")
after = _nonnegative("after", "expected squared distance after T + 1 steps", r"\Delta_{T+1}")
drift = _nonnegative("drift", "what one step adds, over its squared length", "B")
v = _nonnegative("v", "numerator of the bound", "v")
total = _nonnegative(
    "total", "variance of the averaged gradient of t clients", r"\mathbb E\|g_t-\bar g_t\|^2"
)
total_0 = _nonnegative("total_0", "variance of an empty sum", "v_0")
allowed = _nonnegative("allowed", "weighted variance of t clients", r"\sum_{k\le t}p_k^2\sigma_k^2")
allowed_0 = _nonnegative("allowed_0", "an empty sum", "w_0")


def _sequence(name: str, meaning: str, latex: str) -> sp.IndexedBase:
    """A sequence of nonnegative numbers, one for each step."""
    found = sp.IndexedBase(sp.Symbol(name, nonnegative=True))
    GLOSSARY.series(found, meaning, latex)
    return found


ways = _sequence("ways", "weighted mean square of the ways before each step since a communication", "w")
above = _sequence("above", "expected loss above the least one, by step", r"\mathbb E[F(w)]-F^\star")
place = sp.IndexedBase(sp.Symbol("place", integer=True, positive=True))
GLOSSARY.series(place, "number of each step among those since the last communication", "s")
distances = _sequence("distances", "expected squared distance of the averaged model, by step", r"\Delta")
