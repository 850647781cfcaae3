"""Gradient ascent on the relative margin from the most promising random instances, by autograd through the scene."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import sympy as sp
import torch

from nqm.fields import to_torch
from verify.engine.model.question import Question
from verify.engine.model.scene import Box, Shape, allowed_shapes
from verify.engine.search.adversary import (
    ROUNDING,
    Judged,
    Search,
    computable,
    descending,
    judged,
    random_sides,
    worst,
)
from verify.engine.search.tape import Replayed

STARTS = 16
"""Random instances of a shape from which ascent starts."""
STEPS = 60
"""Steps of each ascent."""


def ascended(question: Question, batch: int, ascents: int, seed: int) -> Iterator[Search]:
    """Ascent in the shapes whose random instances come nearest to breaking an inequality, and in the largest.

    Where a bound is attained at small shapes, such as before the first round, these come nearest whatever happens later.
    """
    if isinstance(question.relation, sp.Eq | sp.Ne) or not ascents:
        return
    found = []
    for shape in allowed_shapes(question.scene, question.conditions):
        sides = random_sides(question, shape, batch, seed)
        if sides is None:
            continue
        parameters, _, _, allowed, margin, _, _ = sides
        told = margin[allowed & np.isfinite(margin)]
        if len(told):
            score = np.where(allowed, np.nan_to_num(margin, nan=-9.0), -9.0)
            found.append((float(told.max()), shape, parameters, score))
    found.sort(key=lambda entry: -entry[0])
    place = max(range(len(found)), key=lambda k: sum(found[k][1].values()), default=0)
    for _, shape, parameters, score in [
        *found[:ascents],
        *(found[place : place + 1] if place >= ascents else []),
    ]:
        best = descending(score)[:STARTS]
        yield _ascend(question, shape, {name: to_torch(value[best]) for name, value in parameters.items()})


def judge_batches(question: Question, shape: Shape) -> Callable[[Mapping[str, torch.Tensor]], Judged]:
    """`judge_batch` for several batches of one length; only quantities of the relation and its conditions must be finite."""
    names = list(question.scene.space(shape))
    relations = (question.relation, *question.conditions)
    wanted = {s.name for r in relations for s in r.free_symbols if isinstance(s, sp.Symbol)} | set(names)

    def once(*parameters: torch.Tensor) -> tuple[Any, ...]:
        given = dict(zip(names, parameters, strict=True))
        margin, ratio, allowed, sizes = judged(question, shape, given, wanted)
        return margin, ratio, allowed, *(sizes[step] for step in question.scene.steps)

    replayed = Replayed(once)

    def judge(parameters: Mapping[str, torch.Tensor]) -> Judged:
        margin, ratio, allowed, *sizes = replayed(*(parameters[name] for name in names))
        return margin, ratio, allowed, dict(zip(question.scene.steps, sizes, strict=True))

    return judge


def _ascend(
    question: Question, shape: Shape, starts: dict[str, torch.Tensor], iterations: int = STEPS
) -> Search:
    """Gradient ascent on the margin inside the boxes; parameters with levels stay fixed."""
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
        step = worst(shape, now, sizes, margin, ratio, allowed)
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
        """One step of ascent; missing or infinite derivatives count as zero."""
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
