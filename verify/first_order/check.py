"""The verdict on a claim about a method: an exact proof or an exact counterexample at every size and rational point."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, Protocol

import numpy as np
import sympy as sp

from nqm.kinds import Irrational
from verify.check_proof import Refused
from verify.engine.certificates.question import Certificate
from verify.engine.certificates.recheck import Rejected
from verify.engine.claim import Budget, Claim
from verify.engine.errors import UsageError
from verify.engine.extent import told
from verify.engine.instance import Instance, oriented
from verify.engine.scene import Box, Condition, Shape, met_by
from verify.engine.sizes import proof_at
from verify.engine.verdict import Finding, Verdict
from verify.engine.witness import Witness, confirm
from verify.first_order.certificate import certificate, in_words
from verify.first_order.counterexample import Example, example
from verify.first_order.exact import Proof, proof
from verify.first_order.forms import Form
from verify.first_order.points import Point, fixed, parameter_points, side
from verify.first_order.problem import Problem
from verify.first_order.program import Program, Solution, program_of, solve

POINTS = {"quick": 4, "default": 16, "full": 60}
"""Rational points of the parameters at each size, by the name of the budget."""
STEPS = (1, 2, 10, 100, 1_000, 10**5)
"""Largest denominators of the steps of line searches in a counterexample."""
CLEAR = 1e-5
"""Excess above which no proof is tried: a solver may be wrong by so much where a problem is degenerate."""
KIND = "worst case"


class Studied(Protocol):
    """A method with its sizes and the ranges of its parameters (`verify.first_order.scene.Study`)."""

    @property
    def boxes(self) -> Mapping[str, Box]: ...

    @property
    def shapes(self) -> list[dict[str, int]]: ...

    def traced(
        self, shape: Shape, point: Mapping[str, Any], steps: tuple[Any, ...] = ()
    ) -> tuple[Problem, dict[str, Form]]: ...


@dataclass(frozen=True)
class Case:
    """A claim at one size and point: its program, and both sides as forms; `with_steps` gives it with other line searches."""

    shape: Shape
    point: Point
    problem: Problem
    program: Program
    small: Form
    large: Form
    with_steps: Callable[[tuple[Fraction, ...]], Case] | None = None


@dataclass(frozen=True)
class Decided:
    """What came of a case: a certificate with the proof in words, or a counterexample, or neither."""

    case: Case
    proof: Proof | None = None
    certificate: Certificate | None = None
    example: Example | None = None


def decide(study: Studied, claim: Claim, budget: Budget, seed: int) -> Finding:
    """Is the relation true of every function of the class? Decided at every size, at rational points of the parameters."""
    del seed
    relation, conditions = claim.relation, claim.statement.conditions
    shapes = [s for s in study.shapes if all(met_by(c, s) for c in conditions)]
    proved: list[Decided] = []
    open_: list[tuple[Case | None, str]] = []
    for shape in shapes:
        for point in parameter_points(conditions, shape, study.boxes, POINTS.get(budget.name, 16)):
            for written in _one_way(relation):
                try:
                    case = case_of(study, written, conditions, shape, point)
                except Irrational as error:
                    open_.append((None, str(error)))
                    continue
                decided = decision(case)
                if decided.example is not None:
                    witness = _witness(claim, study, decided.case, decided.example)
                    if witness is not None and witness.broken:
                        return _refuted(witness)
                if decided.certificate is not None:
                    proved.append(decided)
                else:
                    open_.append((case, "no exact proof and no exact counterexample was found"))
    if not proved and not open_:
        reason = "no rational point of the parameters meets all conditions, so nothing was decided"
        return Finding(KIND, Verdict.NOT_APPLICABLE, "exact", reason)
    settled = not open_ and all(fixed(conditions, shape, study.boxes) for shape in shapes)
    return (_proved if settled else _undecided)(proved, open_)


def _one_way(relation: Condition) -> tuple[Condition, ...]:
    """An inequality, or an equation as two."""
    if isinstance(relation, sp.Eq):
        return sp.Le(*relation.args, evaluate=False), sp.Ge(*relation.args, evaluate=False)
    return (relation,)


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
        If a coefficient is no fraction there.
    UsageError
        If the claim speaks of a quantity that the run does not have, or is not linear in quantities.
    """
    problem, quantities = study.traced(shape, point, steps)
    values = {**{name: Fraction(size) for name, size in shape.items()}, **point, **quantities}
    for spoken in (relation, *conditions):
        for symbol in spoken.free_symbols:
            if symbol.name not in values:
                offered = ", ".join(sorted(values))
                raise UsageError(f"`{symbol}` must be a quantity of the run, got none; it has {offered}")
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
    again = partial(case_of, study, relation, conditions, shape, point)
    return Case(shape, point, problem, program_of(problem, large - small), small, large, again)


def decision(case: Case) -> Decided:
    """An exact proof of a case, or an exact counterexample; the floats of the solver say only what is tried first."""
    solution = solve(case.program)
    if solution is None:
        return Decided(case)
    if solution.excess < CLEAR:
        found = proof(case.program, solution)
        if found is not None:
            try:
                shown = certificate(case.program, found, case.small, case.large, case.problem.least)
                return Decided(case, found, shown)
            except (Refused, Rejected):
                return Decided(case)
    if case.problem.realisable:
        return Decided(case, example=example(case.program, solution))
    return _searched(case, solution) if case.problem.searches and not case.problem.steps else Decided(case)


def _searched(case: Case, solution: Solution) -> Decided:
    """A counterexample whose line searches are those of the worst case, with their steps as fractions."""
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
    """Steps of all line searches along all of their directions, in the worst case."""
    values, axes = np.linalg.eigh(solution.gram)
    rows = dict(zip(case.program.vectors, axes * np.sqrt(np.maximum(values, 0)), strict=True))
    zero = np.zeros(len(values))
    at = lambda v: sum((float(c) * rows.get(n, zero) for n, c in v.parts.items()), zero)  # noqa: E731
    found: list[float] = []
    for y, x, directions in case.problem.searches:
        along = np.array([at(d) for d in directions]).T
        found += np.linalg.lstsq(along, at(x) - at(y), rcond=1e-6)[0].tolist()
    return found


def _witness(claim: Claim, study: Studied, case: Case, found: Example) -> Witness | None:
    """The counterexample as an instance of the scene, confirmed by running the method on it."""
    assert claim.scene is not None
    d = len(found.weights)
    shape = {**case.shape, "d": d}
    space = claim.scene.space(shape)
    zero = (Fraction(0),) * d
    parameters: dict[str, Any] = {name: case.point[name] for name in study.boxes}
    parameters |= {n: found.vectors.get(n, zero) for n in case.problem.vectors}
    parameters |= {n: found.scalars.get(n, Fraction(0)) for n in case.problem.scalars}
    parameters |= {"axes": found.weights, "searched": case.problem.steps}
    instance = Instance(shape, {n: np.array(parameters[n], dtype=object) for n in space}, {})
    return confirm(claim.question, instance)


def _refuted(witness: Witness) -> Finding:
    left, right = witness.relation.written
    shape = witness.instance.shape
    sizes = ", ".join(f"{name}={value}" for name, value in shape.items())
    sign = {sp.Le: ">", sp.Lt: ">=", sp.Ge: "<", sp.Gt: "<="}.get(type(witness.relation.relation), "!=")
    reason = f"counterexample: {left[0]:.6g} {sign} {right[0]:.6g} with {sizes}, for a member of the class with rational data"
    small, large = witness.relation.small[0], witness.relation.large[0]
    return Finding(
        KIND,
        Verdict.REFUTED,
        witness.method,
        reason,
        trials=1,
        tightness=small / large if large > 0 else None,
        witness=witness,
    )


def _proved(proved: Sequence[Decided], open_: Sequence[Any]) -> Finding:
    del open_
    found = _proof(proved)
    most = max(len(d.proof.multipliers) for d in proved if d.proof)
    reason = (
        f"at {told(found['sizes'])}: for all functions of the class, in every dimension, by interpolation conditions "
        f"(at most {most}) and squares"
    )
    return Finding(KIND, Verdict.PROVED, "symbolic", reason, details=_words(proved), proof=found)


def _undecided(proved: Sequence[Decided], open_: Sequence[tuple[Case | None, str]]) -> Finding:
    sizes = {tuple(d.case.shape.items()) for d in proved}
    reason = f"proved at {len(proved)} rational points of the parameters, at {len(sizes)} sizes; not for all parameters"
    if open_:
        reason += f"; open at {len(open_)}: {open_[0][1]}"
    return Finding(KIND, Verdict.HOLDS, "exact", reason, trials=len(proved), details=_words(proved))


def _proof(proved: Sequence[Decided]) -> dict[str, Any]:
    shapes = list({tuple(d.case.shape.items()): d.case.shape for d in proved}.values())
    by_shape = [[d.certificate for d in proved if d.case.shape == shape] for shape in shapes]
    return proof_at(shapes, by_shape)


def _words(proved: Sequence[Decided]) -> dict[str, Any]:
    """The first proof as a person would write it."""
    first = next((d for d in proved if d.proof is not None), None)
    return {"proof in words": in_words(first.case.program, first.proof)} if first and first.proof else {}
