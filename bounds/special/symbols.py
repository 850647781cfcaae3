"""The letters of SPECIAL (arXiv:2601.22274v2, Table 5 and the statements), each with its meaning."""

from __future__ import annotations

from bounds.statement import Paper, Source
from bounds.symbols import Glossary

SPECIAL = Glossary("special")
_define = SPECIAL.define

PAPER = Paper(
    key="special",
    title="Server-Proximal Aggregation for Federated Domain-Incremental Learning under Partial Participation",
    version="arXiv:2601.22274v2",
    glossary=SPECIAL,
)


def source(place: str, lines: str = "") -> Source:
    """Place in SPECIAL, version 2; `lines` of the transcription."""
    return Source(PAPER, place, lines)


# Sizes
M = _define("M", "number of clients", "count")
N = _define("N", "clients sampled per round, uniformly without replacement", "count")
K = _define("K", "number of tasks; index of the current task", "count")
E = _define("E", "local steps per round (the text: local epochs)", "count")
T = _define("T", "rounds per task", "count")
t = _define("t", "round of the current task", "count")

# Hyper-parameters
lam = _define("lam", "proximal coefficient of the server", "positive", r"\lambda")
gamma_L = _define("gamma_L", "local learning rate", "positive", r"\gamma_L")
gamma_G = _define("gamma_G", "global learning rate", "positive", r"\gamma_G")

# Constants of the assumptions
B = _define("B", "bound on the norm of every stochastic gradient (4.1)", "positive")
L = _define("L", "smoothness constant of every client loss (4.2)", "positive")
sigma_L2 = _define(
    "sigma_L2", "variance of the local stochastic gradient (4.4)", "nonnegative", r"\sigma_L^2"
)
sigma_G2 = _define("sigma_G2", "squared client difference within a task (4.5)", "nonnegative", r"\sigma_G^2")
sigma_T2 = _define("sigma_T2", "squared difference of task gradients (4.6)", "nonnegative", r"\sigma_T^2")
eps = _define(
    "eps", "alignment of current-task gradients with the earlier tasks' gradient", "positive", r"\epsilon"
)

# What the constants bound, as measured in a world
g_sup = _define("g_sup", "largest norm of a stochastic gradient", "nonnegative", r"\sup\|g\|")
L_sup = _define("L_sup", "largest smoothness constant of a client loss", "nonnegative", r"L_{\sup}")
noise_sup = _define(
    "noise_sup", "largest variance of a stochastic gradient", "nonnegative", r"\sup\mathbb E\|g-\nabla f\|^2"
)
client_sup = _define("client_sup", "largest squared client difference at the iterates", "nonnegative")
task_sup = _define("task_sup", "largest squared difference of two task gradients", "nonnegative")
align = _define("align", "smallest cosine between a current gradient and the earlier tasks' gradient", "real")
bias_sup = _define("bias_sup", "largest squared norm of the mean gradient error", "nonnegative")

# Values at the start of the task
G0 = _define(
    "G0",
    "norm of the earlier tasks' gradient at the task start",
    "nonnegative",
    r"\|\nabla f_{1:K-1}(\theta_K^0)\|",
)
f0 = _define("f0", "loss of all tasks at the task start", "real", r"f_{1:K}^0")
fstar = _define("fstar", "least loss of all tasks", "real", r"f_{1:K}^*")
F_0 = _define("F_0", "loss of the earlier tasks at the task start", "real", r"f_{1:K-1}(\theta_K^0)")
F_t = _define(
    "F_t", "expected loss of the earlier tasks after t rounds", "real", r"\mathbb E f_{1:K-1}(\theta_K^t)"
)

# Measured left sides of the theorems
drift2 = _define(
    "drift2",
    "expected squared distance from the task start",
    "nonnegative",
    r"\mathbb E\|\theta_i^t-\theta_i^0\|^2",
)
drift1 = _define(
    "drift1", "expected distance from the task start", "nonnegative", r"\mathbb E\|\theta_i^t-\theta_i^0\|"
)
min_grad2 = _define(
    "min_grad2",
    "smallest expected squared gradient norm of all tasks over the rounds",
    "nonnegative",
    r"\min_{t\in[T]}\mathbb E\|\nabla f_{1:K}(\theta_K^t)\|^2",
)
