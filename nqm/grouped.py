"""Local steps on many quadratic losses, in blocks of rows that stay in the processor's cache from the first step of a round
to the last.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nqm.compiled import compiled

ROWS = 64
"""Rows that are processed at a time."""


def blocks(order: Any, starts: Any) -> Any:
    """(client, first, end) of each block of rows in `order` that one client has, (blocks, 3) array of int.

    Parameters
    ----------
    order : (rows,) array of int
        Row indices of the first client, then those of the second, and so on.
    starts : (clients + 1,) array of int
        Where the rows of each client begin in `order`; the last entry is the number of rows.
    """
    each = [
        (client, first, min(first + ROWS, end))
        for client, (begin, end) in enumerate(zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True))
        for first in range(begin, end, ROWS)
    ]
    return np.array(each)


@compiled
def walk(
    x: Any,
    u: Any,
    scale: Any,
    keep: Any,
    rate: Any,
    push: Any,
    curvature: Any,
    centre: Any,
    order: Any,
    blocks: Any,
    out: Any,
    start: Any,
    stop: Any,
) -> None:
    """Write the result of the steps x <- keep*x - rate*g + push with g = (x - c) H + scale*u, row by row, into `out` (rows,
    d).

    Parameters
    ----------
    x : (rows, d) array
    u : (steps, rows, d) array
    scale : (rows,) array
    keep, rate, push : (rows, d) or (rows, 1) array
    curvature, centre : (clients, d, d) and (clients, d) array
    order : (rows,) array of int
    blocks : (blocks, 3) array of int
        The rows that are processed together, see `blocks`.
    start, stop : int
        Range of the blocks to process.
    """
    d, numbers = x.shape[1], keep.shape[1] == 1
    at, away, gradient = np.empty((ROWS, d)), np.empty((ROWS, d)), np.empty((ROWS, d))
    for block in range(start, stop):
        client, first, end = blocks[block, 0], blocks[block, 1], blocks[block, 2]
        n, matrix, middle = end - first, curvature[client], centre[client]
        for i in range(n):
            row = order[first + i]
            for k in range(d):
                at[i, k] = x[row, k]
                away[i, k] = at[i, k] - middle[k]
        for step in range(len(u)):
            np.dot(away[:n], matrix, gradient[:n])
            for i in range(n):
                row = order[first + i]
                sigma = scale[row]
                if numbers:
                    of_x, of_g, always = keep[row, 0], rate[row, 0], push[row, 0]
                    for k in range(d):
                        g = gradient[i, k] + sigma * u[step, row, k]
                        at[i, k] = of_x * at[i, k] - of_g * g + always
                else:
                    for k in range(d):
                        g = gradient[i, k] + sigma * u[step, row, k]
                        at[i, k] = keep[row, k] * at[i, k] - rate[row, k] * g + push[row, k]
                for k in range(d):
                    away[i, k] = at[i, k] - middle[k]
        for i in range(n):
            row = order[first + i]
            for k in range(d):
                out[row, k] = at[i, k]
