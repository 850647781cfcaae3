"""Steps on an arbitrary L-smooth and c-strongly convex loss, with arbitrary gradients and all values that the constants allow.

A loss enters a proof through its values and gradients at a few models. Here these are arbitrary, and the slacks of the two
definitions are parameters. An identity in this scene therefore holds for every such loss, and not only for quadratic ones.
"""

from __future__ import annotations

import sympy as sp

import bounds.fedmes.descent as b
from bounds.catalogue import statement
from bounds.fedmes.symbols import c
from bounds.relations import eq, le
from nqm.fields import Array, dot, sq
from verify.engine.model.scene import Box, Condition, Fact, Named, Scene, Shape, Values
from verify.scenes.fedmes.samples import SIZES, mean
from verify.scenes.parameters import column

slope = sp.Symbol("slope", real=True)
"""Inner product of the memory gradient with the difference to the optimum."""
way2 = sp.Symbol("way2", nonnegative=True)
"""Squared distance from the optimum."""
SMOOTH = statement("fedmes.eq33.smooth").compared
"""The definition of L along a step."""
STRONG = le(b.gap, slope - c * way2 / 2)
"""The definition of c between a model and the optimum."""
DEFINED = (SMOOTH, STRONG)

EXPECTED = statement("fedmes.eq34").compared
STEEP = statement("fedmes.eq36.convex").compared
SECOND = statement("fedmes.eq30/corrected").compared
SHIFTED = eq(b.gap_next - b.gap, b.expected - b.now)
STEP = statement("fedmes.eq37").compared
"""Eq. (37); its slack includes those of the assumptions on the batches."""
_OF_BATCHES: dict[str, Condition] = {
    **{f"room_{id}": statement(f"fedmes.{id}").compared for id in b.ASSUMED},
    "room_rate": b.RATE,
}


def any_step(shape: Shape, values: Named) -> Values:
    """A step along batch gradients `batch` (batch, S, d) with the memory gradient `whole` (batch, d)."""
    batch, whole, away = values["batch"], values["whole"], values["away"]
    move = -column(values["A_s"] * values["eta_s"], 2) * batch
    along, step2, middle = dot(whole[:, None], move), sq(move), mean(batch)
    now, after, gap = values["now"], values["after"], values["now"] - values["least"]
    found = {
        "mem_gradient2": sq(whole),
        "align": dot(whole, middle),
        "mean2": sq(middle),
        "variance": mean(sq(batch - middle[:, None])),
        "square2": mean(sq(batch)),
        "along": along,
        "step2": step2,
        "expected": mean(after),
        "gap": gap,
        "gap_next": mean(after) - values["least"],
        "slope": dot(whole, away),
        "way2": sq(away),
    }
    return {
        **found,
        "left_smooth": along + column(values["L"], 1) * step2 / 2 - (after - now[:, None]),
        "left_strong": found["slope"] - values["c"] * found["way2"] / 2 - gap,
        "slack_smooth": values["smooth"],
        "slack_steep": steeper(values),
    }


def steeper(values: Named) -> Array:
    """The squared gradient minus 2 c times the gap."""
    beyond = values["whole"] - values["c"][:, None] * values["away"]
    return sq(beyond) + 2 * values["c"] * values["strong"]


def _with_batches(shape: Shape, values: Named) -> Values:
    """A step with arbitrary constants of Assumptions 2 and 3."""
    found = any_step(shape, values)
    size, mu, smooth, square = (
        values["eta_s"] * values["A_s"],
        values["mu"],
        values["L"],
        found["mem_gradient2"],
    )
    M_G = values["M_V"] + values["mu_G"] ** 2
    noisy = values["room_ass2.length"] + values["room_ass3"]
    return {
        **found,
        "M_G": M_G,
        "left_ass2": found["align"] - mu * square,
        "left_ass2.length": values["mu_G"] ** 2 * square - found["mean2"],
        "left_ass3": values["Mn"] + values["M_V"] * square - found["variance"],
        "left_rate": mu / (smooth * M_G) - size,
        "slack": size
        * (values["room_ass2"] + mu * steeper(values) / 2 + square * smooth * M_G * values["room_rate"] / 2)
        + mean(values["smooth"])
        + size**2 * smooth * noisy / 2,
    }


def space(shape: Shape) -> dict[str, Box]:
    """Parameters: arbitrary vectors and values, the numbers of a step, and the slacks of the definitions."""
    S, dim = shape["S"], shape["d"]
    return {
        "batch": Box(-1, 1, (S, dim)),
        **dict.fromkeys(("whole", "away"), Box(-1, 1, (dim,))),
        "after": Box(-1, 1, (S,)),
        **dict.fromkeys(("now", "least"), Box(-1, 1)),
        "smooth": Box(0.1, 1, (S,)),
        **dict.fromkeys(("A_s", "eta_s", "c", "L", "strong"), Box(0.1, 1)),
    }


_COVERS = (
    "an identity for any gradients, models and values of a loss, where what its constants leave is taken as it is; every \
coordinate and every sample is alike"
)
ANY = Scene(
    name="a step along any batch gradients in any smooth and strongly convex loss",
    shapes=SIZES,
    space=space,
    compute=any_step,
    covers=_COVERS,
)
_WITH_BATCHES = ANY.variant(
    "the same with any constants of the batches",
    space=lambda shape: {
        **space(shape),
        **dict.fromkeys(("mu", "mu_G", *_OF_BATCHES), Box(0.1, 1)),
        **dict.fromkeys(("Mn", "M_V"), Box(0, 1)),
    },
    compute=_with_batches,
)
_LEFT = {"smooth": ("left_smooth", SMOOTH), "strong": ("left_strong", STRONG)}

OF_BATCHES = (Fact(SECOND, ANY),)
OF_STEPS = (
    *OF_BATCHES,
    Fact(SMOOTH, ANY, "slack_smooth", _LEFT),
    Fact(
        EXPECTED,
        ANY.variant(
            f"{ANY.name}, on average",
            compute=lambda shape, values: {**any_step(shape, values), "slack": mean(values["smooth"])},
        ),
        "slack",
        _LEFT,
    ),
    Fact(STEEP, ANY, "slack_steep", _LEFT),
    Fact(SHIFTED, ANY),
)
OF_SEVERAL = Fact(
    STEP,
    _WITH_BATCHES,
    "slack",
    {**_LEFT, **{room: (room.replace("room", "left"), condition) for room, condition in _OF_BATCHES.items()}},
)
