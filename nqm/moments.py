"""Mean and covariance of federated rounds, by exact recursions.

A round of an affine method in a quadratic world takes the state z to a mean over the sampled clients::

    z' = (1/N) * sum over m in S of ( F_m z + b_m + noise_m ),     S: N of the M clients, without replacement

A client is in S with probability N/M, and a pair of clients with probability N(N-1)/(M(M-1)). Summed over
clients and pairs, with Fbar and bbar for means over all clients::

    E[z' | z]   = Fbar z + bbar
    Cov[z' | z] = c/M * sum_m v_m v_m^T + 1/(N M) * sum_m Cov[noise_m],    v_m = (F_m - Fbar) z + b_m - bbar,

where c = (M-N)/(N(M-1)) vanishes at full participation. The laws of total expectation and of total covariance then give a
closed recursion for mean and covariance of z. It is exact for every distribution of the noise.

Every function here takes leading batch axes and every kind of array, and can be differentiated.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from operator import add

import numpy as np

from nqm.congruences import Congruence, contrast_weights, contrasts_of, of_kept, on_first, varying_columns
from nqm.fields import Array, broadcast_to, concatenate, stack
from nqm.strides import path_in_strides, serve


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
    """Moments of a state with p coordinates that move and q others that stay fixed but may be random.

    Parameters
    ----------
    matrix : (..., M, p, p + q) array
        Linear part F_m of every client's map, from the whole state to its moving part, which comes first.
    offset : (..., M, p) array
        Constant part b_m.
    noise : (..., p, p) array
        Mean over all clients of Cov[noise_m].
    mean : (..., p + q) array
        Mean of the whole state at the start.
    cov : (..., p + q, p + q) array
        Its covariance at the start.
    n_sampled, rounds : int
        N, and the number of rounds T >= 1.

    Notes
    -----
    Only the covariance of the moving part needs every client's matrix in every round. Means, and covariances with the kept part, do not depend on it and are computed first.
    """
    n_clients, p = offset.shape[-2:]
    _check_counts(n_sampled, n_clients, rounds)
    matrix, offset, noise, mean, cov = _with_common_batch(matrix, offset, noise, mean, cov)
    average = matrix.sum(axis=-3) / n_clients
    means, cross = _means(average, offset.sum(axis=-2) / n_clients, mean, cov, rounds)

    noise = noise / n_sampled
    of_mean = Congruence(average[..., None, :, :], average[..., None, :, :], np.arange(mean.shape[-1]))
    chosen = [_Choice.of(matrix, offset, mean[..., p:], n_sampled)] if n_sampled < n_clients else []

    def choice(played: int) -> Array:
        return sum(each.squares(means[..., played, :]) for each in chosen)

    if serve(matrix, means):
        centre, size = means[-1], len(mean)
        beyond = average @ np.concatenate([centre, mean[p:]]) + offset.mean(axis=0)
        maps = [of_mean.lifted(size, (beyond - centre)[None], 1)]
        maps += [each.of_state.lifted(size, each.spread(centre), each.weights) for each in chosen]
        return Path(means, path_in_strides(maps, noise, choice, means - centre, cross, cov), cross)

    maps = [of_mean, *(each.of_state for each in chosen)]
    grow = on_first(maps, p)
    kept = [of_kept(each, p, cov[..., p:, p:]) for each in maps if each.columns.max(initial=0) >= p]

    def once(played: int, now: Array) -> Array:
        terms = [*(function(now) for function in grow), noise, *([choice(played)] if chosen else [])]
        return reduce(add, [*terms, *(own + mixed(cross[..., played, :, :]) for own, mixed in kept)])

    return Path(means, _covariances(once, cov[..., :p, :p], rounds), cross)


def _check_counts(n_sampled: int, n_clients: int, rounds: int) -> None:
    if not 1 <= n_sampled <= n_clients:
        raise ValueError(f"`n_sampled` must be in 1..{n_clients}, the number of clients, got {n_sampled}.")
    if rounds < 1:
        raise ValueError(f"`rounds` must be >= 1, got {rounds}.")


def _with_common_batch(
    matrix: Array, offset: Array, noise: Array, mean: Array, cov: Array
) -> tuple[Array, Array, Array, Array, Array]:
    arrays = [(matrix, 3), (offset, 2), (noise, 2), (mean, 1), (cov, 2)]
    batch = np.broadcast_shapes(*(tuple(array.shape[: array.ndim - own]) for array, own in arrays))
    matrix, offset, noise, mean, cov = (
        broadcast_to(array, (*batch, *array.shape[array.ndim - own :])) for array, own in arrays
    )
    return matrix, offset, noise, mean, cov


def _means(average: Array, offset: Array, mean: Array, cov: Array, rounds: int) -> tuple[Array, Array]:
    """Paths of the mean (..., T + 1, p) and of the covariance with the kept part (..., T + 1, p, q).

    Both are columns that follow z' = Fbar z (the mean with an additional offset), so one recursion computes them all.
    """
    p = average.shape[-2]
    acting, kept = average[..., :p], average[..., p:]
    push = concatenate([kept @ mean[..., p:, None] + offset[..., None], kept @ cov[..., p:, p:]], -1)
    path = _Path(concatenate([mean[..., :p, None], cov[..., :p, p:]], -1), rounds)
    for _ in range(rounds):
        path.append(acting @ path.last + push)
    return path.whole[..., 0], path.whole[..., 1:]


def _covariances(once: Callable[[int, Array], Array], start: Array, rounds: int) -> Array:
    """Path of the covariance of the moving part, (..., T + 1, p, p), from (rounds played, covariance) -> the next one."""
    path = _Path(start, rounds)
    for played in range(rounds):
        path.append(once(played, path.last))
    return path.whole


class _Path:
    """Matrices after 0, 1, ..., T rounds: written into one array; tensors, which may need derivatives, are joined at the
    end.
    """

    def __init__(self, start: Array, rounds: int) -> None:
        self.last = start
        self._rounds = rounds
        self._each = [start]
        self._filled: Array | None = None

    def append(self, matrix: Array) -> None:
        if not isinstance(matrix, np.ndarray):
            self._each.append(matrix)
            self.last = matrix
            return
        if self._filled is None:
            self._filled = np.empty((*matrix.shape[:-2], self._rounds + 1, *matrix.shape[-2:]), matrix.dtype)
            self._filled[..., 0, :, :] = self.last
            self._each = []
            self._length = 1
        self._filled[..., self._length, :, :] = matrix
        self._length += 1
        self.last = matrix

    @property
    def whole(self) -> Array:
        return stack(self._each, -3) if self._filled is None else self._filled


@dataclass(frozen=True)
class _Choice:
    """Effect of the random choice of clients on the covariance of their mean.

    Attributes
    ----------
    of_state : Congruence
        The effect as a function of the covariance of the state before the round.
    acting, fixed : (..., M - 1, p, p) and (..., M - 1, p) arrays
        Contrasts of the clients' maps: their linear parts on the moving part, and their constant parts.
    weights : (M - 1, 1) array
        Share of each contrast's square in the covariance.
    """

    of_state: Congruence
    acting: Array
    fixed: Array
    weights: Array

    @classmethod
    def of(cls, matrix: Array, offset: Array, kept_mean: Array, n_sampled: int) -> _Choice:
        weights = contrast_weights(matrix, n_sampled)[:, None]
        contrasts = contrasts_of(matrix)
        columns = varying_columns(contrasts, matrix)
        varying = contrasts[..., columns]
        p = offset.shape[-1]
        fixed = contrasts_of(offset[..., None]) + contrasts[..., p:] @ kept_mean[..., None, :, None]
        of_state = Congruence(varying, weights[..., None] * varying, columns)
        return cls(of_state, contrasts[..., :p], fixed[..., 0], weights)

    def spread(self, mean: Array) -> Array:
        """Contrasts of the clients' results at a mean state (..., p), (..., M - 1, p)."""
        return (self.acting @ mean[..., None, :, None])[..., 0] + self.fixed

    def squares(self, mean: Array) -> Array:
        """Covariance (..., p, p) of the mean of the chosen clients' results at a mean state (..., p)."""
        spread = self.spread(mean)
        return (self.weights * spread).swapaxes(-1, -2) @ spread
