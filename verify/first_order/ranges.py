"""Prove a claim at one size for all values of its parameters."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
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
from verify.first_order.forms import Form
from verify.first_order.functions import RationalFunction, parameters
from verify.first_order.generic import REACHES, edge_points, generic_points
from verify.first_order.parametric import (
    POINTS,
    certificate_for_all,
    common_denominator,
    multipliers_for_all,
    offered_for_all,
)
from verify.first_order.points import (
    NONNEGATIVE,
    UNBOUNDED,
    holds_at,
    parameter_points,
    reduced,
    side,
    value_at,
    without_roots,
)
from verify.first_order.positivity import Signs
from verify.first_order.problem import Problem
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
    """Certificates of a claim for all parameters, one for each of its `cases`. None if one case has no certificate."""
    certificates = list[Certificate]()
    for case, given in cases(relation, conditions, study.boxes.keys() | shape.keys()):
        found = for_all(study, case, given, shape)
        if found is None:
            return None
        certificates.append(found)
    return certificates


def cases(
    relation: Condition, conditions: Sequence[Condition], known: Collection[str]
) -> Iterator[tuple[Condition, Sequence[Condition]]]:
    """Yield a claim and its conditions in each case: one for each argument of a maximum of parameters with `known` names.

    In each case one argument replaces the maximum, with the condition that it is at least every other one. Of two arguments,
    the sign of their difference is that of its factors of unknown sign.
    """
    extremes = (m for m in relation.atoms(sp.Max) if {s.name for s in m.free_symbols} <= set(known))
    extreme = min(extremes, key=str, default=None)
    if extreme is None:
        yield relation, conditions
        return
    for part in extreme.args:
        others = [part - other for other in extreme.args if other != part]
        if len(others) == 1:  # one of both conditions is met in any case, also where the other factors are 0
            others = [_of_unknown_sign(others[0], conditions)]
        larger = (sp.Ge(sp.factor(other), 0, evaluate=False) for other in others)
        yield from cases(relation.xreplace({extreme: part}), (*conditions, *larger), known)


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
    monomials (`ansatz`). Each candidate is verified symbolically. If step sizes or bounds have square roots of parameters, the
    claim is proved in the parameters of `without_roots`.
    """
    changed = _without_roots(study, relation, conditions, shape)
    if changed is not None:
        return for_all(*changed, shape)
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


@dataclass(frozen=True)
class _Changed:
    """A study in other parameters: `formulas` gives old parameters in the new ones, which have no limits."""

    study: Studied
    formulas: Mapping[sp.Symbol, sp.Expr]
    boxes: Mapping[str, Box]

    @property
    def shapes(self) -> list[dict[str, int]]:
        return self.study.shapes

    @property
    def multipliers(self) -> Mapping[str, sp.Expr]:
        return {name: w.subs(self.formulas) for name, w in self.study.multipliers.items()}

    def traced(
        self, shape: Shape, point: Mapping[str, Any], steps: tuple[Any, ...] = ()
    ) -> tuple[Problem, dict[str, Form]]:
        """Run the method at values of the new parameters."""
        old = {symbol.name: value_at(formula, point) for symbol, formula in self.formulas.items()}
        kept = {name: value for name, value in point.items() if name in self.study.boxes}
        return self.study.traced(shape, {**kept, **old}, steps)


def _without_roots(
    study: Studied, relation: Condition, conditions: Sequence[Condition], shape: Shape
) -> tuple[_Changed, Condition, list[Condition]] | None:
    """The claim in parameters without roots; None if it has no square roots of parameters, or if they cannot be removed."""
    sized = {s: shape[s.name] for c in (relation, *conditions) for s in c.free_symbols if s.name in shape}
    sides = [side.subs(sized) for c in (relation, *conditions) if isinstance(c, sp.Rel) for side in c.args]
    found = without_roots(sides, study.boxes)
    if not found:
        return None
    formulas = {old: formula for old, (_, formula) in found.items()}
    kept = {name: box for name, box in study.boxes.items() if name not in {old.name for old in found}}
    boxes = {**kept, **{new.name: NONNEGATIVE for new, _ in found.values()}}
    changed = [_lightened(c.subs(formulas)) if isinstance(c, sp.Rel) else c for c in conditions]
    claim = relation.func(*(side.subs(sized).subs(formulas) for side in relation.args), evaluate=False)
    spoken = {s for c in (relation, *conditions) for s in c.free_symbols if s.name in kept and s.is_positive}
    domains = [
        sp.Gt(s, 0, evaluate=False) for s in sorted({*spoken, *(new for new, _ in found.values())}, key=str)
    ]
    return _Changed(study, formulas, boxes), claim, [*(c for c in changed if c != sp.true), *domains]


def _lightened(condition: Condition) -> Condition:
    """An inequality without its positive factors; equations are unchanged."""
    if not isinstance(condition, sp.Rel) or isinstance(condition, sp.Eq):
        return condition
    top, bottom = sp.fraction(sp.together(condition.gts - condition.lts))
    if not bottom.is_positive:
        return condition
    constant, factors = sp.factor_list(top)
    left = sp.Mul(sp.sign(constant), *(factor**power for factor, power in factors if not factor.is_positive))
    strict = isinstance(condition, sp.Lt | sp.Gt)
    return (sp.Gt if strict else sp.Ge)(left, 0, evaluate=False)


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
