"""SPECIAL, Appendix E.3: the quantities of one round in the proof of Theorem 4.10, and those of its sum over rounds.

Expectations are over the local noise and the sampled clients of the round, for a given model at its start.
"""

from __future__ import annotations

import sympy as sp

from bounds.special.symbols import SPECIAL, B, E, gamma_L, lam, sigma_G2, sigma_L2
from bounds.special.theorems import step as g

_nonnegative, _real = SPECIAL.nonnegative, SPECIAL.real
_grad = r"\nabla f_{1:K}(\theta_K^t)"

# Losses and gradients at the start of the round
f_now = _real("f_now", "loss of all tasks at the start of the round", r"f_{1:K}(\theta_K^t)")
f_next = _real("f_next", "expected loss of all tasks after the round", r"\mathbb E f_{1:K}(\theta_K^{t+1})")
gA2 = _nonnegative("gA2", "squared gradient of all tasks", rf"\|{_grad}\|^2")
gK2 = _nonnegative("gK2", "squared gradient of the current task", r"\|\nabla f_K(\theta_K^t)\|^2")
gP2 = _nonnegative("gP2", "squared gradient of the earlier tasks", r"\|\nabla f_{1:K-1}(\theta_K^t)\|^2")
change2 = _nonnegative("change2", "squared change of the earlier tasks' gradient since the task start")
change1 = _nonnegative("change1", "norm of that change")
change_G0 = _real(
    "change_G0", "inner product of that change and the earlier tasks' gradient at the task start"
)
away2 = _nonnegative("away2", "squared distance from the task start", r"\|\theta_K^t-\theta_K^0\|^2")
away1 = _nonnegative("away1", "distance from the task start", r"\|\theta_K^t-\theta_K^0\|")

# The round, as the proof splits it
T4 = _real("T4", "inner product of the earlier tasks' gradient and the current one", "T_4")
T5 = _real("T5", "inner product of the gradient of all tasks and the unexpected part of the increment", "T_5")
T51 = _nonnegative("T51", "second term of Eq. (42)", "T_{51}")
T52 = _nonnegative("T52", "third term of Eq. (42)", "T_{52}")
T6 = _nonnegative("T6", "expected squared increment", "T_6")
T61 = _nonnegative("T61", "part of the noise in the increment", "T_{61}")
T62 = _nonnegative("T62", "part of the sampled clients' work in the increment", "T_{62}")
T63 = _nonnegative("T63", "part of the task differences in the increment", "T_{63}")
T7 = _nonnegative("T7", "T62 with inclusion probabilities inside the norm, as printed", "T_7")
T8 = _nonnegative("T8", "the same with every client", "T_8")
T61_P = _nonnegative("T61_P", "T61 with inclusion probabilities inside the norm")
T62_S = _nonnegative("T62_S", "T62 with indicators of the sampled clients inside the norm")
T63_P = _nonnegative("T63_P", "T63 with inclusion probabilities inside the norm")
moved2 = _nonnegative("moved2", "expected squared norm in the last line of Eq. (46)")
along = _real("along", "inner product of the gradient of all tasks and the expected increment")
inner_AK = _real("inner_AK", "inner product of the gradient of all tasks and the current one")
A2 = _nonnegative("A2", "expected squared norm of A, the brackets of Eq. (42)", r"\mathbb E\|A\|^2")
inner_A = _real("inner_A", "inner product of the gradient of all tasks and the expected A")
mean_D2 = _nonnegative("mean_D2", "expected squared norm of the first part of A")
inner_D = _real("inner_D", "expected inner product of the two parts of A")
D2 = _nonnegative("D2", "sum over clients and steps of the expected squared gradient change")
far2 = _nonnegative("far2", "sum over clients and steps of the expected squared local drift")
noise_mean = _nonnegative("noise_mean", "mean over clients of the variance of their gradients")
spread2 = _nonnegative(
    "spread2", "squared sum of the differences of the current task's gradient to each task's"
)

# Coordinates of vectors
move_j = _real("move_j", "coordinate of the expected increment")
move_full_j = _real("move_full_j", "the same with every client in the round")
away_j = _real("away_j", "coordinate of the way back to the task start", r"\theta_K^0-\theta_K^t")
gK_j = _real("gK_j", "coordinate of the current task's gradient")
gA_j = _real("gA_j", "coordinate of the gradient of all tasks")
work_j = _real("work_j", "coordinate of the sum of the clients' gradients at one outcome of the noise")
E_work_j = _real("E_work_j", "its expectation")
D_j = _real("D_j", "coordinate of the sum of the clients' gradient changes at one outcome of the noise")
E_D_j = _real("E_D_j", "its expectation")
A_j = _real("A_j", "coordinate of A at one outcome of the noise")
Lam_j = _real("Lam_j", "coordinate of Lambda", r"\Lambda")
tbar_j = _real(
    "tbar_j", "coordinate of the mean over clients of t_m at one outcome of the noise", r"\bar t_j"
)
T6_full = _nonnegative("T6_full", "expected squared increment with every client in the round")

# Sampled clients: the vectors t_m and Lambda above Eq. (53)
tm2 = _nonnegative("tm2", "sum of the expected squared norms of t_m", r"\sum_m\mathbb E\|t_m\|^2")
t_pairs = _nonnegative("t_pairs", "sum over ordered pairs", r"\sum_{m\ne n}\mathbb E\|t_m-t_n\|^2")
t_Lam = _nonnegative("t_Lam", "sum of squared distances to Lambda", r"\sum_m\mathbb E\|t_m-\Lambda\|^2")
anchor2 = _nonnegative("anchor2", "squared norm of Lambda", r"\|\Lambda\|^2")
tm2_D = _nonnegative("tm2_D", "part of the gradient changes in tm2")
tm2_G = _nonnegative("tm2_G", "part of the client differences in tm2")
tm2_T = _nonnegative("tm2_T", "part of the task differences in tm2")
tm2_K = _nonnegative("tm2_K", "part of the current task's gradient in tm2")
far2_e = _nonnegative("far2_e", "sum over clients of the expected squared local drift at one step")
f_T = _real("f_T", "expected loss of all tasks after the last round", r"\mathbb E f_{1:K}(\theta_K^T)")
gA2_t = sp.IndexedBase("gA2_t")
SPECIAL.series(
    gA2_t,
    "expected squared gradient norm of all tasks, by round from 0",
    r"\mathbb E\|\nabla f_{1:K}(\theta_K)\|^2",
)

# In expectation over the rounds before this one, too
f_mean = _real("f_mean", "expected loss of all tasks at the start of the round")
f_after = _real("f_after", "expected loss of all tasks after it")
gA2_mean = _nonnegative("gA2_mean", "expected squared gradient of all tasks at the start of the round")
climbed = _nonnegative("climbed", "sum over the rounds before of the expected squared gradient of all tasks")
climbed_next = _nonnegative("climbed_next", "the same one round later")
costs = _real("costs", "the ten terms that Eq. (60) adds")
played = _nonnegative("played", "number of rounds before")
played_next = _nonnegative("played_next", "the same one round later")

q = g * E / (1 + lam)
half = sp.Rational(1, 2)
LOCAL_DRIFT = 5 * gamma_L**2 * E * (sigma_L2 + 6 * E * sigma_G2) + 30 * gamma_L**2 * E**2 * gK2
"""Lemma C.5 for the current task."""
FROM_START = g**2 * E**2 * B**2 / lam**2
"""Lemma 4.9."""
