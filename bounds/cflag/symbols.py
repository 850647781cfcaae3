"""The letters of C-FLAG (Table 4 and the statements), each with its meaning. Squared norms are kept squared."""

from __future__ import annotations

from typing import Any

from sympy.core.relational import Relational

from bounds.statement import Paper, Scaling, Statement
from bounds.symbols import Glossary

CFLAG = Glossary("cflag")
_define = CFLAG.define

PAPER = Paper(
    key="cflag",
    title="On the Convergence of Continual Federated Learning Using Incrementally Aggregated Gradients",
    version="with appendices",
    glossary=CFLAG,
)


say = PAPER.statement
"""Maker of the paper's statements."""


def line(
    number: str, says: str, relation: Relational | Scaling, lines: str, of: str = "", **more: Any
) -> Statement:
    """Line ``eq<number>`` of a proof: ``135.b`` is step (b) of Eq. (135); `of` names what is proved, with a comma."""
    equation, _, part = number.partition(".")
    step = f", step ({part})" if len(part) == 1 else ""
    return say(f"eq{number}", says, relation, f"{of}Eq. ({equation}){step}", lines, **more)


# Sizes
N = _define("N", "number of clients, all of which take part", "count")
E = _define("E", "local steps per round", "count")
T = _define("T", "rounds", "count")
S = _define("S", "samples of a client's current task", "count", r"|\mathcal C^i|")
d = _define("d", "dimension", "count")
k = _define("k", "local step, from 0", "real")
p_sum = _define("p_sum", "sum of the clients' weights", "positive", r"\sum_ip_i")

# Hyper-parameters
alpha = _define("alpha", "rate on the memory gradient", "positive", r"\alpha_t")
beta = _define("beta", "rate on the current data", "positive", r"\beta_t")
c = _define("c", "constant of the step size, beta < c/sqrt(T)", "positive")

# Constants of the assumptions
L = _define("L", "smoothness constant of every f_i, g_i, h_i and g_ij (Assumption 1)", "positive")
m = _define("m", "growth of the bias with the gradient on past data (Lemma 9)", "positive")
r = _define("r", "memory gradient over the gradient on current data (Lemma 10)", "positive")
client_sup = _define(
    "client_sup", "change of a client's gradient per distance", "nonnegative", r"L(\nabla g_i)"
)
sample_sup = _define(
    "sample_sup", "change of a sample's gradient per distance", "nonnegative", r"L(\nabla g_{i,j})"
)
omega2 = _define(
    "omega2",
    "largest squared difference between gradients of data sets (Lemma 11)",
    "nonnegative",
    r"\omega^2",
)

# Values at the start of a round
F = _define("F", "loss of the past data at the start, less that at the end", "real")
Dht = _define(
    "Dht", "loss of memory and current data at the start, less that at the end", "real", r"\Delta_{\tilde h}"
)
gf2 = _define("gf2", "squared gradient of the past data", "nonnegative", r"\|\nabla f(\mathbf x_t)\|^2")
gg = _define("gg", "norm of the gradient of the current data", "nonnegative", r"\|\nabla g(\mathbf x_t)\|")
gg2 = _define("gg2", "squared gradient of the current data", "nonnegative", r"\|\nabla g(\mathbf x_t)\|^2")
gh2 = _define(
    "gh2", "squared gradient of memory and current data", "nonnegative", r"\|\nabla\tilde h(\mathbf x_t)\|^2"
)
fd2 = _define("fd2", "squared memory gradient", "nonnegative", r"\|\nabla f^\dagger(\mathbf x_t)\|^2")

# One round; s is the sum over clients and local steps of the delayed gradients, rho that of the true ones, e = s - rho
f_now = _define("f_now", "loss of the past data before the round", "real", r"f(\mathbf x_t)")
f_next = _define("f_next", "loss of the past data after the round", "real", r"f(\mathbf x_{t+1})")
h_now = _define("h_now", "loss of memory and current data before the round", "real", r"\tilde h(\mathbf x_t)")
h_next = _define(
    "h_next", "loss of memory and current data after the round", "real", r"\tilde h(\mathbf x_{t+1})"
)
b2 = _define("b2", "squared bias of the memory gradient", "nonnegative", r"\|b(\mathbf x_t)\|^2")
s2 = _define("s2", "squared sum of the delayed gradients", "nonnegative", r"\|\mathbf s_t\|^2")
ds = _define(
    "ds",
    "delayed gradients along the memory gradient",
    "real",
    r"\langle\nabla f^\dagger(\mathbf x_t),\mathbf s_t\rangle",
)
rho2 = _define(
    "rho2",
    "squared sum of the true gradients at the local models",
    "nonnegative",
    r"\|\sum_k\bar\rho_{t,k}\|^2",
)
e2 = _define("e2", "squared sum of the delays", "nonnegative", r"\|\sum_k\bar e_{t,k}\|^2")
