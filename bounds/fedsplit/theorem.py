"""Fixed points of FedAvg with several local steps, after Pathak and Wainwright (2020), for quadratic losses.

The loss of client i is h_i/2 (x - c_i)^2 in every coordinate, and all M clients take E gradient steps of length gamma. The text was
not at hand: the round and its fixed point are derived from the algorithm.
"""

from __future__ import annotations

import sympy as sp

from bounds.hypotheses import Hypothesis
from bounds.relations import eq, gt
from bounds.statement import Paper
from bounds.symbols import Glossary

GLOSSARY = Glossary("fedsplit")
PAPER = Paper(
    key="fedsplit",
    title="FedSplit: an algorithmic framework for fast federated optimization",
    version="arXiv:2005.05238",
    glossary=GLOSSARY,
)
at = PAPER.at
"""Maker of the statements that stand at one place, ``at(place, lines)(id, says, relation, ...)``."""

M, E, T = (
    GLOSSARY.count(name, meaning)
    for name, meaning in (("M", "clients"), ("E", "local steps"), ("T", "rounds"))
)
k, t = GLOSSARY.count("k", "number of a local step"), GLOSSARY.count("t", "number of a round")
i = sp.Symbol("i", integer=True, positive=True)
gamma = GLOSSARY.positive("gamma", "local step size", r"\gamma")
curve = GLOSSARY.positive("curve", "curvature of a client", "h_i")
own = GLOSSARY.real("own", "minimiser of a client", "c_i")
x = GLOSSARY.real("x", "model before a round", "x_t")
fixed = GLOSSARY.real("fixed", "fixed point of the rounds", r"\bar x")
kept = GLOSSARY.real("kept", "mean of (1 - gamma h_i)^E over the clients", "m")
h = sp.IndexedBase(sp.Symbol("h", positive=True))
c, w, y, z = (sp.IndexedBase(sp.Symbol(name, real=True)) for name in "cwyz")
GLOSSARY.series(h, "curvature of each client", "h")
GLOSSARY.series(c, "minimiser of each client", "c")
GLOSSARY.series(w, "factor (1 - gamma h_i)^E of each client", "w")
GLOSSARY.series(y, "model of a client after each local step", "y")
GLOSSARY.series(z, "model after each round", "x")


def over(term: sp.Expr) -> sp.Sum:
    """The sum of a term over the clients."""
    return sp.Sum(term, (i, 1, M))


QUADRATIC = (Hypothesis.QUADRATIC,)
LOCAL = eq(y[k], y[k - 1] - gamma * curve * (y[k - 1] - own))
ROUND = (over(c[i]) - over(w[i] * c[i]) + over(w[i]) * x) / M
"""The mean of c_i + w_i (x - c_i), the clients' models after their local steps."""
FIXED = (over(c[i]) - over(w[i] * c[i])) / (M - over(w[i]))
BEST = over(h[i] * c[i]) / over(h[i])
"""The minimiser of the mean loss."""
TWO = (2 * over(h[i] * c[i]) - gamma * over(h[i] ** 2 * c[i])) / (2 * over(h[i]) - gamma * over(h[i] ** 2))
"""The fixed point for two local steps, where 1 - w_i = 2 gamma h_i - gamma^2 h_i^2."""
BIAS = gamma * (over(h[i] ** 2) * TWO - over(h[i] ** 2 * c[i])) / (2 * over(h[i]))
SHORT = (gt(over(h[i]), 0), gt(2 * over(h[i]), gamma * over(h[i] ** 2)))

SHIFTED = at("Section 3, two local steps", conditions=SHORT, hypotheses=QUADRATIC)(
    "bias",
    "two local steps move the fixed point by gamma/2 times the sum of h_i times the clients' gradients there, over the sum of h_i",
    eq(TWO - BEST, BIAS),
)
STATEMENTS = (
    at("Section 3, local steps", conditions=(LOCAL,), hypotheses=QUADRATIC)(
        "local",
        "E local steps shrink the distance from the client's minimiser by (1 - gamma h)^E",
        eq(y[E], own + (1 - gamma * curve) ** E * (y[0] - own)),
    ),
    at("Section 3, fixed point", conditions=(gt(M, over(w[i])),), hypotheses=QUADRATIC)(
        "round",
        "a round shrinks the distance from the fixed point by the mean factor of the clients",
        eq(ROUND - FIXED, over(w[i]) / M * (x - FIXED)),
    ),
    at(
        "Section 3, fixed point",
        conditions=(eq(z[t], fixed + kept * (z[t - 1] - fixed)),),
        hypotheses=QUADRATIC,
    )("rounds", "rounds converge to their fixed point", eq(z[T] - fixed, kept**T * (z[0] - fixed))),
    SHIFTED,
    SHIFTED.variant(
        "none", eq(TWO, BEST), changes="the fixed point is the minimiser of the mean loss, which is false"
    ),
)
