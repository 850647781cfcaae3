"""Certified lower bounds of total losses whose minimiser has no formula.

For a convex loss f, any point y, and a box of half widths r_j around y that holds a minimiser, ``min f >= f(y) - sum_j
|grad_j f(y)| * r_j``. The box of all centres holds a minimiser of a sum of log-cosh or pseudo-Huber losses, because outside
it every term's gradient points away. So y may come from any iteration with floats: a poor y makes the bound less sharp,
never false.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nqm.federation import grad_at, loss_at
from nqm.fields import Array, abs_, amax, through_floats, zeros_like
from nqm.known import Constant
from nqm.world import World

NearMinimiser = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]
"""heights (..., n), widths (..., n), centres (..., n, d) -> point (..., d)."""


def certified_infimum(
    world: World, height: Array, width: Array, centre: Array, tasks: list[int], near_minimiser: NearMinimiser
) -> Constant:
    """Lower bound of the total loss of the given tasks, by convexity from a near-minimiser.

    Parameters
    ----------
    world : World
    height, width : (world..., K, M) arrays
    centre : (world..., K, M, d) array
    tasks : list of int
    near_minimiser : function of the parameters of all clients of all tasks
    """
    if not tasks:
        return Constant(zeros_like(centre[..., 0, 0, 0]), "exact", note="The sum over no task is 0.")
    parts = height[..., tasks, :], width[..., tasks, :], centre[..., tasks, :, :]
    n_worlds = len(world.batch_shape)
    flat = [p.reshape(*p.shape[:n_worlds], -1, *p.shape[n_worlds + 2 :]) for p in parts]
    point = through_floats(near_minimiser, *flat)
    reach = amax(abs_(centre[..., tasks, :, :] - point[..., None, None, :]), (-2, -3))
    slack = (abs_(grad_at(world, point, tasks)) * reach).sum(axis=-1)
    note = "By convexity, from the loss and gradient at a near-minimiser."
    return Constant(loss_at(world, point, tasks) - slack, "certified", note=note)


def logcosh_near_minimiser(height: np.ndarray, width: np.ndarray, centre: np.ndarray) -> np.ndarray:
    """Point where each coordinate's derivative changes sign, by bisection between the centres."""
    low: np.ndarray = centre.min(axis=-2)
    high: np.ndarray = centre.max(axis=-2)
    for _ in range(100):
        middle = (low + high) / 2
        distance = (middle[..., None, :] - centre) / width[..., None]
        rising = (height[..., None] * np.tanh(distance)).sum(axis=-2) > 0
        low, high = np.where(rising, low, middle), np.where(rising, middle, high)
    return np.asarray(low + high) / 2


def huber_near_minimiser(height: np.ndarray, width: np.ndarray, centre: np.ndarray) -> np.ndarray:
    """Weiszfeld's iteration, which always descends, and then Newton steps where they shrink the gradient."""
    point: np.ndarray = centre.mean(axis=-2)
    for _ in range(50):
        weights = _huber_weights(height, width, centre, point)
        total = weights.sum(axis=-1)[..., None]
        average = (weights[..., None] * centre).sum(axis=-2) / np.where(total > 0, total, 1)
        point = np.where(total > 0, average, point)
    for _ in range(20):
        gradient, hessian = _huber_derivatives(height, width, centre, point)
        scale = np.trace(hessian, axis1=-2, axis2=-1)[..., None, None]
        ridge = np.eye(point.shape[-1]) * np.where(scale > 0, 1e-14 * scale, 1)  # heights may all be 0
        trial = point - np.linalg.solve(hessian + ridge, gradient[..., None])[..., 0]
        change = _huber_derivatives(height, width, centre, trial)[0]
        better = (change**2).sum(axis=-1) < (gradient**2).sum(axis=-1)
        point = np.where(better[..., None], trial, point)
    return point


def _huber_weights(
    height: np.ndarray, width: np.ndarray, centre: np.ndarray, point: np.ndarray
) -> np.ndarray:
    return np.asarray(height / np.sqrt(width**2 + ((point[..., None, :] - centre) ** 2).sum(axis=-1)))


def _huber_derivatives(
    height: np.ndarray, width: np.ndarray, centre: np.ndarray, point: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Gradient (..., d) and Hessian (..., d, d) of the sum of pseudo-Huber losses."""
    difference = point[..., None, :] - centre
    squared = width**2 + (difference**2).sum(axis=-1)
    weights = height / np.sqrt(squared)
    gradient = (weights[..., None] * difference).sum(axis=-2)
    outer = ((weights / squared)[..., None] * difference).swapaxes(-1, -2) @ difference
    return gradient, weights.sum(axis=-1)[..., None, None] * np.eye(point.shape[-1]) - outer
