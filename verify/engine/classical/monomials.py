"""Products of powers where equations give symbols values: with x = (c T^q)^(1/(q + 1)), c (T/x)^q is x.

Each power, exponential and symbol with a value is written as a product of powers of positive numbers that no equation speaks of.
Exponents are simplified, also by equations between exponents such as 1/p + 1/q = 1, and have common units, so equal products cancel.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import sympy as sp

from verify.engine.certificates.formulas import Tree, tree
from verify.engine.certificates.question import Question
from verify.engine.certificates.recheck import replaced
from verify.engine.elementary.law import EXP_LOG, LOG_PRODUCT, POWERS, Law
from verify.engine.elementary.laws import Laws
from verify.engine.elementary.minima import solved
from verify.engine.elementary.products import Terms, common_units, product, terms
from verify.engine.elementary.questions import Extended, conditions_of
from verify.engine.model.scene import Condition
from verify.engine.tactics.prove import implied

SIZE, LAWS = 80, 12
"""Limits on operations of a relation, and on laws of functions of independent numbers."""
Factors = dict[sp.Expr, sp.Expr]
"""Bases of a product of powers with their exponents."""


def by_values(question: Question) -> Iterator[Extended]:
    """Yield a question with its powers written by independent numbers, if equations among the conditions give values."""
    relation = question.relation
    given = conditions_of(question)
    if relation.has(sp.Sum, sp.Product, sp.Indexed) or relation.count_ops() > SIZE:
        return
    values, kept = values_of(given, relation)
    if not values:
        return
    laws = Laws(relation, kept, lambda r: implied(r, kept))
    equations = Independent(laws, values).equations(relation)
    if not equations:
        return
    known = tuple((s.name, tree(value)) for s, value in values.items())
    own = tuple(e.law for e in equations)
    yield Extended(relation, question.given, None, question.through, own, values=known)
    here = relation.func(
        *(side.xreplace({e.old: e.new for e in equations}) for side in relation.args), evaluate=False
    )
    more = Laws(here, kept, laws.follows).of_functions()
    if 0 < len(more) <= LAWS:
        yield Extended(relation, question.given, None, question.through, (*own, *more), values=known)


def values_of(
    given: tuple[Condition, ...], relation: Condition
) -> tuple[dict[sp.Symbol, sp.Expr], tuple[Condition, ...]]:
    """Values of symbols by equations that name them or are linear in them, and the other conditions with these values."""
    values: dict[sp.Symbol, sp.Expr] = {}
    kept = list[Condition]()
    for r in given:
        sides = [side.subs(values) for side in r.args] if isinstance(r, sp.Eq) else []
        pairs = [(s, v) for s, v in (sides, sides[::-1]) if s.is_Symbol] if sides else []
        named = [(s, v) for s, v in pairs if s not in v.free_symbols and not v.has(sp.Min, sp.Max, sp.Abs)]
        if named:
            s, value = named[0]
            values = {t: v.subs(s, value) for t, v in values.items()} | {s: value}
        else:
            kept.append(r)
    here = tuple(r.func(*(side.subs(values) for side in r.args), evaluate=False) for r in kept)
    if any(isinstance(r, sp.Eq) for r in here):
        linear, here = solved(here, relation)
        values = {t: v.subs(linear) for t, v in values.items()} | linear
    return values, here


@dataclass(frozen=True)
class Equation:
    """A part of a formula, an equal formula of independent numbers, and the law that says so with values put into the part."""

    old: sp.Expr
    new: sp.Expr
    law: Law


@dataclass(frozen=True)
class Independent:
    """Formulas as products of powers of positive numbers, with values put in for symbols."""

    laws: Laws
    values: Mapping[sp.Symbol, sp.Expr]
    _known: dict[sp.Expr, Factors | None] = field(default_factory=dict)

    def equations(self, relation: Condition) -> list[Equation]:
        """Equations for the powers, exponentials, logarithms and symbols with values in a relation."""
        parts = list(dict.fromkeys(part for side in relation.args for part in self._parts(side)))
        written = {}
        for part in parts:
            inside = part.args[0] if isinstance(part, sp.log) else part
            factors = self.factors(inside)
            if factors is not None and factors != {inside: sp.S.One}:
                written[part] = factors
        units = _units(list(written.values()))
        found = []
        for part, factors in written.items():
            if isinstance(part, sp.log):
                new: sp.Expr = sp.Add(*(e * sp.log(base) for base, e in factors.items()))
                right, name = tree(new), LOG_PRODUCT
            else:
                new, right, name = (
                    _power_product(factors),
                    _product(factors, units),
                    EXP_LOG if isinstance(part, sp.exp) else POWERS,
                )
            if right != (left := self._with_values(tree(part))):
                found.append(Equation(part, new, Law(["=", left, right], name)))
        return found

    def _with_values(self, formula: Tree) -> Tree:
        """A formula with values put in for symbols, and otherwise unchanged, so that a law about it needs no equation."""
        for s, value in self.values.items():
            formula = replaced(formula, s.name, tree(value))
        return formula

    def simple(self, formula: sp.Expr) -> sp.Expr:
        """A formula as one product of powers, if it is known to be positive."""
        factors = self.factors(formula)
        return formula if factors is None else _power_product(factors)

    def _parts(self, formula: sp.Expr) -> Iterator[sp.Expr]:
        """The outermost powers with exponents that are not whole, exponentials, logarithms, and symbols with values."""
        whole = formula.is_Pow and formula.exp.is_Integer
        if formula in self.values or isinstance(formula, sp.exp | sp.log) or (formula.is_Pow and not whole):
            yield formula
        else:
            for part in formula.args:
                yield from self._parts(part)

    def factors(self, formula: sp.Expr) -> Factors | None:
        """A positive formula as a product of powers; None if it is not known to be positive."""
        if formula not in self._known:
            self._known[formula] = self._factors(formula)
        return self._known[formula]

    def _factors(self, formula: sp.Expr) -> Factors | None:
        if formula in self.values:
            return self.factors(self.values[formula])
        if formula.is_Rational:
            if not formula.is_positive:
                return None
            return {sp.Integer(n): sp.Integer(e) for n, e in sp.factorrat(formula).items() if n != 1}
        if isinstance(formula, sp.exp):
            return self._exponential(formula.args[0])
        if formula.is_Mul:
            return _times([(self.factors(part), sp.S.One) for part in formula.args])
        if formula.is_Pow:
            return _times([(self.factors(formula.base), self._exponent(formula.exp))])
        if formula.is_Add:
            return self._sum(formula.subs(self.values))
        return {formula: sp.S.One} if self.laws.positive(formula) else None

    def _sum(self, formula: sp.Expr) -> Factors | None:
        """The factors of a sum with one denominator; the sum itself if they are not known to be positive."""
        whole = sp.factor(sp.together(formula))
        if whole.is_Pow:
            return self.factors(whole)
        if whole.is_Mul:
            parts = [-part if self.laws.positive(-part) else part for part in whole.args]
            changed = sum(part != old for part, old in zip(parts, whole.args, strict=True))
            found = _times([(self.factors(part), sp.S.One) for part in parts]) if changed % 2 == 0 else None
            if found is not None:
                return found
        known = self.laws.positive(whole) or all(self.factors(part) is not None for part in formula.args)
        return {whole: sp.S.One} if known else None

    def _exponential(self, exponent: sp.Expr) -> Factors | None:
        """exp(r log(y) + s) as y^r e^s."""
        found, rest = list[tuple[Factors | None, sp.Expr]](), list[sp.Expr]()
        for term in sp.Add.make_args(sp.expand(sp.expand_log(exponent.subs(self.values)))):
            logs = [factor for factor in sp.Mul.make_args(term) if isinstance(factor, sp.log)]
            if len(logs) == 1 and not (term / logs[0]).has(sp.log):
                found.append((self.factors(logs[0].args[0]), _simple(term / logs[0])))
            else:
                rest.append(term)
        if not found:
            return None
        return _times([*found, *([({sp.E: sp.Add(*rest)}, sp.S.One)] if rest else [])])

    def _exponent(self, exponent: sp.Expr) -> sp.Expr:
        return _simple(exponent.subs(self.values))


def _times(parts: Sequence[tuple[Factors | None, sp.Expr]]) -> Factors | None:
    """The product of powers of products; None if one of them is unknown."""
    found: Factors = {}
    for factors, exponent in parts:
        if factors is None:
            return None
        for base, e in factors.items():
            found[base] = found.get(base, sp.S.Zero) + e * exponent
    simple = {base: _simple(e) for base, e in found.items()}
    return {base: e for base, e in simple.items() if e != 0}


def _simple(exponent: sp.Expr) -> sp.Expr:
    """An exponent as a sum of partial fractions if it holds one symbol, and multiplied out otherwise."""
    if exponent.is_Rational:
        return exponent
    one = sp.cancel(exponent)
    if len(one.free_symbols) == 1 and one.is_rational_function():
        return sp.apart(one)
    return sp.expand(one)


def _power_product(factors: Factors) -> sp.Expr:
    return sp.Mul(*(base**e for base, e in factors.items()))


def _units(several: Sequence[Factors]) -> dict[sp.Expr, Terms]:
    """For each base the units of the terms of its exponents."""
    found: dict[sp.Expr, list[Terms]] = {}
    for factors in several:
        for base, e in factors.items():
            found.setdefault(base, []).append(terms(e))
    return {base: common_units(exponents) for base, exponents in found.items()}


def _product(factors: Factors, units: Mapping[sp.Expr, Terms]) -> Tree:
    """A product of whole powers of the unit powers of its bases; a number as exponent is a whole number and a fraction from 0 to 1."""
    parts = list[tuple[Tree, int]]()
    for base, exponent in factors.items():
        for term, number in terms(exponent).items():
            unit, whole = abs(units[base][term]), sp.floor(number) if term == 1 else sp.S.Zero
            unit = sp.Rational(1, unit.q) if term == 1 else unit
            parts += [(tree(base), int(whole)), (tree(base ** (unit * term)), int((number - whole) / unit))]
    return product(parts)
