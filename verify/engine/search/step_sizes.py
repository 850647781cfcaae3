"""Step sizes inside the limits set by conditions."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache, reduce
from typing import Any

import numpy as np
import sympy as sp

from bounds.evaluate import Arithmetic, evaluate
from verify.engine.model.scene import Condition, Scene, Shape, Values

LONG = 100
"""Formulas with more operations are not cancelled, because SymPy may take minutes."""


@lru_cache(maxsize=4096)
def limits_of(
    step: str, conditions: tuple[Condition, ...], known: frozenset[str]
) -> list[tuple[sp.Expr, bool]]:
    """Upper limits that `conditions` set for `step` in terms of quantities in `known`, and whether each is an equation.

    Conditions that are linear in the step (``gamma_G*gamma_L <= 1/L``) are solved for it.
    """
    limits = []
    for condition in conditions:
        if isinstance(condition, sp.Ne):
            continue
        small, large = (
            (condition.rhs, condition.lhs) if isinstance(condition, sp.Ge | sp.Gt) else condition.args
        )
        held = [s for s in small.free_symbols if s.name == step]
        if not held or any(s.name == step for s in large.free_symbols):
            continue
        limit = _quotient(large, small, held[0])
        if limit is not None and {s.name for s in limit.free_symbols} <= known:
            limits.append((limit, isinstance(condition, sp.Eq)))
    return limits


@lru_cache(maxsize=4096)
def definitions(
    steps: tuple[str, ...], conditions: tuple[Condition, ...], known: frozenset[str]
) -> Mapping[str, tuple[Condition, sp.Expr]]:
    """Step sizes determined by an equation: the equation, and the formula of the step in terms of `known` quantities and
    earlier steps.
    """
    found: dict[str, tuple[Condition, sp.Expr]] = {}
    settled = known - set(steps)
    for step in steps:
        for condition in conditions:
            formula = solved(step, condition)
            if formula is not None and {s.name for s in formula.free_symbols} <= settled:
                found[step] = condition, formula
                break
        settled |= {step}
    return found


@lru_cache(maxsize=4096)
def solved(name: str, condition: Condition) -> sp.Expr | None:
    """The formula of a symbol in an equation that is linear in it, also over one denominator; None if there is none."""
    if not isinstance(condition, sp.Eq):
        return None
    symbol = next((s for s in condition.free_symbols if s.name == name), None)
    if symbol is None:
        return None
    for side, other in (condition.args, condition.args[::-1]):
        if side == symbol and symbol not in other.free_symbols:
            formula: sp.Expr = other
            return formula
        if symbol not in other.free_symbols and (limit := _quotient(other, side, symbol)) is not None:
            return limit
    slack = condition.lhs - condition.rhs
    for top in (slack, sp.numer(sp.together(slack))) if sp.count_ops(slack) < LONG else (slack,):
        slope = sp.cancel(top.diff(symbol)) if sp.count_ops(slack) < LONG else top.diff(symbol)
        if slope != 0 and symbol not in slope.free_symbols:
            return -top.subs(symbol, 0) / slope
    return None


def _quotient(large: sp.Expr, small: sp.Expr, symbol: sp.Symbol) -> sp.Expr | None:
    """The upper bound of a symbol if `small`, a multiple of it, is at most `large`; None if `small` is not a multiple of
    it.
    """
    factor = small / symbol
    if symbol in factor.free_symbols:
        # SymPy loads its units of physics for this, which takes longer than all the rest.
        factor = sp.simplify(factor)
    return None if symbol in factor.free_symbols else large / factor


@np.errstate(all="ignore")
def defined_sizes(
    scene: Scene,
    conditions: tuple[Condition, ...],
    shape: Shape,
    parameters: Mapping[str, Any],
    sizes: Mapping[str, Any],
    arithmetic: Arithmetic,
) -> tuple[Values, dict[Condition, str]]:
    """Step sizes, with those determined by an equation computed by its formula, and these equations with their step.

    A rounded step size would violate its equation.
    """
    if not scene.steps or not any(isinstance(condition, sp.Eq) for condition in conditions):
        return dict(sizes), {}
    values: Values = {**shape, **parameters}
    values.update(scene.known(shape, values))
    formulas = definitions(scene.steps, conditions, frozenset(values))
    found = dict(sizes)
    for step in scene.steps:
        if step in formulas:
            value = evaluate(formulas[step][1], values, arithmetic)
            value = arithmetic.number(sp.Integer(value)) if isinstance(value, int) else value
            found[step] = value if np.ndim(value) else np.asarray([value], dtype=_type_of(value))
        values[step] = found[step]
    return found, {condition: step for step, (condition, _) in formulas.items()}


def _type_of(value: Any) -> type:
    return float if isinstance(value, float) else object


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
    formulas = definitions(scene.steps, conditions, frozenset(values))
    for step in scene.steps:
        settled = frozenset(name for name in values if name not in scene.steps or name in sizes)
        if step in formulas:
            sizes[step] = evaluate(formulas[step][1], values, arithmetic)
        else:
            limits = limits_of(step, conditions, settled)
            caps = [evaluate(limit, values, arithmetic) for limit, _ in limits]
            top = reduce(arithmetic.minimum, caps) if caps else scene.free_step(step, shape, values)
            sizes[step] = parameters[step] * top
        values[step] = sizes[step]
    return sizes
