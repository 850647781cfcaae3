"""One round of a method, with the number of rounds before as a parameter, and names of its quantities before and after."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import sympy as sp

from verify.engine.certificates.formulas import Tree
from verify.engine.scene import Box, Shape
from verify.first_order.forms import Form
from verify.first_order.points import UNBOUNDED
from verify.first_order.problem import Problem
from verify.first_order.scene import Method, Study

ROUND = "t"
COUNT = sp.Symbol(ROUND, integer=True, positive=True)
NOW = sp.Symbol(ROUND, nonnegative=True)
"""The number of a round as a parameter: the inequality of one round is shown for every nonnegative number."""
ANY = Box(0, UNBOUNDED)


def takes_round(one_round: Method) -> bool:
    return ROUND in inspect.signature(one_round).parameters


@dataclass(frozen=True)
class Rounds:
    """The study of one round, with the number of rounds before as a parameter where something depends on it."""

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

    def traced(
        self, shape: Shape, point: Mapping[str, Any], steps: tuple[Any, ...] = ()
    ) -> tuple[Problem, dict[str, Form]]:
        problem = Problem(steps=steps)
        given = {name: value for name, value in point.items() if name != ROUND or takes_round(self.one_round)}
        found = self.one_round(problem, **{n: shape[n] for n in self.sizes}, **given)
        return problem, dict(found)


def named(suffix: str) -> Callable[[sp.Expr], sp.Expr]:
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
    """A formula with the entry of a sequence at t in place of a quantity."""
    if isinstance(formula, list):
        return [formula[0], *(indexed(part, name) for part in formula[1:])]
    return ["at", name, ROUND] if formula == name else formula
