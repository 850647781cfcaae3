"""Prove a claim at one size for all values of its parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import chain
from typing import Any

import sympy as sp

from verify.engine.certificates.formulas import relation_tree
from verify.engine.certificates.question import Certificate, Question, Undecided
from verify.engine.model.instance import oriented
from verify.engine.model.scene import Box, Condition, Shape
from verify.engine.tactics.prove import prove
from verify.first_order.ansatz import monomial_multipliers
from verify.first_order.cases import CLEAR, Studied, case_of
from verify.first_order.functions import RationalFunction, parameters
from verify.first_order.generic import REACHES, edge_points, generic_points
from verify.first_order.parametric import (
    POINTS,
    certificate_for_all,
    common_denominator,
    multipliers_for_all,
    offered_for_all,
)
from verify.first_order.points import UNBOUNDED, holds_at, parameter_points, reduced, side, value_at
from verify.first_order.positivity import Signs
from verify.first_order.program import Program, program_of, solve

Multipliers = tuple[dict[str, RationalFunction], dict[str, RationalFunction]]
"""Multipliers of inequalities and of equations, by name."""
LOOKS = 3
"""Number of points at which the claim is first tested in floats."""
ANSATZ, EDGES = 16, 150
"""Numbers of points inside and at the ends of the ranges for multipliers as sums of monomials."""
RANGE = "range"
"""Justification of the ends of ranges in certificates."""
CORNERS = 2
"""Number of points on the boundary of the ranges at which supports are chosen first."""


def in_cases(
    study: Studied, relation: Condition, conditions: Sequence[Condition], shape: Shape
) -> list[Certificate] | None:
    """Certificates of a claim for all parameters, with a case for each argument of a maximum of parameters.

    In each case one argument replaces the maximum, with the condition that it is at least every other one. Returns None
    if one case has no certificate. Of two arguments, the sign of their difference is that of its factors of unknown sign.
    """
    extremes = sorted(
        (
            m
            for m in relation.atoms(sp.Max)
            if {s.name for s in m.free_symbols} <= study.boxes.keys() | shape.keys()
        ),
        key=str,
    )
    if not extremes:
        found = for_all(study, relation, conditions, shape)
        return None if found is None else [found]
    certificates = list[Certificate]()
    for part in extremes[0].args:
        others = [part - other for other in extremes[0].args if other != part]
        if len(others) == 1:  # one of both conditions is met in any case, also where the other factors are 0
            others = [_of_unknown_sign(others[0], conditions)]
        case = relation.xreplace({extremes[0]: part})
        larger = (sp.Ge(sp.factor(other), 0, evaluate=False) for other in others)
        found_here = in_cases(study, case, (*conditions, *larger), shape)
        if found_here is None:
            return None
        certificates += found_here
    return certificates


def _of_unknown_sign(value: sp.Expr, conditions: Sequence[Condition]) -> sp.Expr:
    """A value without the factors whose signs follow from the conditions; where it is nonnegative, so is the value."""
    given = tuple((c, "condition") for c in conditions)
    constant, factors = sp.factor_list(value)
    left = sp.sign(constant)
    for factor, power in factors:
        if power % 2 == 0 or _nonnegative(factor, given):
            continue
        left *= sp.S.NegativeOne if _nonnegative(-factor, given) else factor
    return left


def _nonnegative(value: sp.Expr, given: tuple[tuple[Condition, str], ...]) -> bool:
    """Whether the conditions prove a value to be nonnegative."""
    return not isinstance(prove(Question(sp.Ge(value, 0, evaluate=False), given)), Undecided)


def for_all(
    study: Studied, relation: Condition, conditions: Sequence[Condition], shape: Shape
) -> Certificate | None:
    """The certificate of a claim for all parameters in their ranges that meet the conditions; None if none is found.

    Candidates for the multipliers come from the scene, from fits through rational points (`parametric`) and from sums of
    monomials (`ansatz`). Each candidate is verified symbolically.
    """
    quantities = (
        {name for c in conditions for name in map(str, c.free_symbols)} - study.boxes.keys() - shape.keys()
    )
    settled, left, free = reduced(conditions, shape, study.boxes)
    if quantities or not free or isinstance(relation, sp.Eq):
        return None
    ranges = {name: study.boxes[name].ends for name in free}

    def whole(point: Mapping[str, Any]) -> dict[str, Any]:
        return {**point, **{name: value_at(formula, point) for name, formula in settled.items()}}

    def met(point: Mapping[str, Fraction]) -> bool:
        return all(holds_at(c, point) for c in left)

    def program(point: Mapping[str, Fraction]) -> Program:
        return case_of(study, relation, conditions, shape, whole(point)).program

    variables = parameters(free)
    try:
        problem, measured = study.traced(shape, whole(variables))
        values = {**{n: Fraction(k) for n, k in shape.items()}, **whole(variables), **measured}
        small, large = (side(part, values, problem) for part in oriented(relation))
    except (
        ArithmeticError,
        AttributeError,
        TypeError,
        ValueError,
    ):  # the method needs numbers, as it compares them
        return None
    if problem.least:
        return None
    symbolic = program_of(problem, large - small)
    given = [(c, "condition") for c in left] + of_ranges(relation, conditions, free, study.boxes)
    known = offered_for_all(symbolic, small, large, given)
    if known is not None:
        return known
    points = generic_points(ranges, met, 2 * POINTS)
    if not points or any(_false(program(point)) for point in points[:LOOKS]):
        return None
    corners = [{n: p[n] for n in free} for p in parameter_points(conditions, shape, study.boxes, CORNERS)]
    edges, *others = (edge_points(ranges, met, reach) for reach in REACHES)
    below = common_denominator(symbolic.claim)
    powers = [None] if below is None or below.constant is not None else [None, below, below**2]

    def by_monomials() -> Iterator[Multipliers]:
        inside = list(_programs(program, points[:ANSATZ]))
        for ends in (edges, *(other for other in others if other != edges)):
            at_ends = list(_programs(program, ends[:: max(1, len(ends) // EDGES)]))
            for power in powers:
                yield from monomial_multipliers(inside, at_ends, variables, power)

    fitted = multipliers_for_all(program, points, corners, variables)
    for found in chain(_given_multipliers(study, symbolic, values), fitted, by_monomials()):
        certificate = certificate_for_all(
            symbolic, small, large, *found, Signs(given, points[0], [*edges, *points])
        )
        if certificate is not None:
            return certificate
    return None


def _given_multipliers(study: Studied, symbolic: Program, values: Mapping[str, Any]) -> Iterator[Multipliers]:
    """Yield the multipliers that the scene gives, if any."""
    signed = {name for name, _ in symbolic.inequalities}
    if study.multipliers:
        found = {name: value_at(formula, values) for name, formula in study.multipliers.items()}
        yield (
            {n: w for n, w in found.items() if n in signed},
            {n: w for n, w in found.items() if n not in signed},
        )


def _programs(
    program: Callable[[Mapping[str, Fraction]], Program], points: Sequence[Mapping[str, Fraction]]
) -> Iterator[tuple[Mapping[str, Fraction], Program]]:
    """Yield the program at each point where it is defined."""
    for point in points:
        try:
            yield point, program(point)
        except (ArithmeticError, ValueError):
            continue


def _false(program: Program) -> bool:
    """Whether the claim fails at a point in floats, so that a search for a proof would be useless."""
    found = solve(program)
    return found is None or found.excess > CLEAR


def of_ranges(
    relation: Condition, conditions: Sequence[Condition], free: Sequence[str], boxes: Mapping[str, Box]
) -> list[tuple[Condition, str]]:
    """The ends of the ranges of parameters as conditions, with their justification."""
    symbols = {s.name: s for c in (relation, *conditions) for s in c.free_symbols}
    found: list[tuple[Condition, str]] = []
    for name in free:
        symbol = symbols.get(name, sp.Symbol(name, positive=boxes[name].low > 0 or None, real=True))
        low, high = (sp.Rational(end.numerator, end.denominator) for end in boxes[name].ends)
        found.append((sp.Ge(symbol, low, evaluate=False), RANGE))
        if high < UNBOUNDED:
            found.append((sp.Le(symbol, high, evaluate=False), RANGE))
    return found


def with_ranges(
    proof: dict[str, Any], relation: Condition, conditions: Sequence[Condition], boxes: Mapping[str, Box]
) -> dict[str, Any]:
    """A proof with the ends of ranges that it uses and that neither domains nor conditions imply, in its entry `ranges`."""
    used = [line["given"] for c in proof["certificates"] for line in c["lines"] if line.get("by") == RANGE]
    free = [name for name, box in boxes.items() if box.low != box.high]
    ends = [end for end, _ in of_ranges(relation, conditions, free, boxes) if relation_tree(end) in used]
    given = tuple((c, "condition") for c in conditions)
    limits = [
        sp.sstr(end) for end in ends if end.rhs != 0 and isinstance(prove(Question(end, given)), Undecided)
    ]
    return {**proof, "ranges": limits} if limits else proof
