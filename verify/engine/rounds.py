"""Gradients of one client over t rounds, as finite distributions: scenes of weights of past rounds are made of them.

At a point, grad f_tau = grad f + delta + xi_tau: the client drift delta is a fixed vector with a random sign, the time
drifts xi_tau are sums of vectors with independent random signs of their own. All signs are enumerated, so that
expectations are sums. Arrays have axes (batch, outcome, round, dimension), as far as they have them.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from algorithms.arrays import like
from nqm.elimination import solve_semidefinite
from nqm.fields import Array, amax, dot, maximum, sq, stack
from verify.engine.scene import Values


def signs(count: int, kind: Array) -> Array:
    """All outcomes of `count` independent signs, (2**count, count), as numbers of the kind of `kind`."""
    bits = np.arange(2**count)[:, None] >> np.arange(count) & 1
    return like(kind, 1 - 2 * bits)


def mixed_drifts(mixing: Array, size: Array) -> tuple[Array, Array]:
    """Time drifts xi_tau = sum_k mixing[tau, k] s_k size[k] with independent signs s_k, and a further sign.

    Parameters
    ----------
    mixing : (batch, t, r) array
    size : (batch, r, d) array

    Returns
    -------
    drifts : (batch, outcome, t, d) array
    sign : (outcome,) array
        Independent of the drifts.
    """
    outcomes = signs(mixing.shape[-1] + 1, mixing)
    drawn = outcomes[None, :, :-1, None] * size[:, None]
    drifts = (mixing[:, None, :, :, None] * drawn[:, :, None]).sum(axis=3)
    return drifts, outcomes[:, -1]


def chained_drifts(half: Array, share: Array, size: Array) -> tuple[Array, Array]:
    """Time drifts share[tau] x_tau size of a chain x of unit variance, whose steps have correlation alpha.

    The chain is x_(tau+1) = alpha x_tau + beta s_(tau+1), alpha = 2h / (1 + h^2), beta = (1 - h^2) / (1 + h^2), so
    that both are rational if h = `half` is.

    Parameters
    ----------
    half : (batch,) array
        In [0, 1).
    share : (batch, t) array
        In [-1, 1].
    size : (batch, d) array
    """
    t = share.shape[-1]
    outcomes = signs(t + 1, half)
    alpha, beta = ((x / (1 + half**2))[:, None] for x in (2 * half, 1 - half**2))
    chain = [outcomes[None, :, 0] + 0 * alpha]
    for tau in range(1, t):
        chain.append(alpha * chain[-1] + beta * outcomes[None, :, tau])
    path = stack(chain, axis=2) * share[:, None]
    return path[..., None] * size[:, None, None], outcomes[:, -1]


def moments(gradient: Array, client: Array, sign: Array, drifts: Array, weights: Array) -> Values:
    """Expectations at a point under the paper's names.

    Parameters
    ----------
    gradient, client : (batch, d) array
        Global gradient, and the client drift up to its sign.
    sign : (outcome,) array
    drifts : (batch, outcome, t, d) array
    weights : (batch, t) array
    """
    mean = lambda x: x.sum(axis=1) / len(sign)  # noqa: E731
    delta = sign[None, :, None] * client[:, None]
    each = gradient[:, None, None] + delta[:, :, None] + drifts
    weighted = weights[:, None, :, None]
    pairs = list(combinations(range(weights.shape[-1]), 2))
    products = [mean(dot(drifts[:, :, a], drifts[:, :, b])) for a, b in pairs]
    return {
        "g2": sq(gradient),
        "delta2": mean(sq(delta)),
        "xi2": mean(sq(drifts)),
        "corr": stack(products, axis=1) if pairs else 0 * weights,
        "grad2": mean(sq((weighted * each).sum(axis=2))),
        "mixed2": mean(sq((weighted * drifts).sum(axis=2))),
    }


def allowance(bounded: Array, slope: Array, square: Array, more: Array) -> Array:
    """Smallest constant c >= 0 with `bounded` <= c + `slope` * `square`, `bounded` enlarged by the factor `more`."""
    return maximum(more * bounded - slope * square, 0 * square)


def largest(x: Array) -> Array:
    """Largest over rounds or pairs of rounds."""
    return amax(x, axis=1)


def pair_sum(weights: Array, matrix: Array) -> Array:
    """sum_ab matrix_ab w_a w_b."""
    return (weights[:, :, None] * matrix * weights[:, None, :]).sum(axis=2).sum(axis=1)


def sums(weights: Array, alpha: Array) -> dict[str, Array]:
    """Sums of weights: ``now``, ``square``, ``cross`` (products of different rounds), ``decay``."""
    t = weights.shape[-1]
    apart = like(weights, 1 - np.eye(t, dtype=int))[None]
    return {
        "now": weights[:, -1],
        "square": sq(weights),
        "cross": pair_sum(weights, apart),
        "decay": pair_sum(weights, decays(alpha, t)),
    }


def decays(alpha: Array, t: int) -> Array:
    """Matrix of alpha^|a-b|, (batch, t, t)."""
    powers = [alpha**0 + 0 * alpha, *(alpha**k for k in range(1, t))]
    return stack([stack([powers[abs(a - b)] for b in range(t)], axis=1) for a in range(t)], axis=1)


def past_of(t: int, kind: Array) -> Array:
    """u = (1, .., 1, 0), (1, t)."""
    return like(kind, (np.arange(t) < t - 1).astype(int))[None]


def matrix_of(alpha: Array, D2: Array, R2: Array, t: int) -> Array:
    """Q of Eq. (34), (batch, t, t)."""
    u = past_of(t, alpha)
    return D2[:, None, None] * decays(alpha, t) + R2[:, None, None] * (u[:, :, None] * u[:, None, :])


def solved(matrix: Array) -> Array:
    """Weights p that solve Eq. (7), Q p + lambda 1 = 0 and 1'p = 1, for positive definite Q."""
    direction = solve_semidefinite(matrix, 0 * matrix[..., 0] + 1)
    return direction / direction.sum(axis=-1)[..., None]


def with_sum_one(raw: Array) -> Array:
    """Weights shifted so that they sum to one; they may have any sign."""
    return raw + ((1 - raw.sum(axis=-1)) / raw.shape[-1])[..., None]


def centred(raw: Array) -> Array:
    """A change of weights that keeps their sum."""
    return raw - (raw.sum(axis=-1) / raw.shape[-1])[..., None]


