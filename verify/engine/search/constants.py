"""Constants smaller than the quantity they bound: this breaks an assumption in a scene that computes its constants
itself.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import sympy as sp

from nqm.fields import to_float
from verify.engine.model.instance import oriented
from verify.engine.model.scene import Box, Condition, Named, Scene, Shape, Values
from verify.engine.search.sampling import sample

SHARE = "share_of_constant"
"""Parameter: the share to which a constant is reduced."""
FEW = 16
"""Random instances that show which quantities depend on which parameters."""


def given_smaller(
    scene: Scene, condition: Condition, relation: Condition, others: Sequence[Condition]
) -> Scene | None:
    """The scene with constants of an assumption that are too small, or too large for a lower bound.

    None if the condition does not compare a measured quantity with constants from `known`. Also None if `known` computes,
    from these constants, another quantity that occurs in the relation or in `others` (the remaining conditions), because
    this quantity would keep its old value.
    """
    if isinstance(condition, sp.Eq | sp.Ne) or not _bounding(condition):
        return None
    known = set.union(*(set(_known_values(scene, shape)) for shape in scene.shapes))
    small, large = ({s.name for s in side.free_symbols} & known for side in oriented(condition))
    roomy = set.union(*(_following(scene, shape) for shape in scene.shapes))
    constants = ((small | large) & roomy) or (small ^ large)
    asked = {s.name for c in (relation, *others) for s in c.free_symbols} & known
    made = asked - constants.union(*map(_bounding, others))
    above, below = (
        {
            name
            for name in side & constants
            if not any(_dependent_quantities(scene, shape, name, made) for shape in scene.shapes)
        }
        for side in (large - small, small - large)
    )
    if not above | below:
        return None

    def changed(shape: Shape, values: Named) -> Values:
        found = scene.known(shape, values)
        less = {name: found[name] * _share(values, found[name]) for name in above & found.keys()}
        more = {name: found[name] / _share(values, found[name]) for name in below & found.keys()}
        return {**found, **less, **more}

    return replace(
        scene, known=changed, space=lambda shape: {**scene.space(shape), SHARE: Box(0.01, 0.99, scale="log")}
    )


def _share(values: Named, constant: Any) -> Any:
    """The share with as many further axes as a constant has."""
    return values[SHARE].reshape(-1, *(1,) * (constant.ndim - 1))


def _bounding(condition: Condition) -> set[str]:
    """The quantities of a condition with a single quantity on one side; none for a limit of a step size."""
    sides = oriented(condition)
    alone = any(isinstance(side, sp.Symbol) for side in sides)
    return {s.name for side in sides for s in side.free_symbols} if alone else set()


def _known_values(scene: Scene, shape: Shape, **changed: Any) -> Values:
    """Results of `known` at a few random instances, with some parameters changed."""
    drawn = sample(scene.space(shape), np.random.default_rng(0), FEW)
    with np.errstate(all="ignore"):
        return scene.known(shape, {**shape, **drawn, **changed})


def _following(scene: Scene, shape: Shape) -> set[str]:
    """Quantities that change with the slack."""
    if not scene.room:
        return set()
    tight, wide = (_known_values(scene, shape, **{scene.room: np.full(FEW, room)}) for room in (0.0, 0.5))
    return {name for name in tight if _differ(tight[name], wide[name]).any()}


def _dependent_quantities(scene: Scene, shape: Shape, constant: str, made: Collection[str]) -> set[str]:
    """Quantities that change with every parameter that changes a constant, and so may be computed from it."""
    before = _known_values(scene, shape)
    carried = set(made) & before.keys() if constant in before else set()
    for seed, (name, box) in enumerate(scene.space(shape).items(), start=1):
        if not carried:
            break
        after = _known_values(scene, shape, **sample({name: box}, np.random.default_rng(seed), FEW))
        touched = _differ(before[constant], after[constant])
        if touched.any():
            carried = {q for q in carried if (_differ(before[q], after[q]) & touched).any()}
    return carried


def _differ(one: Any, other: Any) -> np.ndarray:
    """Which instances have another value, (batch,)."""
    apart = to_float(one) != to_float(other)
    found: np.ndarray = (
        np.broadcast_to(apart, (FEW,)) if apart.ndim == 0 else apart.reshape(len(apart), -1).any(axis=1)
    )
    return found
