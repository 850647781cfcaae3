"""Constants smaller than the quantity they bound: this breaks an assumption in a scene that computes its constants
itself.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
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
    known = _known_names(scene)
    small, large = ({s.name for s in side.free_symbols} & known for side in oriented(condition))
    roomy = _following(scene)
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
    return _with_share(scene, frozenset(above), frozenset(below)) if above | below else None


@lru_cache(maxsize=256)
def _with_share(scene: Scene, above: frozenset[str], below: frozenset[str]) -> Scene:
    """The scene with upper limits `above` that are too small, and lower limits `below` that are too large; cached, because
    many claims share its random batches.
    """

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


@lru_cache(maxsize=256)
def _known_names(scene: Scene) -> frozenset[str]:
    """Names of the results of `known`, at one size or another."""
    return frozenset(name for shape in scene.shapes for name in _known_values(scene, shape, {}))


def _known_values(scene: Scene, shape: Shape, changed: Values) -> Values:
    """Results of `known` at a few random instances, with some parameters changed."""
    drawn = sample(scene.space(shape), np.random.default_rng(0), FEW)
    with np.errstate(all="ignore"):
        return scene.known(shape, {**shape, **drawn, **changed})


@lru_cache(maxsize=256)
def _changing(scene: Scene, sizes: tuple[tuple[str, int], ...]) -> Mapping[str, Mapping[str, np.ndarray]]:
    """By name of a parameter, the instances in which each result of `known` changes with it, (batch,); cached, because every
    condition of every claim asks for them.
    """
    shape = dict(sizes)
    before = _known_values(scene, shape, {})
    found = {}
    for seed, (name, box) in enumerate(scene.space(shape).items(), start=1):
        after = _known_values(scene, shape, sample({name: box}, np.random.default_rng(seed), FEW))
        found[name] = {quantity: _differ(before[quantity], after[quantity]) for quantity in before}
    return found


@lru_cache(maxsize=256)
def _following(scene: Scene) -> frozenset[str]:
    """Quantities that change with the slack, at one size or another."""
    found = set[str]()
    for shape in scene.shapes if scene.room else ():
        tight, wide = (_known_values(scene, shape, {scene.room: np.full(FEW, room)}) for room in (0.0, 0.5))
        found |= {name for name in tight if _differ(tight[name], wide[name]).any()}
    return frozenset(found)


def _dependent_quantities(scene: Scene, shape: Shape, constant: str, made: Collection[str]) -> set[str]:
    """Quantities that change with every parameter that changes a constant, and so may be computed from it."""
    carried = set(made)
    for changed in _changing(scene, tuple(shape.items())).values() if made else ():
        touched = changed.get(constant, np.zeros(FEW, dtype=bool))
        carried &= changed.keys() if constant in changed else set()
        if touched.any():
            carried = {quantity for quantity in carried if (changed[quantity] & touched).any()}
    return carried


def _differ(one: Any, other: Any) -> np.ndarray:
    """Which instances have another value, (batch,)."""
    apart = to_float(one) != to_float(other)
    found: np.ndarray = (
        np.broadcast_to(apart, (FEW,)) if apart.ndim == 0 else apart.reshape(len(apart), -1).any(axis=1)
    )
    return found
