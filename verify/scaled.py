"""Equations such as ``zeta2 = L`` or ``distance2_0 = 1``, met by scaling the numbers that determine the measured quantity.

A quantity that is quadratic in some parameters of a family's runs takes any positive value if they are scaled by a root.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from nqm.elementary import sqrt
from nqm.fields import chosen, sq
from verify.engine.model.instance import Instance
from verify.engine.model.question import Question
from verify.engine.model.scene import Box, Condition, Named, Scene, Shape, Values
from verify.engine.search.step_sizes import definitions, solved
from verify.worlds import Family

SCALED: Mapping[str, str] = {
    "zeta2": "tilt",
    "sigma2": "sigma",
    "distance2_0": "start",
    "distance2_before": "start",
}
"""Quantities of a run, and the parameter in which each is quadratic, while no other constant depends on it."""


def meeting_equations(scene: Scene, conditions: Sequence[Condition]) -> Scene:
    """The scene of runs in a family, with every quantity chosen like a step size that an equation gives by constants.

    Any other scene, and a scene without such an equation, is returned unchanged.
    """
    family = getattr(scene.known, "__self__", None)
    if not isinstance(family, Family):
        return scene
    constants = {"L", "G2", *SCALED, *scene.shapes[0]}
    left = _no_step_sizes(scene, conditions, constants)
    for equation in left:
        for name, parameter in SCALED.items():
            formula = solved(name, equation)
            if formula is None or formula == 0 or not _determined(scene, name, parameter):
                continue
            if {s.name for s in formula.free_symbols} <= {*constants, *scene.steps}:
                scene = _with_scaled(scene, name, parameter, formula)
                break
    return scene


def _no_step_sizes(scene: Scene, conditions: Sequence[Condition], constants: set[str]) -> list[Condition]:
    """The conditions that define no step size, where definitions without scaled quantities go first."""
    steps, left = list(scene.steps), list(conditions)
    for names in (constants - SCALED.keys(), constants):
        defined = definitions(tuple(steps), tuple(left), frozenset({*names, *scene.steps} - set(steps)))
        steps = [step for step in steps if step not in defined]
        left = [condition for condition in left if condition not in [c for c, _ in defined.values()]]
    return left


def _determined(scene: Scene, name: str, parameter: str) -> bool:
    """Whether a parameter of the scene determines the quantity, and no earlier equation has scaled it."""
    one_round = all(shape.get("t") == 1 for shape in scene.shapes)
    there = any(parameter in scene.space(shape) for shape in scene.shapes)
    taken = any(SCALED.get(step) == parameter for step in scene.steps)
    return there and not taken and (name != "distance2_before" or one_round)


def _with_scaled(scene: Scene, name: str, parameter: str, formula: sp.Expr) -> Scene:
    def unscaled(shape: Shape, values: Named) -> Values:
        start = {n: sq(values["start"]) for n, of in SCALED.items() if of == "start"}
        return {**start, **scene.known(shape, values)}

    def known(shape: Shape, values: Named) -> Values:
        return {n: value for n, value in unscaled(shape, values).items() if n != name}

    def compute(shape: Shape, values: Named) -> Values:
        if parameter not in values:
            return {**scene.compute(shape, values), name: 0 * values[name]}
        numbers, before = values[parameter], unscaled(shape, values)[name]
        none, one = 0 * before, 0 * before + 1
        share = sqrt(values[name] / chosen(operator.gt, before, none, before, one))
        scaled = numbers * share.reshape(-1, *(1,) * (numbers.ndim - 1))
        reached = chosen(operator.gt, before, none, none + values[name], none)  # 0 cannot be scaled
        return {**scene.compute(shape, {**values, parameter: scaled}), name: reached}

    first = not {s.name for s in formula.free_symbols} & set(scene.steps)
    return replace(
        scene,
        name=f"{scene.name}, scaled for {name}",
        space=lambda shape: {**scene.space(shape), name: Box(1, 1)},
        known=known,
        compute=compute,
        steps=(name, *scene.steps) if first else (*scene.steps, name),
        proposed=_scaled_proposals(scene, name, unscaled),
    )


def _scaled_proposals(
    scene: Scene, name: str, unscaled: Callable[[Shape, Named], Values]
) -> Callable[..., Any]:
    """The instances that the scene itself proposes, with the value of the quantity there."""

    def proposed(question: Question) -> Any:
        for instance in scene.proposed(replace(question, scene=scene)) if scene.proposed else ():
            there = {n: value[None] for n, value in {**instance.parameters, **instance.sizes}.items()}
            value = np.array(np.ravel(unscaled(instance.shape, there)[name])[0], dtype=object)
            one = np.array(Fraction(1), dtype=object)
            yield Instance(
                instance.shape, {**instance.parameters, name: one}, {**instance.sizes, name: value}
            )

    return proposed
