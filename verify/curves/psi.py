"""The terms of the bound of Theorem 4.10 against tasks, sampled clients and rounds, beside what holds for free."""

from __future__ import annotations

from typing import Any

import numpy as np

from bounds.evaluate import evaluate
from bounds.special import RATE
from bounds.special_symbols import G0, B, E, K, L, gamma_G, gamma_L, lam
from verify.curves.confined import limit

FREE = {
    "start": 2 * G0**2 + 2 * B**2,
    "first": (G0 + (1 + (K - 1) * L * gamma_G * gamma_L * E / (1 + lam)) * B) ** 2,
    "always": K**2 * B**2,
}
"""What bounded gradients and smoothness give for the squared gradient norm of all tasks, without any learning.

At the start of the task it is at most (G0 + B)^2; in the first round the model moves by at most
gamma_G gamma_L E B / (1 + lambda), by which the earlier tasks' gradient changes by at most (K-1) L times that; and
at every point each of the K gradients has norm at most B.
"""

SIZES = {"M": 8.0, "N": 4.0, "E": 5.0, "K": 4.0, "T": 20.0, "lam": 0.25}
"""Clients, sampled clients, local steps, tasks, rounds and lambda as in the paper's experiments on Digit-10."""
WORLD = {"B": 1.0, "L": 1.0, "sigma_L2": 0.25, "sigma_G2": 0.25, "sigma_T2": 0.25}
SWEEPS = {
    "K": np.arange(2.0, 21),
    "N": np.arange(1.0, 9),
    "T": np.geomspace(1, 1e6, 25).round(),
}


def compute(seed: int) -> dict[str, Any]:
    """Terms, bound and free bounds in three sweeps; nothing is random."""
    return {
        "statement": RATE.id,
        "parameters": {**SIZES, **WORLD},
        "choices": {
            "gamma_G": "1/(K-1)",
            "gamma_L": "1/(8*E*L)",
            "G0": "0.1*(K-1)*B",
            "f0 - fstar": "K",
        },
        "sweeps": {name: _sweep(name, values) for name, values in SWEEPS.items()},
    }


def _sweep(name: str, values: np.ndarray) -> dict[str, Any]:
    given = _with_choices({**SIZES, **WORLD, name: values})
    return {
        "values": values,
        "terms": {term: np.broadcast_to(line, values.shape) for term, line in RATE.terms_at(**given).items()},
        "bound": np.broadcast_to(RATE.at(**given), values.shape),
        "free": {which: np.broadcast_to(evaluate(expression, given), values.shape) for which, expression in FREE.items()},
    }


def _with_choices(given: dict[str, Any]) -> dict[str, Any]:
    """The largest admissible step sizes, earlier tasks that fit well, and one unit of loss to gain per task."""
    return {
        **given,
        "gamma_G": limit(RATE, "gamma_G", given),
        "gamma_L": limit(RATE, "gamma_L", given),
        "G0": 0.1 * (given["K"] - 1) * given["B"],
        "f0": given["K"],
        "fstar": 0.0,
    }
