"""SPECIAL, Appendix E.3: the quantities of one round in the proof of Theorem 4.10, and those of its sum over rounds.

Expectations are over the local noise and the sampled clients of the round, for a given model at its start.
"""

from __future__ import annotations

import sympy as sp

from bounds.special.symbols import SPECIAL, B, E, gamma_L, lam, sigma_G2, sigma_L2
from bounds.special.theorems import step as g

_define = SPECIAL.define
_grad = r"\nabla f_{1:K}(\theta_K^t)"

# Losses and gradients at the start of the round
f_now = _define("f_now", "loss of all tasks at the start of the round", "real", r"f_{1:K}(\theta_K^t)")
f_next = _define(
    "f_next", "expected loss of all tasks after the round", "real", r"\mathbb E f_{1:K}(\theta_K^{t+1})"
)
gA2 = _define("gA2", "squared gradient of all tasks", "nonnegative", rf"\|{_grad}\|^2")
gK2 = _define("gK2", "squared gradient of the current task", "nonnegative", r"\|\nabla f_K(\theta_K^t)\|^2")
gP2 = _define(
    "gP2", "squared gradient of the earlier tasks", "nonnegative", r"\|\nabla f_{1:K-1}(\theta_K^t)\|^2"
)
change2 = _define(
    "change2", "squared change of the earlier tasks' gradient since the task start", "nonnegative"
)
change1 = _define("change1", "norm of that change", "nonnegative")
change_G0 = _define(
    "change_G0", "inner product of that change and the earlier tasks' gradient at the task start"
)
away2 = _define(
    "away2", "squared distance from the task start", "nonnegative", r"\|\theta_K^t-\theta_K^0\|^2"
)
away1 = _define("away1", "distance from the task start", "nonnegative", r"\|\theta_K^t-\theta_K^0\|")

# The round, as the proof splits it
T4 = _define("T4", "inner product of the earlier tasks' gradient and the current one", "real", "T_4")
T5 = _define(
    "T5", "inner product of the gradient of all tasks and the unexpected part of the increment", "real", "T_5"
)
T51 = _define("T51", "second term of Eq. (42)", "nonnegative", "T_{51}")
T52 = _define("T52", "third term of Eq. (42)", "nonnegative", "T_{52}")
T6 = _define("T6", "expected squared increment", "nonnegative", "T_6")
T61 = _define("T61", "part of the noise in the increment", "nonnegative", "T_{61}")
T62 = _define("T62", "part of the sampled clients' work in the increment", "nonnegative", "T_{62}")
T63 = _define("T63", "part of the task differences in the increment", "nonnegative", "T_{63}")
T7 = _define("T7", "T62 with inclusion probabilities inside the norm, as printed", "nonnegative", "T_7")
T8 = _define("T8", "the same with every client", "nonnegative", "T_8")
T61_P = _define("T61_P", "T61 with inclusion probabilities inside the norm", "nonnegative")
T62_S = _define("T62_S", "T62 with indicators of the sampled clients inside the norm", "nonnegative")
T63_P = _define("T63_P", "T63 with inclusion probabilities inside the norm", "nonnegative")
moved2 = _define("moved2", "expected squared norm in the last line of Eq. (46)", "nonnegative")
along = _define("along", "inner product of the gradient of all tasks and the expected increment", "real")
inner_AK = _define("inner_AK", "inner product of the gradient of all tasks and the current one", "real")
A2 = _define("A2", "expected squared norm of A, the brackets of Eq. (42)", "nonnegative", r"\mathbb E\|A\|^2")
inner_A = _define("inner_A", "inner product of the gradient of all tasks and the expected A", "real")
mean_D2 = _define("mean_D2", "expected squared norm of the first part of A", "nonnegative")
inner_D = _define("inner_D", "expected inner product of the two parts of A", "real")
D2 = _define("D2", "sum over clients and steps of the expected squared gradient change", "nonnegative")
far2 = _define("far2", "sum over clients and steps of the expected squared local drift", "nonnegative")
noise_mean = _define("noise_mean", "mean over clients of the variance of their gradients", "nonnegative")
spread2 = _define(
    "spread2", "squared sum of the differences of the current task's gradient to each task's", "nonnegative"
)

# Coordinates of vectors
move_j = _define("move_j", "coordinate of the expected increment")
move_full_j = _define("move_full_j", "the same with every client in the round")
away_j = _define("away_j", "coordinate of the way back to the task start", "real", r"\theta_K^0-\theta_K^t")
gK_j = _define("gK_j", "coordinate of the current task's gradient")
gA_j = _define("gA_j", "coordinate of the gradient of all tasks")
work_j = _define("work_j", "coordinate of the sum of the clients' gradients at one outcome of the noise")
E_work_j = _define("E_work_j", "its expectation")
D_j = _define("D_j", "coordinate of the sum of the clients' gradient changes at one outcome of the noise")
E_D_j = _define("E_D_j", "its expectation")
A_j = _define("A_j", "coordinate of A at one outcome of the noise")
Lam_j = _define("Lam_j", "coordinate of Lambda", "real", r"\Lambda")
tbar_j = _define("tbar_j", "coordinate of the mean over clients of t_m at one outcome of the noise")
T6_full = _define("T6_full", "expected squared increment with every client in the round", "nonnegative")

# Sampled clients: the vectors t_m and Lambda above Eq. (53)
tm2 = _define("tm2", "sum of the expected squared norms of t_m", "nonnegative", r"\sum_m\mathbb E\|t_m\|^2")
t_pairs = _define("t_pairs", "sum over ordered pairs", "nonnegative", r"\sum_{m\ne n}\mathbb E\|t_m-t_n\|^2")
t_Lam = _define(
    "t_Lam", "sum of squared distances to Lambda", "nonnegative", r"\sum_m\mathbb E\|t_m-\Lambda\|^2"
)
anchor2 = _define("anchor2", "squared norm of Lambda", "nonnegative", r"\|\Lambda\|^2")
tm2_D = _define("tm2_D", "part of the gradient changes in tm2", "nonnegative")
tm2_G = _define("tm2_G", "part of the client differences in tm2", "nonnegative")
tm2_T = _define("tm2_T", "part of the task differences in tm2", "nonnegative")
tm2_K = _define("tm2_K", "part of the current task's gradient in tm2", "nonnegative")
far2_e = _define("far2_e", "sum over clients of the expected squared local drift at one step", "nonnegative")
f_T = _define(
    "f_T", "expected loss of all tasks after the last round", "real", r"\mathbb E f_{1:K}(\theta_K^T)"
)
gA2_t = sp.IndexedBase("gA2_t")
"""Expected squared gradient norm of all tasks, by round from 0."""

q = g * E / (1 + lam)
half = sp.Rational(1, 2)
LOCAL_DRIFT = 5 * gamma_L**2 * E * (sigma_L2 + 6 * E * sigma_G2) + 30 * gamma_L**2 * E**2 * gK2
"""Lemma C.5 for the current task."""
FROM_START = g**2 * E**2 * B**2 / lam**2
"""Lemma 4.9."""
