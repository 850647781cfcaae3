"""SymPy formulas as plain JSON: the language of `verify/check_proof.py`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import reduce
from typing import Any, TypeAlias

import sympy as sp
from sympy.core.relational import Relational

from bounds.symbols import domain_of
from verify.engine.model.vectors import Inner, Vector

Tree: TypeAlias = Any
"""A formula "3/4", "x" or [head, part, ...], or a relation [sign, left, right]."""

RELATIONS = {sp.Le: "<=", sp.Lt: "<", sp.Ge: ">=", sp.Gt: ">", sp.Eq: "=", sp.Ne: "!="}


class Untranslatable(ValueError):
    """A formula that certificates cannot express."""


def relation_tree(relation: Relational) -> Tree:
    """A relation as JSON; decimals are taken as printed.

    Raises
    ------
    Untranslatable
        If it is already true or false, or contains a part that is no formula of real numbers.
    """
    sign = RELATIONS.get(type(relation))
    if sign is None:
        raise Untranslatable(f"`relation` must compare two formulas, got {relation}")
    return [sign, tree(relation.lhs), tree(relation.rhs)]


def tree(expression: sp.Expr) -> Tree:
    """A formula as JSON."""
    if isinstance(expression, Inner):
        return ["dot", *map(_vector, expression.ends)]
    if isinstance(expression, sp.Symbol):
        return expression.name
    if isinstance(expression, sp.Rational):
        return str(Fraction(int(expression.p), int(expression.q)))
    if isinstance(expression, sp.Float):
        return str(Fraction(str(expression)))
    if isinstance(expression, sp.Add):
        return ["+", *map(tree, expression.args)]
    if isinstance(expression, sp.Mul):
        return _product(expression)
    if isinstance(expression, sp.Pow):
        return _power(expression)
    if isinstance(expression, sp.Max | sp.Min | sp.Abs):
        return [type(expression).__name__.lower(), *map(tree, expression.args)]
    if isinstance(expression, sp.Indexed) and len(expression.indices) == 1:
        return ["at", expression.base.label.name, tree(expression.indices[0])]
    if isinstance(expression, sp.Sum | sp.Product):
        return _series(expression)
    if isinstance(expression, sp.Function | sp.NumberSymbol) and expression.is_extended_real is not False:
        return ["call", type(expression).__name__, *map(tree, expression.args)]
    raise Untranslatable(f"no formula of real numbers: {expression}")


def _vector(vector: Vector) -> Tree:
    """A vector as JSON: a sum of two vectors, or a number times a vector."""
    found = [name if weight == 1 else ["*", tree(weight), name] for name, weight in vector.terms.items()]
    return reduce(lambda first, second: ["+", first, second], found)


def _product(expression: sp.Mul) -> Tree:
    """A product as JSON, as a quotient of numerator and denominator if it has a denominator."""
    above, below = [], []
    for factor in expression.args:
        if factor.is_Pow and factor.exp.is_Rational and factor.exp < 0:
            below.append(factor.base**-factor.exp)
        elif factor.is_Rational and factor.q != 1:
            above += [sp.Integer(factor.p)] if factor.p != 1 else []
            below.append(sp.Integer(factor.q))
        else:
            above.append(factor)
    top, bottom = (_times([tree(part) for part in parts]) for parts in (above, below))
    return ["/", top, bottom] if below else top


def _times(parts: list[Tree]) -> Tree:
    return "1" if not parts else parts[0] if len(parts) == 1 else ["*", *parts]


def _power(expression: sp.Pow) -> Tree:
    base, exponent = expression.args
    if isinstance(exponent, sp.Float):
        exponent = sp.Rational(str(exponent))
    if not isinstance(exponent, sp.Rational):
        return ["^", tree(base), tree(exponent)]
    if exponent < 0:
        return ["/", "1", tree(sp.Pow(base, -exponent, evaluate=False) if exponent != -1 else base)]
    inside = tree(base) if exponent.q == 1 else ["root", str(exponent.q), tree(base)]
    return inside if exponent.p == 1 else ["^", inside, str(exponent.p)]


def _series(expression: sp.Sum | sp.Product) -> Tree:
    """A sum as JSON: written out if its ends are numbers, otherwise an unknown function of its symbols."""
    *inner, (index, low, high) = expression.limits
    if not (low.is_Integer and high.is_Integer):
        return _unknown(expression)
    head, empty = ("+", "0") if isinstance(expression, sp.Sum) else ("*", "1")
    if high < low:
        return empty if high == low - 1 else _unknown(expression)
    each = expression.func(expression.function, *inner) if inner else expression.function
    parts = [tree(each.subs(index, k)) for k in range(int(low), int(high) + 1)]
    return [head, *parts] if head == "+" or len(parts) > 1 else parts[0]


def _unknown(expression: sp.Expr) -> Tree:
    series = {base.label for base in expression.atoms(sp.IndexedBase)}
    free = sorted((s for s in expression.free_symbols - series if isinstance(s, sp.Symbol)), key=str)
    return ["call", str(expression), *(s.name for s in free)]


def domains(relations: Iterable[Relational]) -> dict[str, str]:
    """Declared domain of every symbol and sequence by name.

    Raises
    ------
    Untranslatable
        If two symbols share a name but have different domains.
    """
    found: dict[str, str] = {}
    for relation in relations:
        series = {base.label for base in relation.atoms(sp.IndexedBase)}
        for symbol in relation.atoms(sp.Symbol):
            if isinstance(symbol, Inner):
                _declare(symbol, found)
                continue
            domain = f"sequence {domain_of(symbol)}" if symbol in series else domain_of(symbol)
            if domain == "nonnegative" and symbol.is_integer:
                domain = "whole"
            if found.setdefault(symbol.name, domain) != domain:
                raise Untranslatable(
                    f"two symbols are called {symbol.name!r}: {found[symbol.name]} and {domain}"
                )
    return found


def _declare(product: Inner, found: dict[str, str]) -> None:
    """Add the domains of the symbols in an inner product."""
    for vector in product.ends:
        found |= dict.fromkeys(vector.terms, "vector")
        for weight in vector.terms.values():
            found |= domains([sp.Eq(weight, 0, evaluate=False)])


def parts(formula: Tree) -> Iterator[Tree]:
    """A formula and all formulas in it, the inner ones first."""
    if isinstance(formula, list):
        for part in formula[1:]:
            yield from parts(part)
    yield formula


def with_part(formula: Tree, old: Tree, new: Tree) -> Tree:
    """A formula with one of its parts replaced."""
    if formula == old:
        return new
    return [with_part(part, old, new) for part in formula] if isinstance(formula, list) else formula


def factors(formula: Tree) -> list[Tree]:
    """The factors of a product, or of a power."""
    match formula:
        case ["*", *inside]:
            return [factor for part in inside for factor in factors(part)]
        case ["^", base, str(n)] if n.isdecimal():
            return factors(base)
    return [formula]


def size(content: Any) -> int:
    """Bytes of a certificate in its shortest form."""
    return len(json.dumps(content, separators=(",", ":")))
