"""Lower bounds ("floors") on the error of every run of CFL on a quadratic, and facts about them for any number of rounds.

With curvature h in one dimension, the model after T rounds is rho * start + (1 - rho) * (a weighted mean of the drifts)/h, for any
steps and weights. The error h/2 * (rho^2 a + (1 - rho)^2 b), with a = start^2 and b the variance of this mean, is minimal at
rho = b/(a + b), or at the smallest rho that the steps allow.
"""

from __future__ import annotations

from bounds.cfl import floors as b
from nqm.fields import Array, maximum
from verify.engine.model.scene import Shape
from verify.scenes.summands import definition, solved

LONG = 2000
"""Beyond this number of rounds, the influence of the start is bounded by 0, because its power is too large for fractions."""


def least(h: Array, start2: Array, spread: Array, kept: Array) -> Array:
    """The smallest error over all rho of at least `kept`; `spread` is the variance of the mean drift."""
    rho = maximum(spread / (start2 + spread), kept)
    return h / 2 * (rho**2 * start2 + (1 - rho) ** 2 * spread)


def left_after(T: int, stiff: Array) -> Array:
    """The smallest rho after T steps, each of at most (sqrt(7) - 2)/(6 L) < 0.108/L."""
    return (1 - 27 / (250 * stiff)) ** T


def variance_of(shape: Shape, D2: Array, G2: Array) -> Array:
    """N times a lower bound on the variance of a weighted mean of the drifts of T rounds, for any weights.

    Returning clients have one client drift and T time drifts in T rounds. New clients add in round t a drift of variance
    v_t = G^2 + D^2 (sum of its squared weights) >= G^2 + D^2/t. The best mean over the rounds has the variance
    1/(sum_t 1/v_t), where 1/v_t is at most 1/G^2 and at most t/D^2. Without memory, v_t = G^2 + D^2.
    """
    T = shape["T"]
    if shape["returning"]:
        return G2 + D2 / T
    return maximum(G2 / T, 2 * D2 / (T * (T + 1))) if shape["memory"] else (G2 + D2) / T


_ANY = (definition(b.BEST), definition(b.LEFT), solved(b.FORGOTTEN, b.forgets))
FORGETFUL = (*_ANY, solved(b.ALIKE, b.spread))
"""Facts about clients without memory, new in every round."""
MINDFUL = (*_ANY, solved(b.REMEMBERED, b.spread))
"""Facts about clients that remember all rounds, new in every round."""
