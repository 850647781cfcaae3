"""Letters of local SGD. Expectations are over the noise of all steps."""

from __future__ import annotations

import sympy as sp

from bounds.statement import Paper
from bounds.symbols import Glossary

GLOSSARY = Glossary("localsgd")
PAPER = Paper(
    key="localsgd",
    title="Tighter Theory for Local SGD on Identical and Heterogeneous Data",
    version="AISTATS 2020",
    glossary=GLOSSARY,
)
at = PAPER.at
"""Maker of the statements that stand at one place, ``at(place, lines)(id, says, relation, ...)``."""

_positive, _nonnegative = GLOSSARY.positive, GLOSSARY.nonnegative
t = GLOSSARY.count("t", "number of a step, of a local step since the last communication, or of clients")
T = GLOSSARY.count("T", "steps of the run")
H = GLOSSARY.count("H", "largest number of steps between two communications")
M = GLOSSARY.count("M", "clients")
L = _positive("L", "smoothness of every loss")
mu = _positive("mu", "strong convexity of every loss", r"\mu")
gamma = _positive("gamma", "step size", r"\gamma")
sigma2 = _positive("sigma2", "variance of a stochastic gradient", r"\sigma^2")
distance2_0 = _nonnegative("distance2_0", "squared distance before the step", r"\|\hat x_t-x_*\|^2")
distance2 = _nonnegative(
    "distance2", "expected squared distance after the step", r"\mathbb E\|\hat x_{t+1}-x_*\|^2"
)
noise = _nonnegative("noise", "variance of the averaged gradient", r"\mathbb E\|g_t-\bar g_t\|^2")
bregman = _nonnegative("bregman", "loss of the averaged model above the least loss", r"D_f(\hat x_t,x_*)")
apart = _nonnegative("apart", "mean squared distance of the local models from their mean", r"\mathbb E V_t")
apart_0 = _nonnegative("apart_0", "the same before the step, or after a communication", "V_0")
total = _nonnegative(
    "total", "variance of the sum of the noise of t clients", r"\mathbb E\|\sum_{m\le t}e_m\|^2"
)
total_0 = _nonnegative("total_0", "variance of an empty sum", "0")
gap = _nonnegative("gap", "loss of the mean model above the least loss", r"f(\bar x_T)-f(x_*)")
gaps = _nonnegative("gaps", "sum of the losses of t models above the least loss", r"\sum_{k<t}f(x_k)-f(x_*)")


def _sequence(name: str, meaning: str, latex: str) -> sp.IndexedBase:
    """A sequence of nonnegative numbers, one before each step. The first one belongs to the start."""
    found = sp.IndexedBase(sp.Symbol(name, nonnegative=True))
    GLOSSARY.series(found, meaning, latex)
    return found


far = _sequence(
    "far", "expected squared distance of the averaged model, by step", r"\mathbb E\|\hat x-x_*\|^2"
)
drift = _sequence("drift", "expected distance of the local models, by step", r"\mathbb E V")
excess = _sequence("excess", "expected loss above the least loss, by step", r"\mathbb E D_f")
local = _sequence(
    "local", "expected distance of the local models before each step since a communication", r"\mathbb E V"
)
place = sp.IndexedBase(sp.Symbol("place", integer=True, positive=True))
GLOSSARY.series(place, "number of each step among those since the last communication", "s")
spent = _sequence("spent", "sum of these losses over the steps before", r"\sum\mathbb E D_f")
