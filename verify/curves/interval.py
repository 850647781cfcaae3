"""Confidence intervals for means of bounded samples, valid at every sample size."""

from __future__ import annotations

from typing import Any

import numpy as np


def mean_interval(samples: Any, largest: Any, error: float) -> tuple[np.ndarray, np.ndarray]:
    """Confidence interval for the expectation of bounded samples, by the empirical Bernstein inequality.

    Parameters
    ----------
    samples : (..., n) array
        Independent samples in [0, largest], n >= 2.
    largest : number or (...) array
        Upper bound of all samples.
    error : float
        Error probability of each interval, in (0, 1).

    Returns
    -------
    low, high : (...) arrays
        Ends of the intervals. An interval misses the expectation, on either side, with probability at most `error`.

    Raises
    ------
    ValueError
        If a sample lies outside [0, largest] by more than rounding, so that no interval would be valid.

    Notes
    -----
    Source: Maurer and Pontil (2009), Theorem 4, with half of the error probability for each side.
    """
    samples, largest = np.asarray(samples, dtype=float), np.asarray(largest, dtype=float)
    n = samples.shape[-1]
    if n < 2 or not 0 < error < 1:
        raise ValueError(f"an interval needs at least 2 samples and `error` in (0, 1), got {n} and {error}")
    if (samples < 0).any() or (samples > largest[..., None] * (1 + 1e-9)).any():
        raise ValueError("`samples` must lie in [0, `largest`]; otherwise the interval would not be valid")
    mean, variance = samples.mean(axis=-1), samples.var(axis=-1, ddof=1)
    log_term = np.log(4 / error)
    width = np.sqrt(2 * variance * log_term / n) + 7 * largest * log_term / (3 * (n - 1))
    return np.maximum(mean - width, 0), np.minimum(mean + width, largest)
