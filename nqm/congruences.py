"""Maps S -> sum_k L_k S R_k^T of covariances, which a round of affine maps of several clients makes.

Every function takes leading batch axes and every kind of array.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np

from nqm.fields import Array, concatenate, kind, like, to_float

NEGLIGIBLE = 1e-13
"""Differences between clients below this share of the largest entry of their maps are taken for rounding."""


@dataclass(frozen=True)
class Congruence:
    """The map S -> sum_k left_k S right_k^T, left and right being (..., K, p, c) and acting on `columns`."""

    left: Array
    right: Array
    columns: np.ndarray

    def within(self, first: int, stop: int) -> Congruence:
        """The part that acts on the columns first..stop-1, counted from `first`."""
        inside = (first <= self.columns) & (self.columns < stop)
        if inside.all():
            return Congruence(self.left, self.right, self.columns - first)
        return Congruence(self.left[..., inside], self.right[..., inside], self.columns[inside] - first)

    def lifted(self, size: int, values: Array, weights: Array) -> Congruence:
        """The map of a longer state: `size` entries, and the constant 1, which the maps take to `values` (K, p)."""
        left = np.concatenate([self.left, values[..., None]], -1)
        right = np.concatenate([self.right, (weights * values)[..., None]], -1)
        return Congruence(left, right, np.append(self.columns, size))


def sandwich(left: Array, right: Array) -> Callable[[Array], Array]:
    """S (..., c, c') -> sum_k left_k S right_k^T, in two products whatever K is."""
    *_, n_terms, p, c = left.shape
    *_, r, c_right = right.shape
    tall = left.swapaxes(-3, -2).reshape(*left.shape[:-3], p * n_terms, c)
    flat = right.swapaxes(-3, -2).reshape(*right.shape[:-3], r, n_terms * c_right).swapaxes(-1, -2)

    def apply(inner: Array) -> Array:
        rows = tall @ inner
        return rows.reshape(*rows.shape[:-2], p, n_terms * c_right) @ flat

    return apply


def upper_sandwich(left: Array, right: Array) -> Callable[[Array], Array]:
    """As `sandwich`, where the result is symmetric: only its upper triangle has a meaning.

    The second product is computed in three blocks of rows, each from its first diagonal entry on. This saves a third of it;
    more blocks are too small to be multiplied fast.
    """
    *_, n_terms, p, c = left.shape
    tall = left.swapaxes(-3, -2).reshape(p * n_terms, c)
    wide = right.swapaxes(-3, -2).reshape(p, n_terms * c)
    ends = [p * part // 3 for part in range(4)]
    blocks = [(slice(a, b), slice(a, p), wide[a:].T) for a, b in pairwise(ends)]

    half = np.empty((p * n_terms, c))  # kept, because asking the system for memory takes as long as a product
    rows = half.reshape(p, n_terms * c)

    def apply(inner: Array) -> Array:
        np.matmul(tall, inner, out=half)
        after = np.zeros((p, p))
        for some, onwards, columns in blocks:
            after[some, onwards] = rows[some] @ columns
        return after

    return apply


def on_first(
    maps: Sequence[Congruence], p: int, product: Callable[[Array, Array], Callable[[Array], Array]] = sandwich
) -> list[Callable[[Array], Array]]:
    """Functions of the covariance of the first p coordinates; the caller adds their values.

    Maps that use all columns become one function, made by `product`; each other map becomes a function of its own.
    """
    acting = [each.within(0, p) for each in maps]
    everywhere = [each for each in acting if len(each.columns) == p]
    functions = [
        product(
            concatenate([each.left for each in everywhere], -3),
            concatenate([each.right for each in everywhere], -3),
        )
    ]
    for each in acting:
        if 0 < len(each.columns) < p:
            functions.append(_on_columns(product(each.left, each.right), each.columns))
    return functions


def _on_columns(apply: Callable[[Array], Array], columns: np.ndarray) -> Callable[[Array], Array]:
    return lambda inner: apply(inner[..., columns, :][..., columns])


def of_kept(one: Congruence, p: int, kept_cov: Array) -> tuple[Array, Callable[[Array], Array]]:
    """Contribution of the kept part to the covariance of the moving part in a round.

    Parameters
    ----------
    one : Congruence
        The map of the whole state. Its moving part is the first p coordinates.
    kept_cov : (..., q, q) array
        Covariance of the kept part.

    Returns
    -------
    own : (..., p, p) array
        Contribution of the covariance of the kept part.
    mixed : (..., p, q) -> (..., p, p)
        Contribution of its covariance with the moving part.
    """
    moving, kept = one.within(0, p), one.within(p, p + kept_cov.shape[-1])
    own = sandwich(kept.left, kept.right)(kept_cov[..., kept.columns, :][..., kept.columns])
    mix = sandwich(moving.left, kept.right)

    def mixed(cross: Array) -> Array:
        half = mix(cross[..., moving.columns, :][..., kept.columns])
        return half + half.swapaxes(-1, -2)

    return own, mixed


def contrasts_of(values: Array) -> Array:
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


def contrast_weights(reference: Array, n_sampled: int) -> Array:
    """Share of each contrast's square in the covariance of a mean over the sampled clients, (M - 1,)."""
    n_clients = reference.shape[-3]
    correction = Fraction(n_clients - n_sampled, n_sampled * (n_clients - 1) * n_clients)
    return like(reference, [correction / (k * (k + 1)) for k in range(1, n_clients)])


def varying_columns(contrasts: Array, matrix: Array) -> np.ndarray:
    """Coordinates of the state on which the clients' maps depend differently.

    If a derivative is requested, the answer is all coordinates, because a column that is zero need not have a zero
    derivative.
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
