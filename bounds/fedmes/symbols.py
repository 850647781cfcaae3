"""The letters of FedMeS, each with its meaning."""

from __future__ import annotations

from bounds.statement import Paper
from bounds.symbols import Glossary

FEDMES = Glossary("fedmes")
_define = FEDMES.define

PAPER = Paper(
    key="fedmes",
    title="FedMeS: Personalized Federated Continual Learning Leveraging Local Memory",
    version="with appendix",
    glossary=FEDMES,
)
at = PAPER.at
"""Maker of what one place says, ``at(place, lines)(id, says, relation, ...)``."""

# Sizes
n = _define("n", "number of clients", "count")
T = _define("T", "number of tasks", "count")
s = _define("s", "correction step, from 1", "count")

# Hyper-parameters
lam = _define("lam", "proximal parameter", "real", r"\lambda")
eta_1 = _define("eta_1", "rate of the regularised step (5)", "positive", r"\eta_1")
eta_2 = _define("eta_2", "rate of the gradient correction (6)", "positive", r"\eta_2")
theta = _define("theta", "share of the neighbours in a prediction", "positive", r"\theta_k")

# Constants of the assumptions
c = _define("c", "strong convexity of every loss (Assumption 1)", "positive")
L = _define("L", "smoothness of every loss (Assumption 1)", "positive")
mu = _define(
    "mu", "alignment of a batch gradient with the memory gradient (Assumption 2)", "positive", r"\mu"
)
mu_G = _define("mu_G", "its length over that of the memory gradient (Assumption 2)", "positive", r"\mu_G")
Mn = _define("Mn", "variance of the batch gradient at gradient zero (Assumption 3)", "nonnegative", "M")
M_V = _define("M_V", "growth of that variance with the gradient (Assumption 3)", "nonnegative", "M_V")
