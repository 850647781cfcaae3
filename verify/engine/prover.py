"""Machine proofs of scalar relations, by putting bounds in (`verify.engine.derive`) or by an SMT solver (Z3).

A relation is proved when its negation contradicts the conditions, the domains of the symbols and the premises.
The solver also gives exact points that meet the conditions and break the relation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import sympy as sp

from bounds.symbols import domain_of
from verify.engine.derive import follows, hopeless
from verify.engine.scene import Condition

FIRST = 200_000
"""Steps that the solver has before insertion is tried, which takes seconds where it leads nowhere.

Also those in which the premises of a derived relation are searched for a contradiction. Steps are Z3's resource units,
so that what is proved does not depend on how busy the machine is; it does 1 to 10 million of them in a second.
"""

STEPS = 3_000
"""Steps of the solver for each millisecond that a proof may take."""


@dataclass(frozen=True)
class Proof:
    """Outcome of a proof attempt.

    "proved"; "contradiction" (the premises cannot all hold, so they prove anything); "countermodel" with an exact
    point, or None if it is irrational; "unknown".
    """

    outcome: Literal["proved", "contradiction", "countermodel", "unknown"]
    point: Mapping[str, Fraction] | None = None


class _Untranslatable(Exception):
    """The expression is not algebraic."""


def prove(relation: Condition, premises: Iterable[Condition] = (), milliseconds: int = 2000) -> Proof:
    """Try to derive `relation` from `premises` and the domains of its symbols.

    Whole numbers are treated as reals that are at least 1, which is sound for proofs. A countermodel may
    therefore have fractional counts; it is returned only if all its values are rational.
    """
    premises = tuple(premises)
    if _chained(relation, premises):
        return Proof("contradiction" if _contradictory(premises) else "proved")
    steps = max(1, STEPS * milliseconds)  # a limit of 0 would be none
    first = _by_solver(relation, premises, min(FIRST, steps))
    if first.outcome != "unknown" or hopeless(relation, premises):
        return first
    if follows(relation, premises, milliseconds):
        return Proof("contradiction" if _contradictory(premises) else "proved")
    return _by_solver(relation, premises, steps) if steps > FIRST else first


def _chained(relation: Condition, premises: tuple[Condition, ...]) -> bool:
    """Whether premises lead from the small to the large side of an inequality, each starting where one ended."""
    if not isinstance(relation, sp.Le | sp.Ge):
        return False
    steps = [_oriented(premise) for premise in premises if isinstance(premise, sp.Le | sp.Lt | sp.Ge | sp.Gt)]
    steps += [pair for p in premises if isinstance(p, sp.Eq) for pair in (p.args, p.args[::-1])]
    small, large = _oriented(relation)
    reached = {small}
    while new := {above for below, above in steps if below in reached} - reached:
        reached |= new
    return large in reached


def _oriented(relation: Condition) -> tuple[sp.Expr, sp.Expr]:
    return (
        (relation.rhs, relation.lhs) if isinstance(relation, sp.Ge | sp.Gt) else (relation.lhs, relation.rhs)
    )


def _solver(steps: int) -> Any:
    """A solver with a limit, in a context of its own: what was asked before would change the order of its search."""
    import z3

    solver = z3.Solver(ctx=z3.Context())
    solver.set("rlimit", steps)
    return solver


def _by_solver(relation: Condition, premises: tuple[Condition, ...], steps: int) -> Proof:
    import z3

    solver = _solver(steps)
    translation = _Translation(solver)
    try:
        for premise in premises:
            solver.add(translation.relation(premise))
        claim = translation.relation(relation)
    except _Untranslatable:
        return Proof("unknown")
    solver.add(z3.Not(claim))
    answer = solver.check()
    if answer == z3.unsat:
        return Proof("contradiction" if _contradictory(premises) else "proved")
    if answer == z3.sat:
        return Proof("countermodel", translation.point(solver.model()))
    return Proof("unknown")


def _contradictory(premises: tuple[Condition, ...]) -> bool:
    import z3

    solver = _solver(FIRST)
    translation = _Translation(solver)
    try:
        for premise in premises:
            solver.add(translation.relation(premise))
    except _Untranslatable:
        return False
    return bool(solver.check() == z3.unsat)


class _Translation:
    """SymPy to Z3; roots and quotients become auxiliary variables with their defining equations."""

    def __init__(self, solver: Any) -> None:
        self.solver = solver
        self.variables: dict[str, Any] = {}
        self.auxiliary: dict[sp.Expr, Any] = {}

    def relation(self, relation: Condition) -> Any:
        left, right = self.term(relation.lhs), self.term(relation.rhs)
        compare = {
            sp.Le: lambda: left <= right,
            sp.Lt: lambda: left < right,
            sp.Ge: lambda: left >= right,
            sp.Gt: lambda: left > right,
            sp.Eq: lambda: left == right,
        }
        return compare[type(relation)]()

    def term(self, expression: sp.Expr) -> Any:
        import z3

        if isinstance(expression, sp.Symbol):
            return self._variable(expression)
        if isinstance(expression, sp.Rational):
            return z3.Q(int(expression.p), int(expression.q), ctx=self.solver.ctx)
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
        raise _Untranslatable(str(expression))

    def point(self, model: Any) -> Mapping[str, Fraction] | None:
        found = {}
        for name, variable in self.variables.items():
            value = model.eval(variable, model_completion=True)
            if not hasattr(value, "as_fraction"):
                return None
            found[name] = Fraction(value.numerator_as_long(), value.denominator_as_long())
        return found

    def _variable(self, symbol: sp.Symbol) -> Any:
        import z3

        if symbol.name not in self.variables:
            variable = z3.Real(symbol.name, ctx=self.solver.ctx)
            self.variables[symbol.name] = variable
            domain = domain_of(symbol)
            if domain == "count":
                self.solver.add(variable >= 1)
            elif domain == "positive":
                self.solver.add(variable > 0)
            elif domain == "nonnegative":
                self.solver.add(variable >= 0)
        return self.variables[symbol.name]

    def _power(self, expression: sp.Pow) -> Any:
        import z3

        exponent = expression.exp
        if exponent.is_Integer and exponent > 0:
            base = self.term(expression.base)
            return z3.Product([base] * int(exponent))
        if expression in self.auxiliary:
            return self.auxiliary[expression]
        fresh = z3.Real(f"auxiliary {len(self.auxiliary)}", ctx=self.solver.ctx)
        self.auxiliary[expression] = fresh
        if exponent.is_Integer:
            self.solver.add(fresh * self.term(expression.base ** (-exponent)) == 1)
        elif exponent.q == 2:
            self.solver.add(fresh >= 0, fresh * fresh == self.term(expression.base**exponent.p))
        else:
            raise _Untranslatable(str(expression))
        return fresh

    def _extreme(self, expression: sp.Max | sp.Min) -> Any:
        import z3

        parts = [self.term(arg) for arg in expression.args]
        best = parts[0]
        for part in parts[1:]:
            better = part > best if isinstance(expression, sp.Max) else part < best
            best = z3.If(better, part, best)
        return best
