"""The adversary: searches for instances that break a relation, or come closest to breaking it.

It evaluates batches of random and extreme instances, smallest shapes first, in NumPy floats. `verify.engine.search.ascent`
continues from the best of them by gradient ascent on the same margins. Everything here is float64 and only proposes
instances; `verify.engine.search.witness` confirms them.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import sympy as sp

from nqm.fields import Array, is_tensor, library, take_along, to_float, to_torch
from verify.engine.model.arithmetic import ARITHMETIC, convert, converted, exactly, side_by_side
from verify.engine.model.instance import Instance, oriented
from verify.engine.model.question import Question
from verify.engine.model.scene import Condition, Scene, Shape, Values, allowed_shapes, quantities
from verify.engine.search.degenerate import unusual
from verify.engine.search.lengths import is_quick, is_short
from verify.engine.search.sampling import sample
from verify.engine.search.step_sizes import settle

ROUNDING = 1e-9
"""A float64 violation below this relative margin counts as rounding."""

TINY = 1e-12
"""A large side below this value may be rounding."""

ROOM = 1e-2
"""Relative slack that a suspect should have in every condition."""


@dataclass(frozen=True)
class Search:
    """The result of a search: the number of instances that met all conditions, the largest lhs/rhs, and the worst instance.

    `margin` is (small - large) / (|small| + |large|) at the worst instance: positive means broken. `instance` is the worst
    one with a defined ratio, if there is any. `suspects` are violating instances to be confirmed. Those with slack in the
    conditions and those with the widest gap come first, because the largest relative margin may be a rounding error of two
    tiny sides.
    """

    trials: int = 0
    margin: float = -np.inf
    ratio: float | None = None
    instance: Instance | None = None
    suspects: tuple[Instance, ...] = ()

    def joined(self, other: Search) -> Search:
        """Both searches combined; the suspects are those of the search that came closer to a violation."""
        worst, rest = (self, other) if self.margin >= other.margin else (other, self)
        tight = max(self, other, key=lambda s: -1.0 if s.ratio is None else s.ratio)
        return Search(
            trials=self.trials + other.trials,
            margin=worst.margin,
            ratio=tight.ratio,
            instance=(worst if tight.ratio is None else tight).instance or rest.instance,
            suspects=worst.suspects,
        )


SMALL = 64
"""Largest number of instances of a small batch."""
STRICT = (sp.Lt, sp.Gt, sp.Ne)
"""Relations that are false if both sides are equal."""
_GAPS: Mapping[type, Callable[[Any, Any], Any]] = {
    sp.Eq: lambda a, b: abs(a - b),
    sp.Ne: lambda a, b: -abs(a - b),
}
"""By relation: the distance of two sides from meeting it, for relations other than "small <= large"."""


def margins(relation: Condition, values: Mapping[str, Any], batch: int) -> tuple[Array, Array]:
    """Relative margin (positive: broken) and lhs/rhs (NaN unless both are positive), worst over trailing axes."""
    margin, ratio, _ = compared(relation, values, batch)
    return margin, ratio


@np.errstate(all="ignore")
def compared(relation: Condition, values: Mapping[str, Any], batch: int) -> tuple[Array, Array, Array]:
    """Relative margin, lhs/rhs and absolute gap of a batch, (batch,) each, at the worst of the trailing axes.

    Works for NumPy floats and for tensors, and returns the same kind.
    """
    small, large = _both(oriented(relation), values, batch)
    if not small.shape[1]:  # a quantity has no entries, so neither side has a value
        none = small.sum(axis=1) * np.nan
        return none, none, none
    where, nan_to_num = library(small).where, library(small).nan_to_num
    # The margin (small - large)/(|small| + |large|) lies in [-1, 1] and does not change when both sides are scaled, so
    # instances of different sizes can be ranked. The ratio small/large is reported, but it is useless for negative sides.
    gap = _GAPS.get(type(relation), operator.sub)(small, large)
    scale = abs(small) + abs(large)
    # Zero against zero (nothing has moved yet) is the margin farthest from a violation; undefined margins stay undefined
    margin = where(scale == 0, -1.0, gap / scale.clip(1e-300))
    if isinstance(relation, STRICT):
        margin = where(gap == 0, 2 * ROUNDING, margin)  # equality breaks a strict relation
    told = (large > TINY) & (small >= 0)  # two sides that are rounding say nothing about tightness
    told = told & (not isinstance(relation, sp.Ne))
    ratio = where(told, small / large.clip(TINY), np.nan)
    # A vector relation is broken if one entry is.
    at_worst = nan_to_num(margin, nan=-1.0).argmax(axis=1, keepdims=True)
    margin, ratio, gap = (take_along(x, at_worst, 1)[:, 0] for x in (margin, ratio, gap))
    return margin, ratio, gap


def _kind(values: Mapping[str, Any]) -> str:
    return "torch" if "torch" in sys.modules and any(map(is_tensor, values.values())) else "float"


def _both(sides: tuple[sp.Expr, ...], values: Mapping[str, Any], batch: int) -> list[Array]:
    """Values of expressions, (batch, k) each, as tensors if any quantity is one."""
    kind = _kind(values)
    found = side_by_side(sides, values, kind, batch)
    return [x if is_tensor(x) else converted(x, kind) for x in found]


def _rows(value: Any, kind: str, batch: int) -> Array | None:
    """A quantity (batch, k) without its derivatives; None if it is the same in all instances."""
    if not np.ndim(value) or value.shape[:1] != (batch,) or is_tensor(value) != (kind == "torch"):
        return None
    return (value.detach() if is_tensor(value) else value).reshape(batch, -1)


def admissible(
    conditions: tuple[Condition, ...], values: Mapping[str, Any], batch: int, room: float
) -> Array:
    """Mask of instances whose quantities are finite and in their domains, and that meet every condition.

    Inequalities must be met with a relative slack of about `room`, equations up to rounding. Inequalities without rounding
    (between whole numbers or between zeros) need no slack.
    """
    return _finite(values, batch) & meeting(conditions, values, batch, room)


def _finite(values: Mapping[str, Any], batch: int) -> Array:
    """Mask of instances all of whose quantities are finite."""
    kind = _kind(values)
    mask = _everybody(kind, batch)
    for value in values.values():
        rows = _rows(value, kind, batch)
        if rows is not None:
            mask = mask & library(rows).isfinite(rows).all(axis=1)
    return mask


def meeting(conditions: tuple[Condition, ...], values: Mapping[str, Any], batch: int, room: float) -> Array:
    """The same for finite quantities: mask of instances that meet every condition and have positive values for positive
    symbols.
    """
    kind = _kind(values)
    mask = _everybody(kind, batch)
    positive = {s.name for condition in conditions for s in condition.free_symbols if s.is_positive}
    for name in positive & values.keys():
        rows = _rows(values[name], kind, batch)
        if rows is not None:
            mask = mask & (rows > 0).all(axis=1)
    for condition in conditions:
        margin = _detached(margins(condition, values, batch)[0])
        # An instance that meets a condition with slack survives the rounding to small fractions. An equation can only be met up
        # to rounding; its exact form is restored when the counterexample is confirmed.
        limit = ROUNDING if isinstance(condition, sp.Eq) else -room / 4 if room else 1e-12
        met = library(margin).nan_to_num(margin, nan=np.inf) <= limit
        mask = mask & (met | _without_rounding(condition, values, margin, batch) if room else met)
    return mask


def in_domains(relations: Iterable[Condition], values: Mapping[str, Any], batch: int) -> Array:
    """Mask of instances whose quantities are in the declared domains of all symbols of some relations, up to rounding."""
    kind = _kind(values)
    mask = _everybody(kind, batch)
    for symbol in set().union(*(relation.free_symbols for relation in relations)):
        value = values.get(symbol.name) if isinstance(symbol, sp.Symbol) else None
        rows = _rows(value, kind, batch) if symbol.is_nonnegative else None
        if rows is not None:
            mask = mask & ((rows > 0) if symbol.is_positive else (rows >= -ROUNDING)).all(axis=1)
    return mask


def _everybody(kind: str, batch: int) -> Array:
    everybody = np.ones(batch, dtype=bool)
    return to_torch(everybody).bool() if kind == "torch" else everybody


def _detached(x: Array) -> Array:
    """Numbers without their derivatives."""
    return x.detach() if is_tensor(x) else x


def _without_rounding(condition: Condition, values: Mapping[str, Any], margin: Array, batch: int) -> Array:
    """Whether a condition that may be met with equality holds between whole numbers or between zeros."""
    if isinstance(condition, STRICT):
        return ~_everybody(_kind(values), batch)
    if all(isinstance(values.get(symbol.name), int) for symbol in condition.free_symbols):
        return margin <= 0
    left, right = map(_detached, _both(condition.args, values, batch))
    return ((left == 0) & (right == 0)).all(axis=1)


Judged = tuple[Array, Array, Array, Values]


def judge_batch(question: Question, shape: Shape, parameters: Mapping[str, Array]) -> Judged:
    """Margin, ratio, admissibility and settled step sizes of a batch of instances."""
    return judged(question, shape, parameters, None)


def judged(
    question: Question, shape: Shape, parameters: Mapping[str, Array], wanted: Collection[str] | None
) -> Judged:
    """The same, but only the quantities in `wanted` must be finite."""
    batch = len(next(iter(parameters.values())))
    sizes = settle(question.scene, question.conditions, shape, parameters, ARITHMETIC[_kind(parameters)])
    values = quantities(question.scene, shape, parameters, sizes)
    margin, ratio = margins(question.relation, values, batch)
    seen = values if wanted is None else {name: value for name, value in values.items() if name in wanted}
    allowed = admissible(question.conditions, seen, batch, 0.0) & library(margin).isfinite(margin)
    allowed = allowed & in_domains((question.relation,), values, batch)
    return margin, ratio, allowed, sizes


def computable(question: Question, found: Search) -> Search:
    """The result of a search, without its instances if some quantity of the scene is undefined there."""
    if found.instance is None and not found.suspects:
        return found
    for instance in (found.instance, *found.suspects):
        if instance is not None:
            values = instance.values(question.scene, "float")
            if not bool(admissible(question.conditions, values, 1, 0.0)):
                return Search(found.trials)
    return found


@lru_cache(maxsize=64)
def random_batch(
    scene: Scene,
    conditions: tuple[Condition, ...],
    shape_items: tuple[tuple[str, int], ...],
    batch: int,
    seed: int,
) -> tuple[dict[str, np.ndarray], Values, Values, np.ndarray]:
    """A random batch with all its quantities; cached, because the steps of one proof share it."""
    limiting = tuple(c for c in conditions if any(s.name in scene.steps for s in c.free_symbols))
    parameters, sizes, values, finite = _computed(scene, limiting, shape_items, batch, seed)
    masks = (_meets(condition, scene, limiting, shape_items, batch, seed) for condition in conditions)
    return parameters, sizes, values, np.logical_and.reduce([finite, *masks])


@lru_cache(maxsize=4096)
def _meets(condition: Condition, *drawing: Any) -> np.ndarray:
    """Mask of the instances of a random batch that meet a condition; cached, because many questions share it."""
    return np.asarray(meeting((condition,), _computed(*drawing)[2], drawing[-2], 0.0))


def _compute(
    scene: Scene,
    limiting: tuple[Condition, ...],
    shape_items: tuple[tuple[str, int], ...],
    batch: int,
    seed: int,
) -> tuple[dict[str, np.ndarray], Values, Values, np.ndarray]:
    """The batch under the conditions that limit step sizes, and the mask of its finite instances; independent of the
    question.
    """
    shape = dict(shape_items)
    rng = np.random.default_rng([seed, *shape.values()])
    parameters = convert(sample(scene.space(shape), rng, batch), "float")
    sizes = settle(scene, limiting, shape, parameters, ARITHMETIC["float"])
    values = quantities(scene, shape, parameters, sizes)
    return parameters, sizes, values, _finite(values, batch)


_small = lru_cache(maxsize=256)(_compute)
_large = lru_cache(maxsize=64)(_compute)


def _computed(*drawing: Any) -> tuple[dict[str, np.ndarray], Values, Values, np.ndarray]:
    """The batch of `_compute`, cached. Facts are tested on small batches of every shape with one parameter after another
    set to zero, which are more batches than a search has.
    """
    return (_small if drawing[-2] <= SMALL else _large)(*drawing)


def share_meeting(
    wanted: tuple[Condition, ...], given: tuple[Condition, ...], scene: Scene, shape: Shape, seed: int
) -> tuple[int, int]:
    """The number of instances of a random batch under `given` that also meet `wanted` up to rounding, and the size of the
    batch.
    """
    _, _, values, allowed = random_batch(scene, given, tuple(shape.items()), 128, seed)
    both = allowed.copy()
    for condition in wanted:
        both &= margins(condition, values, 128)[0] <= ROUNDING
    return int(both.sum()), int(allowed.sum())


def at_random(question: Question, batch: int, seed: int) -> Iterator[Search]:
    """A search in random instances of every shape in `_quick_shapes`."""
    relation, conditions = question.relation, question.conditions
    for shape in _quick_shapes(question.scene, relation, conditions):
        sides = random_sides(question, shape, batch, seed)
        if sides is None:
            continue
        parameters, sizes, values, allowed, margin, ratio, gap = sides
        result = worst(shape, parameters, sizes, margin, ratio, allowed & np.isfinite(margin))
        broken = allowed & (margin > ROUNDING)
        suspects = []
        if broken.any():
            roomy = admissible(conditions, values, batch, ROOM)
            suspects = _suspects(broken, roomy, unusual(relation, values, batch) == 0, margin, gap)
        yield replace(result, suspects=tuple(instance_at(shape, parameters, sizes, i) for i in suspects))


@lru_cache(maxsize=256)
def _quick_shapes(scene: Scene, relation: Condition, conditions: tuple[Condition, ...]) -> tuple[Shape, ...]:
    """Allowed shapes at which no sum of the relation and no condition takes too long."""
    quick = [s for s in scene.shapes if is_short(relation, s) and all(is_quick(c, s) for c in conditions)]
    return allowed_shapes(replace(scene, shapes=tuple(quick)), conditions)


def random_sides(
    question: Question, shape: Shape, batch: int, seed: int
) -> tuple[Any, Any, Values, np.ndarray, np.ndarray, np.ndarray, np.ndarray] | None:
    """Parameters, step sizes, quantities, admissibility, margin, ratio and gap of a random batch; None if undefined there."""
    relation, conditions = question.relation, question.conditions
    parameters, sizes, values, allowed = random_batch(
        question.scene, conditions, tuple(shape.items()), batch, seed
    )
    try:
        margin, ratio, gap = compared(relation, values, batch)
    except ZeroDivisionError:  # at this size the relation is not defined
        return None
    return parameters, sizes, values, allowed & in_domains((relation,), values, batch), margin, ratio, gap


def _suspects(
    broken: np.ndarray, roomy: np.ndarray, whole: np.ndarray, margin: np.ndarray, gap: np.ndarray
) -> list[int]:
    """Indices of up to twelve violating instances, most promising first: those without zeros, and with slack."""
    chosen: list[int] = []
    # Simple counterexamples first: those without zero quantities convince more, and those with slack can be
    # rounded. Both gap and margin are used, because large numbers favour the gap and small numbers the margin.
    for mask in (broken & roomy & whole, broken & roomy, broken):
        for score in (gap, margin):
            ranked = descending(np.where(mask, score, -np.inf))
            chosen += [int(i) for i in ranked[:2] if mask[i]]
    return list(dict.fromkeys(chosen))


def descending(score: np.ndarray) -> np.ndarray:
    """Indices from the largest score to the smallest; ties keep their order."""
    return np.argsort(-score, kind="stable")


def worst(
    shape: Shape,
    parameters: Mapping[str, Array],
    sizes: Mapping[str, Array],
    margin: Array,
    ratio: Array,
    allowed: Array,
) -> Search:
    """The result of a batch: the number of admissible instances, and the worst of them."""
    trials = int(allowed.sum())
    if not trials:
        return Search()
    margin, ratio = _detached(margin), _detached(ratio)
    where, isfinite = library(margin).where, library(margin).isfinite
    margin = where(allowed, margin, -np.inf)
    ratio = where(allowed & isfinite(ratio), ratio, -1.0)
    told = bool(ratio.max() >= 0)
    best = int((ratio if told else margin).argmax())
    return Search(
        trials=trials,
        margin=float(margin.max()),
        ratio=float(ratio[best]) if told else None,
        instance=instance_at(shape, parameters, sizes, best),
    )


def instance_at(
    shape: Shape, parameters: Mapping[str, Array], sizes: Mapping[str, Any], index: int
) -> Instance:
    """One instance of a batch as exact fractions: the shortest decimals of its float64 values."""

    def pick(v: Any) -> np.ndarray:
        return exactly(to_float(v[index if v.shape[0] > 1 else 0]))

    return Instance(
        shape=dict(shape),
        parameters={name: pick(value) for name, value in parameters.items()},
        sizes={name: pick(value if np.ndim(value) else np.array([value])) for name, value in sizes.items()},
    )
