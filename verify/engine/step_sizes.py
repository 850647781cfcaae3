"""Step sizes inside the limits that conditions put on them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache, reduce
from typing import Any

import numpy as np
import sympy as sp

from bounds.evaluate import Arithmetic, evaluate
from verify.engine.scene import Condition, Scene, Shape, Values


@lru_cache(maxsize=4096)
def limits_of(
    step: str, conditions: tuple[Condition, ...], known: frozenset[str]
) -> list[tuple[sp.Expr, bool]]:
    """Upper limits that `conditions` put on `step` by quantities in `known`, and whether each is an equation.

    Conditions that are linear in the step (``gamma_G*gamma_L <= 1/L``) are solved for it.
    """
    limits = []
    for condition in conditions:
        small, large = (
            (condition.rhs, condition.lhs) if isinstance(condition, sp.Ge | sp.Gt) else condition.args
        )
        held = [s for s in small.free_symbols if s.name == step]
        if not held or any(s.name == step for s in large.free_symbols):
            continue
        factor = small / held[0]
        if held[0] in factor.free_symbols:
            # SymPy loads its units of physics for this, which takes longer than all the rest.
            factor = sp.simplify(factor)
        if held[0] in factor.free_symbols:
            continue
        limit = large / factor
        if {s.name for s in limit.free_symbols} <= known:
            limits.append((limit, isinstance(condition, sp.Eq)))
    return limits


@np.errstate(all="ignore")
def settle(
    scene: Scene,
    conditions: tuple[Condition, ...],
    shape: Shape,
    parameters: Mapping[str, Any],
    arithmetic: Arithmetic,
) -> Values:
    """Step sizes inside the limits of `conditions`: fraction times the smallest limit, or the equation's value."""
    values: Values = {**shape, **parameters}
    values.update(scene.known(shape, values))
    sizes: Values = {}
    for step in scene.steps:
        settled = frozenset(name for name in values if name not in scene.steps or name in sizes)
        limits = limits_of(step, conditions, settled)
        fixed = [limit for limit, equation in limits if equation]
        if fixed:
            sizes[step] = evaluate(fixed[0], values, arithmetic)
        else:
            caps = [evaluate(limit, values, arithmetic) for limit, _ in limits]
            top = reduce(arithmetic.minimum, caps) if caps else scene.free_step(step, shape, values)
            sizes[step] = parameters[step] * top
        values[step] = sizes[step]
    return sizes
