"""Two powers with the same exponent: Bernoulli's inequality compares n^n with (n + 1)^n, concavity and convexity x^p with y^p."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, permutations

import sympy as sp

from verify.engine.certificates.formulas import relation_tree
from verify.engine.elementary.law import (
    BERNOULLI,
    CONCAVE_POWER,
    CONVEX_POWER,
    MONOTONE_POWER,
    NEGATIVE_POWER,
    POWER_MEAN,
    QUOTIENT,
    Law,
)
from verify.engine.elementary.products import terms

Positive = Callable[[sp.Expr], bool]
PAIRS = 4
"""Limit on pairs of powers."""
BASES = 4
"""Limit on bases of powers with one exponent that need not be whole."""


def of_neighbours(
    formulas: Sequence[sp.Basic], positive: Positive, letter: sp.Symbol | None = None
) -> Iterator[tuple[Law, sp.Basic]]:
    """Yield laws of pairs of powers with one exponent, a whole symbol or its difference with a number, and their relations.

    With a letter, each power whose base contains it is compared with the one whose base has the next value of the letter.
    """
    powers = [p for p in _powers(formulas) if positive(p.base)]
    pairs = [(p, q) for p, q in combinations(powers, 2) if p.exp == q.exp]
    if letter is not None:
        pairs = [
            (p, sp.Pow(p.base.subs(letter, letter + 1), p.exp))
            for p in powers
            if letter in p.base.free_symbols
        ]
    for pair in pairs[:PAIRS]:
        for x, y in permutations(pair):
            for relation, name in _compared(x, y):
                speaks = letter is not None and letter in relation.free_symbols
                yield (
                    Law(relation_tree(relation), name, letter.name if letter is not None and speaks else ""),
                    relation,
                )


def _powers(formulas: Sequence[sp.Basic]) -> list[sp.Pow]:
    """Powers of formulas with whole exponents that hold symbols."""
    found = {
        p
        for formula in formulas
        for p in formula.atoms(sp.Pow)
        if p.exp.free_symbols and p.base.free_symbols and p.exp.is_integer and p.exp.is_nonnegative
    }
    return sorted(found, key=sp.default_sort_key)


def _compared(x: sp.Pow, y: sp.Pow) -> Iterator[tuple[sp.Basic, str]]:
    t, apart = x.exp, y.base - x.base
    yield sp.Le(x * (x.base + t * apart), x.base * y, evaluate=False), BERNOULLI
    # SymPy's `simplify` fails on some quotients of sums
    exponent = t * apart / x.base if apart.has(sp.Sum, sp.Product) else sp.simplify(t * apart / x.base)
    if exponent.is_Rational:
        yield sp.Le(y, x * sp.exp(exponent), evaluate=False), QUOTIENT


def bases_by_exponent(
    formulas: Sequence[sp.Basic], positive: Positive, wanted: Positive
) -> dict[sp.Symbol, list[sp.Expr]]:
    """The bases of powers whose exponent is linear in one wanted positive symbol, and 1."""
    bases: dict[sp.Symbol, list[sp.Expr]] = {}
    for power in _sorted(p for f in formulas for p in f.atoms(sp.Pow) if positive(p.base)):
        symbols = [part for part in terms(power.exp) if part != 1]
        if len(symbols) == 1 and symbols[0].is_Symbol and wanted(symbols[0]) and positive(symbols[0]):
            bases.setdefault(symbols[0], []).append(power.base)
    return {p: list(dict.fromkeys([*several, sp.S.One]))[:BASES] for p, several in bases.items()}


def of_real_powers(bases: Mapping[sp.Symbol, Sequence[sp.Expr]], nonnegative: Positive) -> Iterator[Law]:
    """Yield laws of pairs of powers with one positive exponent that need not be whole; 1 is a power with any exponent.

    For p <= 1, x^p is concave and x^p/x falls; for p >= 1, x^p is convex and x^p/x grows.
    """
    for p, here in bases.items():
        small, large = nonnegative(1 - p), nonnegative(p - 1)
        for x, y in combinations(here, 2) if small or large else ():
            if x + y in here:
                mean, sums = 2 * (x + y) ** p, 2**p * (x**p + y**p)
                low, high = (sums, mean) if small else (mean, sums)
                yield Law(relation_tree(sp.Le(low, high, evaluate=False)), POWER_MEAN)
        for x, y in permutations(here, 2):
            at_x, at_y = x**p, y**p
            tangent = at_x * (x + p * (y - x))
            ordered = nonnegative(y - x)
            if small:
                yield Law(relation_tree(sp.Le(x * at_y, tangent, evaluate=False)), CONCAVE_POWER)
            if large:
                yield Law(relation_tree(sp.Ge(x * at_y, tangent, evaluate=False)), CONVEX_POWER)
            if ordered:
                yield Law(relation_tree(sp.Le(at_x, at_y, evaluate=False)), MONOTONE_POWER)
            if ordered and (small or large):
                kind = sp.Le if small else sp.Ge
                yield Law(relation_tree(kind(x * at_y, y * at_x, evaluate=False)), MONOTONE_POWER)


def of_growing_bases(
    formulas: Sequence[sp.Basic], positive: Positive, nonnegative: Positive, letter: sp.Symbol, least: sp.Expr
) -> Iterator[Law]:
    """Yield tangents of x^p, for every value of a letter in the base x, at its values for n and n + 1; for the least n, at 1.

    The exponent p > 0 need not be whole. x^p is concave for p <= 1 and convex for p >= 1, and x^(-p) is convex.
    """
    for p, base in _bases_with(formulas, letter):
        if not (positive(p) and positive(base)):
            continue
        small, large = nonnegative(1 - p), nonnegative(p - 1)
        steps = [(pair, letter.name) for pair in permutations((base, base.subs(letter, letter + 1)))]
        starts = [(pair, "") for pair in permutations((base.subs(letter, least), sp.S.One))]
        for (x, y), every in (*steps, *starts):
            at_x, at_y = x**p, y**p
            tangent, falling = (1 + way * p * sp.cancel(y / x - 1) for way in (1, -1))
            bounds = [(at_y * falling, at_x, NEGATIVE_POWER)]
            bounds += [(at_y, at_x * tangent, CONCAVE_POWER)] if small else []
            bounds += [(at_x * tangent, at_y, CONVEX_POWER)] if large else []
            for low, high, name in bounds:
                yield Law(relation_tree(sp.Le(low, high, evaluate=False)), name, every)


def _bases_with(formulas: Sequence[sp.Basic], letter: sp.Symbol) -> list[tuple[sp.Expr, sp.Expr]]:
    """Exponents that are not whole, without a letter, and the products of their bases, which hold it; those of p and -p are one."""
    found: dict[tuple[sp.Expr, sp.Expr], None] = {}
    for product in _sorted(part for f in formulas for part in f.atoms(sp.Mul, sp.Pow)):
        bases: dict[sp.Expr, sp.Expr] = {}
        for power in sp.Mul.make_args(product):
            if isinstance(power, sp.Pow) and power.exp.free_symbols and not power.exp.is_integer:
                way = -1 if power.exp.could_extract_minus_sign() else 1
                bases[way * power.exp] = bases.get(way * power.exp, sp.S.One) * power.base**way
        speaking = ((p, x) for p, x in bases.items() if letter in x.free_symbols - p.free_symbols)
        found |= dict.fromkeys((p, x) for p, x in speaking if not x.has(sp.Sum, sp.Product))
    return list(found)[:PAIRS]


def _sorted(found: Iterable[sp.Expr]) -> list[sp.Expr]:
    return sorted(set(found), key=sp.default_sort_key)
