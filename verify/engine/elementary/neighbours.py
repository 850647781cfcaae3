"""Two powers with the same exponent: Bernoulli's inequality compares n^n with (n + 1)^n."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, permutations

import sympy as sp

from verify.engine.certificates.formulas import relation_tree
from verify.engine.elementary.law import BERNOULLI, QUOTIENT, Law

Positive = Callable[[sp.Expr], bool]
PAIRS = 4
"""Limit on pairs of powers."""


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
    exponent = sp.simplify(t * apart / x.base)
    if exponent.is_Rational:
        yield sp.Le(y, x * sp.exp(exponent), evaluate=False), QUOTIENT
