"""The letters of CFL (Guo, Lin, Tang), each with its meaning. Constants that the paper squares are kept squared."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from bounds.statement import Paper, Statement
from bounds.symbols import Glossary

CFL = Glossary("cfl")
_count, _positive, _nonnegative, _real = CFL.count, CFL.positive, CFL.nonnegative, CFL.real

PAPER = Paper(
    key="cfl",
    title="Towards Federated Learning on Time-Evolving Heterogeneous Data",
    version="Guo, Lin and Tang; preprint with appendices A to C",
    glossary=CFL,
)
at = PAPER.at
"""Maker of what one place says, ``at(place, lines)(id, says, relation, ...)``."""


def proof(place: str, **shared: Any) -> Callable[..., Callable[..., Statement]]:
    """Maker of makers of the numbered lines of a proof, with the fields that they share; `place` is that of the proof.

    ``line = proof(place); line(id, lines)(says, relation, ...)``
    """

    def line(id: str, lines: str) -> Callable[..., Statement]:
        return partial(at(f"{place}, {id}", lines, **shared), id)

    return line


# Sizes
N = _count("N", "clients selected in a round")
K = _count("K", "local steps per round")
T = _count("T", "rounds")
t = _count("t", "current round, from 1")

# Hyper-parameters
eta_l = _positive("eta_l", "local learning rate", r"\eta_l")
eta_g = _positive("eta_g", "global learning rate", r"\eta_g")
eta = _positive("eta", "effective learning rate K eta_l eta_g", r"\eta")

# Constants of the assumptions
L = _positive("L", "smoothness constant of every local loss (Assumption 1)")
mu = _positive("mu", "strong convexity of every local loss (Assumption 1)", r"\mu")
sigma2 = _nonnegative("sigma2", "variance of the stochastic gradient (Assumption 2)", r"\sigma^2")
G2 = _nonnegative("G2", "client drift where the global gradient is zero (Assumption 3)", "G^2")
B2 = _nonnegative("B2", "growth of the client drift with the global gradient (Assumption 3)", "B^2")
D2 = _nonnegative("D2", "time drift where the global gradient is zero (Assumption 3)", "D^2")
A2 = _nonnegative("A2", "growth of the time drift with the global gradient (Assumption 3)", "A^2")
R2 = _nonnegative("R2", "squared information loss (Assumption 4)", "R^2")
F2 = _nonnegative("F2", "correlation of time drifts at gradient zero (Assumption 6)", "F^2")
C2 = _nonnegative("C2", "growth of that correlation with the gradient (Assumption 6)", "C^2")
alpha = _nonnegative(
    "alpha", "correlation of the time drifts of neighbouring rounds (Assumption 7)", r"\alpha"
)

# Values at the start and the target
eps = _positive("eps", "error to be reached", r"\epsilon")
H = _nonnegative("H", "squared distance of the start from the minimiser", r"\mathcal H")
f0 = _real("f0", "loss at the start", "f_0")
fs = _real("fs", "least loss", "f_*")
excess_0 = _positive("excess_0", "excess of the loss at the start", "f_0-f_*")
c_m = _positive("c_m", "constant of the non-convex rate, not given")

# Values at a point
g2 = _nonnegative("g2", "squared norm of the global gradient", r"\mathbb E\|\nabla f(\omega)\|^2")
