"""Facts about the gradients of samples at one model: the Cauchy-Schwarz inequality and their variance."""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp

import bounds.fedmes.descent as b
from bounds.catalogue import statement
from bounds.hypotheses import Hypothesis
from bounds.relations import le
from nqm.fields import sq
from verify.engine.model.scene import Box, Fact, Scene, Shape, Values
from verify.scenes.fedmes.projection import area2
from verify.scenes.fedmes.samples import SIZES, Named, batches, bias_space, gradients, mean

Compute = Callable[[Shape, Named], Values]

CROSSED = le(b.align**2, b.mem_gradient2 * b.mean2)

_COVERS = "an identity for any gradients of {} at a model in one and two dimensions; every coordinate and every sample is alike"
_curvature = sp.Symbol("curvature", positive=True)


def anything(shape: Shape) -> dict[str, Box]:
    """Samples of any curvature, a model, and batches that are biased."""
    S, dim = shape["S"], shape["d"]
    return {
        "h": Box(0.1, 1, (S, dim)),
        "c_sample": Box(-1, 1, (S, dim)),
        "x": Box(-1, 1, (dim,)),
        **bias_space(shape),
        **dict.fromkeys(("A_s", "eta_s", "c", "L"), Box(0.1, 1)),
    }


def facts_of_moments(moments: Compute) -> tuple[Fact, ...]:
    """The Cauchy-Schwarz inequality for the memory gradient and the mean batch gradient."""

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
"""The definitions of the smallest curvature and of the range of curvatures."""


def varies_little(constants: Compute) -> Fact:
    """Bound on the variance of unbiased batch gradients at any model by that at the optimum and the memory gradient."""

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
        covers="an identity for any quadratic losses of one and two samples with common axes, where what the constants leave is "
        "taken as it is; every coordinate and every sample is alike",
        restricts=(Hypothesis.QUADRATIC, Hypothesis.COMMON_AXES),
    )
    rooms = {"more": ("left_more", RANGES[0]), "less": ("left_less", RANGES[1])}
    return Fact(statement("fedmes.ass3.samples").compared, scene, "slack", rooms)
