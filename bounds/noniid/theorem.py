"""FedAvg on non-iid data: Assumption 4, Lemmas 1 and 3, and Theorem 1 with full participation.

Assumption 4 bounds the gradients that the run visits. Read for every model it contradicts Assumption 2.
"""

from __future__ import annotations

from bounds.relations import eq, ge, gt, le, lt
from bounds.statement import Paper
from bounds.symbols import Glossary

GLOSSARY = Glossary("noniid")
PAPER = Paper(
    key="noniid", title="On the Convergence of FedAvg on Non-IID Data", version="ICLR 2020", glossary=GLOSSARY
)
at = PAPER.at
"""Maker of the statements that stand at one place, ``at(place, lines)(id, says, relation, ...)``."""

_positive, _nonnegative = GLOSSARY.positive, GLOSSARY.nonnegative
T = GLOSSARY.count("T", "steps of SGD")
E = GLOSSARY.count("E", "steps between communications")
L = _positive("L", "smoothness of every client's loss (Assumption 1)")
mu = _positive("mu", "strong convexity of every client's loss (Assumption 2)", r"\mu")
eta = _positive("eta", "step size", r"\eta_t")
Gamma = _nonnegative(
    "Gamma", "heterogeneity: F* less the weighted mean of the clients' least losses", r"\Gamma"
)
G2 = _positive("G2", "bound of squared gradients (Assumption 4)", "G^2")
noise = _nonnegative("noise", "weighted variance of the gradients (Assumption 3)", r"\sum_kp_k^2\sigma_k^2")
offset = _positive("offset", "what is added to t in the step size, at least 8 L/mu and E", r"\gamma")
distance2_0 = _nonnegative("distance2_0", "squared distance before the step", r"\|\bar w_t-w^\star\|^2")
distance2 = _nonnegative("distance2", "squared distance after the step", r"\|\bar v_{t+1}-w^\star\|^2")
start = _nonnegative("start", "squared distance of the start", r"\mathbb E\|w_1-w^\star\|^2")
apart = _nonnegative(
    "apart", "weighted mean squared distance of local models", r"\sum_kp_k\|\bar w_t-w_t^k\|^2"
)
steep = _nonnegative(
    "steep", "largest weighted mean square of the gradients", r"\sum_kp_k\|\nabla F_k(w^k)\|^2"
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

B = noise + 6 * L * Gamma + 8 * (E - 1) ** 2 * G2
RATE = {
    "noise and heterogeneity": L / mu / (offset + T - 1) * 2 * B / mu,
    "start": L / mu / (offset + T - 1) * mu * offset / 2 * start,
}
THEOREM = at("Theorem 1", conditions=(ge(offset, 8 * L / mu), ge(offset, E), le(mu, L)))(
    "thm1",
    "with steps 2/(mu (gamma + t)) the expected loss falls like 1/T",
    le(gap, sum(RATE.values())),
    terms=RATE,
    uses=("lem1", "lem3", "thm1.step"),
)
SHRUNK = (1 - 2 / (offset + T)) * before + 4 * drift / (mu**2 * (offset + T) ** 2)
EVERYWHERE = (le(mu**2 * far2, gradient2), le(gradient2, G2), eq(far2, 4 * G2 / mu**2))
"""Assumptions 2 and 4 at a model that lies 2 G/mu away from a client's optimum, which "for every model" speaks of."""

STATEMENTS = (
    at("Lemma 1", conditions=(le(eta, 1 / (4 * L)), lt(mu, L)))(
        "lem1",
        "a step of SGD contracts the distance up to heterogeneity and the distance of the local models",
        le(distance2, (1 - eta * mu) * distance2_0 + 6 * L * eta**2 * Gamma + 2 * apart),
    ),
    at("Lemma 3")(
        "lem3",
        "local models stay within 2 eta (E - 1) G of their mean",
        le(apart, 4 * eta**2 * (E - 1) ** 2 * steep),
    ),
    at(
        "Proof of Theorem 1",
        conditions=(ge(offset, 2), ge(v, 4 * drift / mu**2), le(before, v / (offset + T)), le(after, SHRUNK)),
    )(
        "thm1.step",
        "with steps 2/(mu (gamma + T)) a bound v/(gamma + T) of the squared distance is handed on to the next step",
        le(after, v / (offset + T + 1)),
    ),
    THEOREM,
    THEOREM.variant(
        "everywhere",
        conditions=(*THEOREM.conditions, gt(G2, 0), *EVERYWHERE),
        changes="gradients are bounded at every model instead of those that the run visits",
    ),
)
