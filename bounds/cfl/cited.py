"""CFL, Table 1: the rates that it cites of others, under its own assumptions, against lower bounds of the error.

The caption gives the numbers of rounds under Assumptions 1 to 4, for time-evolving data and N chosen clients of each round, and
leaves out constants and the factors L and H: they are judged at L = H = 1, with 100 times as many rounds.
"""

from __future__ import annotations

import sympy as sp

from bounds.cfl.symbols import A2, B2, D2, G2, H, K, L, N, T, at, eps, mu, sigma2
from bounds.cfl.theorems import floor_after, hidden
from bounds.relations import eq, ge, le
from bounds.statement import Statement

_c_pB = 1 + B2 + A2
_G, _D, _sigma = sp.sqrt(G2), sp.sqrt(D2), sp.sqrt(sigma2)
_half3 = sp.Rational(3, 2)
ROWS = {
    "li.sc": sigma2 / (mu**2 * N * K * eps) + (G2 + D2) * K / (mu**2 * eps),
    "khaled.sc": (sigma2 + G2 + D2) / (mu * N * K * eps)
    + (_sigma + _G + _D) / (mu * sp.sqrt(eps))
    + N * (A2 + B2) / mu,
    "khaled.gc": (sigma2 + G2 + D2) / (N * K * eps**2)
    + (_sigma + _G + _D) / (mu * eps**_half3)
    + N * (A2 + B2) / eps,
    "karimireddy.sc": sigma2 / (mu * N * K * eps) + (_G + _D) / (mu * sp.sqrt(eps)) + _c_pB / mu,
    "karimireddy.gc": sigma2 / (K * N * eps**2) + (_G + _D) / eps**_half3 + _c_pB * (D2 + G2) / eps,
    "woodworth.sc": sp.sqrt(_c_pB) / (K * sp.sqrt(mu * eps))
    + sigma2 * _c_pB / (N * K * eps**2)
    + (_G + _D) / (mu * sp.sqrt(eps))
    + _sigma / (mu * sp.sqrt(K * eps)),
    "woodworth.gc": _c_pB / (K * eps)
    + sigma2 * _c_pB / (N * K * eps**2)
    + (_G + _D) * _c_pB / eps**_half3
    + _sigma * _c_pB / sp.sqrt(K * eps**_half3),
    "yin.sc": mu / eps,
}
"""Rounds in the rows of Table 1 that cite Li et al., Khaled et al., Karimireddy et al., Woodworth et al. and Yin et al."""
_NAMES = {
    "li": "Li et al. (2020b)",
    "khaled": "Khaled et al. (2020)",
    "karimireddy": "Karimireddy et al. (2020b)",
    "woodworth": "Woodworth et al. (2020a)",
    "yin": "Yin et al. (2020b)",
}


def _row(name: str, rounds: sp.Expr) -> Statement:
    row = _NAMES[name.partition(".")[0]]
    return at(f"Table 1, row of {row}", "168-180")(
        f"tab1.cited.{name}",
        f"the rate that Table 1 cites of {row}, at L = H = 1 and with 100 times as many rounds: a lower bound of the error, "
        "whatever the steps up to 1/L are, is at most eps",
        le(floor_after, eps),
        conditions=(ge(T, hidden * rounds), ge(hidden, 100), eq(L, 1), eq(H, 1)),
    )


CITED = {name: _row(name, rounds) for name, rounds in ROWS.items()}
STATEMENTS = tuple(CITED.values())
