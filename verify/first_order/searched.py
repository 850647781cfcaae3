"""Search for a potential that proves a claim about all numbers of rounds.

A potential is a sum of the quantities of a round whose coefficients are sums of monomials of t and the parameters:

    V_t = sum_i a_i(t) quantity_i,      a_i(t) = sum_m a_im m(t, parameters).

The three inequalities of `verify.first_order.potentials` are linear in the numbers a_im and in the multipliers of the conditions
of a round. At many values of t and of the parameters they form one semidefinite program, in which only the a_im are shared:

1. The program gives the a_im with the smallest sum of absolute values.
2. They are rounded to fractions, one after the other: each that is fixed changes the others.
3. The three inequalities are tried in floats at all points.

The result is a proposal. `decide_potential` proves the inequalities for all parameters and all t, or rejects it. Source of the
method: Taylor and Bach (2019), Stochastic first-order methods: non-asymptotic and computer-aided analyses via potential functions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from math import prod

import numpy as np
import sympy as sp

from verify.engine.model.scene import Condition, Shape
from verify.engine.tactics.conic import minimised
from verify.first_order.cases import CLEAR
from verify.first_order.forms import NOTHING, Form, form
from verify.first_order.one_round import COUNT, NOW, ROUND, Rounds
from verify.first_order.points import Point, parameter_points, reduced, value_at
from verify.first_order.potentials import Start
from verify.first_order.problem import Problem
from verify.first_order.program import Program, solve

TIMES = (0, 1, 2, 4, 10, 40)
"""Numbers of earlier rounds at which the inequalities are imposed."""
POINTS = 5
"""Largest number of values of the parameters."""
EXPONENTS = ((0,), (0, 1), (-1, 0, 1), (0, 1, 2), (-2, -1, 0))
"""Sets of exponents of each parameter in a monomial, tried in this order."""
POWERS = ((0, 1), (0, 1, 2))
"""Sets of powers of t, tried in this order."""
ONE = "1"
"""Name of the constant 1 among the quantities of a potential."""
LARGEST, SPARSE = 120, 8
"""Largest numbers of unknown coefficients, and of those that are not 0 and are rounded one after the other."""
DENOMINATORS = (1, 2, 3, 4, 8, 12, 60)
"""Largest denominators of rounded coefficients, tried in this order."""
SMALL = 1e-4
"""A coefficient below this counts as 0, and a fraction that is this close to a coefficient is tried first."""
RELAXED = 1e-6
"""Relaxation of the programs: a tight claim has no interior point."""


@dataclass(frozen=True)
class Wanted:
    """What a potential must imply: ``small_t <= scale(t) init_0 + rest(t)``, where it shrinks by `ratio` in a round.

    For ``ratio = 1`` the inequalities are V_0 <= init_0, V_{t+1} <= V_t and small_t <= scale(t) V_t + rest(t). Otherwise scale
    is the power of the ratio, and they are V_0 <= init_0, V_{t+1} <= ratio V_t and small_t <= V_t + rest. The rest contains
    quantities that are the same in every round, or parameters only.
    """

    small: sp.Expr
    init: sp.Expr
    scale: sp.Expr
    ratio: sp.Expr | None
    rest: sp.Expr


@dataclass(frozen=True)
class _Inequality:
    """The inequality ``sum_j a_j forms_j >= least`` under the conditions of a program, at one point."""

    forms: Sequence[Form]
    least: Form
    program: Program

    def follows_in_floats(self, coefficients: Sequence[Fraction]) -> bool:
        """Whether the inequality follows from the conditions for given coefficients, in floats."""
        claim = -1 * self.least
        for coefficient, part in zip(coefficients, self.forms, strict=True):
            claim = claim + coefficient * part
        largest = max((abs(c) for c in claim.terms.values()), default=Fraction(1))
        found = solve(replace(self.program, claim=claim * (1 / largest)))
        return found is not None and found.excess < CLEAR


def potentials(
    rounds: Rounds, start: Start, wanted: Wanted, conditions: Sequence[Condition], shape: Shape
) -> Iterator[sp.Expr]:
    """Yield potentials that pass all tests in floats, those with the fewest monomials first."""
    _, _, free = reduced(conditions, shape, rounds.study.boxes)
    points = parameter_points(conditions, shape, rounds.study.boxes, POINTS)
    if not points:
        return
    names = _quantities(rounds, start, shape, points[0], wanted)
    symbols = {s.name: s for e in (wanted.small, wanted.init, wanted.rest) for s in e.free_symbols}
    symbols |= {f"{n}_0": sp.Symbol(f"{n}_0", **s.assumptions0) for n, s in symbols.items()}
    letters = [symbols.get(n, sp.Symbol(n, positive=True)) for n in free]
    quantities = [sp.S.One if n == ONE else symbols.get(n, sp.Symbol(n, real=True)) for n in names]
    seen = set[sp.Expr]()
    for powers, exponents in _families(len(free), counted=wanted.ratio is None):
        monomials = [
            COUNT**k * prod((x**e for x, e in zip(letters, each, strict=True)), start=sp.Integer(1))
            for k in powers
            for each in product(exponents, repeat=len(free))
        ]
        if len(monomials) * len(names) > LARGEST:
            continue
        unknown = list(product(range(len(names)), monomials))
        try:
            imposed = list(_imposed(rounds, start, wanted, shape, points, names, unknown))
        except ArithmeticError:
            continue
        for values in _rounded(imposed, len(unknown)):
            value = sum(
                sp.Rational(v.numerator, v.denominator) * m * quantities[k]
                for v, (k, m) in zip(values, unknown, strict=True)
            )
            if value not in seen:
                seen.add(value)
                yield value


def _families(n: int, *, counted: bool) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Yield powers of t and exponents of the parameters; without parameters there is one set of exponents."""
    yield from product(POWERS if counted else ((0,),), EXPONENTS if n else EXPONENTS[:1])


def _quantities(rounds: Rounds, start: Start, shape: Shape, point: Point, wanted: Wanted) -> list[str]:
    """The quantities that a round has before and after it, and those at the start that it knows, each under one name.

    Quantities that are the same in every round are there if the claim contains them, and `ONE` if it has a constant term.
    """
    _, found = rounds.traced(shape, {**point, ROUND: Fraction(1)})
    _, first = start.traced(shape, point)
    kept = dict[str, Form]()
    for name in found:
        value = found[name] if name.endswith("_0") else found.get(f"{name}_before")
        known = f"{name.removesuffix('_0')}_0" in first
        if known and value is not None and value not in kept.values():
            kept[name] = value
    spoken = {s.name for e in (wanted.init, wanted.rest) for s in e.free_symbols}
    same = sorted(spoken & rounds.constants & first.keys())
    every = {*found, *rounds.constants}
    alone = [e.subs({s: 0 for s in e.free_symbols if s.name in every}) for e in (wanted.init, wanted.rest)]
    return [*kept, *same, *([ONE] if alone != [0, 0] else [])]


def _imposed(
    rounds: Rounds,
    start: Start,
    wanted: Wanted,
    shape: Shape,
    points: Sequence[Point],
    names: Sequence[str],
    unknown: Sequence[tuple[int, sp.Expr]],
) -> Iterator[_Inequality]:
    """Yield the three inequalities at all points and times."""
    sizes = {name: Fraction(size) for name, size in shape.items()}

    same = {ONE, *rounds.constants}

    def formed(expression: sp.Expr, quantities: Mapping[str, Form], point: Point, suffix: str) -> Form:
        """An expression that is linear in quantities, as a form."""
        total, left = NOTHING, expression
        for symbol in expression.free_symbols:
            name = symbol.name if symbol.name in same else f"{symbol.name.removesuffix('_0')}{suffix}"
            if name in quantities:
                slope = sp.cancel(sp.diff(expression, symbol))
                total, left = total + value_at(slope, point) * quantities[name], left.subs(symbol, 0)
        return total + form(value_at(sp.cancel(left), point))

    def scaled(quantities: Mapping[str, Form], suffix: str, point: Point, t: int) -> list[Form]:
        """The quantities times the monomials at t."""
        at = {**point, ROUND: Fraction(t)}
        known = {**quantities, ONE: form(1)}
        own = [n if n.endswith("_0") or n in same else f"{n}{suffix}" for n in names]
        return [known[own[k]] * value_at(m, at) for k, m in unknown]

    ratio = sp.S.One if wanted.ratio is None else wanted.ratio
    weight = sp.S.One if wanted.ratio is not None else 1 / wanted.scale
    claimed = sp.expand(weight * (wanted.small - wanted.rest)).subs(COUNT, NOW)
    for point in points:
        at = {**sizes, **point}
        problem, first = start.traced(shape, point)
        negative = [-1 * part for part in scaled(first, "_0", at, 0)]
        yield _Inequality(negative, -1 * formed(wanted.init, first, at, "_0"), _conditions(problem))
        shrinks = value_at(ratio, at)
        for t in TIMES if wanted.ratio is None or rounds.parameters else TIMES[:1]:
            now = {**at, ROUND: Fraction(t)}
            problem, found = rounds.traced(shape, {**point, ROUND: Fraction(t)})
            before, after = scaled(found, "_before", at, t), scaled(found, "", at, t + 1)
            falls = [shrinks * one - other for one, other in zip(before, after, strict=True)]
            given = _conditions(problem)
            yield _Inequality(falls, NOTHING, given)
            yield _Inequality(before, formed(claimed, found, now, "_before"), given)


def _conditions(problem: Problem) -> Program:
    """The program of a round with all its vectors and scalars, and without a claim."""
    inequalities, equations = tuple(problem.inequalities), tuple(problem.equations)
    return Program(tuple(problem.vectors), tuple(problem.scalars), NOTHING, inequalities, equations)


# ------------------------------------------------------------------------------------------------ coefficients


def _rounded(imposed: Sequence[_Inequality], n: int) -> Iterator[list[Fraction]]:
    """Yield fractions that meet all inequalities in floats."""
    program = _joint(imposed, n)
    near = program.smallest({})
    if near is None:
        return
    tried = set[tuple[Fraction, ...]]()
    for largest in DENOMINATORS:
        exact = tuple(Fraction(float(x)).limit_denominator(largest) for x in near)
        if exact not in tried and all(one.follows_in_floats(exact) for one in imposed):
            yield list(exact)
            return
        tried.add(exact)
    found = _one_by_one(program, near)
    if (
        found is not None
        and tuple(found) not in tried
        and all(one.follows_in_floats(found) for one in imposed)
    ):
        yield found


def _one_by_one(program: _Joint, near: np.ndarray) -> list[Fraction] | None:
    """Fix one coefficient after the other at a fraction, and solve again for the others; None if that fails."""
    fixed = {k: Fraction(0) for k, x in enumerate(near) if abs(x) < SMALL}
    again = program.smallest(fixed) if len(near) - len(fixed) <= SPARSE else None
    if again is None:
        return None
    near = again
    while len(fixed) < len(near):
        open_ = [k for k in range(len(near)) if k not in fixed]
        ranked = sorted((largest, abs(near[k]), k) for k in open_ for largest in [_simple(near[k])])
        _, _, k = ranked[0]
        for largest in DENOMINATORS:
            value = Fraction(float(near[k])).limit_denominator(largest)
            again = program.smallest({**fixed, k: value})
            if again is not None:
                fixed, near = {**fixed, k: value}, again
                break
        else:
            return None
    return [fixed[k] for k in range(len(near))]


def _simple(x: float) -> int:
    """The smallest of `DENOMINATORS` that has a fraction close to a number, or more than the largest."""
    near = (d for d in DENOMINATORS if abs(float(Fraction(float(x)).limit_denominator(d)) - x) < SMALL)
    return next(near, DENOMINATORS[-1] + 1)


@dataclass(frozen=True)
class _Joint:
    """All inequalities as one program. Its unknowns are the n coefficients and the multipliers at all points."""

    n: int
    zero: Sequence[tuple[np.ndarray, np.ndarray]]
    positive: Sequence[tuple[np.ndarray, np.ndarray]]
    matrices: Sequence[tuple[np.ndarray, np.ndarray]]
    n_multipliers: int

    def smallest(self, fixed: Mapping[int, Fraction]) -> np.ndarray | None:
        """The coefficients with the smallest sum of absolute values, some of them fixed; None if there are none.

        The unknowns are the absolute values, the coefficients and the multipliers.
        """
        n, every = self.n, 2 * self.n + self.n_multipliers
        both = np.hstack([np.eye(n), -np.eye(n), np.zeros((n, self.n_multipliers))])
        turned = np.hstack([np.eye(n), np.eye(n), np.zeros((n, self.n_multipliers))])
        rows, ends = np.zeros((len(fixed), every)), np.zeros(len(fixed))
        for row, (k, value) in enumerate(fixed.items()):
            rows[row, n + k], ends[row] = 1, float(value)
        more = lambda part: np.hstack([np.zeros((len(part), n)), part])  # noqa: E731
        found = minimised(
            np.concatenate([np.ones(n), np.zeros(n), np.full(self.n_multipliers, RELAXED)]),
            [(rows, ends), *((more(part), end) for part, end in self.zero)],
            [
                (np.vstack([both, turned]), np.zeros(2 * n)),
                *((more(part), end - RELAXED) for part, end in self.positive),
            ],
            [
                (np.concatenate([np.zeros((n, *goal.shape)), part]), goal + RELAXED * np.eye(len(goal)))
                for part, goal in self.matrices
            ],
        )
        return None if found is None else np.asarray(found[n : 2 * n])


def _joint(imposed: Sequence[_Inequality], n: int) -> _Joint:
    """The joint program of inequalities with n common coefficients."""
    counts = [len(one.program.inequalities) + len(one.program.equations) for one in imposed]
    every = n + sum(counts)
    zero, positive, matrices = [], [], []
    place = n
    for one, count in zip(imposed, counts, strict=True):
        program = one.program
        known = [f for _, f in (*program.inequalities, *program.equations)]
        columns = [*range(n), *range(place, place + count)]
        linear = np.zeros((len(program.scalars) + 1, every))
        squares = np.zeros((every, len(program.vectors), len(program.vectors)))
        for k, part, sign in zip(columns, (*one.forms, *known), [1] * n + [-1] * count, strict=True):
            linear[:, k] = sign * program.linear(part)
            squares[k] = -sign * program.matrix(part)
        least = program.linear(one.least)
        signs = np.eye(every)[place : place + len(program.inequalities)]
        zero.append((linear[:-1], least[:-1]))
        positive.append((np.vstack([linear[-1:], signs]), np.append(least[-1:], np.zeros(len(signs)))))
        matrices.append((squares, -program.matrix(one.least)))
        place += count
    return _Joint(n, zero, positive, matrices, sum(counts))
