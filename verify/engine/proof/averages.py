"""Means over equally likely cases: a relation that holds in every case, and is linear in the quantities that differ between
cases, also holds for their means.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np
import sympy as sp

from verify.engine.model.scene import Condition, Scene, allowed_shapes
from verify.engine.search.adversary import ROUNDING, random_batch
from verify.engine.work.errors import UsageError

TRIED = 64
"""Random instances of each shape."""

Means = Mapping[sp.Symbol, sp.Symbol]
"""By name of a quantity with one value for each case, (batch, ..., case): its mean over the cases, (batch, ...)."""


def averaged(relation: Condition, means: Means) -> Condition:
    """The relation between means, if the relation is linear in the averaged quantities; otherwise the relation unchanged."""
    cases = [symbol for symbol in relation.free_symbols if symbol in means]
    if not cases or not isinstance(relation, sp.Eq | sp.Le | sp.Ge):
        return relation
    if not _linear(relation.lhs - relation.rhs, cases):
        return relation
    return relation.func(*(side.xreplace(dict(means)) for side in relation.args), evaluate=False)


def _linear(formula: sp.Expr, letters: Sequence[sp.Symbol]) -> bool:
    """Whether a formula is a polynomial in some letters whose degree is at most 1."""
    if not formula.is_polynomial(*letters):
        return False
    return _degree(formula, {*letters}) <= 1 or sp.Poly(formula, *letters).total_degree() <= 1


def _degree(formula: sp.Expr, letters: AbstractSet[sp.Basic]) -> int:
    """An upper bound on the degree of a polynomial, without expanding it: terms may cancel."""
    if not formula.free_symbols & letters:
        return 0
    if isinstance(formula, sp.Add):
        return max(_degree(part, letters) for part in formula.args)
    if isinstance(formula, sp.Mul):
        return sum(_degree(part, letters) for part in formula.args)
    if isinstance(formula, sp.Pow):
        return int(formula.exp) * _degree(formula.base, letters)
    return 1 if formula in letters else 2


def averaging(
    means: Means, relations: Iterable[Condition], scene: Scene, conditions: tuple[Condition, ...]
) -> int:
    """Number of random instances at which the quantities equal the declared means; 0 if they differ at one of them.

    All other quantities of the averaged relations must be the same in all cases.

    Raises
    ------
    UsageError
        If a mean has another shape than its cases without their axis.
    """
    used = [relation for relation in relations if averaged(relation, means) != relation]
    others = {symbol.name for relation in used for symbol in relation.free_symbols if symbol not in means}
    found = 0
    for shape in allowed_shapes(scene, conditions):
        values, allowed = random_batch(scene, conditions, tuple(shape.items()), TRIED, 0)[2:]
        cases = {case.name: np.asarray(values[case.name]) for case in means}
        shapes = {case.shape for case in cases.values()}
        if len(shapes) != 1 or any(case.ndim < 2 for case in cases.values()):
            return 0
        if any(_by_case(values[name], *shapes) for name in others if name not in shape):
            return 0
        counts = np.asarray(allowed)
        for case, mean in means.items():
            each, said = cases[case.name][counts], np.asarray(values[mean.name])
            if said.shape != cases[case.name].shape[:-1]:
                raise UsageError(
                    f"`{mean}`, the mean of `{case}` over cases, must have its shape without the last axis, "
                    f"{cases[case.name].shape[:-1]}, got {said.shape} (scene {scene.name!r})"
                )
            said = said[counts]
            if not (np.abs(said - each.mean(axis=-1)) <= ROUNDING * (1 + np.abs(each).max(axis=-1))).all():
                return 0
        found += int(allowed.sum())
    return found


def _by_case(value: Any, cases: tuple[int, ...]) -> bool:
    """Whether a quantity of this shape may differ between cases, which are its last axis."""
    return np.shape(value) not in [cases[:axes] for axes in range(len(cases))]
