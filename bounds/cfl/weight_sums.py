"""CFL: sums over any weights of past rounds and over the optimal ones, and what the objectives say in them.

`q` stands for any weights with sum one, `p` for the optimal ones.
"""

from __future__ import annotations

import sympy as sp

from bounds.cfl.symbols import CFL, D2, G2, R2, K, L, N, eta, eta_g, sigma2, t

_nonnegative, _real = CFL.nonnegative, CFL.real

# Any weights with sum one
q = _real("q", "weight of each round, any that sum to one", "q_{\\tau}")
q_now = _real("q_now", "weight of the current round, in any weights", "q_t")
q_square = _nonnegative("q_square", "sum of any squared weights", r"\sum_\tau q_\tau^2")
q_cross = _real(
    "q_cross",
    "sum of products of any weights of different rounds",
    r"\sum_{\tau_1\ne\tau_2}q_{\tau_1}q_{\tau_2}",
)
q_decay = _real(
    "q_decay",
    "sum of products of any weights times alpha to the distance",
    r"\sum_{\tau_1,\tau_2}\alpha^{|\tau_1-\tau_2|}q_{\tau_1}q_{\tau_2}",
)
q_pairs = _real(
    "q_pairs",
    "products of any weights of different rounds times the smaller of F2 of the pair and D2",
    r"\sum_{\tau_1\ne\tau_2}\min(F_{\tau_1,\tau_2}^2,D^2)q_{\tau_1}q_{\tau_2}",
)
q_past2 = _nonnegative("q_past2", "sum of any squared weights of past rounds", r"\sum_{\tau<t}q_\tau^2")
q_off2 = _nonnegative(
    "q_off2",
    "squared distance of any past weights from the best ones, times their squared denominator",
    r"\sum_{\tau<t}(cq_\tau-D^2)^2,\ c=tD^2+(t-1)R^2",
)
q_spread = _nonnegative(
    "q_spread",
    "sum of squared differences of any weights over pairs of past rounds",
    r"\sum_{\tau_1<\tau_2<t}(q_{\tau_1}-q_{\tau_2})^2",
)
q_form = _real("q_form", "quadratic form of any weights", r"\hat q^\top Q\hat q")
q_loss = _real(
    "q_loss",
    "sum over past rounds of R2 times products of weights",
    r"\sum_{\tau_1,\tau_2}^{t-1}R^2q_{\tau_1}q_{\tau_2}",
)

# Optimal weights
M2 = _nonnegative("M2", "time drift that no other round shares, max(0, D2 - F2)", "M^2")
F2_more = _nonnegative("F2_more", "a larger bound on the correlation", r"F_+^2")
p_old = _real("p_old", "weight of each past round that solves problem (33)", r"p_{\tau,i}")
least = _real("least", "objective at the weights of the paper", r"J(\hat p)")
kept = _real("kept", "objective at the weights >= 0 that keep the oldest rounds", "J_+")
tilt = _real(
    "tilt",
    "slope of the objective from the optimal weights towards others, halved",
    r"(\hat q-\hat p)^\top Q\hat p",
)
row = _real("row", "each row of Q times the weights", r"(Q\hat p)_\tau")
last_row = _real("last_row", "the last row of Q times the weights", r"(Q\hat p)_t")
to_star = _nonnegative("to_star", "distance of the model from the minimiser", r"\|\omega_t-\omega^*\|")
zQz = _real("zQz", "quadratic form of Q, of any z or of the difference of two weights", r"z^\top Qz")
apart = _nonnegative("apart", "distance |i-j|", "|i-j|")


def common(drift: sp.Expr) -> sp.Expr:
    """Denominator of the weights."""
    return t * drift + (t - 1) * R2


def past_weight(drift: sp.Expr) -> sp.Expr:
    """p_tau for tau < t, as printed in Lemma B.4 (drift D^2) and Theorem 4.7 (drift M^2)."""
    return drift / common(drift)


def current_weight(drift: sp.Expr) -> sp.Expr:
    """p_t, as printed."""
    return ((t - 1) * R2 + drift) / common(drift)


def least_value(drift: sp.Expr) -> sp.Expr:
    """min(c_pG + c_R) of the display after Lemma B.4."""
    return G2 + drift * ((drift + (t - 1) * R2) / common(drift))


def decomposed(drift: sp.Expr, client: sp.Expr) -> sp.Expr:
    """The same as its limit for t to infinity and a rest that vanishes like 1/t."""
    share = R2 / (R2 + drift)
    return client + drift * (share + drift**2 / (R2 + drift) ** 2 / (t - share))


def noise(now: sp.Expr, square: sp.Expr) -> sp.Expr:
    """c_pG + c_R for one client, the objective of Lemma B.4."""
    return (1 - now) ** 2 * R2 + G2 + D2 * square


def c_1(now: sp.Expr, square: sp.Expr) -> sp.Expr:
    return 2 * (G2 + D2 * square) + sigma2 / (N * K) + 2 * (1 - now) ** 2 * R2


def c_2(now: sp.Expr, square: sp.Expr) -> sp.Expr:
    drift = L * (G2 + D2 * square) / (3 * eta_g**2)
    return drift + L * sigma2 / (6 * eta_g**2 * K) + L * (1 - now) ** 2 * R2 / (3 * eta_g**2)


def one_round(now: sp.Expr, square: sp.Expr) -> sp.Expr:
    """What the bound on one round (before Eq. (23)) adds; c_3 = 2 (p_1 + .. + p_(t-1)) R."""
    c_3 = 2 * (1 - now) * sp.sqrt(R2)
    return eta**2 * c_1(now, square) + eta**3 * c_2(now, square) + eta * c_3 * to_star
