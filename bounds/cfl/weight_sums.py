"""CFL: sums over any weights of past rounds and over the optimal ones, and what the objectives say in them.

`q` stands for any weights with sum one, `p` for the optimal ones.
"""

from __future__ import annotations

import sympy as sp

from bounds.cfl.symbols import CFL, D2, G2, R2, K, L, N, eta, eta_g, sigma2, t

_define = CFL.define

# Any weights with sum one
q = _define("q", "weight of each round, any that sum to one", "real", "q_{\\tau}")
q_now = _define("q_now", "weight of the current round, in any weights", "real", "q_t")
q_square = _define("q_square", "sum of any squared weights", "nonnegative", r"\sum_\tau q_\tau^2")
q_cross = _define(
    "q_cross",
    "sum of products of any weights of different rounds",
    "real",
    r"\sum_{\tau_1\ne\tau_2}q_{\tau_1}q_{\tau_2}",
)
q_decay = _define(
    "q_decay",
    "sum of products of any weights times alpha to the distance",
    "real",
    r"\sum_{\tau_1,\tau_2}\alpha^{|\tau_1-\tau_2|}q_{\tau_1}q_{\tau_2}",
)
q_pairs = _define(
    "q_pairs",
    "products of any weights of different rounds times the smaller of F2 of the pair and D2",
    "real",
    r"\sum_{\tau_1\ne\tau_2}\min(F_{\tau_1,\tau_2}^2,D^2)q_{\tau_1}q_{\tau_2}",
)
q_past2 = _define(
    "q_past2", "sum of any squared weights of past rounds", "nonnegative", r"\sum_{\tau<t}q_\tau^2"
)
q_spread = _define(
    "q_spread",
    "sum of squared differences of any weights over pairs of past rounds",
    "nonnegative",
    r"\sum_{\tau_1<\tau_2<t}(q_{\tau_1}-q_{\tau_2})^2",
)
q_form = _define("q_form", "quadratic form of any weights", "real", r"\hat q^\top Q\hat q")
q_loss = _define(
    "q_loss",
    "sum over past rounds of R2 times products of weights",
    "real",
    r"\sum_{\tau_1,\tau_2}^{t-1}R^2q_{\tau_1}q_{\tau_2}",
)

# Optimal weights
M2 = _define("M2", "time drift that no other round shares, max(0, D2 - F2)", "nonnegative", "M^2")
p_old = _define("p_old", "weight of each past round that solves problem (33)", "real", r"p_{\tau,i}")
least = _define("least", "objective at the weights of the paper", "real", r"J(\hat p)")
kept = _define("kept", "objective at the weights >= 0 that keep the oldest rounds", "real")
tilt = _define(
    "tilt",
    "slope of the objective from the optimal weights towards others, halved",
    "real",
    r"(\hat q-\hat p)^\top Q\hat p",
)
row = _define("row", "each row of Q times the weights", "real", r"(Q\hat p)_\tau")
last_row = _define("last_row", "the last row of Q times the weights", "real", r"(Q\hat p)_t")
to_star = _define(
    "to_star", "distance of the model from the minimiser", "nonnegative", r"\|\omega_t-\omega^*\|"
)
zQz = _define(
    "zQz", "quadratic form of Q, of any z or of the difference of two weights", "real", r"z^\top Qz"
)
apart = _define("apart", "distance |i-j|", "nonnegative", "|i-j|")


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
