"""Monotone functions: products of exponentials by the order of their exponents, and powers of a maximum or minimum."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, permutations, product

import sympy as sp

from verify.engine.certificates.formulas import relation_tree, tree
from verify.engine.certificates.question import Question
from verify.engine.elementary import forms, products
from verify.engine.elementary.law import CONVEX, MONOTONE_POWER, POSITIVE, Law
from verify.engine.elementary.laws import Laws
from verify.engine.elementary.questions import Extended, laws_of
from verify.engine.model.question import ask
from verify.engine.model.scene import Condition
from verify.engine.proof.facts import unbroken

TERMS = 8
"""Limit on terms of a claim that is multiplied out."""


def by_order(question: Question) -> Iterator[Extended]:
    """Yield a question with the order of products of exponentials, or of powers of extremes, in it."""
    relation = question.relation
    if not isinstance(relation, sp.Le | sp.Lt | sp.Ge | sp.Gt) or relation.has(
        sp.Sum, sp.Product, sp.Indexed
    ):
        return
    laws = laws_of(question)
    tangents, orders = _exponentials(relation, laws)
    if tangents:
        yield Extended(relation, question.given, None, (*question.through, *orders), tuple(tangents))
    if extremes := _powers_of_extremes(relation, laws):
        yield Extended(relation, question.given, None, question.through, tuple(extremes))


Exponents = tuple[int, ...]


def _exponentials(relation: Condition, laws: Laws) -> tuple[list[Law], list[Condition]]:
    """Tangents between products of exponentials on both sides of a claim without divisors, and the order of their exponents.

    A (1 + s - r) <= B for the product A with exponent r and the product B with exponent s; the order r <= s is to be shown.
    """
    found = sorted(relation.atoms(sp.exp), key=sp.default_sort_key)
    if len(found) < 2:
        return [], []
    names = [sp.Dummy(positive=True) for _ in found]
    named = relation.xreplace(dict(zip(found, names, strict=True)))
    whole = forms.simple(named, Laws(named, laws.conditions, laws.follows))
    small, large = (list(_products(side, names)) for side in (whole.lts, whole.gts))
    if max(len(small), len(large)) > TERMS:
        return [], []
    tangents, orders = list[Law](), list[Condition]()
    for one, other in product(small, large):
        gap = sp.expand(sp.Add(*((m - n) * e.args[0] for n, m, e in zip(one, other, found, strict=True))))
        if one != other and _is_nonnegative(gap, laws):
            low, high = (
                products.product(zip(map(tree, found), powers, strict=True)) for powers in (one, other)
            )
            tangents.append(Law(["<=", ["*", low, ["+", "1", tree(gap)]], high], CONVEX))
            orders += [sp.Ge(gap, 0, evaluate=False)] if gap.free_symbols else []
    signs = [Law(["<", "0", tree(e)], POSITIVE) for e in found] if tangents else []
    return [*signs, *tangents], orders


def _is_nonnegative(formula: sp.Expr, laws: Laws) -> bool:
    """Whether a formula is proved to be nonnegative; random numbers that break this are cheaper than a search."""
    if not formula.free_symbols:
        return bool(formula.is_nonnegative)
    asked = ask("an order of exponents", sp.Ge(formula, 0, evaluate=False), laws.conditions, None)
    return unbroken(asked.relation, asked.scene, asked.conditions) and laws.nonnegative(formula)


def _products(side: sp.Expr, names: Sequence[sp.Symbol]) -> Iterator[Exponents]:
    """The exponents of some symbols in the terms of a sum."""
    terms = (term.as_powers_dict() for term in sp.Add.make_args(sp.expand(side)))
    found = (tuple(powers.get(name, sp.S.Zero) for name in names) for powers in terms)
    yield from dict.fromkeys(tuple(map(int, each)) for each in found if all(e.is_Integer for e in each))


def _powers_of_extremes(relation: Condition, laws: Laws) -> list[Law]:
    """Min(x, y)^p = Min(x^p, y^p) for the exponents p of x and y, Min(x, y)^2 <= x^p y^(2 - p), and the same for maxima."""
    found = list[Law]()
    for extreme in sorted(relation.atoms(sp.Max, sp.Min), key=sp.default_sort_key):
        parts = extreme.args
        powers = [p for p in relation.atoms(sp.Pow) if p.base in (extreme, *parts)]
        exponents = sorted({p.exp for p in powers if p.exp.free_symbols}, key=sp.default_sort_key)
        grow = [p for p in exponents if laws.nonnegative(p)]
        if not all(map(laws.positive, parts)) or len(exponents) > TERMS:
            continue
        for p in grow:
            of_powers = extreme.func(*(part**p for part in parts), evaluate=False)
            found.append(Law(["=", tree(extreme**p), tree(of_powers)], MONOTONE_POWER))
        kind = sp.Ge if isinstance(extreme, sp.Max) else sp.Le
        for p, q in permutations(grow, 2):
            whole = sp.expand(p + q)
            if whole.is_Integer:
                bounds = (
                    kind(extreme**whole, x**p * y**q, evaluate=False) for x, y in combinations(parts, 2)
                )
                found += [Law(relation_tree(bound), MONOTONE_POWER) for bound in bounds]
    return found
