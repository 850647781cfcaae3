"""Decide a claim at one size and one point of its parameters, by an exact proof or an exact counterexample."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any, Protocol

import numpy as np
import sympy as sp

from verify.check_proof import Refused
from verify.engine.certificates.question import Certificate
from verify.engine.certificates.recheck import Rejected
from verify.engine.model.instance import oriented
from verify.engine.model.scene import Box, Condition, Shape
from verify.engine.work.errors import UsageError
from verify.first_order.certificate import certificate
from verify.first_order.counterexample import Example, example
from verify.first_order.exact import Proof, proof
from verify.first_order.forms import Form, form
from verify.first_order.points import Point, side
from verify.first_order.problem import Problem
from verify.first_order.program import Program, Solution, program_of, solve

STEPS = (1, 2, 10, 100, 1_000, 10**5)
"""Largest denominators of the steps of line searches in a counterexample, tried in this order."""
CLEAR = 1e-5
"""A proof is tried if the claim fails by less than this in floats: a solver may err by this much on a degenerate problem."""


class Studied(Protocol):
    """A method with its sizes and the ranges of its parameters (`verify.first_order.scene.Study`)."""

    @property
    def boxes(self) -> Mapping[str, Box]: ...

    @property
    def shapes(self) -> list[dict[str, int]]: ...

    @property
    def multipliers(self) -> Mapping[str, sp.Expr]: ...

    def traced(
        self, shape: Shape, point: Mapping[str, Any], steps: tuple[Any, ...] = ()
    ) -> tuple[Problem, dict[str, Form]]: ...


@dataclass(frozen=True)
class Case:
    """A claim at one size and point.

    Attributes
    ----------
    shape, point : mappings
        Sizes and values of the parameters.
    problem : Problem
        The run of the method with formal vectors.
    program : Program
        The semidefinite program of the worst case.
    small, large : Form
        Both sides of the claim small <= large.
    with_steps : callable
        Returns the same case with given steps instead of exact line searches.
    """

    shape: Shape
    point: Point
    problem: Problem
    program: Program
    small: Form
    large: Form
    with_steps: Callable[[tuple[Fraction, ...]], Case] | None = None


@dataclass(frozen=True)
class Decided:
    """The decision of a case: a proof with its certificate, or a counterexample, or neither."""

    case: Case
    proof: Proof | None = None
    certificate: Certificate | None = None
    example: Example | None = None


def case_of(
    study: Studied,
    relation: Condition,
    conditions: Sequence[Condition],
    shape: Shape,
    point: Point,
    steps: tuple[Fraction, ...] = (),
) -> Case:
    """The program of a claim at one size and point.

    Raises
    ------
    Irrational
        If a coefficient is irrational at this point.
    UsageError
        If the claim contains a quantity that the run does not have, is not linear in quantities, or is strict.
    """
    if isinstance(relation, sp.Lt | sp.Gt):
        raise UsageError(
            f"`relation` must be <=, >= or an equation, got {relation}; a strict relation fails where all quantities are 0, so write <= or >="
        )
    problem, quantities = study.traced(shape, point, steps)
    values = {**{name: Fraction(size) for name, size in shape.items()}, **point, **quantities}
    for spoken in (relation, *conditions):
        for symbol in spoken.free_symbols:
            if symbol.name not in values:
                offered = ", ".join(sorted(values))
                raise UsageError(
                    f"`{symbol}` in {spoken} must be a size, parameter or quantity of the run; choose one of {offered}"
                )
    try:
        written_small, written_large = oriented(relation)
        small, large = side(written_small, values, problem), side(written_large, values)
        for condition in conditions:
            if {s.name for s in condition.free_symbols} & quantities.keys():
                less, more = (side(part, values) for part in oriented(condition))
                if isinstance(condition, sp.Eq):
                    problem.assume_equal(more, less, str(condition))
                else:
                    problem.assume(more - less, str(condition))
    except ValueError as error:
        raise UsageError(str(error)) from error
    if any((large - small).terms.get((name,), 0) > 0 for name in problem.least):
        raise UsageError(
            f"a minimum of several quantities must stand on the smaller side of `relation`, got {relation}; state a claim for each quantity"
        )
    again = partial(case_of, study, relation, conditions, shape, point)
    return Case(shape, point, problem, program_of(problem, large - small), small, large, again)


def decision(case: Case) -> Decided:
    """An exact proof of a case, or an exact counterexample, or neither.

    The floats of the solver only decide which of the two is tried; both are verified in exact arithmetic.
    """
    solution = solve(case.program)
    if solution is None:
        return Decided(case)
    if solution.excess < CLEAR:
        shown = _with_exact_proof(case, solution)
        if shown is not None:
            return shown
    if case.problem.realisable:
        return Decided(case, example=example(case.program, solution))
    return _searched(case, solution) if case.problem.searches and not case.problem.steps else Decided(case)


def contradiction(case: Case) -> Decided | None:
    """A proof that no function meets the assumptions of a case, as a proof of 1 <= 0 from them; None if there is none."""
    if not (case.problem.nonnegative or case.problem.zero):
        return None
    small, large = form(1), form(0)
    absurd = replace(case, program=program_of(case.problem, large - small), small=small, large=large)
    solution = solve(absurd.program)
    shown = None if solution is None or solution.excess >= CLEAR else _with_exact_proof(absurd, solution)
    return shown if shown is not None and shown.certificate is not None else None


def _with_exact_proof(case: Case, solution: Solution) -> Decided | None:
    """The case with an exact proof; without it if a checker refuses its certificate; None if there is no proof."""
    found = proof(case.program, solution)
    if found is None:
        return None
    try:
        shown = certificate(case.program, found, case.small, case.large, case.problem.least)
    except (Refused, Rejected):
        return Decided(case)
    return Decided(case, found, shown)


def _searched(case: Case, solution: Solution) -> Decided:
    """A counterexample to a claim about a method with exact line searches.

    Equations of a line search cannot be met by rounded vectors. The steps of the worst case are therefore rounded first,
    and the search is for a counterexample with these fixed steps. `realisable` says whether it meets the line searches.
    """
    steps = _steps(case, solution)
    if case.with_steps is None:
        return Decided(case)
    for largest in STEPS:
        rounded = tuple(Fraction(step).limit_denominator(largest) for step in steps)
        other = case.with_steps(rounded)
        found = solve(other.program) if other.problem.realisable else None
        shown = example(other.program, found) if found is not None and found.excess > 0 else None
        if shown is not None:
            return Decided(other, example=shown)
    return Decided(case)


def _steps(case: Case, solution: Solution) -> list[float]:
    """The steps of all line searches along each of their directions in the worst case, by least squares."""
    values, axes = np.linalg.eigh(solution.gram)
    rows = dict(zip(case.program.vectors, axes * np.sqrt(np.maximum(values, 0)), strict=True))
    zero = np.zeros(len(values))
    at = lambda v: sum((float(c) * rows.get(n, zero) for n, c in v.parts.items()), zero)  # noqa: E731
    found: list[float] = []
    for y, x, directions in case.problem.searches:
        along = np.array([at(d) for d in directions]).T
        found += np.linalg.lstsq(along, at(x) - at(y), rcond=1e-6)[0].tolist()
    return found
