"""The letters of C-FLAG (Table 4 and the statements), each with its meaning. Squared norms are kept squared."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from bounds.statement import Paper, Statement
from bounds.symbols import Glossary

CFLAG = Glossary("cflag")
_count, _positive, _nonnegative, _real = CFLAG.count, CFLAG.positive, CFLAG.nonnegative, CFLAG.real

PAPER = Paper(
    key="cflag",
    title="On the Convergence of Continual Federated Learning Using Incrementally Aggregated Gradients",
    version="with appendices",
    glossary=CFLAG,
)


at = PAPER.at
"""Maker of what one place says, ``at(place, lines)(id, says, relation, ...)``."""


def line(number: str, lines: str, of: str = "", **shared: Any) -> Callable[..., Statement]:
    """Maker of line ``eq<number>`` of a proof, ``line(number, lines)(says, relation, ...)``.

    ``135.b`` is step (b) of Eq. (135); `of` names what is proved, with a comma.
    """
    equation, _, part = number.partition(".")
    step = f", step ({part})" if len(part) == 1 else ""
    return partial(at(f"{of}Eq. ({equation}){step}", lines, **shared), f"eq{number}")


# Sizes
N = _count("N", "number of clients, all of which take part")
E = _count("E", "local steps per round")
T = _count("T", "rounds")
S = _count("S", "samples of a client's current task", r"|\mathcal C^i|")
d = _count("d", "dimension")
k = _real("k", "local step, from 0")
p_sum = _positive("p_sum", "sum of the clients' weights", r"\sum_ip_i")

# Hyper-parameters
alpha = _positive("alpha", "rate on the memory gradient", r"\alpha_t")
beta = _positive("beta", "rate on the current data", r"\beta_t")
c = _positive("c", "constant of the step size, beta < c/sqrt(T)")

# Constants of the assumptions
L = _positive("L", "smoothness constant of every f_i, g_i, h_i and g_ij (Assumption 1)")
m = _positive("m", "growth of the bias with the gradient on past data (Lemma 9)")
r = _positive("r", "memory gradient over the gradient on current data (Lemma 10)")
client_sup = _nonnegative("client_sup", "change of a client's gradient per distance", r"L(\nabla g_i)")
sample_sup = _nonnegative("sample_sup", "change of a sample's gradient per distance", r"L(\nabla g_{i,j})")
omega2 = _nonnegative(
    "omega2", "largest squared difference between gradients of data sets (Lemma 11)", r"\omega^2"
)

# Values at the start of a round
F = _real("F", "loss of the past data at the start, less that at the end")
Dht = _real("Dht", "loss of memory and current data at the start, less that at the end", r"\Delta_{\tilde h}")
gf2 = _nonnegative("gf2", "squared gradient of the past data", r"\|\nabla f(\mathbf x_t)\|^2")
gg = _nonnegative("gg", "norm of the gradient of the current data", r"\|\nabla g(\mathbf x_t)\|")
gg2 = _nonnegative("gg2", "squared gradient of the current data", r"\|\nabla g(\mathbf x_t)\|^2")
gh2 = _nonnegative("gh2", "squared gradient of memory and current data", r"\|\nabla\tilde h(\mathbf x_t)\|^2")
fd2 = _nonnegative("fd2", "squared memory gradient", r"\|\nabla f^\dagger(\mathbf x_t)\|^2")

# One round; s is the sum over clients and local steps of the delayed gradients, rho that of the true ones, e = s - rho
f_now = _real("f_now", "loss of the past data before the round", r"f(\mathbf x_t)")
f_next = _real("f_next", "loss of the past data after the round", r"f(\mathbf x_{t+1})")
h_now = _real("h_now", "loss of memory and current data before the round", r"\tilde h(\mathbf x_t)")
h_next = _real("h_next", "loss of memory and current data after the round", r"\tilde h(\mathbf x_{t+1})")
b2 = _nonnegative("b2", "squared bias of the memory gradient", r"\|b(\mathbf x_t)\|^2")
s2 = _nonnegative("s2", "squared sum of the delayed gradients", r"\|\mathbf s_t\|^2")
ds = _real(
    "ds",
    "delayed gradients along the memory gradient",
    r"\langle\nabla f^\dagger(\mathbf x_t),\mathbf s_t\rangle",
)
rho2 = _nonnegative(
    "rho2", "squared sum of the true gradients at the local models", r"\|\sum_k\bar\rho_{t,k}\|^2"
)
e2 = _nonnegative("e2", "squared sum of the delays", r"\|\sum_k\bar e_{t,k}\|^2")
