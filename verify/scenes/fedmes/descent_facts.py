"""Facts about a step in a quadratic loss: none is bent by more than L, and where the loss is large so is its gradient."""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp

import bounds.fedmes.descent as b
from bounds.catalogue import statement
from bounds.fedmes.symbols import L, c
from bounds.relations import eq, le
from nqm.fields import Array, sq
from verify.engine.scene import Box, Fact, Scene, Shape, Values
from verify.scenes.fedmes.projection import area2
from verify.scenes.fedmes.samples import SIZES, Named, batches, bias_space, gradients, mean

Compute = Callable[[Shape, Named], Values]

BENT = le(b.step_bend, L * b.step2)
BENT_ON_AVERAGE = le(b.mean_bend, L * b.square2)
STEEP = le(2 * c * b.gap, b.mem_gradient2)
SHIFTED = eq(b.gap_next - b.gap, b.expected - b.now)
CROSSED = le(b.align**2, b.mem_gradient2 * b.mean2)

_COVERS = (
    "an identity for any quadratic losses of {} in one and two dimensions, where what the constants leave is taken as it is; \
every coordinate and every sample is alike"
)
_curvature = sp.Symbol("curvature", positive=True)
WITHIN = (le(_curvature, L), le(c, _curvature))
"""What L and c are defined by: no mean curvature of the samples is beyond them."""
_LEFT = {"less": ("left_less", WITHIN[0]), "more": ("left_more", WITHIN[1])}


def left_by(values: Named, whole: Array) -> Values:
    """What the constants L and c leave of the mean curvatures, (batch, d)."""
    return {"left_less": values["L"][:, None] - whole, "left_more": whole - values["c"][:, None]}


def anything(shape: Shape) -> dict[str, Box]:
    """Samples of any curvature, batches that are biased, what constants leave, and the numbers of a step."""
    S, dim = shape["S"], shape["d"]
    return {
        "h": Box(0.1, 1, (S, dim)),
        "c_sample": Box(-1, 1, (S, dim)),
        "x": Box(-1, 1, (dim,)),
        **bias_space(shape),
        **dict.fromkeys(("less", "more"), Box(0.1, 1, (dim,))),
        **dict.fromkeys(("A_s", "eta_s", "c", "L"), Box(0.1, 1)),
    }


def facts_of_steps(one_step: Compute) -> tuple[Fact, ...]:
    """Facts about a step along any batch gradient."""

    def compute(shape: Shape, values: Named) -> Values:
        whole, batch = mean(values["h"]), batches(values, values["x"])
        away = values["x"] - mean(values["h"] * values["c_sample"]) / whole
        less, size = values["less"][:, None], (values["A_s"] * values["eta_s"])[:, None, None]
        return {
            **one_step(shape, values),
            **left_by(values, whole),
            "slack_bent": (less * (size * batch) ** 2).sum(axis=-1),
            "slack_average": mean((less * batch**2).sum(axis=-1)),
            "slack_steep": (whole * values["more"] * away**2).sum(axis=-1),
        }

    scene = Scene(
        name="a step along any batch gradient",
        shapes=SIZES,
        space=anything,
        compute=compute,
        covers=_COVERS.format("one and two samples"),
    )
    return (
        Fact(BENT, scene, "slack_bent", _LEFT),
        Fact(BENT_ON_AVERAGE, scene, "slack_average", _LEFT),
        Fact(STEEP, scene, "slack_steep", _LEFT),
        Fact(SHIFTED, scene),
    )


def facts_of_moments(moments: Compute) -> tuple[Fact, ...]:
    """Cauchy and Schwarz for the memory gradient and the mean batch gradient."""

    def compute(shape: Shape, values: Named) -> Values:
        whole = mean(gradients(values["h"], values["c_sample"], values["x"]))
        return {**moments(shape, values), "slack": area2(whole, mean(batches(values, values["x"])))}

    scene = Scene(
        name="any batch gradient",
        shapes=SIZES,
        space=anything,
        compute=compute,
        covers=_COVERS.format("one and two samples"),
    )
    return (Fact(CROSSED, scene, "slack"),)


RANGES = (le(b.mem_curve, _curvature), le(sp.Symbol("bends", nonnegative=True), b.bend_range))
"""What the smallest curvature and the difference of curvatures are."""


def varies_little(constants: Compute) -> Fact:
    """The variance of unbiased batch gradients at any model, by that at the optimum and the memory gradient."""

    def compute(shape: Shape, values: Named) -> Values:
        one = 1 + 0 * values["mem_curve"]
        drawn = {**values, "bias": one, "turn": 0 * one}
        h, c = values["h"], values["c_sample"]
        whole = mean(h)
        optimum = mean(h * c) / whole
        away = values["x"] - optimum
        least, widest = values["mem_curve"][:, None], values["bend_range"][:, None]
        there = gradients(h, c, optimum)
        parted = there - (h - whole[:, None]) * away[:, None]
        steep = widest**2 * values["more"] * (whole + least) / least**2
        return {
            **constants(shape, drawn),
            "mem_curve": values["mem_curve"],
            "bend_range": values["bend_range"],
            "left_more": whole - least,
            "left_less": widest[:, None] ** 2 - (h - whole[:, None]) ** 2,
            "slack": mean(sq(parted)) + 2 * ((steep + mean(values["less"])) * away**2).sum(axis=-1),
        }

    scene = Scene(
        name="samples of the memory with any curvatures, at any model",
        shapes=SIZES,
        space=lambda shape: {
            **{name: box for name, box in anything(shape).items() if name in ("h", "c_sample", "x")},
            "less": Box(0.1, 1, (shape["S"], shape["d"])),
            "more": Box(0.1, 1, (shape["d"],)),
            **dict.fromkeys(("mem_curve", "bend_range"), Box(0.1, 1)),
        },
        compute=compute,
        covers=_COVERS.format("one and two samples"),
    )
    rooms = {"more": ("left_more", RANGES[0]), "less": ("left_less", RANGES[1])}
    return Fact(statement("fedmes.ass3.samples").compared, scene, "slack", rooms)
