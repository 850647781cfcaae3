"""Whether quantities of a scene are what an induction takes them for: one another's value one round later."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import sympy as sp

from verify.engine.adversary import ROUNDING, TINY, admissible, compared, drawn
from verify.engine.certificates.question import Induction
from verify.engine.scene import Condition, Scene, Shape, Values, allowed_shapes, quantities

TRIED = 64
"""Random instances of each shape."""
NOW, LATER = sp.symbols("now later", real=True)


def succeeding(
    induction: Induction, relations: Iterable[Condition], scene: Scene, conditions: tuple[Condition, ...]
) -> int:
    """At how many random instances a round later is what it is taken for; 0 if it is not at one of them.

    Each is computed twice, with the same parameters and step sizes, the second time with one round more. What changes must
    then be what was called one round later, before any round what the induction begins with, and all else as it was.
    """
    names = sorted({symbol.name for relation in relations for symbol in relation.free_symbols})
    found, begun = 0, False
    for shape in allowed_shapes(scene, conditions):
        if not shape.get(induction.over):
            continue
        seen = _instances(scene, conditions, {**shape, induction.over: shape[induction.over] - 1}, shape)
        if seen is None:
            return 0
        now, later, counts = seen
        start = shape[induction.over] == 1
        if not all(_same(sp.Eq(NOW, LATER), pair, counts) for pair in _pairs(induction, names, now, later)):
            return 0
        if start and not all(_same(sp.Eq(a, b), now, counts) for a, b in induction.first.items()):
            return 0
        begun |= start
        found += int(counts.sum())
    return found if begun else 0


def _instances(
    scene: Scene, conditions: tuple[Condition, ...], before: Shape, after: Shape
) -> tuple[Values, Values, np.ndarray] | None:
    """Quantities of the same instances before and after a round, and which count; None if a round more has other parameters."""
    if scene.space(before) != scene.space(after):
        return None
    parameters, sizes, later, allowed = drawn(scene, conditions, tuple(after.items()), TRIED, 0)
    now = quantities(scene, before, parameters, sizes)
    return now, later, allowed & admissible(conditions, now, TRIED, 0.0)


def _pairs(
    induction: Induction, names: Iterable[str], now: Values, later: Values
) -> Iterator[dict[str, Any]]:
    """What must be the same: what changes, as it is called one round later, and all else."""
    for symbol, after in induction.later.items():
        yield {"now": now[after.name], "later": later[symbol.name]}
    for name in names:
        if name not in induction.names:
            yield {"now": now[name], "later": later[name]}


def _same(equation: Condition, values: Mapping[str, Any], counts: np.ndarray) -> bool:
    """Whether an equation holds up to rounding at the instances that count."""
    if equation in (sp.true, sp.false):
        return bool(equation)
    margin, _, gap = compared(equation, values, TRIED)
    broken = (np.nan_to_num(margin, nan=1.0) > ROUNDING) & ~(gap <= TINY)
    return not bool((broken & counts).any())
