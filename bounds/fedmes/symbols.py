"""The letters of FedMeS, each with its meaning."""

from __future__ import annotations

from bounds.statement import Paper
from bounds.symbols import Glossary

FEDMES = Glossary("fedmes")
_count, _positive, _nonnegative, _real = FEDMES.count, FEDMES.positive, FEDMES.nonnegative, FEDMES.real

PAPER = Paper(
    key="fedmes",
    title="FedMeS: Personalized Federated Continual Learning Leveraging Local Memory",
    version="with appendix",
    glossary=FEDMES,
)
at = PAPER.at
"""Maker of what one place says, ``at(place, lines)(id, says, relation, ...)``."""

# Sizes
n = _count("n", "number of clients")
T = _count("T", "number of tasks")
s = _count("s", "correction step, from 1")

# Hyper-parameters
lam = _real("lam", "proximal parameter", r"\lambda")
eta_1 = _positive("eta_1", "rate of the regularised step (5)", r"\eta_1")
eta_2 = _positive("eta_2", "rate of the gradient correction (6)", r"\eta_2")
theta = _positive("theta", "share of the neighbours in a prediction", r"\theta_k")

# Constants of the assumptions
c = _positive("c", "strong convexity of every loss (Assumption 1)")
L = _positive("L", "smoothness of every loss (Assumption 1)")
mu = _positive("mu", "alignment of a batch gradient with the memory gradient (Assumption 2)", r"\mu")
mu_G = _positive(
    "mu_G", "length of the mean batch gradient over that of the memory gradient (Assumption 2)", r"\mu_G"
)
Mn = _nonnegative("Mn", "variance of the batch gradient at gradient zero (Assumption 3)", "M")
M_V = _nonnegative("M_V", "growth of that variance with the gradient (Assumption 3)", "M_V")
