"""Weights of past rounds on arrays of any kind: their sums, the matrix Q of CFL, Eq. (34), and the solution of Eq. (7).

Arrays of weights are (batch, t); constants are (batch,). `bounds.cfl.weights` computes the same weights in floats, in
closed form; nothing here makes use of it.
"""

from __future__ import annotations

import operator

import numpy as np

from nqm.elimination import solve_semidefinite
from nqm.fields import Array, concatenate, decided, like, sq, stack, where


def sums(weights: Array, alpha: Array) -> dict[str, Array]:
    """Sums of weights: ``now`` (the last), ``square``, ``cross`` (over pairs of different rounds), ``decay``.

    Products in ``decay`` are multiplied by alpha to the distance of the rounds.
    """
    t = weights.shape[-1]
    return {
        "now": weights[:, -1],
        "square": sq(weights),
        "cross": pair_sum(weights, different(t, weights)),
        "decay": pair_sum(weights, decays(alpha, t)),
    }


def pair_sum(weights: Array, matrix: Array) -> Array:
    """sum_ab matrix_ab w_a w_b."""
    return (weights[:, :, None] * matrix * weights[:, None, :]).sum(axis=2).sum(axis=1)


def different(t: int, kind: Array) -> Array:
    """Matrix (1, t, t) with 1 for two different rounds and 0 for a round with itself, of the kind of `kind`."""
    return like(kind, 1 - np.eye(t, dtype=int))[None]


def decays(alpha: Array, t: int) -> Array:
    """Matrix of alpha^|a-b|, (batch, t, t)."""
    powers = [alpha**0 + 0 * alpha, *(alpha**k for k in range(1, t))]
    return stack([stack([powers[abs(a - b)] for b in range(t)], axis=1) for a in range(t)], axis=1)


def past_of(t: int, kind: Array) -> Array:
    """u = (1, .., 1, 0), (1, t), of the kind of `kind`."""
    return like(kind, (np.arange(t) < t - 1).astype(int))[None]


def loss_matrix(R2: Array, t: int) -> Array:
    """M_R = R2 u u', (batch, t, t)."""
    u = past_of(t, R2)
    return R2[:, None, None] * (u[:, :, None] * u[:, None, :])


def matrix_of(alpha: Array, D2: Array, R2: Array, t: int) -> Array:
    """Q = D2 alpha^|a-b| + M_R, (batch, t, t)."""
    return D2[:, None, None] * decays(alpha, t) + loss_matrix(R2, t)


def solved(matrix: Array) -> Array:
    """Weights p that solve Eq. (7), Q p + lambda 1 = 0 and 1'p = 1, for positive definite Q (batch, t, t)."""
    direction = solve_semidefinite(matrix, 0 * matrix[..., 0] + 1)
    return direction / direction.sum(axis=-1)[..., None]


def keeping_oldest(matrix: Array) -> tuple[Array, Array]:
    """Weights >= 0: Eq. (7) for the oldest m rounds and the current one, zero for the rounds between.

    m is the largest for which round m has no negative weight; how negative that of round m + 1 would be comes second.
    """
    t = matrix.shape[-1]
    best = 0 * matrix[..., 0] + (1 - past_of(t, matrix))
    refused = 0 * matrix[..., 0, :1]
    for m in range(1, t):
        index = [*range(m), t - 1]
        part = solved(matrix[:, index][:, :, index])
        skipped = [0 * part[:, :1]] * (t - 1 - m)
        full = concatenate([part[:, :m], *skipped, part[:, m:]], axis=1)
        accepted = decided(operator.ge, part[:, m - 1 : m], 0)
        best = where(accepted, full, best)
        latest = where(decided(operator.gt, refused, 0), refused, -part[:, m - 1 : m])
        refused = where(accepted, 0 * refused, latest)
    return best, refused[:, 0]


def printed_weights(t: int, drift: Array, loss: Array) -> Array:
    """Weights of Lemma B.4 for the drift D2, and of Theorem 4.7 for M2, as printed; (batch, t)."""
    common = t * drift + (t - 1) * loss
    return stack([drift / common] * (t - 1) + [((t - 1) * loss + drift) / common], axis=1)


def closed_weights(t: int, alpha: Array, D2: Array, R2: Array) -> Array:
    """Weights of Theorem 4.9 up to a common factor, polynomials in alpha, D2, R2; (batch, t)."""
    fresh, more = 1 - alpha, t - 2
    current = D2 * fresh * (1 + alpha) + R2 * (1 + alpha + more * fresh)
    if t <= 2:
        return stack([D2 * fresh * (1 + alpha), current][2 - t :], axis=1)
    first = D2 * (1 - alpha**2) + R2 * alpha
    recent = D2 * fresh * (1 - alpha**2) - R2 * alpha * (alpha + more * fresh)
    return stack([first, *[fresh * first] * (t - 3), recent, current], axis=1)


def centred(raw: Array) -> Array:
    """A change of weights that keeps their sum."""
    return raw - (raw.sum(axis=-1) / raw.shape[-1])[..., None]
