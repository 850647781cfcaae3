"""Scenes for trivial bounds: worlds in which the past loss has an infimum, and the vectors of the forgetting term."""

from __future__ import annotations

from typing import Any

from bounds.catalogue import statement
from bounds.cflag.symbols import ds, fd2, s2
from nqm.fields import dot, sq
from verify.engine.model.scene import Box, Named, Proved, Scene, Shape, Values
from verify.engine.model.sums import Sums
from verify.scenes.cflag.forgetting import ROUND
from verify.scenes.cflag.growth import WIDE
from verify.scenes.cflag.memories import clients_of, redrawn_memory
from verify.scenes.cflag.memory_measures import expected, one_round, whole_run
from verify.scenes.cflag.rate import ANEW, OF_MEMORY
from verify.scenes.cflag.repairs import least_loss
from verify.scenes.trees import square


def _bounded_below(scene: Scene) -> dict[str, Any]:
    """Sizes and worlds with convex past losses, so that their infimum is known."""
    return {
        "shapes": tuple(shape for shape in scene.shapes if shape["turned"] < 2),
        "space": lambda shape: {**scene.space(shape), "bent": Box(1, 1, (shape["N"],))},
    }


def _from_infimum(shape: Shape, values: Named) -> Values:
    found = one_round(shape, values)
    return {**found, "f_above": found["f_now"] - least_loss(clients_of(shape, values))}


def _redrawn(shape: Shape, values: Named) -> Values:
    clients = clients_of(shape, values)
    found = whole_run(shape, values, clients, redrawn_memory(shape))
    start = found["f"][:, 0].sum(axis=1) / found["f"].shape[2]
    return {
        **expected(values, found),
        **{name: found[name] for name in OF_MEMORY},
        "F_most": start - least_loss(clients)[:, 0],
    }


FROM_INFIMUM = ROUND.variant(
    "a round of C-FLAG, past losses bounded below", compute=_from_infimum, **_bounded_below(ROUND)
)
REDRAWN_FROM_INFIMUM = ANEW.variant(
    "expectations of C-FLAG with memories drawn in every round, from the infimum of the past loss",
    compute=_redrawn,
    **_bounded_below(ANEW),
)


_YOUNG = Sums(
    statement("cflag.lem4.free").compared,
    {s2: square("s"), fd2: square("fd"), ds: ["dot", "fd", "s"]},
    {"fd": "vector", "s": "vector"},
    statement("cflag.lem4.free").conditions,
)
"""The forgetting term for any memory gradient, and any sum of delayed gradients."""
ANY_ANGLE = WIDE.variant(
    "the forgetting term of a round, whatever its angles",
    compute=Proved(lambda shape, values: WIDE.compute(shape, values), (_YOUNG,)),
)
NO_STEPS = Scene(
    name="a round at the rate zero on the current data",
    shapes=({"d": 1}, {"d": 2}),
    space=lambda shape: {
        **dict.fromkeys(("fd", "s"), Box(-1, 1, (shape["d"],))),
        **dict.fromkeys(("alpha", "L"), Box(0.1, 1)),
    },
    compute=lambda shape, values: {
        "round_w": values["L"] / 2 * sq(0 * values["s"])
        - (1 - values["L"] * values["alpha"]) * dot(values["fd"], 0 * values["s"])
    },
    covers="equal as polynomials, whatever the gradients are",
)
