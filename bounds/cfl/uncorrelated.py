"""Optimal weights of past rounds for uncorrelated and for overlapping data, in closed form; for any correlation, solved."""

from __future__ import annotations

import numpy as np
import scipy.linalg
from numpy.typing import ArrayLike

from bounds.cfl.weights_input import Array, common_denominator, covariance_matrix, nonnegative, scaled


def uncorrelated_weights(t: int, D2: ArrayLike, R2: ArrayLike) -> Array:
    """Weights that minimise J for uncorrelated time drift.

    Returns
    -------
    (..., t) array
        D2 / (t D2 + (t-1) R2) for past rounds, ((t-1) R2 + D2) / (t D2 + (t-1) R2) for the current one.

    Raises
    ------
    ValueError
        If `t` < 1, `D2` or `R2` is negative or not finite, or both are 0 while `t` > 1.

    Notes
    -----
    Source: CFL, Lemma B.4.
    """
    drift, loss, _ = scaled(t, D2, R2)
    past = drift / common_denominator(t, drift, loss)
    weights = np.repeat(past[..., None], t, axis=-1)
    weights[..., -1] += (t - 1) * loss / common_denominator(t, drift, loss)
    return weights


def uncorrelated_value(t: int, D2: ArrayLike, R2: ArrayLike, G2: ArrayLike = 0.0) -> Array:
    """Smallest J, G2 included, for uncorrelated time drift.

    Notes
    -----
    Source: CFL, Appendix B.4.3, the display after Lemma B.4: G2 + D2 (D2 + (t-1) R2) / (t D2 + (t-1) R2).
    """
    drift, loss, scale = scaled(t, D2, R2)
    (client,) = nonnegative(G2=G2)
    return (client + scale * drift * ((drift + (t - 1) * loss) / common_denominator(t, drift, loss)))[()]


def overlap_weights(t: int, D2: ArrayLike, R2: ArrayLike, F2: ArrayLike) -> Array:
    """Weights of case 1, where time drifts of any two rounds have inner product min(F2, D2).

    Returns
    -------
    (..., t) array
        The uncorrelated weights at M2 = max(0, D2 - F2) in place of D2.

    Raises
    ------
    ValueError
        As `uncorrelated_weights`; also if `F2` >= `D2` and `R2` = 0 while `t` > 1, where J is constant.

    Notes
    -----
    Source: CFL, Theorem 4.7 and the solution of Eq. (33). On sum p = 1 the drift term is
    M2 sum p^2 + min(F2, D2), so M2 takes the place of D2 in the weights.
    """
    return uncorrelated_weights(t, _free_drift(D2, F2), R2)


def overlap_value(t: int, D2: ArrayLike, R2: ArrayLike, F2: ArrayLike, G2: ArrayLike = 0.0) -> Array:
    """Smallest objective of Eq. (33), G2 and the shared drift min(F2, D2) included."""
    variance, shared = nonnegative(D2=D2, F2=F2)
    return uncorrelated_value(t, _free_drift(D2, F2), R2, G2) + np.minimum(shared, variance)


def optimal_weights_for(correlation: ArrayLike, R2: float) -> Array:
    """Weights of any sign that minimise R2 (1 - p_t)^2 + p' C p for a general correlation C of the drifts.

    Parameters
    ----------
    correlation : (t, t) array
        Inner products E<xi_a, xi_b> of the time drifts of rounds a, b, with D^2 (not 1) on the diagonal:
        symmetric, positive semidefinite. In Lemma B.10 the entries are min(F^2_ab, D^2).
    R2 : float
        Square of the information loss, >= 0.

    Returns
    -------
    (t,) array

    Raises
    ------
    ValueError
        If `correlation` is no such matrix, `R2` is negative, or the minimiser is not unique (to rounding).

    Notes
    -----
    Source: CFL, problem after Lemma B.10. The substitution p_t = 1 - s, p_1 = s - p_2 - .. - p_(t-1) removes
    the constraint and confines R2 to one diagonal entry, so a large R2 is harmless once the diagonal is
    scaled to one. O(t^3).
    """
    covariance = covariance_matrix(correlation)
    (loss,) = nonnegative(R2=R2)
    t = len(covariance)
    basis = np.eye(t, t - 1)
    basis[0, 1:], basis[-1, :1] = -1.0, -1.0
    hessian = basis.T @ covariance @ basis
    hessian[:1, :1] += loss
    shift = _solve_scaled(hessian, -basis.T @ covariance[:, -1])
    return np.asarray(np.eye(t)[-1] + basis @ shift, dtype=float)


def _solve_scaled(matrix: Array, right: Array) -> Array:
    """Solution of a positive definite system, by eigenvalues after scaling its diagonal to one."""
    if len(matrix) == 0:
        return right
    size = np.sqrt(np.maximum(np.diag(matrix), 0.0))
    size[size == 0] = 1.0  # a zero row stays, as a zero eigenvalue
    eigenvalues, vectors = scipy.linalg.eigh(matrix / np.outer(size, size))
    if eigenvalues[0] <= 8 * len(matrix) * np.finfo(float).eps * max(eigenvalues[-1], 1.0):
        raise ValueError(
            "`correlation` and `R2` must leave one minimiser, but p can change without effect: the reduced"
            f" matrix, scaled to unit diagonal, has the eigenvalue {eigenvalues[0]}, zero up to rounding"
        )
    return np.asarray(vectors @ (vectors.T @ (right / size) / eigenvalues) / size, dtype=float)


def _free_drift(D2: ArrayLike, F2: ArrayLike) -> Array:
    variance, shared = nonnegative(D2=D2, F2=F2)
    return np.maximum(variance - shared, 0.0)
