"""Whether quantities of a scene match an induction: one is the value of another one round later."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import sympy as sp

from verify.engine.certificates.question import Induction
from verify.engine.model.scene import Condition, Scene, Shape, Values, allowed_shapes, quantities
from verify.engine.search.adversary import ROUNDING, TINY, admissible, compared, random_batch

TRIED = 64
"""Random instances of each shape."""
NOW, LATER = sp.symbols("now later", real=True)


class Otherwise(Exception):
    """Quantities do not match an induction; the message names one."""


def succeeding(
    induction: Induction, relations: Iterable[Condition], scene: Scene, conditions: tuple[Condition, ...]
) -> int:
    """Number of random instances at which the quantities match the induction.

    Each instance is computed twice, with the same parameters and step sizes, the second time with one more round. Changing
    quantities must then equal their values one round later, and before the first round the start of the induction. All other
    quantities must be unchanged.

    Raises
    ------
    Otherwise
        If they differ at one instance, the scene has no first round, or it does not compute the quantities.
    """
    names = sorted({symbol.name for relation in relations for symbol in relation.free_symbols})
    found, begun = 0, False
    for shape in allowed_shapes(scene, conditions):
        if not shape.get(induction.over):
            continue
        before = {**shape, induction.over: shape[induction.over] - 1}
        now, later, counts = _instances(scene, conditions, before, shape)
        for name in _compared_names(induction, names):
            if name not in now:
                raise Otherwise(f"`{name}` is no quantity of the scene")
        for old, new, why in _pairs(induction, names):
            if not _same(sp.Eq(NOW, LATER), {"now": now[old], "later": later[new]}, counts):
                raise Otherwise(why)
        if shape[induction.over] == 1:
            begun = True
            for symbol, value in induction.first.items():
                if not _same(sp.Eq(symbol, value), now, counts):
                    raise Otherwise(f"before the first round `{symbol}` is not {value}")
        found += int(counts.sum())
    if not begun:
        raise Otherwise(
            f"no size of the scene has {induction.over} = 1, the round after which the first one is over"
        )
    return found


def _instances(
    scene: Scene, conditions: tuple[Condition, ...], before: Shape, after: Shape
) -> tuple[Values, Values, np.ndarray]:
    """Quantities of the same instances before and after a round, and the mask of admissible instances."""
    if scene.space(before) != scene.space(after):
        raise Otherwise(f"a round more has other parameters at {dict(after)}")
    parameters, sizes, later, allowed = random_batch(scene, conditions, tuple(after.items()), TRIED, 0)
    now = quantities(scene, before, parameters, sizes)
    return now, later, allowed & admissible(conditions, now, TRIED, 0.0)


def _pairs(induction: Induction, names: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    """Pairs of quantities that must agree one round later, each with its error message."""
    for symbol, after in induction.later.items():
        yield after.name, symbol.name, f"`{after}` is not what `{symbol}` is one round later"
    for name in names:
        if name not in induction.names:
            yield name, name, f"`{name}` is another one round later, for which the induction has no name"


def _compared_names(induction: Induction, names: Iterable[str]) -> list[str]:
    """Names of all quantities that are compared."""
    begins = {symbol.name for value in induction.first.values() for symbol in sp.sympify(value).free_symbols}
    return sorted({*names, *induction.names, *(symbol.name for symbol in induction.first), *begins})


def _same(equation: Condition, values: Mapping[str, Any], counts: np.ndarray) -> bool:
    """Whether an equation holds up to rounding at the instances that count."""
    if equation in (sp.true, sp.false):
        return bool(equation)
    margin, _, gap = compared(equation, values, TRIED)
    broken = (np.nan_to_num(margin, nan=1.0) > ROUNDING) & ~(gap <= TINY)
    return not bool((broken & counts).any())
