"""Lower bounds for FedAvg and continual learning that contradict rates of CFL's Table 1, for L = H = 1, no noise, steps up to 1/L.

A rate is expressed as the accuracy that it promises after T rounds. `floors.py` contains the runs with larger errors.
"""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp

from nqm.fields import Array, power, sqrt
from verify.engine.model.scene import Box, Named, Scene, Shape, Values
from verify.scenes.cfl import meanings
from verify.scenes.cfl.floors import LONG, least, variance_of

Accuracy = Callable[[Shape, Named, Array], Array]
"""An accuracy eps for which a row requires at most T rounds, if each of two terms is 2 * hidden/T."""
_TWO_THIRDS = sp.Rational(2, 3)


def li(shape: Shape, found: Named, each: Array) -> Array:
    return each * found["drift2"] * shape["K"] / found["mu"] ** 2


def khaled_strongly(shape: Shape, found: Named, each: Array) -> Array:
    averaged = each * found["drift2"] / (found["mu"] * shape["N"] * shape["K"])
    return averaged + (each * found["drift"] / found["mu"]) ** 2


def khaled(shape: Shape, found: Named, each: Array) -> Array:
    averaged = sqrt(each * found["drift2"] / (shape["N"] * shape["K"]))
    return averaged + power(each * found["drift"] / found["mu"], _TWO_THIRDS)


def karimireddy_strongly(shape: Shape, found: Named, each: Array) -> Array:
    """1/mu rounds for the start come first."""
    left = shape["T"] - shape["hidden"] / found["mu"]
    return (shape["hidden"] * found["drift"] / (found["mu"] * left)) ** 2


def karimireddy(shape: Shape, found: Named, each: Array) -> Array:
    return power(each * found["drift"], _TWO_THIRDS) + each * found["drift2"]


def woodworth_strongly(shape: Shape, found: Named, each: Array) -> Array:
    return each**2 / (shape["K"] ** 2 * found["mu"]) + (each * found["drift"] / found["mu"]) ** 2


def woodworth(shape: Shape, found: Named, each: Array) -> Array:
    return each / shape["K"] + power(each * found["drift"], _TWO_THIRDS)


def yin(shape: Shape, found: Named, each: Array) -> Array:
    return each * found["mu"]


def _below(name: str, accuracy: Accuracy, memory: int, *sizes: tuple[int, int, int]) -> Scene:
    """Runs of new clients, and of the same ones, of so many rounds, clients and local steps."""

    def compute(shape: Shape, values: Named) -> Values:
        mu, D2, G2 = values["mu"], values["time"] ** 2, values["client"] ** 2
        one = 1 + 0 * mu
        kept = (1 - mu) ** (shape["T"] * shape["K"]) if shape["T"] * shape["K"] <= LONG else 0 * mu
        spread = variance_of(shape, D2, G2) / (shape["N"] * mu**2)
        found = {"mu": mu, "D2": D2, "G2": G2, "drift2": D2 + G2, "drift": values["time"] + values["client"]}
        eps = accuracy(shape, found, 2 * shape["hidden"] / (shape["T"] * one)) * (1 + values["room"])
        none = dict.fromkeys(("A2", "B2", "sigma2", "R2"), 0 * mu)
        return {
            **found,
            **none,
            "L": one,
            "H": one,
            "eps": eps + values["target"],
            "floor_after": least(mu, one, spread, kept),
        }

    return Scene(
        name=f"floors below the rate that Table 1 cites of {name}",
        told={
            **meanings.FLOOR,
            "floor_after": meanings.FLOOR["floor_after"]
            .replace("(1 - 27 mu/(250 L))^T", "(1 - mu)^(K T)")
            .replace("T > 2000", "K T > 2000"),
            "mu": "curvature of the mean of all losses, which is least at the origin, at a distance of 1 from the start",
        },
        shapes=tuple(
            {"T": T, "N": N, "K": K, "hidden": 100, "memory": memory, "returning": back}
            for T, N, K in sizes
            for back in (0, N)
        ),
        space=lambda shape: {
            "mu": Box(1e-4, 1, scale="log"),
            "time": Box(1e-3, 1e6, scale="log"),
            "client": Box(0, 2),
            "target": Box(1e-9, 1, scale="log"),
            "room": Box(0, 0),
        },
        compute=compute,
        room="room",
    )


BELOW = {
    "li.sc": _below("Li et al.", li, 0, (10, 1, 1), (1000, 2, 1)),
    "khaled.sc": _below(
        "Khaled et al., strongly convex", khaled_strongly, 0, (10**7, 1, 1), (10**7, 1, 10**4)
    ),
    "khaled.gc": _below("Khaled et al., convex", khaled, 0, (10**7, 1, 1), (10**12, 1, 10**6)),
    "karimireddy.sc": _below(
        "Karimireddy et al., strongly convex", karimireddy_strongly, 0, (10**7, 1, 1), (10**8, 2, 2)
    ),
    "karimireddy.gc": _below("Karimireddy et al., convex", karimireddy, 0, (10**12, 1, 1), (10**14, 2, 2)),
    "woodworth.sc": _below(
        "Woodworth et al., strongly convex", woodworth_strongly, 0, (10**7, 1, 1), (10**8, 2, 2)
    ),
    "woodworth.gc": _below("Woodworth et al., convex", woodworth, 0, (10**12, 1, 1), (10**14, 2, 2)),
    "yin.sc": _below("Yin et al.", yin, 1, (1000, 1, 1), (10**5, 1, 1)),
}
"""By the row of `bounds.cfl.cited.ROWS`."""
