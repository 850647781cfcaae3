"""Mean and covariance of federated rounds, by exact recursions.

A round of an affine method in a quadratic world takes the state z to a mean over the sampled clients::

    z' = (1/N) * sum over m in S of ( F_m z + b_m + noise_m ),     S: N of the M clients, without replacement

A client is in S with probability N/M, and a pair of clients with probability N(N-1)/(M(M-1)). Summed over
clients and pairs, with Fbar and bbar for means over all clients::

    E[z' | z]   = Fbar z + bbar
    Cov[z' | z] = c/M * sum_m v_m v_m^T + 1/(N M) * sum_m Cov[noise_m],    v_m = (F_m - Fbar) z + b_m - bbar,

where c = (M-N)/(N(M-1)) vanishes at full participation. The laws of total expectation and of total
covariance then close a recursion for mean and covariance of z. It is exact whatever the law of the noise.

Every function here takes leading batch axes and every kind of array, and can be differentiated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from operator import add

import numpy as np

from nqm.fields import Array, broadcast_to, concatenate, kind, like, stack, to_float

NEGLIGIBLE = 1e-13
"""Differences between clients below this share of the largest entry of their maps are taken for rounding."""


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
    """Moments of a state of which p coordinates move, while q others are kept but may be random.

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
    Only the covariance of the moving part meets every client's matrix in every round. Means, and
    covariances with the kept part, do not depend on it and are found first.
    """
    n_clients, p = offset.shape[-2:]
    _check_counts(n_sampled, n_clients, rounds)
    matrix, offset, noise, mean, cov = _with_common_batch(matrix, offset, noise, mean, cov)
    average = matrix.sum(axis=-3) / n_clients
    means, cross = _means(average, offset.sum(axis=-2) / n_clients, mean, cov, rounds)

    noise = noise / n_sampled
    pairs = [_Pairs(average[..., None, :, :], average[..., None, :, :], np.arange(mean.shape[-1]))]
    added: list[Callable[[int], Array]] = [lambda played: noise]
    if n_sampled < n_clients:
        deviations, spread = _sampling(matrix, offset, means, mean[..., p:], n_sampled)
        pairs.append(deviations)
        added.append(spread)
    acted_on = [each for each in pairs if each.columns.max(initial=0) >= p]
    added += [_from_kept(each, p, cross, cov[..., p:, p:]) for each in acted_on]
    return Path(means, _covariances(_on_moving(pairs, p), added, cov[..., :p, :p], rounds), cross)


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

    Both are columns that follow z' = Fbar z, and the mean has an offset besides: one recursion serves them
    all.
    """
    p = average.shape[-2]
    acting, kept = average[..., :p], average[..., p:]
    push = concatenate([kept @ mean[..., p:, None] + offset[..., None], kept @ cov[..., p:, p:]], -1)
    path = [concatenate([mean[..., :p, None], cov[..., :p, p:]], -1)]
    for _ in range(rounds):
        path.append(acting @ path[-1] + push)
    columns = stack(path, -3)
    return columns[..., 0], columns[..., 1:]


def _covariances(
    grow: Sequence[Callable[[Array], Array]],
    added: Sequence[Callable[[int], Array]],
    start: Array,
    rounds: int,
) -> Array:
    """Path of the covariance of the moving part, (..., T + 1, p, p): each round, a sum of all functions."""
    path = _Path(start, rounds)
    for played in range(rounds):
        now = path.last
        path.append(reduce(add, [*(function(now) for function in grow), *(one(played) for one in added)]))
    return path.whole


class _Path:
    """Matrices after 0, 1, ..., T rounds: in one array, which is filled; tensors, which may be derived, are joined at the end."""

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


def _sampling(
    matrix: Array, offset: Array, means: Array, kept_mean: Array, n_sampled: int
) -> tuple[_Pairs, Callable[[int], Array]]:
    """What the choice of clients does to the covariance: to that of the state before, and in each round."""
    weights = _contrast_weights(matrix, n_sampled)[:, None]
    contrasts = _contrasts(matrix)
    spread = _spread(contrasts, _contrasts(offset[..., None])[..., 0], means, kept_mean)
    weighted = (weights * spread).swapaxes(-1, -2)
    columns = _varying_columns(contrasts, matrix)
    varying = contrasts[..., columns]
    pairs = _Pairs(varying, weights[..., None] * varying, columns)
    return pairs, lambda played: weighted[..., played, :, :] @ spread[..., played, :, :]


def _contrasts(values: Array) -> Array:
    """M - 1 orthogonal contrasts of the clients' (..., M, a, b) arrays: y_k = x_1 + ... + x_k - k*x_{k+1}.

    The deviations from the mean span one dimension less than there are clients, and for any bilinear form
    sum_m (x_m - xbar) * (x_m - xbar) = sum_k y_k * y_k / (k(k+1)). This is the Helmert basis without its
    roots, which keeps fractions exact, costs one product less per round, and needs no subtraction of a
    rounded mean.
    """
    *batch, n_clients, a, b = values.shape
    helmert = np.tri(n_clients - 1, n_clients, dtype=int) - np.diag(np.arange(1, n_clients), 1)[:-1]
    flat = like(values, helmert) @ values.reshape(*batch, n_clients, a * b)
    return flat.reshape(*batch, n_clients - 1, a, b)


def _contrast_weights(reference: Array, n_sampled: int) -> Array:
    """Share of each contrast's square in the covariance of a mean over the sampled clients, (M - 1,)."""
    n_clients = reference.shape[-3]
    correction = Fraction(n_clients - n_sampled, n_sampled * (n_clients - 1) * n_clients)
    return like(reference, [correction / (k * (k + 1)) for k in range(1, n_clients)])


def _spread(contrasts: Array, of_offset: Array, means: Array, kept_mean: Array) -> Array:
    """Contrasts of the clients' results at the mean state before each round, (..., T, M - 1, p)."""
    *batch, n_contrasts, p, _ = contrasts.shape
    before = means[..., :-1, :].swapaxes(-1, -2)
    at_means = contrasts[..., :p].reshape(*batch, n_contrasts * p, p) @ before
    fixed = of_offset + (contrasts[..., p:] @ kept_mean[..., None, :, None])[..., 0]
    by_round = at_means.swapaxes(-1, -2)
    return by_round.reshape(*by_round.shape[:-1], n_contrasts, p) + fixed[..., None, :, :]


def _varying_columns(contrasts: Array, matrix: Array) -> np.ndarray:
    """Coordinates of the state on which the clients' maps depend differently.

    Where a derivative is asked for, all of them: a column that is zero here need not have a zero derivative.
    """
    everything = np.arange(contrasts.shape[-1])
    rows = contrasts.reshape(-1, len(everything))
    if kind(rows) in ("exact", "symbolic"):
        return np.flatnonzero((rows != 0).any(axis=0))
    if kind(rows) == "interval" or getattr(rows, "requires_grad", False):
        return everything
    try:
        sizes = np.abs(to_float(rows)).max(axis=0)
    except RuntimeError:  # inside a transform of torch.func, where tensors do not show their values
        return everything
    return np.flatnonzero(sizes > NEGLIGIBLE * np.abs(to_float(matrix)).max())


@dataclass(frozen=True)
class _Pairs:
    """The map S -> sum_k left_k S right_k^T, left and right being (..., K, p, c) and acting on `columns`."""

    left: Array
    right: Array
    columns: np.ndarray

    def within(self, first: int, stop: int) -> _Pairs:
        """The part that acts on the columns first..stop-1, counted from `first`."""
        inside = (first <= self.columns) & (self.columns < stop)
        if inside.all():
            return _Pairs(self.left, self.right, self.columns - first)
        return _Pairs(self.left[..., inside], self.right[..., inside], self.columns[inside] - first)


def _sandwich(left: Array, right: Array) -> Callable[[Array], Array]:
    """S (..., c, c') -> sum_k left_k S right_k^T, in two products whatever K is."""
    *_, n_terms, p, c = left.shape
    *_, r, c_right = right.shape
    tall = left.swapaxes(-3, -2).reshape(*left.shape[:-3], p * n_terms, c)
    flat = right.swapaxes(-2, -1).reshape(*right.shape[:-3], n_terms * c_right, r)

    def apply(inner: Array) -> Array:
        rows = tall @ inner
        return rows.reshape(*rows.shape[:-2], p, n_terms * c_right) @ flat

    return apply


def _on_moving(pairs: Sequence[_Pairs], p: int) -> list[Callable[[Array], Array]]:
    """Functions of the covariance of the moving part, to be summed; those of all columns are made one."""
    acting = [each.within(0, p) for each in pairs]
    everywhere = [each for each in acting if len(each.columns) == p]
    functions = [
        _sandwich(
            concatenate([each.left for each in everywhere], -3),
            concatenate([each.right for each in everywhere], -3),
        )
    ]
    for each in acting:
        if 0 < len(each.columns) < p:
            functions.append(_on_columns(each))
    return functions


def _on_columns(pairs: _Pairs) -> Callable[[Array], Array]:
    sandwich, columns = _sandwich(pairs.left, pairs.right), pairs.columns
    return lambda inner: sandwich(inner[..., columns, :][..., columns])


def _from_kept(pairs: _Pairs, p: int, cross: Array, kept_cov: Array) -> Callable[[int], Array]:
    """What the kept part adds to the covariance in a round.

    Parameters
    ----------
    cross : (..., T + 1, p, q) array
        Covariance of the moving with the kept part.
    kept_cov : (..., q, q) array
        Covariance of the kept part.
    """
    of_moving, of_kept = pairs.within(0, p), pairs.within(p, p + kept_cov.shape[-1])
    own = _sandwich(of_kept.left, of_kept.right)(kept_cov[..., of_kept.columns, :][..., of_kept.columns])
    cross = cross[..., of_moving.columns, :][..., of_kept.columns]
    mix = _sandwich(of_moving.left, of_kept.right)

    def add_in(played: int) -> Array:
        mixed = mix(cross[..., played, :, :])
        return own + mixed + mixed.swapaxes(-1, -2)

    return add_in
