"""Points proposed by a solver (Z3); each is evaluated exactly before it is reported.

The solver's answer proves nothing here. If it finds no point, this is only a reason to search longer for a certificate. A term
that the solver cannot read, such as x^n or exp(x), may have any value for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
import sympy as sp

from bounds.evaluate import evaluate
from bounds.relations import COMPARE
from bounds.symbols import domain_of
from nqm.fields import Irrational
from verify.engine.model.arithmetic import ARITHMETIC, convert
from verify.engine.model.instance import sides
from verify.engine.model.scene import Condition
from verify.engine.search.nearby import rational_points_near

Point: TypeAlias = Mapping[str, Fraction]

STEPS = 200_000
"""Limit of the solver in its own resource units: 1 to 10 million per second, and the same number on every machine."""
LAST = 3 * STEPS
"""The same for the last search, after neither a proof nor another search succeeded."""
TRIED = (1, 2, 8)
"""Values tried for the letters of terms that the solver cannot read."""
DIGITS = 15
"""Decimal digits of an irrational number that becomes a float."""
LARGEST = 64
"""Largest exponent of a power that the solver receives as a product."""
SMALL = 8
"""Largest count proposed inside a term that the solver cannot read, because powers are evaluated exactly."""


class Untranslatable(Exception):
    """The relation is no comparison of numbers, or speaks of sequences."""


def breaking_point(relation: Condition, conditions: Iterable[Condition], steps: int = STEPS) -> Point | None:
    """A point where all conditions hold and the relation fails, evaluated exactly; None if none was found."""
    conditions = tuple(conditions)
    for point in proposed(conditions, relation, steps):
        if meets(point, conditions) and holds(relation, point) is False:
            return point
    return None


def meeting_point(conditions: Iterable[Condition], steps: int = STEPS) -> Point | None:
    """A point where all conditions hold, evaluated exactly; None if none was found."""
    conditions = tuple(conditions)
    return next((point for point in proposed(conditions, None, steps) if meets(point, conditions)), None)


def suspected_contradiction(conditions: Iterable[Condition], steps: int = STEPS) -> bool:
    """Whether a solver claims that the conditions are contradictory: a hint, not a proof."""
    return _answer(tuple(conditions), None, steps) == "unsat"


def suspected_consequence(relation: Condition, conditions: Iterable[Condition], steps: int = STEPS) -> bool:
    """Whether a solver finds no real point that meets the conditions and breaks the relation: a hint, not a proof."""
    return _answer(tuple(conditions), relation, steps) in ("unsat", "unknown")


def _answer(conditions: tuple[Condition, ...], broken: Condition | None, steps: int) -> str:
    """Whether the solver finds a point: "sat", "unsat", "unknown", or "unread" if it cannot read a relation."""
    translation = Translation(_solver(steps))
    try:
        _ask(translation, conditions, broken)
    except Untranslatable:
        return "unread"
    return str(translation.solver.check())


def proposed(conditions: tuple[Condition, ...], broken: Condition | None, steps: int) -> Iterator[Point]:
    """Rational points with whole counts proposed by the solver: one, or a few if there are terms that it cannot read."""
    first = _proposed(conditions, broken, steps, {})
    if first.point is not None:
        yield first.point
        for value in TRIED if first.inside else ():
            further = _proposed(conditions, broken, steps, dict.fromkeys(first.inside, value))
            if further.point is not None:
                yield further.point
    elif first.near:
        yield from rational_points_near(first.near, [c for c in conditions if isinstance(c, sp.Eq)])


@dataclass(frozen=True)
class _Proposal:
    """A point of a solver, or floats near it if it is irrational, and the letters of terms that the solver cannot read."""

    point: Point | None = None
    near: Mapping[str, float] = field(default_factory=dict)
    inside: frozenset[str] = frozenset()


def _proposed(
    conditions: tuple[Condition, ...], broken: Condition | None, steps: int, fixed: Mapping[str, int]
) -> _Proposal:
    """A point with some numbers fixed."""
    import z3

    near: Mapping[str, float] = {}
    for whole in (False, True):
        translation = Translation(_solver(steps), fixed)
        try:
            _ask(translation, conditions, broken)
        except Untranslatable:
            return _Proposal()
        translation.fix()
        if whole:
            translation.whole()
        if translation.solver.check() != z3.sat:
            break
        model = translation.solver.model()
        point = translation.point(model)
        if point is not None and all(point[name].denominator == 1 for name in translation.counts):
            return _Proposal(point, inside=frozenset(translation.inside))
        near = translation.floats(model) if point is None else {}
        if not translation.counts:
            break
    return _Proposal(near=near)


def meets(point: Point, conditions: Iterable[Condition]) -> bool:
    """Whether all conditions and domains certainly hold at a point."""
    conditions = tuple(conditions)
    symbols = {s for condition in conditions for s in condition.free_symbols if isinstance(s, sp.Symbol)}
    return all(_in_domain(s, point) for s in symbols) and all(holds(c, point) is True for c in conditions)


def holds(relation: Condition, point: Point) -> bool | None:
    """Whether a relation holds at a point, with intervals for irrational sides; None if these overlap or are undefined."""
    try:
        left, right = (evaluate(side, point, ARITHMETIC["exact"]) for side in relation.args)
    except Irrational:
        return _certain(relation, point)
    except (
        ZeroDivisionError,
        LookupError,
        TypeError,
        ValueError,
    ):  # a ValueError is the root of a negative number
        return None
    return bool(COMPARE[type(relation)](left, right))


def _certain(relation: Condition, point: Point) -> bool | None:
    if isinstance(relation, sp.Ne):
        return None
    single = {name: np.array([value], dtype=object) for name, value in point.items()}
    try:
        found = sides(relation, convert(single, "interval"), "interval")
    except (Irrational, ArithmeticError, LookupError, TypeError, ValueError):
        return None
    return True if found.holds else False if found.fails else None


def _in_domain(symbol: sp.Symbol, point: Point) -> bool:
    value, domain = point.get(symbol.name), domain_of(symbol)
    if value is None:
        return False
    if domain == "count":
        return value.denominator == 1 and value >= 1
    return value > 0 if domain == "positive" else value >= 0 if domain == "nonnegative" else True


def _ask(translation: Translation, conditions: tuple[Condition, ...], broken: Condition | None) -> None:
    import z3

    for condition in conditions:
        translation.solver.add(translation.relation(condition))
    if broken is not None:
        translation.solver.add(z3.Not(translation.relation(broken)))


def _solver(steps: int) -> Any:
    """A solver with a limit, in a separate context, because earlier questions would change the order of its search."""
    import z3

    solver = z3.Solver(ctx=z3.Context())
    solver.set("rlimit", max(1, steps))  # a limit of 0 would mean no limit
    return solver


class Translation:
    """SymPy to Z3; roots and quotients become auxiliary variables with their defining equations.

    Parameters
    ----------
    solver : z3.Solver
    fixed : mapping
        Values of letters. With the value of n, the solver can read x^n.
    """

    def __init__(self, solver: Any, fixed: Mapping[str, int] | None = None) -> None:
        self.solver, self.fixed = solver, fixed or {}
        self.variables: dict[str, Any] = {}
        self.auxiliary: dict[sp.Expr, Any] = {}
        self.counts: set[str] = set()
        self.inside: set[str] = set()
        """Letters for terms that the solver cannot read."""

    def fix(self) -> None:
        """Fix letters, and require small counts in terms that the solver cannot read."""
        for name in sorted(self.inside & self.counts):
            self.solver.add(self.variables[name] <= SMALL)
        for name, value in self.fixed.items():
            self.solver.add(self.variables[name] == value)

    def whole(self) -> None:
        """Require whole values of counts."""
        import z3

        for name in sorted(self.counts):
            self.solver.add(z3.IsInt(self.variables[name]))

    def relation(self, relation: Condition) -> Any:
        left, right = self.term(relation.lhs), self.term(relation.rhs)
        compare = {
            sp.Le: lambda: left <= right,
            sp.Lt: lambda: left < right,
            sp.Ge: lambda: left >= right,
            sp.Gt: lambda: left > right,
            sp.Eq: lambda: left == right,
            sp.Ne: lambda: left != right,
        }
        if type(relation) not in compare:
            raise Untranslatable(str(relation))
        return compare[type(relation)]()

    def term(self, expression: sp.Expr) -> Any:
        import z3

        if isinstance(expression, sp.Symbol):
            return self._variable(expression)
        if isinstance(expression, sp.Rational):
            return z3.Q(int(expression.p), int(expression.q), ctx=self.solver.ctx)
        if isinstance(expression, sp.Float):  # as printed
            return z3.Q(*Fraction(str(expression)).as_integer_ratio(), ctx=self.solver.ctx)
        if isinstance(expression, sp.Add):
            return z3.Sum([self.term(arg) for arg in expression.args])
        if isinstance(expression, sp.Mul):
            return z3.Product([self.term(arg) for arg in expression.args])
        if isinstance(expression, sp.Pow) and isinstance(expression.exp, sp.Rational):
            return self._power(expression)
        if isinstance(expression, sp.Max | sp.Min):
            return self._extreme(expression)
        if isinstance(expression, sp.Abs):
            inner = self.term(expression.args[0])
            return z3.If(inner >= 0, inner, -inner)
        if isinstance(expression, sp.floor):
            return z3.ToReal(z3.ToInt(self.term(expression.args[0])))
        if isinstance(expression, sp.ceiling):
            return -z3.ToReal(z3.ToInt(-self.term(expression.args[0])))
        return self._unread(expression)

    def _unread(self, expression: sp.Expr) -> Any:
        """A variable for a term that the solver cannot read, with its sign if that is known."""
        if expression.has(sp.Indexed):
            raise Untranslatable(f"{expression} speaks of a sequence")
        for symbol in sorted(expression.free_symbols, key=str):
            self._variable(symbol)
            self.inside.add(symbol.name)
        at = {s: self.fixed[s.name] for s in expression.free_symbols if s.name in self.fixed}
        exponents = [power.exp.subs(at) for power in expression.atoms(sp.Pow)]
        if at and not any(exponent.is_number and abs(exponent) > LARGEST for exponent in exponents):
            here = expression.subs(at)
            if here.is_finite is not False:
                return self.term(here)
        if expression not in self.auxiliary:
            fresh = self._auxiliary(expression)
            if expression.is_nonnegative:
                self.solver.add(fresh > 0 if expression.is_positive else fresh >= 0)
        return self.auxiliary[expression]

    def _auxiliary(self, expression: sp.Expr) -> Any:
        import z3

        fresh = z3.Real(f"auxiliary {len(self.auxiliary)}", ctx=self.solver.ctx)
        self.auxiliary[expression] = fresh
        return fresh

    def point(self, model: Any) -> Mapping[str, Fraction] | None:
        found = {}
        for name, variable in self.variables.items():
            value = model.eval(variable, model_completion=True)
            if not hasattr(value, "as_fraction"):
                return None
            found[name] = Fraction(value.numerator_as_long(), value.denominator_as_long())
        return found

    def floats(self, model: Any) -> Mapping[str, float]:
        """Values of a model, of which some are irrational, as floats; empty if one is no number."""
        found = {}
        for name, variable in self.variables.items():
            value = model.eval(variable, model_completion=True)
            value = value.approx(DIGITS) if hasattr(value, "approx") else value
            if not hasattr(value, "as_fraction"):
                return {}
            found[name] = value.numerator_as_long() / value.denominator_as_long()
        return found

    def _variable(self, symbol: sp.Symbol) -> Any:
        import z3

        if symbol.name not in self.variables:
            variable = z3.Real(symbol.name, ctx=self.solver.ctx)
            self.variables[symbol.name] = variable
            domain = domain_of(symbol)
            if domain == "count":
                self.counts.add(symbol.name)
                self.solver.add(variable >= 1)
            elif domain == "positive":
                self.solver.add(variable > 0)
            elif domain == "nonnegative":
                self.solver.add(variable >= 0)
        return self.variables[symbol.name]

    def _power(self, expression: sp.Pow) -> Any:
        import z3

        exponent = expression.exp
        if abs(exponent) > LARGEST:
            return self._unread(expression)
        if exponent.is_Integer and exponent > 0:
            base = self.term(expression.base)
            return z3.Product([base] * int(exponent))
        if expression in self.auxiliary:
            return self.auxiliary[expression]
        if not exponent.is_Integer and exponent.q != 2:
            return self._unread(expression)
        fresh = self._auxiliary(expression)
        if exponent.is_Integer:
            self.solver.add(fresh * self.term(expression.base ** (-exponent)) == 1)
        else:
            self.solver.add(fresh >= 0, fresh * fresh == self.term(expression.base**exponent.p))
        return fresh

    def _extreme(self, expression: sp.Max | sp.Min) -> Any:
        import z3

        parts = [self.term(arg) for arg in expression.args]
        best = parts[0]
        for part in parts[1:]:
            better = part > best if isinstance(expression, sp.Max) else part < best
            best = z3.If(better, part, best)
        return best
