"""The letters of C-FLAG (Table 4 and the statements), each with its meaning. Squared norms are kept squared."""

from __future__ import annotations

from bounds.statement import Paper, Source
from bounds.symbols import Glossary

CFLAG = Glossary("cflag")
_define = CFLAG.define

PAPER = Paper(
    key="cflag",
    title="On the Convergence of Continual Federated Learning Using Incrementally Aggregated Gradients",
    version="with appendices",
    glossary=CFLAG,
)


def source(place: str, lines: str = "") -> Source:
    """Place in C-FLAG; `lines` of the transcription."""
    return Source(PAPER, place, lines)


# Sizes
N = _define("N", "number of clients, all of which take part", "count")
E = _define("E", "local steps per round", "count")
T = _define("T", "rounds", "count")
k = _define("k", "local step, from 0", "real")

# Hyper-parameters
alpha = _define("alpha", "rate on the memory gradient", "positive", r"\alpha_t")
beta = _define("beta", "rate on the current data", "positive", r"\beta_t")
c = _define("c", "constant of the step size, beta < c/sqrt(T)", "positive")

# Constants of the assumptions
L = _define("L", "smoothness constant of every f_i, g_i, h_i and g_ij (Assumption 1)", "positive")
m = _define("m", "growth of the bias with the gradient on past data (Lemma 9)", "positive")
r = _define("r", "memory gradient over the gradient on current data (Lemma 10)", "positive")
omega2 = _define(
    "omega2",
    "largest squared difference between gradients of data sets (Lemma 11)",
    "nonnegative",
    r"\omega^2",
)

# Values at the start of a round
F = _define("F", "loss of the past data at the start, less that at the end", "real")
Dht = _define(
    "Dht",
    "loss of memory and current data at the start, less that at the end",
    "real",
    r"\Delta_{\tilde h}",
)
gf2 = _define("gf2", "squared gradient of the past data", "nonnegative", r"\|\nabla f(\mathbf x_t)\|^2")
gg2 = _define("gg2", "squared gradient of the current data", "nonnegative", r"\|\nabla g(\mathbf x_t)\|^2")
gh2 = _define(
    "gh2",
    "squared gradient of memory and current data",
    "nonnegative",
    r"\|\nabla\tilde h(\mathbf x_t)\|^2",
)
fd2 = _define("fd2", "squared memory gradient", "nonnegative", r"\|\nabla f^\dagger(\mathbf x_t)\|^2")
