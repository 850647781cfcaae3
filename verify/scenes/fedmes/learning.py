"""Corrections that also descend the memory's loss: one of them, several in a row, and steps that learn nothing."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import sympy as sp

from bounds.fedmes.correction import gt2
from bounds.fedmes.descent import gap
from bounds.fedmes.learning import kappa, learnt_bend
from bounds.fedmes.projection import gm2
from bounds.fedmes.symbols import L, c
from nqm.fields import Array, amax, dot, sq, stack
from verify.engine.scene import Box, Fact, Proved, Scene, Shape, Values
from verify.scenes.fedmes.correction import CORRECTED, WITHIN, correction
from verify.scenes.fedmes.samples import Named
from verify.scenes.parameters import column

Direction = Callable[[Array, Array, Array], Array]
"""(correction, memory gradient, kappa) -> what is subtracted, times eta_2; a leading axis for equally likely outcomes."""

BENT = sp.Le(learnt_bend, L * (gt2 + kappa**2 * gm2))
STEEP = sp.Le(2 * c * gap, gm2)


def learns(step: Array, memory: Array, share: Array) -> Array:
    """The correction, and a share of the memory gradient."""
    return (step + share * memory)[None]


def ascends(step: Array, memory: Array, share: Array) -> Array:
    """The share of the memory gradient with the wrong sign."""
    return (step - share * memory)[None]


def stands_still(step: Array, memory: Array, share: Array) -> Array:
    """No step at all."""
    return (0 * step)[None]


def walks(step: Array, memory: Array, share: Array) -> Array:
    """The right way or the opposite one, equally likely."""
    return stack([step + share * memory, -step - share * memory], 0)


def one_step(direction: Direction, shape: Shape, values: Named) -> Values:
    """One step from the displacement `y` of the memory's optimum, where the current gradient is g."""
    curve = values["convex"][:, None] + values["more"]
    y, g, share = values["y"], values["g"], values["kappa"][:, None]
    memory = curve * y
    step = correction(g, memory[:, None])[:, 0]
    way = direction(step, memory, share)
    height = lambda at: (curve * at**2).sum(axis=-1) / 2  # noqa: E731
    return {
        "c": values["convex"],
        "L": values["convex"] + amax(values["more"], -1),
        "curvature": curve,
        "gt2": sq(step),
        "gm2": sq(memory),
        "inner_now": dot(g, memory),
        "learnt_bend": (curve * way**2).sum(axis=-1).sum(axis=0) / len(way),
        "gap": height(y),
        "gap_next": height(y - values["eta_2"][:, None] * way).sum(axis=0) / len(way),
    }


def _facts() -> tuple[Fact, ...]:
    def compute(shape: Shape, values: Named) -> Values:
        found = one_step(learns, shape, values)
        curve = column(values["convex"], 1) + values["more"]
        memory = curve * values["y"]
        step = correction(values["g"], memory[:, None])[:, 0] + values["kappa"][:, None] * memory
        return {
            **found,
            "L": values["L"],
            "left_less": values["L"][:, None] - curve,
            "slack_bent": (values["less"] * step**2).sum(axis=-1),
            "slack_steep": (curve * values["more"] * values["y"] ** 2).sum(axis=-1),
        }

    scene = Scene(
        name="a correction that learns, with any curvature",
        shapes=CORRECTED.shapes,
        space=lambda shape: {
            **_space(shape),
            **dict.fromkeys(("more", "less", "y"), Box(0.1, 1, (shape["d"],))),
            "L": Box(0.1, 1),
        },
        compute=compute,
        covers="an identity for any quadratic loss of the memory and any current gradient in one and two dimensions, where what "
        "the constants leave is taken as it is; every coordinate is alike, and to turn it around changes nothing",
    )
    less = {"less": ("left_less", WITHIN)}
    return Fact(BENT, scene, "slack_bent", less), Fact(STEEP, scene, "slack_steep")


def _space(shape: Shape) -> dict[str, Box]:
    return {**CORRECTED.space(shape), "kappa": Box(0.05, 2, scale="log"), "eta_2": Box(0.01, 0.9)}


LEARNING = CORRECTED.variant(
    "a correction that learns",
    space=_space,
    known=lambda shape, values: {"L": values["convex"] + amax(values["more"], -1)},
    steps=("eta_2",),
    compute=Proved(partial(one_step, learns), _facts(), (WITHIN,)),
)
PLACEBOS = tuple(
    LEARNING.variant(f"a correction that {words}", compute=partial(one_step, direction))
    for direction, words in (
        (ascends, "ascends the memory's loss"),
        (stands_still, "does not move"),
        (walks, "goes either way"),
    )
)


def several_steps(shape: Shape, values: Named) -> Values:
    """w^(1) to w^(s), displacements of the memory's optimum, with a quadratic current loss around `aim`."""
    curve = values["convex"][:, None] + values["more"]
    y, rate = values["y"], values["eta_2"][:, None]
    height = lambda at: (curve * at**2).sum(axis=-1) / 2  # noqa: E731
    first, lengths = height(y), []
    for _ in range(shape["s"] - 1):
        g, memory = values["h"] * (y - values["aim"]), curve * y
        step = correction(g, memory[:, None])[:, 0]
        lengths.append(sq(step))
        y = y - rate * (step + values["kappa"][:, None] * memory)
    return {"c": values["convex"], "gap_1": first, "gap_s": height(y), "moved2": amax(stack(lengths, -1), -1)}


AGAIN = LEARNING.variant(
    "corrections that learn, one after the other",
    shapes=tuple({"s": s, "d": d} for s, d in ((2, 1), (2, 2), (3, 2), (5, 2), (9, 2))),
    space=lambda shape: {**_space(shape), "aim": Box(-2, 2, (shape["d"],))},
    compute=several_steps,
    covers="",
)
