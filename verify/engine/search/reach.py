"""Searches beyond random instances and gradients: larger sizes, patterns of signs, isolated and tiny violations.

Every limit is a number of steps or a size, so a search does not depend on the machine.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import sympy as sp

from nqm.fields import to_torch
from verify.engine.model.claim import Budget
from verify.engine.model.instance import oriented
from verify.engine.model.question import Question
from verify.engine.model.scene import Box, Scene, Shape, allowed_shapes
from verify.engine.search.adversary import (
    ROUNDING,
    Search,
    admissible,
    at_random,
    compared,
    computable,
    descending,
    instance_at,
    judge_batch,
    random_batch,
)

if TYPE_CHECKING:
    import torch

Numbers: TypeAlias = "Mapping[str, torch.Tensor]"

FAINT = 1e-13
"""Relative margin from which on exact arithmetic decides, although it may be rounding."""
STARTS = 4
"""Instances from which coordinate search starts."""
SHAPES = 2
"""Shapes in which coordinate search is tried."""
FINEST = 1e-9
"""Smallest step of coordinate search, as a share of a range."""
FEWEST = 16
"""Random instances of a larger size."""
NOT_THERE = (ArithmeticError, LookupError, RuntimeError, TypeError, ValueError)
"""Exceptions of scenes at sizes for which they are not defined."""


def searches_beyond_random(question: Question, budget: Budget, seed: int) -> Iterator[Search]:
    """Searches at instances that the scene proposes, at larger sizes, then by moves from the best instances."""
    yield from _proposed_instances(question)
    yield from _larger(question, budget.largest, seed)
    if isinstance(question.relation, sp.Eq | sp.Ne) or not budget.moves:
        return
    shapes = allowed_shapes(question.scene, question.conditions)
    found = [start for shape in shapes if (start := _best(question, shape, seed))]
    for margin, shape, starts in sorted(found, key=lambda entry: -entry[0])[:SHAPES]:
        yield _coordinate_search(question, shape, starts, budget.moves)
        if margin == -1 and (told := _told_by_gap(question, shape, seed)):
            there = _coordinate_search(told, shape, starts, budget.moves)
            if there.suspects:  # their margins belong to another relation
                yield Search(there.trials, there.margin, suspects=there.suspects)


def _proposed_instances(question: Question) -> Iterator[Search]:
    """The instances that the scene proposes, each a suspect if it breaks the relation."""
    for instance in question.scene.proposed(question) if question.scene.proposed else ():
        values = instance.values(question.scene, "float")
        margin, ratio, _ = compared(question.relation, values, 1)
        if bool(admissible(question.conditions, values, 1, 0.0)[0]):
            broken = (instance,) if margin[0] > ROUNDING else ()
            told = float(ratio[0]) if np.isfinite(ratio[0]) else None
            yield Search(1, float(margin[0]), told, instance, broken)


def larger_shapes(scene: Scene, name: str, largest: int) -> Iterator[Shape]:
    """Shapes with one size beyond the listed ones, repeatedly doubled, and all other sizes minimal."""
    smallest = min(scene.shapes, key=lambda shape: sum(shape.values()))
    number = max(shape[name] for shape in scene.shapes)
    for size in (number + 1, *(number << k for k in range(1, largest.bit_length()))):
        if size <= largest:
            yield {**smallest, name: size}


def _larger(question: Question, largest: int, seed: int) -> Iterator[Search]:
    scene = question.scene
    for name in scene.grows:
        for shape in larger_shapes(scene, name, largest):
            bigger = replace(question, scene=replace(scene, shapes=(shape,)))
            try:
                yield from at_random(bigger, FEWEST, seed)
            except NOT_THERE:
                break


def _best(question: Question, shape: Shape, seed: int) -> tuple[float, Shape, dict[str, torch.Tensor]] | None:
    """The instances of a random batch that come closest to breaking the relation, and their margins."""
    parameters = random_batch(question.scene, question.conditions, tuple(shape.items()), 64, seed)[0]
    try:
        margin, _, allowed, _ = judge_batch(question, shape, parameters)
    except ZeroDivisionError:
        return None
    margin = np.where(allowed, np.nan_to_num(margin, nan=-9.0), -9.0)
    best = descending(margin)[:STARTS]
    return float(margin[best[0]]), shape, {name: to_torch(value[best]) for name, value in parameters.items()}


def _told_by_gap(question: Question, shape: Shape, seed: int) -> Question | None:
    """The same relation between exponentials of the gap, for instances with one negative and one nonnegative side.

    There the relative margin is -1 everywhere and gives no direction. None if there is no gap to compare with.
    """
    _, _, values, allowed = random_batch(question.scene, question.conditions, tuple(shape.items()), 64, seed)
    gaps = abs(compared(question.relation, values, 64)[2])
    gaps = gaps[allowed & np.isfinite(gaps) & (gaps > 0)]
    if not len(gaps):
        return None
    small, large = oriented(question.relation)
    scale = sp.Integer(2) ** round(
        np.log2(np.median(gaps))
    )  # so that the gap is exact where both sides are equal
    grown = sp.exp(sp.Min((small - large) / scale, 1))
    kind = sp.Lt if isinstance(question.relation, sp.Lt | sp.Gt) else sp.Le
    return replace(question, relation=kind(grown, 1, evaluate=False))


def _coordinate_search(
    question: Question, shape: Shape, starts: dict[str, torch.Tensor], moves: int
) -> Search:
    """Coordinate search from each start, with steps that are halved when none helps.

    A parameter with levels changes to another level; any other parameter moves by a share of its range, on its own scale.
    """
    import torch  # only here, as it takes two seconds and 200 MB, and other searches do without

    from verify.engine.search.ascent import judge_batches

    space = question.scene.space(shape)
    entries = [
        (name, index)
        for name, box in space.items()
        if box.levels or box.low < box.high
        for index in np.ndindex(box.shape)
    ]
    step, best, now, judge = 0.25, Search(), starts, judge_batches(question, shape)
    margin = torch.full((STARTS,), -np.inf, dtype=torch.float64)
    for _ in range(moves if entries else 0):
        if step < FINEST:
            break
        tried = _candidates(space, now, entries, step)
        found, ratio, allowed, sizes = judge(tried)
        score = torch.where(allowed, torch.nan_to_num(found.detach(), nan=-9.0), torch.full_like(found, -9.0))
        groups = score.reshape(-1, len(margin))
        top, which = groups.max(dim=0)
        better = top > margin
        rows = which * len(margin) + torch.arange(len(margin))
        first = int(rows[int(top.argmax())])
        if allowed[first]:
            told = float(ratio[first]) if bool(torch.isfinite(ratio[first])) else None
            instance = instance_at(shape, tried, sizes, first)
            broken = (instance,) if float(top.max()) > FAINT else ()
            best = best.joined(Search(int(allowed.sum()), float(top.max()), told, instance, broken))
        if float(top.max()) > ROUNDING:
            break
        now = {name: value[rows] for name, value in tried.items()}
        margin = torch.maximum(margin, top)
        step = step if bool(better.any()) else step / 4
    return computable(question, best)


def _candidates(
    space: Mapping[str, Box], now: Numbers, entries: list[tuple[str, tuple[int, ...]]], step: float
) -> dict[str, torch.Tensor]:
    """The instances, followed by copies with one number changed: (1 + moves) blocks."""
    import torch

    moves = [(name, index, to) for name, index in entries for to in (space[name].levels or (-step, step))]
    many = len(next(iter(now.values())))
    found = {name: value.repeat(1 + len(moves), *(1,) * (value.ndim - 1)) for name, value in now.items()}
    for place, (name, index, to) in enumerate(moves, start=1):
        rows = slice(place * many, (place + 1) * many)
        entry = found[name][rows]  # a view, so that assignments change the batch
        for axis in index:
            entry = entry.select(1, axis)
        entry.copy_(torch.full_like(entry, to) if space[name].levels else _shifted(space[name], entry, to))
    return found


def _shifted(box: Box, x: torch.Tensor, share: float) -> torch.Tensor:
    """A number moved by a share of its range, staying inside."""
    import torch

    if box.scale == "log":
        x, low, high = x.log(), np.log(box.low), np.log(box.high)
        return torch.exp(torch.clamp(x + share * (high - low), low, high))
    return torch.clamp(x + share * (box.high - box.low), box.low, box.high)
