"""Facts about consecutive steps along batch gradients: the effect of each step, the product of the rates, and the start."""

from __future__ import annotations

import bounds.fedmes.descent as b
from bounds.relations import eq
from nqm.fields import Array
from verify.engine.model.scene import Box, Fact, Scene, Values
from verify.scenes.fedmes.smooth_losses import OF_SEVERAL
from verify.scenes.norms_of_sums import AnyNumber
from verify.scenes.summands import meant

STARTS = (eq(b.gap_mean, b.gap_1), eq(b.shrunk_before, 1))
"""Initial values before the first step."""


def one_more(before: Array, least: Array, rate: Array) -> Array:
    """A product of 1 - eta_i c mu A_i with one more factor, of c mu = `least` and eta_i A_i = `rate`."""
    return before * (1 - least * rate)


def shrinking(least: Array, rates: Array, r: int) -> Values:
    """These products after r, r + 1 and r + 2 steps, with rates (batch, r + 2 or more), and the rates after r steps."""
    over = [1 + 0 * least]
    for step in range(r + 2):
        over.append(one_more(over[-1], least, rates[:, step]))
    return {
        **{"shrunk_before": over[r], "shrunk": over[r + 1], "shrunk_more": over[r + 2]},
        **{"eta_s": rates[:, r], "eta_next": rates[:, r + 1]},
    }


def facts_of_several() -> tuple[Fact | AnyNumber, ...]:
    """Facts about the effect of a step, its rate, and the product of the rates."""
    return OF_SEVERAL, _within(), _shrinks()


def _within() -> Fact:
    """The fact that the rate of every step is at most the limit of (35)."""
    scene = Scene(
        name="rates within (35)",
        shapes=({},),
        space=lambda shape: dict.fromkeys(("mu", "L", "M_G", "eta_s", "A_s", "room"), Box(0.1, 1)),
        compute=lambda shape, values: {
            "left": values["mu"] / (values["L"] * values["M_G"]) - values["eta_s"] * values["A_s"]
        },
        covers="how the rates are chosen",
    )
    return Fact(b.RATE, scene, "room", {"room": ("left", b.RATE)})


def _shrinks() -> Fact:
    names = ("c", "mu", "A_s", "eta_s", "shrunk_before")
    scene = Scene(
        name="what a step leaves of a product",
        shapes=({},),
        space=lambda shape: dict.fromkeys(names, Box(0.1, 1)),
        compute=lambda shape, values: {
            "shrunk": one_more(
                values["shrunk_before"], values["c"] * values["mu"], values["eta_s"] * values["A_s"]
            )
        },
        covers="the same for every step",
    )
    return Fact(b.SHRINKS, scene)


FIRST_STEP = tuple(map(meant, STARTS))
"""Before the first step nothing has been drawn, and no rate is a factor."""
