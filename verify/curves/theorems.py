"""Data of one figure for each headline theorem: exact run, printed bound and corrected bound along one quantity.

A small search at the given sizes selects the world: the one that violates the printed statement most, or that comes closest to
it. The corrected statement is drawn in the same world if its scene has the same parameters. The record also names the place
where lhs/rhs is largest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from bounds.catalogue import statement
from bounds.evaluate import evaluate
from bounds.statement import Scaling, Statement
from verify.curves.headlines import FREE, HEADLINES, Line
from verify.engine.model.claim import Claim
from verify.engine.model.question import Question
from verify.engine.model.scene import Box, Scene, Shape
from verify.engine.search.sweep import World, course, ratios, tightest_world
from verify.engine.topics import claim_of
from verify.engine.work.errors import UsageError

BATCH, POINTS = 512, 25


def compute(name: str, seed: int) -> dict[str, Any]:
    """Both sides of every statement of a headline, in one world and over random worlds.

    A trivial bound holds in every run, so it is drawn for the run of the printed statement.

    Parameters
    ----------
    name : str
        One of `HEADLINES`.
    seed : int
        Seed of the random worlds.
    """
    drawn: list[dict[str, Any]] = []
    lines = HEADLINES[name]
    claims = {line.id: _claim(line) for line in lines}
    bounds = [line for line in lines if not isinstance(claims[line.id].statement.relation, Scaling)]
    questions = {line.id: _tied(claims[line.id].question, line.axis) for line in bounds}
    companions = [questions[line.id] for line in bounds if line is bounds[0] or line.role == FREE]
    world: World = {}
    for line in lines:
        of = claims[line.id].statement
        if line.id not in questions:
            drawn.append({**_entry_of(line, of), "order": _order(of.relation, line.axis, line.values)})
            continue
        question = questions[line.id]
        found, sides = _sides(line, _in_company(question, companions), question, world, seed)
        world = world or found
        drawn.append({**_entry_of(line, of), **sides})
    place = statement(name).source.place
    return {
        "figure": "theorem",
        "shows": [line.id for line in lines],
        "says": f"{place}: exact run, printed bound and what is true instead. {_peaks(drawn)}",
        "place": place,
        "batch": BATCH,
        "lines": drawn,
    }


def _peaks(drawn: Sequence[Mapping[str, Any]]) -> str:
    """A sentence that names the places where the ratio of both sides is largest."""
    found = [(line["id"], line["axis"]["name"], line["peak"]) for line in drawn if line.get("peak")]
    told = [f"{id} {peak['ratio']:.3g} at {axis} = {peak['at']:.3g}" for id, axis, peak in found]
    return f"Largest lhs/rhs of {BATCH} random worlds: {', '.join(told)}."


def _claim(line: Line) -> Claim:
    claim = claim_of(line.id)
    if claim is None:
        raise UsageError(f"no topic judges {line.id!r}")
    return claim


def _entry_of(line: Line, of: Statement) -> dict[str, Any]:
    glossary, name = of.source.paper.glossary, line.shown or line.axis
    letter = glossary.get(name)
    return {
        "id": line.id,
        "role": line.role,
        "left": "" if isinstance(of.relation, Scaling) else glossary.latex(of.relation.lhs),
        "axis": {"name": name, **({"latex": letter.latex, "meaning": letter.meaning} if letter else {})},
        "values": list(line.values),
    }


def _tied(question: Question, axis: str) -> Question:
    """The question in which sizes with a constant difference to the size on the axis change together with it."""
    scene, first = question.scene, question.scene.shapes[0]
    more = {name: first[name] - first.get(axis, 0) for name in first if name != axis}
    moving = [n for n in more if axis in first and len({shape[n] for shape in scene.shapes}) > 1]
    tied = [n for n in moving if all(shape[n] - shape[axis] == more[n] for shape in scene.shapes)]
    if not tied:
        return question

    def whole(shape: Shape) -> dict[str, int]:
        return {**shape, **{name: shape[axis] + more[name] for name in tied}}

    together = replace(
        scene,
        space=lambda shape: scene.space(whole(shape)),
        known=lambda shape, values: scene.known(whole(shape), {**values, **whole(shape)}),
        compute=lambda shape, values: {
            **whole(shape),
            **scene.compute(whole(shape), {**values, **whole(shape)}),
        },
    )
    return replace(question, scene=together)


def _in_company(question: Question, companions: Sequence[Question]) -> Question:
    """A question in the scene of the first statement and under the conditions of all, if it is one of `companions`.

    Any other question is returned unchanged.
    """
    if question not in companions:
        return question
    conditions = tuple(dict.fromkeys(condition for other in companions for condition in other.conditions))
    return replace(question, scene=companions[0].scene, conditions=conditions)


def _sides(
    line: Line, shared: Question, alone: Question, world: World, seed: int
) -> tuple[World, dict[str, Any]]:
    """The world and both sides of a statement in it; if the given world violates its conditions, another world is searched."""
    shape, values = _place(line, alone.scene)
    over = ratios(alone, shape, line.axis, values, BATCH, seed)
    peak = None if np.isnan(over.largest).all() else int(np.nanargmax(over.largest))
    for question, given in ((shared, world), (alone, world), (alone, {})):
        there = _sized(line, question.scene, values[peak or 0])
        try:
            found = tightest_world(question, there, given, BATCH, seed)
        except (ValueError, KeyError):
            continue
        sides = course(question, there, found, line.axis, values, line.shown)
        break
    else:
        raise UsageError(f"none of {BATCH} worlds meets the conditions of {line.id}")
    return found, {
        "values": sides.at,
        "share": line.axis in question.scene.steps,
        "own_world": bool(world) and not given,
        "sizes": {name: size for name, size in there.items() if name != line.axis},
        "exact": sides.left,
        "bound": sides.right,
        "met": sides.met,
        "largest": over.largest,
        "median": over.median,
        "trials": over.trials,
        "peak": None if peak is None else {"ratio": over.largest[peak], "at": sides.at[peak]},
    }


def _place(line: Line, scene: Scene) -> tuple[Shape, Sequence[float]]:
    """Sizes of the worlds, and the values on the axis."""
    shape = _sized(line, scene, line.values[0] if line.values else 0)
    return shape, line.values or _range(scene.space(shape)[line.axis])


def _sized(line: Line, scene: Scene, value: float) -> Shape:
    """Sizes of a world; if the axis is one of them, with this value."""
    sizes = {**line.sizes, line.axis: int(value)}
    return {name: sizes.get(name, size) for name, size in scene.shapes[0].items()}


def _range(box: Box) -> list[float]:
    """Points evenly spread over the range of a parameter."""
    spread = np.geomspace if box.scale == "log" else np.linspace
    return list(spread(box.low, box.high, POINTS))


def _order(claim: Scaling, axis: str, values: Sequence[float]) -> list[float]:
    """The claimed order divided by its first value. Variables that are not on the axis are set to 1."""
    given = {symbol.name: 1.0 for symbol in claim.claimed.free_symbols}
    found = [float(evaluate(claim.claimed, {**given, axis: float(value)})) for value in values]
    return [value / found[0] for value in found]
