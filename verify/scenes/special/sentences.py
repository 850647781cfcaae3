"""Communication of a round of SPECIAL, and its fixed points with more local steps."""

from __future__ import annotations

import numpy as np

from algorithms.algorithm import Algorithm
from algorithms.fedavg import fedavg
from algorithms.special import special
from bounds.hypotheses import Hypothesis
from bounds.relations import eq
from bounds.special.sentences import exchanged, exchanged_fedavg, numbers
from nqm.fields import amax, sq
from nqm.quadratic import DiagonalQuadratic
from verify.engine.model.scene import Box, Named, Proved, Scene, Shape, Values
from verify.scenes.communication import traffic
from verify.scenes.parameters import column
from verify.scenes.summands import by_definition


def numbers_exchanged(algorithm: Algorithm, shape: Shape) -> int:
    """Numbers that a participating client receives and sends in the last round of two tasks, for two local steps of N of three clients."""
    size = shape["numbers"]
    centres = np.arange(2 * 3 * size).reshape(2, 3, size) / 8
    world = DiagonalQuadratic(np.ones((2, 3, size)), centres)
    clients = np.arange(shape["N"])[None]
    last = list(
        traffic(world, algorithm, np.zeros((1, size)), clients, np.zeros((1, shape["N"], 2, size)), 1)
    )[-1]
    return last.received + last.sent


def exchange_scene(method: Algorithm) -> Scene:
    """The scene of a participating client's communication in rounds of `method`, compared with FedAvg.

    Entries of the server that clients read, and entries of clients that the aggregation reads, are counted in a round. Each is
    a vector of all parameters, so that a round of one client and one parameter counts the vectors.
    """
    counted = {"exchanged": method, "exchanged_fedavg": fedavg(0.5)}
    vectors = {
        name: numbers_exchanged(algorithm, {"numbers": 1, "N": 1}) for name, algorithm in counted.items()
    }
    definitions = (
        eq(exchanged, vectors["exchanged"] * numbers),
        eq(exchanged_fedavg, vectors["exchanged_fedavg"] * numbers),
    )

    def compute(shape: Shape, values: Named) -> Values:
        return {
            name: 0 * values["any"] + numbers_exchanged(algorithm, shape)
            for name, algorithm in counted.items()
        }

    return Scene(
        name=f"what a participating client receives and sends in rounds of {method.name}",
        shapes=tuple({"numbers": size, "N": N} for size in (1, 2, 3) for N in (1, 3)),
        space=lambda shape: {"any": Box(0, 1)},
        compute=Proved(compute, (by_definition(eq(exchanged, exchanged_fedavg), *definitions),), definitions),
    )


EXCHANGE = exchange_scene(special(0.5, 1, 1))


def at_rest(shape: Shape, values: Named) -> Values:
    """One client with curvatures h around the origin, from the anchor: (gamma_G (1 - rho) + lambda) theta = lambda anchor."""
    rho = 1 - column(values["gamma_L"], 1) * values["h"]
    gain, lam = column(values["gamma_G"], 1), column(values["lam"], 1)
    rest = lambda E: lam * values["anchor"] / (lam + gain * (1 - rho**E))  # noqa: E731
    return {"rest_off2": sq(rest(shape["E"])), "rest_off2_more": sq(rest(shape["E"] + 1))}


MORE_STEPS = Scene(
    name="rest points of SPECIAL with one local step more",
    shapes=tuple({"E": E, "d": d} for E in (1, 2, 3) for d in (1, 2)),
    space=lambda shape: {
        **{name: Box(0.05, 4, (shape["d"],), scale="log") for name in ("h",)},
        "anchor": Box(-2, 2, (shape["d"],)),
        "lam": Box(0.05, 4, scale="log"),
        "gamma_G": Box(0.01, 2, scale="log"),
        "gamma_L": Box(0.01, 1, scale="log"),
    },
    known=lambda shape, values: {"L": amax(values["h"], -1)},
    compute=at_rest,
    steps=("gamma_L",),
    restricts=(Hypothesis.QUADRATIC, Hypothesis.ONE_CLIENT, Hypothesis.NO_NOISE),
)
