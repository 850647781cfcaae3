"""Lower bounds ("floors") on the error of every run of CFL on a quadratic, and facts about them for any number of rounds.

With curvature h in one dimension, the model after T rounds is rho * start + (1 - rho) * (a weighted mean of the drifts)/h, for any
steps and weights. The error h/2 * (rho^2 a + (1 - rho)^2 b), with a = start^2 and b the variance of this mean, is minimal at
rho = b/(a + b), or at the smallest rho that the steps allow.
"""

from __future__ import annotations

from bounds.cfl import floors as b
from bounds.cfl.symbols import N, T
from nqm.fields import Array, maximum
from verify.engine.model.scene import Box, Fact, Scene, Shape

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


_BEST = Scene(
    name="the best share of the start",
    shapes=({},),
    space=lambda shape: {
        "mu": Box(0.1, 4),
        **dict.fromkeys(("H", "forgets"), Box(0, 1)),
        "spread": Box(0.1, 1),
    },
    compute=lambda shape, values: {
        "floor_after": least(values["mu"], values["H"], values["spread"], kept=1 / (1 + values["forgets"]))
    },
    covers="a definition",
)
_LEFT = Scene(
    name="what steps leave of the start",
    shapes=({"T": T},),
    space=lambda shape: dict.fromkeys(("mu", "L"), Box(0.1, 4)),
    compute=lambda shape, values: {"share_left": left_after(shape["T"], values["L"] / values["mu"])},
    covers="a definition",
)
_FORGOTTEN = Scene(
    name="what is left of the start, and what is not",
    shapes=({},),
    space=lambda shape: {"share_left": Box(0.1, 1)},
    compute=lambda shape, values: {"forgets": 1 / values["share_left"] - 1},
    covers="a definition",
)


_ALIKE = Scene(
    name="drifts of clients that remember nothing",
    shapes=({"N": N, "T": T},),
    space=lambda shape: {"mu": Box(0.1, 4), **dict.fromkeys(("D2", "G2"), Box(0, 1))},
    compute=lambda shape, values: {
        "spread": variance_of({**shape, "memory": 0, "returning": 0}, values["D2"], values["G2"])
        / (shape["N"] * values["mu"] ** 2)
    },
    covers="a definition",
)
_REMEMBERED = _ALIKE.variant(
    "drifts that new clients remember",
    compute=lambda shape, values: {
        "spread": variance_of({**shape, "memory": 1, "returning": 0}, values["D2"], values["G2"])
        / (shape["N"] * values["mu"] ** 2)
    },
)
_ANY = (Fact(b.BEST, _BEST), Fact(b.LEFT, _LEFT), Fact(b.FORGOTTEN, _FORGOTTEN))
FORGETFUL = (*_ANY, Fact(b.ALIKE, _ALIKE))
"""Facts about clients without memory, new in every round."""
MINDFUL = (*_ANY, Fact(b.REMEMBERED, _REMEMBERED))
"""Facts about clients that remember all rounds, new in every round."""
