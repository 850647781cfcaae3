"""Bounds from the largest gradient norm of each loss: the spread of clients and tasks by the triangle inequality, and the
largest norm of a sum of vectors with free signs.
"""

from __future__ import annotations

from itertools import product

from nqm.fields import Array, amax, maximum, norm
from nqm.known import Ball, Constant


def client_spread(steepest: Array, region: Ball | None) -> Constant:
    """Bound of |grad f_im - grad f_i|^2 over clients, tasks and models, (world...).

    Parameters
    ----------
    steepest : (world..., K, M) array
        Largest length of each client's gradient.
    """
    count = steepest.shape[-1]
    # The mean over n of |g_m - g_n|, where the term n = m is 0
    gaps = ((count - 2) * steepest + steepest.sum(axis=-1)[..., None]) / count
    return _apart(amax(gaps**2, (-1, -2)) * (count > 1), region)


def task_spread(steepest: Array, region: Ball | None) -> Constant:
    """Bound of |grad f_i - grad f_j|^2 over pairs of tasks and models, (world...); `steepest` as for `client_spread`."""
    of_task = steepest.mean(axis=-1)
    return _apart(4 * amax(of_task**2, -1) * (of_task.shape[-1] > 1), region)


def longest_sum(vectors: Array) -> Array:
    """Largest |sum_j s_j v_j| over signs s_j; vectors (..., J, d), J >= 1."""
    first, *others = (vectors[..., j, :] for j in range(vectors.shape[-2]))
    longest = norm(first)
    for signs in product((1, -1), repeat=len(others)):
        longest = maximum(longest, norm(sum((s * x for s, x in zip(signs, others, strict=True)), first)))
    return longest


def _apart(value: Array, region: Ball | None) -> Constant:
    return Constant(value, "certified", region or "R^d", "Triangle inequality over pairs of gradients.")
