"""Floors, which are lower bounds of the error, below every run of CFL on a quadratic, and what is a fact about them at any number of rounds.

With curvature h in one dimension the model after T rounds stands at rho * start + (1 - rho) * (a weighted mean of the
drifts)/h, whatever the steps and the weights are. The error h/2 * (rho^2 a + (1 - rho)^2 b), a = start^2 and b the variance
of that mean, is least at rho = b/(a + b), or at the least rho that the steps allow.
"""

from __future__ import annotations

from bounds.cfl import floors as b
from bounds.cfl.symbols import N, T
from nqm.fields import Array, maximum
from verify.engine.scene import Box, Fact, Scene, Shape

LONG = 2000
"""Rounds after which nothing of the start is asked to be left: a power too large for fractions."""


def least(h: Array, start2: Array, spread: Array, kept: Array) -> Array:
    """Least error over all shares of the start where at least the share `kept` of the start is left, `spread` being the variance of the mean drift."""
    rho = maximum(spread / (start2 + spread), kept)
    return h / 2 * (rho**2 * start2 + (1 - rho) ** 2 * spread)


def left_after(T: int, stiff: Array) -> Array:
    """The least share of the start that T steps leave, none longer than (sqrt(7) - 2)/(6 L) < 0.108/L."""
    return (1 - 27 / (250 * stiff)) ** T


def variance_of(shape: Shape, D2: Array, G2: Array) -> Array:
    """N times what the variance of a mean of the drifts of T rounds is at least, whatever the weights.

    Clients that come back have one client drift and, in T rounds, T time drifts. New ones add in round t a drift of variance
    v_t = G^2 + D^2 (sum of its squared weights), which is at least G^2 + D^2/t; the best mean over the rounds has the variance
    1/(sum_t 1/v_t), and 1/v_t is at most 1/G^2 and t/D^2. Without memory v_t is G^2 + D^2.
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
"""Of clients that remember nothing, new ones in every round."""
MINDFUL = (*_ANY, Fact(b.REMEMBERED, _REMEMBERED))
"""Of clients that remember all rounds, new ones in every round."""
