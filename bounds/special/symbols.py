"""The letters of SPECIAL (arXiv:2601.22274v2, Table 5 and the statements), each with its meaning."""

from __future__ import annotations

from bounds.statement import Paper, Source
from bounds.symbols import Glossary

SPECIAL = Glossary("special")
_count, _positive, _nonnegative, _real = SPECIAL.count, SPECIAL.positive, SPECIAL.nonnegative, SPECIAL.real

PAPER = Paper(
    key="special",
    title="Server-Proximal Aggregation for Federated Domain-Incremental Learning under Partial Participation",
    version="arXiv:2601.22274v2",
    glossary=SPECIAL,
)


at = PAPER.at
"""Maker of what one place says, ``at(place, lines)(id, says, relation, ...)``."""


def source(place: str, lines: str = "") -> Source:
    """Place in SPECIAL, version 2; `lines` of the transcription."""
    return Source(PAPER, place, lines)


# Sizes
M = _count("M", "number of clients")
N = _count("N", "clients sampled per round, uniformly without replacement")
K = _count("K", "number of tasks; index of the current task")
E = _count("E", "local steps per round (the text: local epochs)")
T = _count("T", "rounds per task")
t = _count("t", "round of the current task")

# Hyper-parameters
lam = _positive("lam", "proximal coefficient of the server", r"\lambda")
gamma_L = _positive("gamma_L", "local learning rate", r"\gamma_L")
gamma_G = _positive("gamma_G", "global learning rate", r"\gamma_G")

# Constants of the assumptions
B = _positive("B", "bound on the norm of every stochastic gradient (4.1)")
L = _positive("L", "smoothness constant of every client loss (4.2)")
sigma_L2 = _nonnegative("sigma_L2", "variance of the local stochastic gradient (4.4)", r"\sigma_L^2")
sigma_G2 = _nonnegative("sigma_G2", "squared client difference within a task (4.5)", r"\sigma_G^2")
sigma_T2 = _nonnegative("sigma_T2", "squared difference of task gradients (4.6)", r"\sigma_T^2")
eps = _positive("eps", "alignment of current-task gradients with the earlier tasks' gradient", r"\epsilon")

# What the constants bound, as measured in a world
g_sup = _nonnegative("g_sup", "largest norm of a stochastic gradient", r"\sup\|g\|")
L_sup = _nonnegative("L_sup", "largest smoothness constant of a client loss", r"L_{\sup}")
noise_sup = _nonnegative(
    "noise_sup", "largest variance of a stochastic gradient", r"\sup\mathbb E\|g-\nabla f\|^2"
)
client_sup = _nonnegative(
    "client_sup", "largest squared client difference at the iterates", r"\sup\|\nabla f_{i,m}-\nabla f_i\|^2"
)
task_sup = _nonnegative(
    "task_sup", "largest squared difference of two task gradients", r"\sup\|\nabla f_i-\nabla f_j\|^2"
)
align = _real(
    "align", "smallest cosine between a current gradient and the earlier tasks' gradient", r"\cos_{\min}"
)
bias_sup = _nonnegative(
    "bias_sup", "largest squared norm of the mean gradient error", r"\sup\|\mathbb Eg-\nabla f\|^2"
)

# Values at the start of the task
G0 = _nonnegative(
    "G0", "norm of the earlier tasks' gradient at the task start", r"\|\nabla f_{1:K-1}(\theta_K^0)\|"
)
f0 = _real("f0", "loss of all tasks at the task start", r"f_{1:K}^0")
fstar = _real("fstar", "least loss of all tasks", r"f_{1:K}^*")
F_0 = _real("F_0", "loss of the earlier tasks at the task start", r"f_{1:K-1}(\theta_K^0)")
F_t = _real("F_t", "expected loss of the earlier tasks after t rounds", r"\mathbb E f_{1:K-1}(\theta_K^t)")

# Measured left sides of the theorems
drift2 = _nonnegative(
    "drift2", "expected squared distance from the task start", r"\mathbb E\|\theta_i^t-\theta_i^0\|^2"
)
drift1 = _nonnegative(
    "drift1", "expected distance from the task start", r"\mathbb E\|\theta_i^t-\theta_i^0\|"
)
min_grad2 = _nonnegative(
    "min_grad2",
    "smallest expected squared gradient norm of all tasks over the rounds",
    r"\min_{t\in[T]}\mathbb E\|\nabla f_{1:K}(\theta_K^t)\|^2",
)
