"""FedProx: dissimilarity (Definition 3, Assumption 1) and the expected decrease of Theorem 4 where all clients take part.

The paper's local dissimilarity B(w) compares the mean squared gradient of the clients with the squared gradient of their mean.
Its Assumption 1 bounds B(w) where the squared gradient exceeds some epsilon. Without epsilon, at all models, the bound says that
every stationary point of f is one of each client. The proof
bounds the mean loss at the mean of the local models. Theorem 4 was read in notes of others that quote its formula for rho.
Its terms with K, the number of sampled clients, pay for sampling; they are absent where all clients take part. The paper's proof bounds the
loss at the sampled clients by a Lipschitz constant around their mean. Here smoothness does this, at a smaller price.
"""

from __future__ import annotations

import sympy as sp

from bounds.relations import eq, ge, gt, le, lt
from bounds.statement import Paper
from bounds.symbols import Glossary

GLOSSARY = Glossary("fedprox")
PAPER = Paper(
    key="fedprox",
    title="Federated Optimization in Heterogeneous Networks",
    version="MLSys 2020",
    glossary=GLOSSARY,
)
at = PAPER.at
"""Maker of the statements that stand at one place, ``at(place, lines)(id, says, relation, ...)``."""

_positive, _nonnegative = GLOSSARY.positive, GLOSSARY.nonnegative
L = _positive("L", "smoothness of every client's loss")
weak = _positive("weak", "largest negative curvature of every client's loss", "L_-")
mu = _positive("mu", "weight of the proximal term", r"\mu")
gamma = _positive("gamma", "inexactness of the local solutions", r"\gamma")
B = _positive("B", "largest dissimilarity of the clients")
off = _positive("off", "weight in a relaxed triangle inequality, gamma B in the proof", r"\gamma B")
reach = _positive(
    "reach", "weight in a relaxed triangle inequality, B (1 + gamma)/(mu - L_-) in the proof", "M"
)
root = _positive("root", "root of the number of sampled clients", r"\sqrt K")
eps = _positive("eps", "squared gradient above which dissimilarity is bounded", r"\epsilon")
steep = _nonnegative("steep", "mean squared gradient of the clients", r"\mathbb E_k\|\nabla F_k(w)\|^2")
grad2 = _nonnegative("grad2", "squared gradient of the mean loss", r"\|\nabla f(w^t)\|^2")
K = GLOSSARY.count("K", "sampled clients, drawn with replacement")
extra = GLOSSARY.real(
    "extra",
    "expected loss at the mean of the sampled clients less that at the mean of all",
    r"\mathbb E f(w^{t+1})-f(\bar w^{t+1})",
)
drift = _nonnegative("drift", "mean squared length of the local steps", r"\mathbb E_k\|w_k^{t+1}-w^t\|^2")
inexact = _nonnegative(
    "inexact", "mean squared gradient that is left at the local solutions", r"\mathbb E_k\|\nabla h_k\|^2"
)
fall = GLOSSARY.real("fall", "mean loss after the round less that before it", r"f(\bar w^{t+1})-f(w^t)")

CONVEXITY = mu - weak
CURVATURE = (lt(weak, mu), le(weak, L), ge(B, 1))
REACH = B * (1 + gamma) / CONVEXITY
RHO = 1 / mu - gamma * B / mu - L * REACH / mu - L * REACH**2 / 2
DRIFT = le(drift, REACH**2 * grad2)
INEXACT = le(inexact, gamma**2 * B**2 * grad2)
SERVER = le(
    fall,
    (off + L * reach - 2) / (2 * mu) * grad2
    + (L / (2 * reach * mu) + L / 2) * drift
    + inexact / (2 * off * mu),
)
WEIGHTS = {off: gamma * B, reach: REACH}
AT_WEIGHTS = SERVER.xreplace(WEIGHTS)
SAMPLED = (
    1 / mu
    - B * sp.sqrt(2) / (mu * root)
    - L * B / mu**2
    - L * B**2 / (2 * mu**2)
    - L * B**2 / (mu**2 * root**2) * (2 * sp.sqrt(2) * root + 2)
)
"""The printed rho for convex losses and exact local solutions, with K = root^2 sampled clients."""
FOR_SAMPLING = sp.sqrt(2) * REACH / root + L * REACH**2 / root**2 * (2 * sp.sqrt(2) * root + 2)
"""What the printed rho of Theorem 4 subtracts for K = root^2 sampled clients."""
EXTRA = le(extra, L / (2 * K) * drift)
DISSIMILAR = (eq(grad2, 0), le(steep, B**2 * grad2))
"""What dissimilarity at most B says of a stationary point of f."""
DECREASE = at("Theorem 4, all clients take part", conditions=(*CURVATURE, DRIFT, INEXACT, AT_WEIGHTS))(
    "thm4",
    "the mean loss falls by rho times the squared gradient",
    le(fall, -RHO * grad2),
    uses=("thm4.drift", "thm4.inexact", "thm4.server"),
)
FALLS = le(fall, -RHO * grad2)
SAMPLED_DECREASE = at("Theorem 4", conditions=(*CURVATURE, DRIFT, FALLS, EXTRA, eq(root**2, K)))(
    "thm4.sampled",
    "with K sampled clients the expected loss falls by the printed rho times the squared gradient",
    le(fall + extra, -(RHO - FOR_SAMPLING) * grad2),
    uses=("thm4", "thm4.drift", "thm4.sampling"),
)
STATIONARY = at("Assumption 1, for all models", conditions=(ge(B, 1),))(
    "ass1.stationary",
    "where dissimilarity is bounded at all models, a stationary point of f is one of every client",
    le(steep, 0),
)
COROLLARY = at("Corollary 7", conditions=(ge(B, 1), le(2 * B, root), eq(mu, 6 * L * B**2)))(
    "cor7",
    "with mu = 6 L B^2 and at least 4 B^2 sampled clients rho is at least 1/(24 L B^2), which the corollary calls approximate",
    ge(SAMPLED, 1 / (24 * L * B**2)),
)
STILL = at("Without the theorem", changes="not of the paper")(
    "thm4.free", "a model that stands still keeps its loss", le(fall, 0)
)
STATEMENTS = (
    STILL,
    STATIONARY,
    STATIONARY.variant(
        "eps",
        le(steep, B**2 * eps),
        changes="dissimilarity is bounded where the squared gradient exceeds epsilon, as printed, which says nothing at a stationary point",
    ),
    at("Proof of Theorem 4", conditions=CURVATURE)("thm4.drift", "local steps are short", DRIFT),
    at("Proof of Theorem 4", conditions=CURVATURE)(
        "thm4.inexact", "what is left of the gradients is small", INEXACT
    ),
    at("Proof of Theorem 4")(
        "thm4.server",
        "the mean loss falls along the mean gradient up to local steps and inexactness, each with a weight",
        SERVER,
    ),
    DECREASE,
    DECREASE.variant(
        "heterogeneous",
        conditions=(*DECREASE.conditions, *DISSIMILAR, gt(steep, 0)),
        changes="clients that disagree at a stationary point of f, with dissimilarity at most B at all models",
    ),
    at("Proof of Theorem 4")(
        "thm4.sampling",
        "sampling adds to the loss at most L/(2 K) times the squared length of the local steps",
        EXTRA,
    ),
    SAMPLED_DECREASE,
    SAMPLED_DECREASE.variant(
        "sharper",
        le(fall + extra, -(RHO - L * REACH**2 / (2 * K)) * grad2),
        changes="L B^2 (1 + gamma)^2/(2 K (mu - L_-)^2) for sampling, as sampled clients are right on average",
    ),
    SAMPLED_DECREASE.variant(
        "free", le(fall + extra, -RHO * grad2), changes="sampling costs nothing, which is false"
    ),
    COROLLARY,
    COROLLARY.variant(
        "thirtieth",
        ge(SAMPLED, 1 / (30 * L * B**2)),
        conditions=(ge(B, 100), le(2 * B, root), eq(mu, 6 * L * B**2)),
        changes="1/(30 L B^2) instead of 1/(24 L B^2), for B >= 100",
    ),
)
