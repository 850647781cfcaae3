"""Scenes of Theorems 4.1, 4.4, 4.7, B.5 and B.6 of CFL: numbers of rounds at any constants, and lower bounds for all runs.

A number of rounds is expressed as the accuracy that a theorem promises after T rounds. `floors.py` contains the lower bounds.
"""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp

from bounds.hypotheses import Hypothesis
from nqm.fields import Array, exp, power, sqrt
from verify.engine.model.scene import Box, Named, Proved, Scene, Shape, Values
from verify.engine.model.sums import Sums
from verify.scenes.cfl import meanings
from verify.scenes.cfl.floors import FORGETFUL, LONG, MINDFUL, least, left_after, variance_of

Accuracy = Callable[[Shape, Named], Array]
Compute = Callable[[Shape, Named], Values]


def _constants(shape: Shape, found: Named) -> dict[str, Array]:
    """c_A to c_D of Theorem B.5 with memory, of Theorem B.6 without, at eta_g = 1 and sigma = 0."""
    D2, G2, R2 = (found[name] for name in ("D2", "G2", "R2"))
    c_A = G2 + (D2 * R2 / (D2 + R2) if shape["memory"] else D2)
    c_B = D2**3 / (D2 + R2) ** 2 if shape["memory"] else 0 * D2
    return {"c_A": c_A, "c_B": c_B, "c_C": found["L"] * c_A, "c_D": found["L"] * c_B}


def dominant_strongly(shape: Shape, found: Named) -> Array:
    """The smallest eps for which Theorem 4.1(a) or 4.4(a) requires at most T rounds."""
    left = shape["T"] - shape["hidden"] * found["L"] / found["mu"]
    return shape["hidden"] * _constants(shape, found)["c_A"] / (found["mu"] * left)


def dominant(first: str) -> Accuracy:
    """An eps for which Theorem 4.1(b) or 4.4(b) requires at most T rounds; `first` names the factor of c_O/eps."""

    def accuracy(shape: Shape, found: Named) -> Array:
        each = _each(shape, found, 2)
        return each * found[first] + sqrt(each * found["H"] * _constants(shape, found)["c_A"])

    return accuracy


def full_strongly(shape: Shape, found: Named) -> Array:
    """An eps for which Theorem B.5(a) or B.6(a) requires at most T rounds, with the rounds divided evenly among its terms."""
    c, mu = _constants(shape, found), found["mu"]
    each = 5 * shape["hidden"] / (shape["T"] - shape["hidden"] * found["L"] / mu)
    return c["c_A"] * each / mu + c["c_B"] * each**2 / mu + (c["c_C"] + c["c_D"] * each) * (each / mu) ** 2


def full(first: str) -> Accuracy:
    """An eps for which Theorem B.5(b) or B.6(b) requires at most T rounds; `first` names the factor of c_O/eps."""

    def accuracy(shape: Shape, found: Named) -> Array:
        c, H, each = _constants(shape, found), found["H"], _each(shape, found, 6)
        third = sp.Rational(1, 3)
        early = each * (found[first] + sqrt(c["c_B"] * H) + power(c["c_D"] * H**2, third))
        return early + sqrt(each * c["c_A"] * H) + power(c["c_C"] * (each * H) ** 2, third)

    return accuracy


def logarithmic(printed: Accuracy) -> Accuracy:
    """An eps for which half of the rounds suffice for a theorem, and half for L/mu times ln(1 + mu H/eps)."""

    def accuracy(shape: Shape, found: Named) -> Array:
        half = {**shape, "T": shape["T"] // 2}
        time = half["T"] * found["mu"] / (shape["hidden"] * found["L"])
        return printed(half, found) + found["mu"] * found["H"] / (exp(time) - 1)

    return accuracy


def _each(shape: Shape, found: Named, terms: int) -> Array:
    """The rounds for each of `terms` terms, divided by T; all terms together require at most T rounds."""
    return (0 * found["L"] + terms * shape["hidden"]) / shape["T"]


def after_rounds(accuracy: Accuracy) -> Compute:
    """A lower bound after T rounds without noise and information loss, for which all assumptions are met."""

    def computed(shape: Shape, values: Named) -> Values:
        D2, G2 = values["time"] ** 2, values["client"] ** 2
        return _constants_and_floor(accuracy, shape, values, {"D2": D2, "G2": G2}, G2)

    return computed


def after_shared_rounds(accuracy: Accuracy) -> Compute:
    """The lower bound if a client's time drift has a part for all rounds, of variance F^2, and one for each round, of variance M^2.

    No weights reduce the first part or the client drift. The accuracy is that of a theorem with D^2 = M^2.
    """

    def computed(shape: Shape, values: Named) -> Values:
        D2, G2 = values["time"] ** 2, values["client"] ** 2
        F2 = D2 * values["common"] ** 2
        found = _constants_and_floor(accuracy, shape, values, {"D2": D2 - F2, "G2": G2}, G2 + F2)
        return {**found, "D2": D2, "F2": F2, "M2": D2 - F2, "C2": 0 * D2}

    return computed


def _constants_and_floor(
    accuracy: Accuracy, shape: Shape, values: Named, drifts: Values, lasting: Array
) -> Values:
    """Constants and the lower bound; `lasting` is the variance of the permanent drift, and D2 that of the drift of each round."""
    h, R2, H = values["h"], values["lost"] ** 2, values["start"] ** 2
    spread = variance_of(shape, drifts["D2"], lasting) / (shape["N"] * h**2)
    found = {**drifts, "R2": R2, "H": H, "L": h * values["stiff"], "mu": h, "LH": h * values["stiff"] * H}
    found["spread"], kept = spread, 0 * h
    if shape["T"] <= LONG:
        kept = left_after(shape["T"], values["stiff"])
        found |= {"share_left": kept, "forgets": 1 / kept - 1}
    eps = accuracy(shape, found) * (1 + values["room"]) + values["target"]
    none = dict.fromkeys(("A2", "B2", "sigma2"), 0 * h)
    return {**found, **none, "eps": eps, "floor_after": least(h, H, spread, kept)}


_NONE = Box(0, 0)
_LOUD = {"client": Box(0, 2), "lost": Box(0, 2)}
_LITTLE = Box(1e-9, 2, scale="log")
QUIET = (_LOUD, {"client": _NONE, "lost": _NONE}, {"client": _NONE, "lost": _LITTLE})
"""Client drift and information loss by the number ``quiet`` of a shape: both, neither, or only an information loss."""


def _after(name: str, accuracy: Accuracy, stiffest: float, *shapes: Shape, farthest: float = 1e9) -> Scene:
    return Scene(
        name=name,
        told=meanings.FLOOR,
        shapes=tuple({"K": 1, "hidden": 100, "quiet": 0, "returning": 0, **shape} for shape in shapes),
        space=lambda shape: {
            "h": Box(0.1, 4),
            "start": Box(0.1, farthest, scale="log"),
            "time": Box(1e-3, 100, scale="log"),
            **QUIET[shape["quiet"]],
            "stiff": Box(1, stiffest, scale="log"),
            "target": Box(1e-9, 1, scale="log"),
            "room": Box(0, 0),
        },
        compute=after_rounds(accuracy),
        room="room",
    )


def _longer(memory: int) -> tuple[Shape, ...]:
    """Sizes of runs with new clients in which half of the rounds are for the logarithm."""
    return tuple({"T": 2000, "N": 1, "memory": memory, "quiet": quiet} for quiet in (0, 1))


def _scene_of_lower_bounds(
    name: str, accuracy: Accuracy, stiffest: float, facts: tuple[Sums, ...], *shapes: Shape
) -> Scene:
    """The scene of lower bounds for runs with new clients, with facts about them."""
    scene = _after(f"floors below Theorem {name}", accuracy, stiffest, *shapes)
    return scene.variant(
        scene.name, compute=Proved(scene.compute, facts), restricts=(Hypothesis.NEW_CLIENTS,)
    )


def _new(memory: int) -> tuple[Shape, ...]:
    """Sizes of runs whose clients are new in every round."""
    return (
        {"T": 200, "N": 1, "memory": memory},
        {"T": 200, "N": 10, "memory": memory},
        {"T": 1000, "N": 1, "memory": memory, "quiet": 1},
    )


def _same(memory: int, *rounds: int) -> tuple[Shape, ...]:
    """Sizes of runs with the same clients in every round; without client drift, only the memory matters."""
    kinds = (0, 1, 2) if memory else (0,)
    return tuple(
        {"T": T, "N": N, "memory": memory, "quiet": quiet, "returning": N}
        for T in rounds
        for N in (1, 2)
        for quiet in kinds
    )


def _sizes(memory: int, *rounds: int) -> tuple[Shape, ...]:
    return (*_new(memory), *_same(memory, *rounds))


STRONG, CONVEX = 1.5, 1e6
"""Largest L/h. Strongly convex losses need few rounds until the start has no influence; convex losses may need many."""
FEW, MANY, MOST = 1000, 10**7, 10**8
"""Numbers of rounds after which runs with the same clients exceed the errors of Theorems 4.1 and 4.4, B.5(a) and B.5(b)."""
CFL_STRONG = _after(
    "rounds of Theorem 4.1, strongly convex", dominant_strongly, STRONG, *_sizes(1, FEW), farthest=100
)
FED_STRONG = _after("rounds of Theorem 4.4, strongly convex", dominant_strongly, STRONG, *_sizes(0, FEW))
CFL_CONVEX = _after("rounds of Theorem 4.1, convex", dominant("H"), CONVEX, *_sizes(1, MANY))
FED_CONVEX = _after("rounds of Theorem 4.4, convex", dominant("H"), CONVEX, *_sizes(0, MANY))
SHARED_STRONG, SHARED_CONVEX = (
    scene.variant(
        scene.name.replace("4.1", "4.7"),
        space=lambda shape, scene=scene: {**scene.space(shape), "common": Box(0, 1)},
        compute=after_shared_rounds(accuracy),
    )
    for scene, accuracy in ((CFL_STRONG, dominant_strongly), (CFL_CONVEX, dominant("H")))
)
FULL_STRONG = _after("rounds of Theorem B.5, strongly convex", full_strongly, STRONG, *_sizes(1, MANY))
FULL_FED_STRONG = _after("rounds of Theorem B.6, strongly convex", full_strongly, STRONG, *_sizes(0, MANY))
FULL_CONVEX = _after("rounds of Theorem B.5, convex", full("H"), CONVEX, *_sizes(1, MOST))
FULL_FED_CONVEX = _after("rounds of Theorem B.6, convex", full("H"), CONVEX, *_sizes(0, MOST))
CFL_SCALED = _after("rounds of Theorem 4.1 with L, convex", dominant("LH"), CONVEX, *_sizes(1, MANY))
CFL_LOG = _after(
    *("rounds of Theorem 4.1, logarithm", logarithmic(dominant_strongly), STRONG),
    *(*_longer(1), *_same(1, FEW)),
)
FED_SCALED = _scene_of_lower_bounds("4.4, convex, with L", dominant("LH"), CONVEX, FORGETFUL, *_new(0))
FED_LOG = _scene_of_lower_bounds(
    "4.4, logarithm", logarithmic(dominant_strongly), STRONG, FORGETFUL, *_longer(0)
)
FULL_LOG = _scene_of_lower_bounds("B.5, logarithm", logarithmic(full_strongly), STRONG, MINDFUL, *_longer(1))
FULL_FED_LOG = _scene_of_lower_bounds(
    "B.6, logarithm", logarithmic(full_strongly), STRONG, FORGETFUL, *_longer(0)
)
FULL_SCALED = _scene_of_lower_bounds("B.5, convex, with L", full("LH"), CONVEX, MINDFUL, *_new(1))
FULL_FED_SCALED = _scene_of_lower_bounds("B.6, convex, with L", full("LH"), CONVEX, FORGETFUL, *_new(0))
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
    told={"condition_number": "L over mu"},
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


STARTING = FORGETTING.variant(
    "first term",
    space=lambda shape: {**FORGETTING.space(shape), "L": Box(1, 1000, scale="log")},
    compute=lambda shape, values: {
        "T": shape["hidden"]
        * (1 + values["A2"] + values["B2"])
        * values["H"]
        / values["eps"]
        * (1 + values["longer"])
    },
)


def floor(shape: Shape, values: Named) -> Values:
    """The smallest error of N clients that are the same in every round, in one dimension, without time drift and noise.

    For any steps and weights, the model after any number of rounds is rho * start + (1 - rho) * (mean client drift)/h for some
    rho. The error h/2 * (rho^2 a + (1 - rho)^2 b) with a = start^2 and b = G^2/(N h^2) is minimal at rho = b/(a + b).
    """
    a, b = values["start"] ** 2, values["client"] ** 2 / (shape["N"] * values["h"] ** 2)
    return {"floor_ever": values["h"] * a * b / (2 * (a + b))}


FLOOR = Scene(
    name="the same clients for ever",
    shapes=tuple({"N": N, "returning": N} for N in (1, 2, 10)),
    space=lambda shape: {
        "h": Box(0.1, 4),
        "start": Box(0.1, 4),
        "client": Box(0.01, 2),
        "eps": Box(1e-4, 1, scale="log"),
    },
    compute=floor,
    told={
        **meanings.FLOOR,
        "floor_ever": "mu H s/(2 (H + s)), where s = G^2/(N mu^2); the least of mu/2 (rho^2 H + (1 - rho)^2 s) over all rho",
    },
)
