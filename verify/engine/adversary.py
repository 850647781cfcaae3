"""The adversary: looks for instances that break a relation, or bring it closest to breaking.

Batches of random and extreme instances first, smallest shapes first; then ascent on the relative margin by
autograd through the scene, from the best instances found. Everything here is float64 and only proposes:
`verify.engine.witness` confirms.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import sympy as sp
import torch

from nqm import fields
from verify.engine.arithmetic import ARITHMETIC, side, side_by_side
from verify.engine.degenerate import unusual
from verify.engine.instance import Instance, oriented
from verify.engine.question import Question
from verify.engine.sampling import sample
from verify.engine.scene import Box, Condition, Scene, Shape, Values, allowed_shapes, quantities, settle
from verify.engine.tape import Replayed

ROUNDING = 1e-9
"""Relative margin below which a float64 violation is taken for rounding, not for a finding."""

TINY = 1e-12
"""A large side below this may be rounding."""

ROOM = 1e-2
"""Relative slack in every condition that a suspect should have."""


@dataclass(frozen=True)
class Search:
    """What a search did: instances that met all conditions, the largest lhs/rhs, and the worst instance.

    `margin` is (small - large) / (|small| + |large|) at the worst instance: positive means broken. `instance` is the
    worst of those whose ratio can be told, if there are any. `suspects` are
    broken instances worth confirming: those with room in the conditions, and those with the widest gap, come first,
    because the largest relative margin may be mere rounding of two tiny sides.
    """

    trials: int = 0
    margin: float = -np.inf
    ratio: float | None = None
    instance: Instance | None = None
    suspects: tuple[Instance, ...] = ()

    def joined(self, other: Search) -> Search:
        """Both searches as one; suspects are those of the worse."""
        worst, rest = (self, other) if self.margin >= other.margin else (other, self)
        tight = max(self, other, key=lambda s: -1.0 if s.ratio is None else s.ratio)
        return Search(
            trials=self.trials + other.trials,
            margin=worst.margin,
            ratio=tight.ratio,
            instance=(worst if tight.ratio is None else tight).instance or rest.instance,
            suspects=worst.suspects,
        )


def margins(relation: Condition, values: Mapping[str, Any], batch: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Relative margin (positive: broken) and lhs/rhs (NaN unless both are positive), worst over trailing axes."""
    margin, ratio, _ = compared(relation, values, batch)
    return margin, ratio


def compared(
    relation: Condition, values: Mapping[str, Any], batch: int
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Relative margin, lhs/rhs and absolute gap of a batch, at the worst of the trailing axes."""
    small, large = (_tensor(part) for part in side_by_side(oriented(relation), values, "torch", batch))
    gap = (small - large).abs() if isinstance(relation, sp.Eq) else small - large
    scale = small.abs() + large.abs()
    # Zero against zero, as where nothing has moved yet, is as far from broken as can be
    margin = torch.where(scale > 0, gap / scale.clamp_min(1e-300), -torch.ones_like(gap))
    if isinstance(relation, sp.Lt | sp.Gt):
        margin = torch.where(gap == 0, 2 * ROUNDING, margin)  # equality breaks a strict relation
    told = (large > TINY) & (small >= 0)  # two sides that are rounding say nothing about tightness
    ratio = torch.where(told, small / large.clamp_min(TINY), torch.full_like(gap, torch.nan))
    worst = torch.nan_to_num(margin, nan=-1.0).argmax(dim=1, keepdim=True)
    at_worst = (x.gather(1, worst)[:, 0] for x in (margin, ratio, gap))
    return tuple(at_worst)  # type: ignore[return-value]


def _tensor(x: Any) -> torch.Tensor:
    return x if isinstance(x, torch.Tensor) else torch.as_tensor(np.asarray(x, dtype=float))


def admissible(
    conditions: tuple[Condition, ...], values: Mapping[str, Any], batch: int, room: float
) -> torch.Tensor:
    """Mask of instances whose quantities are finite and in their domains, and that meet every condition.

    Inequalities are met with relative room about `room`, equations to rounding. Inequalities that no rounding
    touches, between whole numbers or between zeros, need no room.
    """
    mask = torch.ones(batch, dtype=torch.bool)
    positive = {s.name for condition in conditions for s in condition.free_symbols if s.is_positive}
    for name, value in values.items():
        if isinstance(value, torch.Tensor) and value.shape[:1] == (batch,):
            flat = value.detach().reshape(batch, -1)
            mask = mask & torch.isfinite(flat).all(dim=1)
            if name in positive:
                mask = mask & (flat > 0).all(dim=1)
    for condition in conditions:
        margin, _ = margins(condition, values, batch)
        limit = ROUNDING if isinstance(condition, sp.Eq) else -room / 4 if room else 1e-12
        met = torch.nan_to_num(margin.detach(), nan=np.inf) <= limit
        mask = mask & (met | _without_rounding(condition, values, margin, batch) if room else met)
    return mask


def in_domains(relations: Iterable[Condition], values: Mapping[str, Any], batch: int) -> torch.Tensor:
    """Mask of instances whose quantities are in the declared domains of all symbols of some relations, up to rounding."""
    mask = torch.ones(batch, dtype=torch.bool)
    for symbol in set().union(*(relation.free_symbols for relation in relations)):
        value = values.get(symbol.name) if isinstance(symbol, sp.Symbol) else None
        if isinstance(value, torch.Tensor) and value.shape[:1] == (batch,) and symbol.is_nonnegative:
            flat = value.detach().reshape(batch, -1)
            mask = mask & ((flat > 0) if symbol.is_positive else (flat >= -ROUNDING)).all(dim=1)
    return mask


def _without_rounding(
    condition: Condition, values: Mapping[str, Any], margin: torch.Tensor, batch: int
) -> torch.Tensor:
    """Whether a condition that may be met with equality holds between whole numbers or between zeros."""
    if isinstance(condition, sp.Lt | sp.Gt):
        return torch.zeros(batch, dtype=torch.bool)
    if all(isinstance(values[symbol.name], int) for symbol in condition.free_symbols):
        return margin.detach() <= 0
    both = [_tensor(side(part, values, "torch", batch)).detach() == 0 for part in condition.args]
    return torch.logical_and(*both).all(dim=1)


Judged = tuple[torch.Tensor, torch.Tensor, torch.Tensor, Values]


def judge_batch(question: Question, shape: Shape, parameters: Mapping[str, torch.Tensor]) -> Judged:
    """Margin, ratio, admissibility and settled step sizes of a batch of instances."""
    return _judged(question, shape, parameters, None)


def judge_batches(question: Question, shape: Shape) -> Callable[[Mapping[str, torch.Tensor]], Judged]:
    """The same for batch after batch of one length; finite need only be what the relation and its conditions speak of."""
    names = list(question.scene.space(shape))
    relations = (question.relation, *question.conditions)
    wanted = {s.name for r in relations for s in r.free_symbols if isinstance(s, sp.Symbol)} | set(names)

    def judged(*parameters: torch.Tensor) -> tuple[Any, ...]:
        given = dict(zip(names, parameters, strict=True))
        margin, ratio, allowed, sizes = _judged(question, shape, given, wanted)
        return margin, ratio, allowed, *(sizes[step] for step in question.scene.steps)

    replayed = Replayed(judged)

    def judge(parameters: Mapping[str, torch.Tensor]) -> Judged:
        margin, ratio, allowed, *sizes = replayed(*(parameters[name] for name in names))
        return margin, ratio, allowed, dict(zip(question.scene.steps, sizes, strict=True))

    return judge


def _judged(
    question: Question, shape: Shape, parameters: Mapping[str, torch.Tensor], wanted: Collection[str] | None
) -> Judged:
    batch = len(next(iter(parameters.values())))
    sizes = settle(question.scene, question.conditions, shape, parameters, ARITHMETIC["torch"])
    values = quantities(question.scene, shape, parameters, sizes)
    margin, ratio = margins(question.relation, values, batch)
    seen = values if wanted is None else {name: value for name, value in values.items() if name in wanted}
    allowed = admissible(question.conditions, seen, batch, 0.0) & torch.isfinite(margin)
    allowed = allowed & in_domains((question.relation,), values, batch)
    return margin, ratio, allowed, sizes


def computable(question: Question, found: Search) -> Search:
    """What a search found, without its instances if some quantity of the scene has no value there."""
    if found.instance is None and not found.suspects:
        return found
    for instance in (found.instance, *found.suspects):
        if instance is not None:
            values = instance.values(question.scene, "torch")
            if not bool(admissible(question.conditions, values, 1, 0.0)):
                return Search(found.trials)
    return found


@lru_cache(maxsize=64)
def drawn(
    scene: Scene,
    conditions: tuple[Condition, ...],
    shape_items: tuple[tuple[str, int], ...],
    batch: int,
    seed: int,
) -> tuple[dict[str, torch.Tensor], Values, Values, torch.Tensor]:
    """A random batch with all its quantities; kept, because the steps of one proof share it."""
    shape = dict(shape_items)
    rng = np.random.default_rng([seed, *shape.values()])
    parameters = {
        n: torch.as_tensor(v, dtype=torch.float64) for n, v in sample(scene.space(shape), rng, batch).items()
    }
    sizes = settle(scene, conditions, shape, parameters, ARITHMETIC["torch"])
    values = quantities(scene, shape, parameters, sizes)
    return parameters, sizes, values, admissible(conditions, values, batch, 0.0)


def share_meeting(
    wanted: tuple[Condition, ...], given: tuple[Condition, ...], scene: Scene, shape: Shape, seed: int
) -> tuple[int, int]:
    """How many of a random batch under `given` meet `wanted` too, up to rounding, and how many there are."""
    _, _, values, allowed = drawn(scene, given, tuple(shape.items()), 128, seed)
    both = allowed.clone()
    for condition in wanted:
        both &= torch.nan_to_num(margins(condition, values, 128)[0], nan=np.inf) <= ROUNDING
    return int(both.sum()), int(allowed.sum())


def search(question: Question, *, batch: int, ascents: int, seed: int) -> Iterator[Search]:
    """Searches of growing size: every shape at random, then ascent in the most promising ones."""
    yield from at_random(question, batch, seed)
    yield from ascended(question, batch, ascents, seed)


def at_random(question: Question, batch: int, seed: int) -> Iterator[Search]:
    """A search of every shape in random instances."""
    relation, conditions = question.relation, question.conditions
    for shape in allowed_shapes(question.scene, conditions):
        sides = _random_sides(question, shape, batch, seed)
        if sides is None:
            continue
        parameters, sizes, values, allowed, margin, ratio, gap = sides
        result = _worst(shape, parameters, sizes, margin, ratio, allowed & torch.isfinite(margin))
        broken = allowed & (torch.nan_to_num(margin, nan=-1.0) > ROUNDING)
        suspects = []
        if broken.any():
            roomy = admissible(conditions, values, batch, ROOM)
            suspects = _suspects(broken, roomy, unusual(relation, values, batch) == 0, margin, gap)
        yield replace(result, suspects=tuple(instance_at(shape, parameters, sizes, i) for i in suspects))


def ascended(question: Question, batch: int, ascents: int, seed: int) -> Iterator[Search]:
    """Ascent in the shapes whose random instances come nearest to breaking an inequality."""
    if isinstance(question.relation, sp.Eq) or not ascents:
        return
    found = []
    for shape in allowed_shapes(question.scene, question.conditions):
        sides = _random_sides(question, shape, batch, seed)
        if sides is None:
            continue
        parameters, _, _, allowed, margin, _, _ = sides
        told = margin[allowed & torch.isfinite(margin)]
        if len(told):
            score = torch.where(allowed, torch.nan_to_num(margin, nan=-9.0), torch.full_like(margin, -9.0))
            found.append((float(told.max()), shape, parameters, score))
    found.sort(key=lambda entry: -entry[0])
    for _, shape, parameters, score in found[:ascents]:
        order = score.argsort(descending=True)
        yield _ascend(
            question, shape, {name: value[order[:16]].clone() for name, value in parameters.items()}
        )


def _random_sides(
    question: Question, shape: Shape, batch: int, seed: int
) -> tuple[Any, Any, Values, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor] | None:
    """Parameters, step sizes, quantities, admissibility, margin, ratio and gap of a random batch; None if undefined there."""
    relation, conditions = question.relation, question.conditions
    parameters, sizes, values, allowed = drawn(question.scene, conditions, tuple(shape.items()), batch, seed)
    try:
        margin, ratio, gap = compared(relation, values, batch)
    except ZeroDivisionError:  # at this size the relation is not defined
        return None
    return parameters, sizes, values, allowed & in_domains((relation,), values, batch), margin, ratio, gap


def _suspects(
    broken: torch.Tensor, roomy: torch.Tensor, whole: torch.Tensor, margin: torch.Tensor, gap: torch.Tensor
) -> list[int]:
    """Indices of up to twelve broken instances, most promising first: where nothing is zero, and there is room."""
    chosen: list[int] = []
    for mask in (broken & roomy & whole, broken & roomy, broken):
        for score in (gap, margin):
            ranked = torch.where(mask, score, torch.full_like(score, -torch.inf)).argsort(descending=True)
            chosen += [int(i) for i in ranked[:2] if mask[i]]
    return list(dict.fromkeys(chosen))


def _worst(
    shape: Shape,
    parameters: Mapping[str, torch.Tensor],
    sizes: Mapping[str, torch.Tensor],
    margin: torch.Tensor,
    ratio: torch.Tensor,
    allowed: torch.Tensor,
) -> Search:
    trials = int(allowed.sum())
    if not trials:
        return Search()
    margin = torch.where(allowed, margin, torch.full_like(margin, -torch.inf)).detach()
    ratio = torch.where(allowed & torch.isfinite(ratio), ratio, torch.full_like(ratio, -1.0)).detach()
    told = bool(ratio.max() >= 0)
    best = int((ratio if told else margin).argmax())
    return Search(
        trials=trials,
        margin=float(margin.max()),
        ratio=float(ratio[best]) if told else None,
        instance=instance_at(shape, parameters, sizes, best),
    )


def instance_at(
    shape: Shape, parameters: Mapping[str, torch.Tensor], sizes: Mapping[str, Any], index: int
) -> Instance:
    """One instance of a batch as exact fractions (of the float64 values)."""

    def pick(v: Any) -> np.ndarray:
        return fields.to_exact(v[index if v.shape[0] > 1 else 0].detach().numpy())

    return Instance(
        shape=dict(shape),
        parameters={name: pick(value) for name, value in parameters.items()},
        sizes={
            name: pick(_tensor(value).reshape(-1) if not np.ndim(value) else value)
            for name, value in sizes.items()
        },
    )


def _ascend(
    question: Question, shape: Shape, starts: dict[str, torch.Tensor], iterations: int = 60
) -> Search:
    """Gradient ascent on the margin inside the boxes; parameters with levels stay as they are."""
    space = question.scene.space(shape)
    moving = {name for name, box in space.items() if not box.levels and box.low < box.high}
    inner = {name: _inward(space[name], starts[name]) for name in moving}
    leaves = [value.requires_grad_() for value in inner.values()]
    if not leaves:
        return Search()
    adam = _Adam(leaves)
    best, judge = Search(), judge_batches(question, shape)
    for _ in range(iterations):
        now = {**starts, **{name: _outward(space[name], value) for name, value in inner.items()}}
        margin, ratio, allowed, sizes = judge(now)
        step = _worst(shape, now, sizes, margin, ratio, allowed)
        if step.margin > ROUNDING and step.instance is not None:
            return computable(question, best.joined(replace(step, suspects=(step.instance,))))
        best = best.joined(step)
        objective = torch.nan_to_num(margin, nan=0.0).sum()
        if not objective.requires_grad:
            break
        adam.climb(torch.autograd.grad(objective, leaves, allow_unused=True))
    return computable(question, best)


class _Adam:
    """Adam (Kingma and Ba, 2015) with its usual constants; `torch.optim` takes most of a second to import."""

    def __init__(self, leaves: list[torch.Tensor], rate: float = 0.08) -> None:
        self.leaves, self.rate, self.steps = leaves, rate, 0
        self.mean = [torch.zeros_like(leaf) for leaf in leaves]
        self.square = [torch.zeros_like(leaf) for leaf in leaves]

    def climb(self, slopes: Sequence[torch.Tensor | None]) -> None:
        """One step up; slopes that are missing or not finite count as zero."""
        self.steps += 1
        with torch.no_grad():
            for leaf, slope, mean, square in zip(self.leaves, slopes, self.mean, self.square, strict=True):
                if slope is None:
                    continue
                slope = torch.nan_to_num(slope, 0.0, 0.0, 0.0)
                mean.mul_(0.9).add_(slope, alpha=0.1)
                square.mul_(0.999).addcmul_(slope, slope, value=0.001)
                size = (square / (1 - 0.999**self.steps)).sqrt() + 1e-8
                leaf += self.rate * mean / (1 - 0.9**self.steps) / size


def _inward(box: Box, x: torch.Tensor) -> torch.Tensor:
    """Unconstrained coordinate of a point in the box."""
    low, high, x = (
        (np.log(box.low), np.log(box.high), x.log()) if box.scale == "log" else (box.low, box.high, x)
    )
    share = ((x - low) / (high - low)).clamp(0.02, 0.98)
    return torch.logit(share).detach()


def _outward(box: Box, z: torch.Tensor) -> torch.Tensor:
    low, high = (np.log(box.low), np.log(box.high)) if box.scale == "log" else (box.low, box.high)
    x = low + (high - low) * torch.sigmoid(z)
    return x.exp().clamp(box.low, box.high) if box.scale == "log" else x
