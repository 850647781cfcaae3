"""A claim as polynomials: roots, absolute values, extremes and floors are letters with polynomial conditions.

Counts are letters with `n >= 1` and a mark that they are whole. A relation between quotients is multiplied by its denominator,
or by the square of the denominator if its sign is unknown.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias

import sympy as sp
from sympy.core.relational import Relational

from bounds.symbols import domain_of

Sign: TypeAlias = str
"""One of `>=`, `>`, `=` and `!=`, between a polynomial and 0."""
LARGEST = 64
"""Largest exponent that is written out."""


@dataclass(frozen=True)
class Question:
    """What a tool receives of a claim."""

    relation: Relational
    conditions: tuple[Relational, ...]

    def __reduce__(self) -> Any:
        """For another process: SymPy would evaluate the relations there, `exp(x) >= 0` for example to true."""
        return _question, tuple((type(r), *r.args) for r in (self.relation, *self.conditions))


def _question(*relations: tuple[type[Relational], sp.Expr, sp.Expr]) -> Question:
    first, *others = (kind(*sides, evaluate=False) for kind, *sides in relations)
    return Question(first, tuple(others))


class Unstated(Exception):
    """The tool has no form for this claim."""


@dataclass
class Problem:
    """Show `goal` from `given`, all of them relations between a polynomial and 0."""

    given: list[tuple[sp.Expr, Sign]] = field(default_factory=list)
    goal: tuple[sp.Expr, Sign] = (sp.S.Zero, "=")
    whole: set[str] = field(default_factory=set)
    letters: dict[sp.Expr, sp.Symbol] = field(default_factory=dict)

    @property
    def symbols(self) -> list[sp.Symbol]:
        """All letters, by name."""
        formulas = [polynomial for polynomial, _ in (*self.given, self.goal)]
        return sorted({s for formula in formulas for s in formula.free_symbols}, key=str)


def problem(question: Question) -> Problem:
    """A claim about numbers as relations between polynomials.

    Raises
    ------
    Unstated
        If a term is no root, quotient, extreme or floor of polynomials.
    """
    found = Problem()
    for condition in question.conditions:
        found.given.append(_relation(found, condition))
    found.goal = _relation(found, question.relation)
    known: set[sp.Symbol] = set()
    while new := [s for s in found.symbols if s not in known]:
        for symbol in new:
            found.given += _domain(found, symbol)
        known |= set(new)
    return found


def _domain(found: Problem, symbol: sp.Symbol) -> list[tuple[sp.Expr, Sign]]:
    if symbol in found.letters.values():
        return []
    match domain_of(symbol):
        case "count":
            found.whole.add(symbol.name)
            return [(symbol - 1, ">=")]
        case "positive":
            return [(symbol, ">")]
        case "nonnegative":
            return [(symbol, ">=")]
    if symbol.is_integer:
        found.whole.add(symbol.name)
        return [(symbol, ">=")] if symbol.is_nonnegative else []
    return []


def _relation(found: Problem, relation: Relational) -> tuple[sp.Expr, Sign]:
    left, right = relation.args
    signs: dict[type, tuple[sp.Expr, Sign]] = {
        sp.Le: (right - left, ">="),
        sp.Ge: (left - right, ">="),
        sp.Lt: (right - left, ">"),
        sp.Gt: (left - right, ">"),
        sp.Eq: (left - right, "="),
        sp.Ne: (left - right, "!="),
    }
    if type(relation) not in signs:
        raise Unstated(str(relation))
    difference, sign = signs[type(relation)]
    return _cleared(_lettered(found, difference), sign), sign


def _cleared(difference: sp.Expr, sign: Sign) -> sp.Expr:
    """The numerator, with the sign of the quotient."""
    above, below = sp.fraction(sp.cancel(sp.together(difference)))
    if sign not in ("=", "!="):
        if below.is_negative:
            above = -above
        elif not below.is_positive:
            above = above * below
    return sp.expand(above)


def _lettered(found: Problem, formula: sp.Expr) -> sp.Expr:
    """The formula with letters for the terms that are not rational functions."""
    if formula.is_Rational or isinstance(formula, sp.Symbol):
        return formula
    if isinstance(formula, sp.Float):
        return sp.Rational(str(formula))
    if isinstance(formula, sp.Add | sp.Mul):
        return formula.func(*(_lettered(found, part) for part in formula.args))
    if isinstance(formula, sp.Pow) and formula.exp.is_Rational and abs(formula.exp.p) <= LARGEST:
        base = _lettered(found, formula.base)
        return (base if formula.exp.q == 1 else _root(found, base, int(formula.exp.q))) ** formula.exp.p
    if isinstance(formula, sp.Abs):
        inner = _lettered(found, formula.args[0])
        return _extreme(found, formula, [inner, -inner], 1)
    if isinstance(formula, sp.Max | sp.Min):
        parts = [_lettered(found, part) for part in formula.args]
        return _extreme(found, formula, parts, 1 if isinstance(formula, sp.Max) else -1)
    if isinstance(formula, sp.floor | sp.ceiling):
        return _rounded(found, formula)
    raise Unstated(str(formula.func))


def _root(found: Problem, base: sp.Expr, degree: int) -> sp.Symbol:
    key = sp.Pow(base, sp.Rational(1, degree), evaluate=False)
    if key not in found.letters:
        domain = "positive" if base.is_positive else "nonnegative"
        letter = sp.Symbol(f"root{len(found.letters)}", **{domain: True})
        found.letters[key] = letter
        found.given.append((letter, ">" if base.is_positive else ">="))
        found.given.append((_cleared(letter**degree - base, "="), "="))
    return found.letters[key]


def _extreme(found: Problem, formula: sp.Expr, parts: list[sp.Expr], way: int) -> sp.Symbol:
    """A letter that is at least (`way` 1) or at most (-1) each part, and equal to one of them."""
    if formula not in found.letters:
        letter = sp.Symbol(
            f"extreme{len(found.letters)}", **{"positive" if formula.is_positive else "real": True}
        )
        found.letters[formula] = letter
        found.given += [(_cleared(way * (letter - part), ">="), ">=") for part in parts]
        found.given.append((_cleared(sp.prod([letter - part for part in parts]), "="), "="))
    return found.letters[formula]


def _rounded(found: Problem, formula: sp.Expr) -> sp.Symbol:
    if formula not in found.letters:
        inner = _lettered(found, formula.args[0])
        letter = sp.Symbol(f"whole{len(found.letters)}", integer=True)
        found.letters[formula] = letter
        found.whole.add(letter.name)
        way = 1 if isinstance(formula, sp.floor) else -1
        found.given.append((_cleared(way * (inner - letter), ">="), ">="))
        found.given.append((_cleared(1 - way * (inner - letter), ">"), ">"))
    return found.letters[formula]
