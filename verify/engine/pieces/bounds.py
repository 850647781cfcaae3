"""Bounds that touch a function at a rational point, with the lines of a certificate that show them.

They are Taylor polynomials of exp, tangents of exp for log, and Heron's bounds for square roots.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import isqrt

import sympy as sp

from verify.engine.certificates.formulas import Tree, tree
from verify.engine.elementary.exponentials import enclosure
from verify.engine.elementary.law import CONVEX, POSITIVE, TAYLOR, Law
from verify.engine.pieces.functions import KNOWN, Function, Functions
from verify.engine.pieces.named import Line

SCALE = 2**20
"""Denominator of the rational numbers at which functions are bounded, where their arguments are irrational."""


class Unbounded(Exception):
    """A constant has no enclosure: it is undefined, or far too large."""


@dataclass(frozen=True)
class Bound:
    """For F * divisor >= bound or <= bound, with the formulas as they are written in a fact; the divisor is positive."""

    fact: Tree
    bound: sp.Expr
    divisor: sp.Expr
    lines: list[Line]


@dataclass(frozen=True)
class Touching:
    """Bounds at one point; `signed` shows that formulas are positive, and `laws` collects the laws that are used."""

    functions: Functions
    point: sp.Rational
    signed: Callable[[sp.Expr, str], list[Line] | None]
    laws: dict[str, Law]

    def of(self, function: Function, way: int) -> Iterator[Bound]:
        """Bounds of a function from below (1) or above (-1)."""
        itself = function.itself
        inside = sp.S.One if itself is sp.E else itself.args[0]
        if inside.is_Rational and isinstance(itself, KNOWN):
            low, high = self._enclosed(itself)
            end = low if way > 0 else high
            yield Bound(_fact(function.tree, str(end), way), end, sp.S.One, [])
            return
        at = _rational(inside.subs(self.functions.x, self.point))
        if at is None:
            return
        kind = {sp.exp: self._of_exp, sp.log: self._of_log}.get(type(itself), self._of_root)
        yield from kind(function, at, way)

    def _enclosed(self, constant: sp.Expr) -> tuple[sp.Rational, sp.Rational]:
        """Rational bounds of exp or log of a rational number, whose laws are assumed; raises Unbounded without them."""
        if constant.is_Rational:
            return constant, constant
        ends = []
        for law in enclosure(constant):
            self._law(law.relation, law.name)
            ends.append(next(sp.Rational(side) for side in law.relation[1:] if isinstance(side, str)))
        if not ends:
            raise Unbounded
        return ends[-2], ends[-1]

    def _positive(self, formula: sp.Expr) -> list[Line] | None:
        """Lines that show that a formula is positive; none for a positive number."""
        if formula.is_number:
            return [] if formula > 0 else None
        return self.signed(formula, "<")

    def _law(self, relation: Tree, name: str) -> Tree:
        self.laws.setdefault(str(relation), Law(relation, name))
        return ["slack", relation]

    def _of_exp(self, function: Function, at: sp.Rational, way: int) -> Iterator[Bound]:
        """C p(s) <= exp(at + s) and exp(at + s) p(-s) <= C for the Taylor polynomial p, with C = exp(at)."""
        constant = sp.exp(at)
        low, high = self._enclosed(constant)
        s = way * (function.argument - at)
        cubic = sp.expand(1 + s + s**2 / 2 + s**3 / 6)
        simple = function.argument.is_polynomial(self.functions.x) and sp.degree(s, self.functions.x) <= 1
        if way > 0:
            fact = ["<", "0", function.tree]
            self._law(fact, POSITIVE)
            positive = Bound(fact, sp.S.Zero, sp.S.One, [])
        for polynomial, name in (
            ((cubic, TAYLOR), (sp.expand(1 + s), CONVEX)) if simple else ((1 + s, CONVEX),)
        ):
            lines = self._positive(polynomial)
            if lines is None:
                continue
            p, value, c = self.functions.tree(polynomial), function.tree, tree(constant)
            more: Tree
            if way > 0:
                law = self._law(["<=", ["*", c, p], value], name)
                fact = _fact(value, self.functions.tree(low * polynomial), way)
                more = (
                    ["*", ["-", c, str(low)], p]
                    if constant.is_Rational
                    else ["*", ["slack", ["<=", str(low), c]], p]
                )
                shown = {"show": fact, "as": ["+", law, more]}
                yield Bound(fact, low * polynomial, sp.S.One, [*lines, shown])
            else:
                law = self._law(["<=", ["*", value, p], c], name)
                fact = _fact(["*", value, p], str(high), way)
                more = "0" if constant.is_Rational else ["slack", ["<=", c, str(high)]]
                yield Bound(fact, high, polynomial, [*lines, {"show": fact, "as": ["+", law, more]}])
        if way > 0:
            yield positive

    def _of_log(self, function: Function, at: sp.Rational, way: int) -> Iterator[Bound]:
        """at (1 + log v - log at) <= v and v (1 + log at - log v) <= at, with rational bounds of log at."""
        v = function.argument
        positive = self._positive(v) if at > 0 else None
        if positive is None:
            return
        constant = sp.S.Zero if at == 1 else sp.log(at, evaluate=False)
        low, high = self._enclosed(constant)
        inside, value, c = self.functions.tree(v), function.tree, tree(constant)
        if way > 0:
            law = self._law(["<=", ["*", inside, ["+", "1", c, ["-", value]]], str(at)], CONVEX)
            bound = sp.expand(v * (1 + low) - at)
            fact = _fact(["*", value, inside], self.functions.tree(bound), way)
            more = "0" if constant.is_Rational else ["*", inside, ["slack", ["<=", str(low), c]]]
            yield Bound(fact, bound, v, [*positive, {"show": fact, "as": ["+", law, more]}])
        else:
            law = self._law(["<=", ["*", str(at), ["+", "1", value, ["-", c]]], inside], CONVEX)
            bound = sp.expand(v + at * (high - 1))
            fact = _fact(["*", value, str(at)], self.functions.tree(bound), way)
            more = "0" if constant.is_Rational else ["*", str(at), ["slack", ["<=", c, str(high)]]]
            yield Bound(fact, bound, at, [*positive, {"show": fact, "as": ["+", law, more]}])

    def _of_root(self, function: Function, at: sp.Rational, way: int) -> Iterator[Bound]:
        """2 r R <= v + r^2 and 2 r v <= R (v + r^2) for R = sqrt(v) and r near the root of v at the point."""
        r = sp.Rational(isqrt(int(at * SCALE**2)), SCALE)
        v, value = function.argument, function.tree
        if r <= 0:
            return
        inside, square = self.functions.tree(v), ["^", ["-", value, str(r)], "2"]
        zero: Tree = ["-", ["^", value, "2"], inside]
        if way < 0:
            fact = _fact(["*", value, str(2 * r)], self.functions.tree(v + r**2), way)
            yield Bound(fact, v + r**2, 2 * r, [{"show": fact, "as": ["-", square, zero]}])
            return
        divisor = self._positive(v + r**2)
        if divisor is not None:
            fact = _fact(["*", value, self.functions.tree(v + r**2)], self.functions.tree(2 * r * v), way)
            shown: Tree = ["-", ["*", value, square], ["*", ["-", value, str(2 * r)], zero]]
            yield Bound(fact, 2 * r * v, v + r**2, [*divisor, {"show": fact, "as": shown}])


def _fact(value: Tree, bound: Tree, way: int) -> Tree:
    """The relation that a value is at least (1) or at most (-1) a bound."""
    return ["<=", bound, value] if way > 0 else ["<=", value, bound]


def _rational(number: sp.Expr) -> sp.Rational | None:
    """A number if it is rational, otherwise a rational number near it."""
    if number.is_Rational:
        return number
    near = number.evalf(20) if number.is_number and number.is_real else None
    return None if near is None or not near.is_finite else sp.Rational(round(near * SCALE), SCALE)
