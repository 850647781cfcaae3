"""The terms of the bound of Theorem 4.10 against tasks, clients and rounds, compared with trivial bounds."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from bounds.evaluate import evaluate
from bounds.special.symbols import G0, SPECIAL, B, E, K, L, f0, fstar, gamma_G, gamma_L, lam
from bounds.special.theorems import RATE

FREE = {
    "start": 2 * G0**2 + 2 * B**2,
    "first": (G0 + (1 + (K - 1) * L * gamma_G * gamma_L * E / (1 + lam)) * B) ** 2,
    "always": K**2 * B**2,
}
"""Trivial bounds: bounded gradients and smoothness bound the squared gradient norm of all tasks without any learning.

At the start of the task it is at most (G0 + B)^2. In the first round the model moves by at most
gamma_G gamma_L E B / (1 + lambda), which changes the earlier tasks' gradient by at most (K-1) L times that.
At every point each of the K gradients has norm at most B.
"""

SIZES = {"M": 8.0, "N": 4.0, "E": 5.0, "K": 4.0, "T": 20.0, "lam": 0.25}
"""Clients, sampled clients, local steps, tasks, rounds and lambda of the paper's experiments on Digit-10."""
WORLD = {"B": 1.0, "L": 1.0, "sigma_L2": 0.5, "sigma_G2": 0.2, "sigma_T2": 2.0}
"""Constants that are consistent with bounded gradients: sigma_L^2 <= B^2, and the two others at most 4 B^2."""
CHOICES = {gamma_G: 1 / (K - 1), gamma_L: 1 / (8 * E * L), G0: (K - 1) * B / 10, f0: K / 2, fstar: sp.S.Zero}
"""The largest step sizes that the theorem admits, a small gradient of the earlier tasks, and a loss gap in every task."""
SWEEPS = {"K": np.arange(2.0, 21), "N": np.arange(1.0, 9), "T": np.geomspace(1, 1e6, 25).round()}


def compute(seed: int) -> dict[str, Any]:
    """Terms, bound and trivial bounds in three sweeps; nothing is random."""
    return {
        "shows": [RATE.id],
        "parameters": {**SIZES, **WORLD},
        "note": "Sizes as in the paper's experiments on Digit-10, step sizes the largest that are admitted.",
        "choices": {SPECIAL.latex(quantity): SPECIAL.latex(value) for quantity, value in CHOICES.items()},
        "free": {name: SPECIAL.latex(bound) for name, bound in FREE.items()},
        "sweeps": {name: _sweep(name, values) for name, values in SWEEPS.items()},
    }


def _sweep(name: str, values: np.ndarray) -> dict[str, Any]:
    given = _with_choices({**SIZES, **WORLD, name: values})
    return {
        "values": values,
        "terms": {term: np.broadcast_to(line, values.shape) for term, line in RATE.terms_at(**given).items()},
        "bound": np.broadcast_to(RATE.at(**given), values.shape),
        "free": {
            which: np.broadcast_to(evaluate(expression, given), values.shape)
            for which, expression in FREE.items()
        },
    }


def _with_choices(given: dict[str, Any]) -> dict[str, Any]:
    return {**given, **{quantity.name: evaluate(value, given) for quantity, value in CHOICES.items()}}
