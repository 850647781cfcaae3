"""One round of a method, for proofs by induction over rounds.

The number t of earlier rounds is a parameter. Quantities before the round have the suffix "_before".
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, wraps
from itertools import combinations
from typing import Any

import sympy as sp

from verify.engine.certificates.formulas import Tree
from verify.engine.model.scene import Box, Shape
from verify.first_order.forms import Form, Vector, dot, form, sq
from verify.first_order.problem import Problem
from verify.first_order.scene import Method, Study, lowest

ROUND = "t"
COUNT = sp.Symbol(ROUND, integer=True, positive=True)
NOW = sp.Symbol(ROUND, nonnegative=True)
"""The number of the round as a real parameter: the inequality of one round is proved for every real t >= 0."""


def takes_round(one_round: Callable[..., Any]) -> bool:
    """Whether a method has the number of the round as an argument."""
    return ROUND in inspect.signature(one_round).parameters


BEFORE = "_before"
Stateful = Callable[..., Mapping[str, Form | Vector]]
"""A method that returns vectors of its state beside quantities."""


def in_forms(method: Stateful) -> Method:
    """The method with inner products in place of the vectors that it returns.

    Vectors ``x`` and ``g`` (or ``x_before`` and ``g_before``) give ``sq_x``, ``sq_g`` and ``dot_g_x`` (with the suffix).
    """

    @wraps(method)
    def measured(problem: Problem, **numbers: Any) -> dict[str, Form]:
        return forms_in(method(problem, **numbers))

    return measured


def forms_in(found: Mapping[str, Form | Vector]) -> dict[str, Form]:
    """The quantities that a round returns, and the inner products of the vectors that it returns."""
    forms = {name: value for name, value in found.items() if not isinstance(value, Vector)}
    vectors = {name: value for name, value in sorted(found.items()) if isinstance(value, Vector)}
    for suffix in ("", BEFORE):
        state = {
            name.removesuffix(BEFORE): vector
            for name, vector in vectors.items()
            if name.endswith(BEFORE) == bool(suffix)
        }
        forms |= {f"sq_{name}{suffix}": sq(vector) for name, vector in state.items()}
        forms |= {f"dot_{a}_{b}{suffix}": dot(state[a], state[b]) for a, b in combinations(state, 2)}
    return forms


@dataclass(frozen=True)
class Rounds:
    """The study of one round. `parameters` holds the range of the round number if something depends on it."""

    study: Study
    one_round: Method
    parameters: Mapping[str, Box]

    @property
    def sizes(self) -> Mapping[str, tuple[int, ...]]:
        return self.study.sizes

    @property
    def boxes(self) -> Mapping[str, Box]:
        return {**self.study.boxes, **self.parameters}

    @property
    def multipliers(self) -> Mapping[str, sp.Expr]:
        return self.study.multipliers

    @property
    def shapes(self) -> list[dict[str, int]]:
        return self.study.shapes

    @cached_property
    def constants(self) -> frozenset[str]:
        """Names of the quantities that are the same in every round, such as a variance: the round returns them once.

        They may contain numbers and what is known at the optimum, but no other vectors or function values.
        """
        problem, found = self.traced(self.shapes[0], lowest(self.boxes))
        at_optimum, changing = set[str](), set[str]()
        for member in problem.members:
            for answer in member.answers:
                if member.optimum is not None and answer.x == member.optimum:
                    at_optimum |= answer.x.parts.keys() | answer.g.parts.keys()
                elif answer.f is not None:
                    changing |= {name for key in answer.f.terms for name in key}
        changing |= set(problem.vectors) - at_optimum
        once = (
            name for name in found if not name.endswith((BEFORE, "_0")) and f"{name}{BEFORE}" not in found
        )
        return frozenset(
            n for n in once if not changing & {part for key in form(found[n]).terms for part in key}
        )

    def traced(
        self, shape: Shape, point: Mapping[str, Any], steps: tuple[Any, ...] = ()
    ) -> tuple[Problem, dict[str, Form]]:
        """Run one round at a size and point; returns the problem and the quantities."""
        problem = Problem(steps=steps)
        given = {name: value for name, value in point.items() if name != ROUND or takes_round(self.one_round)}
        found = self.one_round(problem, **{n: shape[n] for n in self.sizes}, **given)
        return problem, dict(found)


def with_suffix(suffix: str) -> Callable[[sp.Expr], sp.Expr]:
    """A function that appends a suffix to the names of all symbols of an expression that are not positive."""

    def renamed(part: sp.Expr) -> sp.Expr:
        return part.subs(
            {
                s: sp.Symbol(f"{s.name}{suffix}", **s.assumptions0)
                for s in part.free_symbols
                if not s.is_positive
            }
        )

    return renamed


def indexed(formula: Tree, name: str) -> Tree:
    """Replace a quantity in a formula of a certificate by the entry at t of a sequence with its name."""
    if isinstance(formula, list):
        return [formula[0], *(indexed(part, name) for part in formula[1:])]
    return ["at", name, ROUND] if formula == name else formula
