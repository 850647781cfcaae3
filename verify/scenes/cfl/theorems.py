"""Scenes of Theorems 4.1, 4.4, B.5 and B.6 of CFL: numbers of rounds at any constants, and floors below every run.

On a quadratic with curvature h in one dimension the model after T rounds stands at rho * start + (1 - rho) * (a weighted
mean of the drifts)/h, whatever the steps and the weights are. The error h/2 * (rho^2 a + (1 - rho)^2 b), a = start^2 and
b the variance of that mean, is least at rho = b/(a + b), or at the least rho that the steps allow.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from nqm.fields import Array, exp, maximum, sqrt
from verify.engine.scene import Box, Scene, Shape, Values

Named = Mapping[str, Any]
Accuracy = Callable[[Shape, Named], Array]
Compute = Callable[[Shape, Named], Values]


def least(h: Array, start2: Array, spread: Array, kept: Array) -> Array:
    """Least error where at least the share `kept` of the start is left, `spread` being the variance of the mean drift."""
    rho = maximum(spread / (start2 + spread), kept)
    return h / 2 * (rho**2 * start2 + (1 - rho) ** 2 * spread)


def _squared_weights(t: int, D2: Array, R2: Array) -> Array:
    """Sum of the squared weights of Lemma B.4 in round t."""
    return ((t - 1) * D2**2 + ((t - 1) * R2 + D2) ** 2) / (t * D2 + (t - 1) * R2) ** 2


def _strongly_convex(shape: Shape, found: Named) -> Array:
    """Least eps for which the theorem asks for no more than T rounds."""
    left = shape["T"] - shape["hidden"] * found["L"] / found["mu"]
    return shape["hidden"] * found["asked"] / (found["mu"] * left)


def _convex(shape: Shape, found: Named) -> Array:
    """At least the eps for which the theorem asks for T rounds."""
    share, H = found["H"] * shape["hidden"] / shape["T"], found["H"]
    return share + sqrt(share * found["asked"]) + 0 * H


def _convex_scaled(shape: Shape, found: Named) -> Array:
    """The same with L H for H in the first term."""
    share = found["H"] * shape["hidden"] / shape["T"]
    return share * found["L"] + sqrt(share * found["asked"])


def after_rounds(accuracy: Accuracy) -> Compute:
    """A floor after T rounds of new clients without noise and information loss, so that all assumptions are met.

    Round t adds a drift of variance v_t/N, v_t = G^2 + D^2 (sum of its squared weights); the best mean over the rounds has
    the variance 1/(N sum_t 1/v_t). No step exceeds 0.108/L, the limit (sqrt(7) - 2)/(6 L) being less.
    """

    def computed(shape: Shape, values: Named) -> Values:
        T, h, N = shape["T"], values["h"], shape["N"]
        D2, G2, R2 = (values[name] ** 2 for name in ("time", "client", "lost"))
        square = _squared_weights if shape["memory"] else lambda t, D2, R2: 1
        left = [D2 * square(t, D2, R2) for t in range(1, T + 1)]
        asked = G2 + (D2 * R2 / (D2 + R2) if shape["memory"] else D2)
        spread = 1 / (N * h**2 * sum(1 / (G2 + each) for each in left))
        found = {"D2": D2, "G2": G2, "R2": R2, "H": values["start"] ** 2, "L": h * values["stiff"], "mu": h}
        kept = (1 - 27 / (250 * values["stiff"])) ** T
        eps = accuracy(shape, {**found, "asked": asked}) * (1 + values["room"]) + values["target"]
        none = dict.fromkeys(("A2", "B2", "sigma2"), 0 * h)
        return {**found, **none, "eps": eps, "least_after": least(h, found["H"], spread, kept)}

    return computed


def _after(name: str, memory: int, accuracy: Accuracy, stiffest: float) -> Scene:
    return Scene(
        name=name,
        shapes=tuple(
            {"T": T, "N": N, "K": 1, "hidden": 100, "memory": memory, "quiet": quiet}
            for T, N, quiet in ((200, 1, 0), (200, 10, 0), (1000, 1, 1))
        ),
        space=lambda shape: {
            "h": Box(0.1, 4),
            "start": Box(0.1, 1e9, scale="log"),
            "time": Box(1e-3, 100, scale="log"),
            **dict.fromkeys(("client", "lost"), Box(0, 0 if shape["quiet"] else 2)),
            "stiff": Box(1, stiffest, scale="log"),
            "target": Box(1e-9, 1, scale="log"),
            "room": Box(0, 0),
        },
        compute=after_rounds(accuracy),
        room="room",
    )


CFL_STRONG = _after("rounds of Theorem 4.1, strongly convex", 1, _strongly_convex, 1.5)
FED_STRONG = _after("rounds of Theorem 4.4, strongly convex", 0, _strongly_convex, 1.5)
CFL_CONVEX = _after("rounds of Theorem 4.1, convex", 1, _convex, 1e6)
FED_CONVEX = _after("rounds of Theorem 4.4, convex", 0, _convex, 1e6)
CFL_SCALED = _after("rounds of Theorem 4.1 with L, convex", 1, _convex_scaled, 1e6)
FED_SCALED = _after("rounds of Theorem 4.4 with L, convex", 0, _convex_scaled, 1e6)
ANY_CONSTANTS = Scene(
    name="constants that the theorems show",
    shapes=tuple({"N": N, "K": K} for N, K in ((1, 1), (1000, 1), (1, 1000), (10**6, 1))),
    space=lambda shape: {
        **dict.fromkeys(("G2", "D2", "R2", "sigma2"), Box(1e-6, 1e6, scale="log")),
        **dict.fromkeys(("A2", "B2"), Box(0, 4)),
        **dict.fromkeys(("mu", "H", "eps"), Box(1e-6, 1e6, scale="log")),
        "condition_number": Box(1, 1e6, scale="log"),
    },
    compute=lambda shape, values: {
        "L": values["mu"] * values["condition_number"],
        "eta_g": 1 + 0 * values["mu"],
    },
)
FORGETTING = Scene(
    name="exponential term",
    shapes=({"hidden": 100},),
    space=lambda shape: {
        "mu": Box(0.1, 1),
        "L": Box(1, 4),
        "H": Box(0.1, 10),
        "A2": Box(0, 2),
        "B2": Box(0, 2),
        "eps": Box(1e-100, 1, scale="log"),
        "longer": Box(0, 1),
    },
    compute=lambda shape, values: _left_over(shape, values),
)


def _left_over(shape: Shape, values: Named) -> Values:
    time = values["L"] * (1 + values["A2"] + values["B2"]) / values["mu"]
    T = shape["hidden"] * time * (1 + values["longer"])
    return {"T": T, "left_over": values["mu"] * values["H"] * exp(-T / time)}


def floor(shape: Shape, values: Named) -> Values:
    """Least error of N clients that are the same in every round, in one dimension, without time drift and noise.

    After any rounds the model stands at rho * start + (1 - rho) * (mean client drift)/h for some rho, whatever the
    steps and the weights are. The error h/2 * (rho^2 a + (1 - rho)^2 b), a = start^2, b = G^2/(N h^2), is least at
    rho = b/(a + b).
    """
    a, b = values["start"] ** 2, values["client"] ** 2 / (shape["N"] * values["h"] ** 2)
    return {"least_error": values["h"] * a * b / (2 * (a + b))}


FLOOR = Scene(
    name="the same clients for ever",
    shapes=tuple({"N": N} for N in (1, 2, 10)),
    space=lambda shape: {
        "h": Box(0.1, 4),
        "start": Box(0.1, 4),
        "client": Box(0.01, 2),
        "eps": Box(1e-4, 1, scale="log"),
    },
    compute=floor,
)
