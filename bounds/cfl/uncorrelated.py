"""Optimal weights of past rounds for uncorrelated and for overlapping data, in closed form."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from bounds.cfl.weights_input import Array, common_denominator, nonnegative, scaled


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


def _free_drift(D2: ArrayLike, F2: ArrayLike) -> Array:
    variance, shared = nonnegative(D2=D2, F2=F2)
    return np.maximum(variance - shared, 0.0)
