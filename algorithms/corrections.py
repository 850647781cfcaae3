"""How a local step uses its gradient: plain descent, or pulled towards a point."""

from __future__ import annotations

from collections.abc import Callable

from algorithms.algorithm import Local, State
from algorithms.arrays import Array
from algorithms.hyperparameters import against


def descend(local_lr: Array) -> Callable[[State, Local, Array], Local]:
    """Step of stochastic gradient descent, x - local_lr*g."""

    def local_step(state: State, local: Local, g: Array) -> Local:
        return {**local, "x": local["x"] - against(local_lr, 2) * g}

    return local_step


def proximal_point(x: Array, anchor: Array, lam: Array) -> Array:
    """argmin_v |v - x|^2/2 + lam*|v - anchor|^2, for x (..., n, d) and one anchor (..., d) for all slots.

    The penalty has no factor 1/2, hence 2*lam. Source: SPECIAL, arXiv:2601.22274v2, Appendix F.5.
    """
    lam = against(lam, 2)
    return (x + 2 * lam * anchor[..., None, :]) / (1 + 2 * lam)
