"""The letters of CFL (Guo, Lin, Tang), each with its meaning. Constants that the paper squares are kept squared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sympy.core.relational import Relational

from bounds.statement import Paper, Statement
from bounds.symbols import Glossary

CFL = Glossary("cfl")
_define = CFL.define

PAPER = Paper(
    key="cfl",
    title="Towards Federated Learning on Time-Evolving Heterogeneous Data",
    version="Guo, Lin and Tang; preprint with appendices A to C",
    glossary=CFL,
)
at = PAPER.at
"""Maker of what one place says, ``at(place, lines)(id, says, relation, ...)``."""


def proof(place: str, **shared: Any) -> Callable[..., Statement]:
    """Maker of the numbered lines of a proof, with the fields that they share; `place` is that of the proof."""

    def line(id: str, says: str, relation: Relational, lines: str, **more: Any) -> Statement:
        return PAPER.statement(id, says, relation, f"{place}, {id}", lines, **{**shared, **more})

    return line


# Sizes
N = _define("N", "clients selected in a round", "count")
K = _define("K", "local steps per round", "count")
T = _define("T", "rounds", "count")
t = _define("t", "current round, from 1", "count")

# Hyper-parameters
eta_l = _define("eta_l", "local learning rate", "positive", r"\eta_l")
eta_g = _define("eta_g", "global learning rate", "positive", r"\eta_g")
eta = _define("eta", "effective learning rate K eta_l eta_g", "positive", r"\eta")

# Constants of the assumptions
L = _define("L", "smoothness constant of every local loss (Assumption 1)", "positive")
mu = _define("mu", "strong convexity of every local loss (Assumption 1)", "positive", r"\mu")
sigma2 = _define("sigma2", "variance of the stochastic gradient (Assumption 2)", "nonnegative", r"\sigma^2")
G2 = _define("G2", "client drift where the global gradient is zero (Assumption 3)", "nonnegative", "G^2")
B2 = _define("B2", "growth of the client drift with the global gradient (Assumption 3)", "nonnegative", "B^2")
D2 = _define("D2", "time drift where the global gradient is zero (Assumption 3)", "nonnegative", "D^2")
A2 = _define("A2", "growth of the time drift with the global gradient (Assumption 3)", "nonnegative", "A^2")
R2 = _define("R2", "squared information loss (Assumption 4)", "nonnegative", "R^2")
F2 = _define("F2", "correlation of time drifts at gradient zero (Assumption 6)", "nonnegative", "F^2")
C2 = _define("C2", "growth of that correlation with the gradient (Assumption 6)", "nonnegative", "C^2")
alpha = _define(
    "alpha", "correlation of the time drifts of neighbouring rounds (Assumption 7)", "nonnegative", r"\alpha"
)

# Values at the start and the target
eps = _define("eps", "error to be reached", "positive", r"\epsilon")
H = _define("H", "squared distance of the start from the minimiser", "nonnegative", r"\mathcal H")
f0 = _define("f0", "loss at the start", "real", "f_0")
fs = _define("fs", "least loss", "real", "f_*")
c_m = _define("c_m", "constant of the non-convex rate, not given", "positive")

# Values at a point
g2 = _define("g2", "squared norm of the global gradient", "nonnegative", r"\mathbb E\|\nabla f(\omega)\|^2")
