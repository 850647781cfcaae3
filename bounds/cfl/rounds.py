"""CFL: numbers of rounds in Theorems 4.1 and 4.7, up to a constant factor."""

from __future__ import annotations

import sympy as sp

from bounds.cfl.symbols import A2, B2, C2, G2, R2, H, K, L, N, c_m, eps, f0, fs, mu, sigma2
from bounds.cfl.weight_sums import M2


def strongly_convex(c_O: sp.Expr, client: sp.Expr, drift: sp.Expr) -> sp.Expr:
    """Rounds of Theorem 4.1 (a), with the terms of client and time drift."""
    return L * c_O / mu + sigma2 / (mu * N * K * eps) + (client + drift) / (mu * eps)


def general_convex(c_O: sp.Expr, client: sp.Expr, drift: sp.Expr) -> sp.Expr:
    """Rounds of Theorem 4.1 (b)."""
    return c_O * H / eps + sigma2 * H / (N * K * eps**2) + H / eps**2 * (client + drift)


def terms_nc(share: sp.Expr) -> dict[str, sp.Expr]:
    """Terms of the rounds of Theorem 4.1 (c), with c_R1 = `share`."""
    return {
        "start": L**2 * (f0 - fs) ** 2 / (N * K * c_m**2 * eps**2),
        "c_R1 and noise": (sp.sqrt(K * N) * share**2 / L + sigma2 / sp.sqrt(N * K)) ** 2 / eps**2,
    }


def non_convex(share: sp.Expr) -> sp.Expr:
    """Rounds of Theorem 4.1 (c), with c_R1 = `share`."""
    return sum(terms_nc(share).values())


c_O_shared = 1 + A2 + sp.Max(B2, C2)
"""c_O of Theorem 4.7."""
variance_shared = M2 * R2 / (R2 + M2)
"""What is left of the time drift there."""
SHARED_RATES = {
    "sc": strongly_convex(c_O_shared, G2, variance_shared),
    "gc": general_convex(c_O_shared, G2, variance_shared),
}
"""Rounds of Theorem 4.7."""
