"""Mean and covariance of federated rounds, by exact recursions.

A round of an affine method in a quadratic world maps the state z by the mean of the maps of the sampled clients::

    z' = (1/N) * sum over m in S of ( F_m z + b_m + noise_m ),     S: N of M clients, without replacement

A client is in S with probability N/M, and a pair of clients with probability N(N-1)/(M(M-1)). Summed over clients
and pairs, with the bar for means over all clients and the tilde for deviations from them, this gives::

    E[z' | z]   = Fbar z + bbar
    Cov[z' | z] = c/M * sum_m (Ftilde_m z + btilde_m)(...)^T + 1/(N M) * sum_m Cov[noise_m],

where c = (M-N)/(N(M-1)) is 0 at full participation. The laws of total expectation and total covariance then close
the recursion for the mean and the covariance of z. Nothing is approximated, for any law of the noise.

Every function takes leading batch axes and every kind of array, and can be differentiated.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from nqm.fields import Array, broadcast_to, concatenate, kind, stack, to_exact, to_float, zeros_like


@dataclass(frozen=True)
class Path:
    """Moments after 0, 1, ..., T rounds.

    Attributes
    ----------
    mean : (..., T + 1, p) array
        Means of the moving part of the state.
    cov : (..., T + 1, p, p) array
        Its covariances.
    cross : (..., T + 1, p, q) array
        Its covariances with the kept part.
    """

    mean: Array
    cov: Array
    cross: Array


def propagate(
    matrix: Array, offset: Array, noise: Array, mean: Array, cov: Array, *, n_sampled: int, rounds: int
) -> Path:
    """Moments of a state of which p coordinates move, and q random ones are kept but act on them.

    Parameters
    ----------
    matrix : (..., M, p, p + q) array
        Linear part F_m of every client's map; the kept coordinates are the last q.
    offset : (..., M, p) array
        Constant part b_m.
    noise : (..., p, p) array
        Mean over all clients of the covariance of noise_m.
    mean : (..., p + q) array
        Mean of the state at the start.
    cov : (..., p + q, p + q) array
        Its covariance at the start.
    n_sampled, rounds : int
        N, and the number of rounds T.

    Notes
    -----
    Only ``cov`` takes a product with every client's matrix in every round. The means and the covariances with
    the kept part do not depend on it: they come first, and give what is added in each round for all rounds at
    once.
    """
    n_clients, p = offset.shape[-2:]
    if not 1 <= n_sampled <= n_clients:
        raise ValueError(f"`n_sampled` must be in 1..{n_clients}, the number of clients, got {n_sampled}.")
    average, mean_offset = _mean(matrix, axis=-3), _mean(offset, axis=-2)
    means = _affine_path(average, mean_offset, mean, rounds)
    cross = _cross_path(average, cov, p, rounds)
    terms = [(average[..., None, :, :], 1)]
    added = noise / n_sampled
    added = added[..., None, :, :]
    if n_sampled < n_clients:
        contrasts, weights = _contrasts(matrix, n_clients, n_sampled)
        ...
    raise NotImplementedError
