"""SPECIAL, Appendix E.1: the sums over rounds, clients and local steps of which the proof of Theorem 4.7 speaks."""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp

from bounds.special.symbols import SPECIAL, E, K, L, M, gamma_G, gamma_L, lam, t
from bounds.special.theorems import BKT

_positive, _nonnegative, _real = SPECIAL.positive, SPECIAL.nonnegative, SPECIAL.real
_SUM = r"\sum_{\tau,m,e}"

# First order: inner products with the earlier tasks' gradient at the task start
move = _real(
    "move",
    "the same with the expected displacement",
    r"\langle\nabla f_{1:K-1}(\theta_K^0),\mathbb E[\theta_K^t-\theta_K^0]\rangle",
)
ips = _real(
    "ips",
    "the same with the weighted mean gradient of the sampled clients",
    r"\langle\nabla f_{1:K-1}(\theta_K^0),\mathbb E\bar g_{\mathcal S}\rangle",
)

# Second order: squared norms of weighted sums of stochastic gradients
T1 = _nonnegative("T1", "squared norm with the inclusion probability inside, as printed", "T_1")
T1_s = _nonnegative("T1_s", "squared norm of the mean over sampled clients, printed weights")
T1_c = _nonnegative("T1_c", "squared norm of the mean over sampled clients, weights of Eq. (26)")
T1_g = _nonnegative("T1_g", "the same of the gradients alone")
T1_n = _nonnegative("T1_n", "the same of the noise alone")
t2 = _nonnegative(
    "t2", "sum of expected squared norms of the client vectors t_m", r"\sum_m\mathbb E\|t_m\|^2"
)
tt2 = _nonnegative(
    "tt2", "sum over ordered pairs of expected squared differences", r"\sum_{m\ne n}\mathbb E\|t_m-t_n\|^2"
)
tsum2 = _nonnegative(
    "tsum2", "expected squared norm of the sum of the client vectors", r"\mathbb E\|\sum_mt_m\|^2"
)

# Given gradients, outcome by outcome
X = _nonnegative("X", "sum of squared weighted gradients", rf"{_SUM}\|w_\tau\nabla f\|^2")
Y = _nonnegative("Y", "sum of norms of weighted gradients", rf"{_SUM}\|w_\tau\nabla f\|")
V = _nonnegative("V", "squared weights times squared gradients, as in the root of step (a4)")
T21_o = _nonnegative("T21_o", "T21 before its expectation is taken")

# The geometric series
W2 = _positive(
    "W2", "sum of the squared weights of t rounds", r"\sum_{\tau=0}^{t-1}(\frac1{(1+\lambda)^2})^{\tau+1}"
)
tail = _positive("tail", "(1+lambda)^(-2t)", r"(1+\lambda)^{-2t}")


@dataclass(frozen=True)
class Sums:
    """Sums over rounds, clients and local steps of the proof, for one choice of weights, in expectation."""

    first: sp.Symbol
    X: sp.Symbol
    Y: sp.Symbol
    g2: sp.Symbol
    n2: sp.Symbol
    T2: sp.Symbol
    T21: sp.Symbol
    T22: sp.Symbol


def _sums(suffix: str, weights: str) -> Sums:
    def new(name: str, says: str, domain: str = "nonnegative", latex: str | None = None) -> sp.Symbol:
        return SPECIAL.define(name + suffix, f"{says}, {weights}", domain, latex)

    return Sums(
        new(
            *("ip", "expected inner product with the weighted gradients of all clients", "real"),
            rf"\langle\nabla f_{{1:K-1}}(\theta_K^0),\mathbb E\bar g{'^c' if suffix else ''}\rangle",
        ),
        new("E_X", "expected sum of squared weighted gradients"),
        new("E_Y", "expected sum of norms of weighted gradients"),
        new("E_g2", "expected sum of squared weighted stochastic gradients"),
        new("E_n2", "expected sum of squared weighted gradient noise"),
        new("T2", "second-order term"),
        new("T21", "second-order term, gradient part"),
        new("T22", "second-order term, noise part"),
    )


PRINTED = _sums("", "printed weights")
CORRECTED = _sums("_c", "weights of Eq. (26)")

correction = BKT.terms["correction"]
first_factor = gamma_G * gamma_L / M
second_factor = (K - 1) / 2 * L * gamma_G**2 * gamma_L**2 * E * t / M
SERIES = 1 / (lam**2 + 2 * lam)
