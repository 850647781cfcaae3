"""Both sides of a question along one quantity: in one world, and the largest lhs/rhs over random worlds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import sympy as sp
import torch

from verify.engine.model.arithmetic import ARITHMETIC, side, side_by_side
from verify.engine.model.instance import oriented
from verify.engine.model.question import Question
from verify.engine.model.scene import Condition, Shape, Values, quantities
from verify.engine.search.adversary import admissible, compared, judge_batch
from verify.engine.search.sampling import sample
from verify.engine.search.step_sizes import settle

World = Mapping[str, torch.Tensor]
"""Parameters of instances, each (batch, ...)."""
SMALL = 0.1


@dataclass(frozen=True)
class Course:
    """Both sides in one world at the values `at` of the quantity, and `met`: whether all conditions are met. Each (n,)."""

    at: np.ndarray
    left: np.ndarray
    right: np.ndarray
    met: np.ndarray


@dataclass(frozen=True)
class Ratios:
    """lhs/rhs over random worlds: the largest and the median, NaN where none met the conditions. Each (n,)."""

    largest: np.ndarray
    median: np.ndarray
    trials: np.ndarray


def tightest_world(question: Question, shape: Shape, given: World, batch: int, seed: int) -> World:
    """The random world, among those that meet the conditions, that breaks the relation most or comes closest to it.

    Worlds in which both sides are less than `SMALL` times the median do not count, because tiny sides are trivially close.

    Parameters
    ----------
    given : mapping
        Fixed parameters, each (1, ...); names that the scene does not have are ignored.

    Raises
    ------
    ValueError
        If none of them meets the conditions.
    """
    worlds = _worlds(question, shape, given, batch, seed)
    sizes = settle(question.scene, question.conditions, shape, worlds, ARITHMETIC["torch"])
    values = quantities(question.scene, shape, worlds, sizes)
    margin, _, _ = compared(question.relation, values, batch)
    met = admissible(question.conditions, values, batch, 0.0) & torch.isfinite(margin)
    if not met.any():
        raise ValueError(f"none of {batch} worlds meets the conditions of {question.id} at {dict(shape)}")
    small, large = (_side(part, values, batch).abs().amax(dim=1) for part in oriented(question.relation))
    extent = small + large
    met &= extent >= SMALL * extent[met].median()
    best = int(torch.where(met, margin, torch.full_like(margin, -torch.inf)).argmax())
    return {name: value[best : best + 1] for name, value in worlds.items()}


def course(
    question: Question, shape: Shape, world: World, axis: str, values: Sequence[float], shown: str = ""
) -> Course:
    """Both sides for the given `values` of a size or a parameter of the scene; step sizes are computed again at each value.

    `shown` is the quantity returned as `at`, by default the axis itself.
    """
    rows = [_row(question, *_with_value(shape, world, axis, value), shown or axis) for value in values]
    return Course(*(np.array(column) for column in zip(*rows, strict=True)))


def ratios(
    question: Question, shape: Shape, axis: str, values: Sequence[float], batch: int, seed: int
) -> Ratios:
    """lhs/rhs of `batch` random worlds at each of the `values`."""
    found = []
    for value in values:
        there, given = _with_value(shape, {}, axis, value)
        _, ratio, met, _ = judge_batch(question, there, _worlds(question, there, given, batch, seed))
        found.append(ratio[met & torch.isfinite(ratio)].detach().numpy())
    return Ratios(
        np.array([max(some, default=np.nan) for some in found]),
        np.array([np.median(some) if len(some) else np.nan for some in found]),
        np.array([len(some) for some in found]),
    )


def _worlds(question: Question, shape: Shape, given: World, batch: int, seed: int) -> World:
    drawn = sample(question.scene.space(shape), np.random.default_rng([seed, *shape.values()]), batch)
    return {
        name: given[name].expand(value.shape).clone()
        if name in given and given[name].shape[1:] == value.shape[1:]
        else torch.as_tensor(value, dtype=torch.float64)
        for name, value in drawn.items()
    }


def _with_value(shape: Shape, world: World, axis: str, value: float) -> tuple[Shape, World]:
    if axis in shape:
        return {**shape, axis: int(value)}, world
    return shape, {**world, axis: torch.tensor([value], dtype=torch.float64)}


def _side(part: sp.Expr, values: Values, batch: int) -> torch.Tensor:
    found = side(part, values, "torch", batch)
    return found if isinstance(found, torch.Tensor) else torch.as_tensor(np.asarray(found, dtype=float))


def _row(question: Question, shape: Shape, world: World, shown: str) -> tuple[float, float, float, bool]:
    """The shown quantity, both sides at the worst of their further axes, and whether the conditions are met."""
    sizes = settle(question.scene, question.conditions, shape, world, ARITHMETIC["torch"])
    values = quantities(question.scene, shape, world, sizes)
    at = {**values, **world}[shown]
    parts = (question.relation.lhs, question.relation.rhs)
    left, right = (np.asarray(part, dtype=float)[0] for part in side_by_side(parts, values, "torch", 1))
    worst = int(np.argmax(_margin(question.relation, left, right)))
    met = bool(admissible(question.conditions, values, 1, 0.0)[0])
    return float(at), float(left[worst]), float(right[worst]), met


def _margin(relation: Condition, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Relative margin of the relation (positive: broken); -1 if both sides are zero or one is infinite."""
    gap = np.abs(left - right) if isinstance(relation, sp.Eq) else left - right
    scale = np.abs(left) + np.abs(right)
    turned = -gap if isinstance(relation, sp.Ge | sp.Gt) else gap
    told = (scale > 0) & np.isfinite(scale)
    margin = np.full(np.shape(scale), -1.0)
    np.divide(turned, scale, out=margin, where=told)
    return margin
