"""Proofs of facts: what is true of the quantities of a scene because of what they are.

Cauchy-Schwarz, Jensen, Young and the like are identities once the slack is written out as a sum of squares:
n (|x_1|^2 + .. + |x_n|^2) - |x_1 + .. + x_n|^2 is the sum of |x_i - x_j|^2 over the pairs. So a fact is checked as
an identity between arbitrary vectors, and its slack term by term for its sign.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache

import numpy as np
import sympy as sp

from verify.engine.arithmetic import side_by_side
from verify.engine.expressions import spelled_out, symbolic_values, vanishes
from verify.engine.scene import Condition, Fact, Proved, Scene, Shape, Values


def proof_of(relation: Condition, scene: Scene | None, conditions: Sequence[Condition]) -> str:
    """Why a relation is true of the quantities of a scene under these conditions; empty if no fact of it says so."""
    known = scene.compute.facts if scene and isinstance(scene.compute, Proved) else ()
    for fact in known:
        needed = conditions_of(fact) if fact.relation == relation else None
        if needed is not None and needed <= set(conditions):
            return fact.scene.covers
    return ""


@cache
def conditions_of(fact: Fact) -> frozenset[Condition] | None:
    """Conditions under which a fact is proved; None if its identity fails or its slack may be negative."""
    needed: set[Condition] = set()
    for shape in fact.scene.shapes:
        found = conditions_at(fact, shape)
        if found is None:
            return None
        needed |= found
    return frozenset(needed)


@lru_cache(maxsize=64)
def _values(scene: Scene, shape: frozenset[tuple[str, int]]) -> Values:
    return symbolic_values(scene, dict(shape))


def conditions_at(fact: Fact, shape: Shape) -> set[Condition] | None:
    """Conditions that make the slack nonnegative at one shape; None if it is no slack, or may be negative."""
    relation, values = fact.relation, _values(fact.scene, frozenset(shape.items()))
    large, small = relation.args if isinstance(relation, sp.Ge) else relation.args[::-1]
    parts = (large, small, sp.Symbol(fact.slack) if fact.slack else sp.S.Zero)
    above, below, slack = (side.ravel() for side in side_by_side(parts, values, "symbolic", 1))
    slack = np.vectorize(sp.sympify, otypes=[object])(slack)
    used = set().union(*(term.free_symbols for term in slack))
    meant: dict[sp.Symbol, sp.Expr] = {}
    needed: set[Condition] = set()
    for name, (quantity, condition) in fact.assumed.items():
        stand_ins = dict(zip(values[name].ravel(), values[quantity].ravel(), strict=True))
        meant |= stand_ins
        if used & stand_ins.keys() and condition is not None:
            needed.add(condition)
    holds = all(
        s.is_nonnegative and vanishes(spelled_out(a - b - s.xreplace(meant)))
        for a, b, s in zip(above, below, slack, strict=True)
    )
    return needed if holds else None
