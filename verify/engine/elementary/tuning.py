"""Bounds of terms of a claim where conditions bound a symbol in them, such as a step size or a number of rounds.

With eta = min(1/L, sqrt(D/T)), a term c eta is at most c/L and at most c sqrt(D/T), and a term D/eta is at most D L + sqrt(D T). The
bounds are written as products of powers of single symbols, so that equal ones cancel without rules for roots.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import sympy as sp

from verify.engine.certificates.formulas import relation_tree
from verify.engine.certificates.question import Question
from verify.engine.elementary.law import MONOTONE_POWER, Law
from verify.engine.elementary.questions import Extended, laws_of
from verify.engine.model.scene import Condition

TERMS = 16
"""Limit on terms of a claim."""

Positive = Callable[[sp.Expr], bool]


@dataclass(frozen=True)
class Bound:
    """A symbol is at most each of some values ("<="), at least each of them (">="), or equal to one of them, too ("min", "max")."""

    symbol: sp.Symbol
    kind: str
    values: tuple[sp.Expr, ...]


def by_terms(question: Question) -> Iterator[Extended]:
    """Yield the question with bounds of its terms, if it has roots."""
    rooted = any(p.exp.is_Rational and not p.exp.is_Integer for p in question.relation.atoms(sp.Pow))
    laws = laws_of(question)
    if rooted and (found := of_terms(question.relation, laws.conditions, laws.positive)):
        yield Extended(question.relation, question.given, None, question.through, tuple(found))


def is_tuned(question: Question) -> bool:
    """Whether conditions name candidates for a symbol, or roots are beyond square roots: then bounds of terms come first."""
    given = [r for r, by in question.given if by == "condition"]
    powers = question.relation.atoms(sp.Pow)
    deep = any(p.exp.is_Rational and p.exp.q > 2 for p in powers)
    return deep or any(isinstance(side, sp.Min | sp.Max) for r in given for side in sp.Tuple(*r.args))


def of_terms(relation: Condition, conditions: Sequence[Condition], positive: Positive) -> list[Law]:
    """Upper bounds of the terms of the smaller side, and lower bounds of those of the larger side, by conditions on a symbol."""
    if not isinstance(relation, sp.Le | sp.Lt | sp.Ge | sp.Gt):
        return []
    bounds = [bound for condition in conditions for bound in _bounds(condition, positive)]
    sides = [sp.Add.make_args(sp.expand(side)) for side in (relation.lts, -relation.gts)] if bounds else []
    terms = dict.fromkeys(term for side in sides for term in side)
    if len(terms) > TERMS:
        return []
    found = [one for term in terms for bound in bounds for one in _bounded(term, bound, positive)]
    return [Law(relation_tree(one), MONOTONE_POWER) for one in dict.fromkeys(found)]


def _bounds(condition: Condition, positive: Positive) -> Iterator[Bound]:
    if isinstance(condition, sp.Eq):
        symbol, value = condition.args if isinstance(condition.lhs, sp.Symbol) else condition.args[::-1]
        if isinstance(symbol, sp.Symbol) and symbol.is_positive and symbol not in value.free_symbols:
            kinds = {sp.Min: "min", sp.Max: "max"}
            kind = kinds.get(type(value), "=")
            values = value.args if kind != "=" else (value,)
            if all(map(positive, values)):
                yield Bound(symbol, kind, values)
    elif isinstance(condition, sp.Le | sp.Lt | sp.Ge | sp.Gt):
        small, large = condition.lts, condition.gts
        yield from _solved(small, large, sp.Min, "<=", positive)
        yield from _solved(large, small, sp.Max, ">=", positive)


def _solved(
    side: sp.Expr, other: sp.Expr, extreme: type[sp.Min | sp.Max], kind: str, positive: Positive
) -> Iterator[Bound]:
    """Bounds of the symbols in a product of powers that is at most, or at least, another side."""
    values = other.args if isinstance(other, extreme) else (other,)
    for symbol, exponent in _powers(side).items():
        rest = side / symbol**exponent
        if symbol in other.free_symbols or not (positive(rest) and all(map(positive, values))):
            continue
        own = kind if exponent > 0 else {"<=": ">=", ">=": "<="}[kind]
        yield Bound(symbol, own, tuple(_simple((value / rest) ** (1 / exponent)) for value in values))


def _powers(term: sp.Expr) -> dict[sp.Symbol, sp.Rational]:
    """The positive symbols in a product that occur in one of its factors only, with their exponents."""
    factors = [factor.as_base_exp() for factor in sp.Mul.make_args(term)]
    found = {
        base: e for base, e in factors if isinstance(base, sp.Symbol) and base.is_positive and e.is_Rational
    }
    return {s: e for s, e in found.items() if s not in (term / s**e).free_symbols}


def _simple(formula: sp.Expr) -> sp.Expr:
    return sp.expand_power_base(sp.powdenest(formula))


def _bounded(term: sp.Expr, bound: Bound, positive: Positive) -> Iterator[Condition]:
    """Upper bounds of a term by its values at the bounds of a symbol in it; of its size, if it is positive, or lower ones."""
    exponent = _powers(term).get(bound.symbol)
    if exponent is None:
        return
    factor = term / bound.symbol**exponent
    sign = 1 if positive(factor) else -1 if positive(-factor) else 0
    if sign == 0:
        return
    size, at = sign * term, [sign * _simple(factor * value**exponent) for value in bound.values]
    if bound.kind == "=":
        yield sp.Eq(size, at[0], evaluate=False)
        return
    # a size that grows with the symbol is at most its values at upper bounds, one that falls at least these
    below_all = bool(exponent > 0) == (bound.kind in ("<=", "min"))
    if below_all and sign > 0:
        yield from (sp.Le(size, value, evaluate=False) for value in at)
    elif not below_all and sign < 0:
        yield from (sp.Ge(size, value, evaluate=False) for value in at)
    elif bound.kind in ("min", "max") and sign > 0:
        yield sp.Le(size, sp.Add(*at), evaluate=False)
