"""Noisy gradients of many quadratic losses in one pass over memory: the rows of each client are multiplied by its matrix
while they are in the processor's cache."""

from __future__ import annotations

from typing import Any

import numpy as np

from nqm.compiled import compiled

ROWS = 64
"""That are gathered at a time."""


@compiled
def gradients(x: Any, u: Any, scale: Any, curvature: Any, centre: Any, order: Any, starts: Any) -> Any:
    """(x - c) H + scale*u, row by row.

    Parameters
    ----------
    x, u : (rows, d) array
    scale : (rows,) array
    curvature, centre : (clients, d, d) and (clients, d) array
    order : (rows,) array of int
        Rows of the first client, then those of the second, and so on.
    starts : (clients + 1,) array of int
        Where the rows of each client begin in `order`, and their number.

    Returns
    -------
    (rows, d) array
    """
    d = x.shape[1]
    out, taken, product = np.empty_like(x), np.empty((ROWS, d)), np.empty((ROWS, d))
    for client in range(len(starts) - 1):
        for first in range(starts[client], starts[client + 1], ROWS):
            n = min(ROWS, starts[client + 1] - first)
            for i in range(n):
                row = order[first + i]
                for k in range(d):
                    taken[i, k] = x[row, k] - centre[client, k]
            np.dot(taken[:n], curvature[client], product[:n])
            for i in range(n):
                row = order[first + i]
                for k in range(d):
                    out[row, k] = product[i, k] + scale[row] * u[row, k]
    return out
