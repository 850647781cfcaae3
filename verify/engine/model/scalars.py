"""The scene of a relation between free numbers: every symbol is a parameter of its domain."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import ceil, prod
from typing import Any

import sympy as sp

from bounds.symbols import domain_of
from verify.engine.model.scene import Box, Condition, Scene, Shape
from verify.engine.model.sequences import letter_of, sequences_in, with_sequences
from verify.engine.search.step_sizes import solved

_BOXES = {"positive": Box(1e-3, 1e3, scale="log"), "nonnegative": Box(0.0, 10.0), "real": Box(-10.0, 10.0)}
FAR = {"log": 1e9, "linear": 100.0}
"""A limit set by a condition is used as the end of a range only up to this value."""
INSIDE = 2.0**-20
"""Relative distance of an end from a limit that the condition excludes."""


def scalar_scene(relations: Iterable[Condition], conditions: Iterable[Condition] = ()) -> Scene:
    """The scene whose parameters are the free symbols of `relations`.

    Whole numbers run through small shapes, smallest first. The range of a number ends at the limits set by `conditions` on
    this number alone, so that these limits are searched.
    """
    relations, conditions = tuple(relations), tuple(conditions)
    free = set().union(*(r.free_symbols for r in relations)) - {*sequences_in(relations)}
    symbols = sorted((s for s in free if isinstance(s, sp.Symbol)), key=lambda s: s.name)
    counts = [s.name for s in symbols if domain_of(s) == "count"]
    bounds = [bound for condition in conditions for bound in _bounds(condition)]
    reals = {
        s.name: _ending(_BOXES[domain_of(s)], [bound for name, *bound in bounds if name == s.name])
        for s in symbols
        if domain_of(s) != "count"
    }
    nothing = next(name for name in ("nothing", "no number") if name not in counts)
    steps = _defined([one for one in conditions if letter_of(one) is None], reals)
    space = {**reals, **dict.fromkeys(steps, Box(1, 1))} or {nothing: Box(0.0, 1.0)}
    scene = Scene(
        name="numbers",
        shapes=tuple(_with_ends(_shapes(counts), bounds)),
        space=lambda shape: space,
        steps=steps,
        grows=tuple(counts),
    )
    return with_sequences(scene, relations, conditions)


def _defined(conditions: Sequence[Condition], reals: Iterable[str]) -> tuple[str, ...]:
    """Numbers defined by equations in terms of others, in an order in which each is known when it is needed."""
    free, found, used = set(reals), [], set()
    for condition in conditions:
        # sorted, as the order of a set differs between processes and a counterexample must replay in any of them
        symbols = [s for side in condition.args for s in (side, *sorted(side.free_symbols, key=str))]
        names = [s.name for s in symbols if s.is_Symbol]
        for name in dict.fromkeys(name for name in names if name in free and name not in used):
            formula = solved(name, condition)
            if formula is None or formula.has(sp.Indexed):  # entries are computed later, by this equation
                continue
            if not formula.is_Rational:  # a range of one number has the same effect
                found.append(name)
                free.discard(name)
                used |= {s.name for s in formula.free_symbols}
                break
    return tuple(found)


SCALES = (1e-6, 1e-3, 10.0, 1e3, 1e6, 1e9)
"""Factors by which ranges without a limit are made narrower or wider in further searches."""
LARGE = 64
"""Largest least value of a whole number at which a search begins."""
LARGE_SIZES = (12, 40, 128)
"""Sizes at which relations are tried before a proof is searched."""
HUGE_SIZES = (10**3, 10**6, 10**9, 10**15)
"""Sizes at which relations without sums and powers with whole letters are tried after the search for a proof."""
_LONG = (sp.Sum, sp.Product, sp.Indexed, sp.factorial, sp.binomial)
"""Functions that take long at huge sizes."""
MOST_ENTRIES = 1_000
"""Largest number of entries of a sequence that is drawn at huge sizes."""
FEW_SHAPES = 4
"""Sizes at which further ranges are searched."""


def far_scenes(scene: Scene) -> Iterator[Scene]:
    """Scenes of free numbers with other ranges: near zero, and many orders of magnitude larger, for all numbers together and
    for each alone.

    Ends set by conditions stay.
    """
    import numpy as np

    rng = np.random.default_rng(0)
    names = list(scene.space(scene.shapes[0]))

    def at(scales: Mapping[str, Any]) -> Callable[[Shape], Mapping[str, Box]]:
        return lambda shape: {
            name: _scaled(box, float(scales[name])) for name, box in scene.space(shape).items()
        }

    alike = [dict.fromkeys(names, scale) for scale in SCALES]
    apart = [dict(zip(names, rng.choice((1.0, *SCALES), len(names)), strict=True)) for _ in SCALES]
    for scales in [*alike, *(apart if len(names) > 1 else [])]:
        yield replace(scene, shapes=scene.shapes[:FEW_SHAPES], space=at(scales))


def widest(scene: Scene) -> Scene:
    """A scene of free numbers whose ranges contain those of every further search."""
    far = list(far_scenes(scene))

    def space(shape: Shape) -> Mapping[str, Box]:
        spaces = [scene.space(shape), *(other.space(shape) for other in far)]
        lows = {name: min(space[name].low for space in spaces) for name in spaces[0]}
        highs = {name: max(space[name].high for space in spaces) for name in spaces[0]}
        return {name: replace(box, low=lows[name], high=highs[name]) for name, box in spaces[0].items()}

    return replace(scene, space=space)


def _scaled(box: Box, scale: float) -> Box:
    """A range with ends farther away or nearer to zero, unless a condition set them."""
    usual = [other for other in _BOXES.values() if other.scale == box.scale]
    low = box.low * scale if box.low in {other.low for other in usual} else box.low
    high = box.high * scale if box.high in {other.high for other in usual} else box.high
    return replace(box, low=low, high=high) if low < high else box


def _shapes(counts: list[str]) -> list[Shape]:
    """Small whole numbers, smallest sum first: all equal, all equal except one, and a fixed selection of others.

    One is different, because equal numbers have special sums and zero differences.
    """
    import numpy as np

    if not counts:
        return [{}]
    rng = np.random.default_rng(0)
    grids = [dict.fromkeys(counts, n) for n in (1, 2, 3)]
    grids += [{**dict.fromkeys(counts, 1), name: 2} for name in counts]
    grids += [dict(zip(counts, map(int, rng.integers(1, 9, len(counts))), strict=True)) for _ in range(24)]
    unique = {tuple(shape.items()): shape for shape in grids}
    return sorted(unique.values(), key=lambda shape: sum(shape.values()))


def _with_ends(shapes: list[Shape], bounds: Iterable[Sequence[Any]]) -> list[Shape]:
    """The shapes, and further ones at which each whole number is the least that a condition allows, or the next one."""
    found = list(shapes)
    for name, below, end, quite in bounds:
        low = ceil(end) if quite or not float(end).is_integer() else int(end) + 1
        if not (below and name in shapes[0] and 1 < low <= LARGE):
            continue
        found += [{**shape, name: size} for shape in shapes[:FEW_SHAPES] for size in (low, low + 1)]
    unique = {tuple(sorted(shape.items())): shape for shape in found}
    return (
        sorted(unique.values(), key=lambda shape: sum(shape.values())) if len(found) > len(shapes) else shapes
    )


def large_scene(scene: Scene, sizes: Sequence[int] = LARGE_SIZES) -> Scene | None:
    """A scene of free numbers at a few large sizes: all whole numbers equal, or one of them the largest; None if there are no
    whole numbers.
    """
    names = list(scene.shapes[0])
    if not names:
        return None
    alike = [dict.fromkeys(names, size) for size in sizes]
    alone = [{**dict.fromkeys(names, 1), name: sizes[-1]} for name in names]
    return replace(scene, shapes=(*alike, *(alone if len(names) > 1 else ())))


def huge_scene(scene: Scene, relations: tuple[Condition, ...]) -> Scene | None:
    """A scene of free numbers at huge sizes; None if there are no whole numbers, or a relation or a sequence would take long there."""
    counts = set(scene.shapes[0])
    powers = {power for relation in relations for power in relation.atoms(sp.Pow)}
    exponents = {s.name for power in powers for s in power.exp.free_symbols}
    if exponents & counts or any(relation.has(*_LONG) for relation in relations):
        return None
    huge = large_scene(scene, HUGE_SIZES)
    boxes = [box for shape in huge.shapes for box in huge.space(shape).values()] if huge else []
    return None if any(prod(box.shape) > MOST_ENTRIES for box in boxes) else huge


def _bounds(condition: Condition) -> Iterator[tuple[str, bool, float, bool]]:
    """The bound that a condition linear in one number sets: name, whether it is a lower bound, its value, and whether the
    value is allowed.
    """
    slack = condition.lhs - condition.rhs
    if len(slack.free_symbols) != 1 or isinstance(condition, sp.Ne):
        return
    (symbol,) = slack.free_symbols
    slope, at_zero = slack.diff(symbol), slack.subs(symbol, 0)
    if symbol in slope.free_symbols or not (slope.is_real and at_zero.is_finite):
        return
    end = -at_zero / slope
    quite = bool(end.is_rational) and not isinstance(condition, sp.Lt | sp.Gt)
    upwards = bool(slope > 0) == isinstance(condition, sp.Ge | sp.Gt)
    for below in (True, False) if isinstance(condition, sp.Eq) else (upwards,):
        yield symbol.name, below, float(end), quite


def _ending(box: Box, bounds: Iterable[Sequence[Any]]) -> Box:
    """The range restricted by the bounds that are not far away; unchanged if nothing would be left."""
    log, far = box.scale == "log", FAR[box.scale]
    least = 1 / far if log else -far if box.low else 0
    near = [(below, end, quite) for below, end, quite in bounds if least <= end <= far]
    lows = [(end, quite) for below, end, quite in near if below]
    highs = [(end, quite) for below, end, quite in near if not below]
    low, low_quite = max(lows, key=lambda bound: (bound[0], not bound[1]), default=(box.low, True))
    high, high_quite = min(highs, default=(box.high, True))
    if low >= high and not lows and box.low != 0:
        low = high / 1e3 if log else high - 10
    if low >= high and not highs:
        high = low * 1e3 if log else low + 10
    if low > high:
        return box
    width = INSIDE * (high - low)
    return replace(box, low=low if low_quite else low + width, high=high if high_quite else high - width)
