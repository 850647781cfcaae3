"""Optimal weights of past rounds in CFL: against the correlation of the time drift, and against the age of a round."""

from __future__ import annotations

from typing import Any

import numpy as np

from bounds.cfl.uncorrelated import uncorrelated_weights
from bounds.cfl.weights import nonnegative_weights, optimal_weights
from bounds.cfl.weights_text import TABLE_2

FEW, MANY = 4, 20
"""Number of rounds t in the two panels; the first is that of Table 2."""
D2, R2 = 1.0, 0.5
"""The values of the columns D and R in two rows of Table 2; these columns contain squares."""
ALPHAS = np.linspace(0, 0.99, 100)
SHOWN = np.array([0.0, 0.5, 0.8, 0.95])
SQUARES_VARIANT = "cfl.tab2/squares"


def compute(seed: int) -> dict[str, Any]:
    """Weights by alpha (n_alpha, t) for few rounds, by age (n_shown, t) for many; nothing is random."""
    printed = [row for row in TABLE_2 if (row["D"], row["R"]) == ("1", "0.5")]
    youngest_first = slice(None, None, -1)
    return {
        "shows": ["cfl.thm4.9"],
        "variant": SQUARES_VARIANT,
        "parameters": {"D2": D2, "R2": R2, "few": FEW, "many": MANY},
        "alpha": ALPHAS,
        "best": optimal_weights(FEW, ALPHAS, D2, R2),
        "nonnegative": nonnegative_weights(FEW, ALPHAS, D2, R2),
        "printed": [
            {"alpha": float(str(row["alpha"])), "weights": [float(p) for p in row["printed"]]}
            for row in printed
        ],
        "shown": SHOWN,
        "age": np.arange(MANY),
        "by_age": optimal_weights(MANY, SHOWN, D2, R2)[:, youngest_first],
        "independent": uncorrelated_weights(MANY, D2, R2)[youngest_first],
    }
