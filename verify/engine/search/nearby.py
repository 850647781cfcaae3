"""Rational points near a point with irrational numbers that a solver proposed: some numbers are rounded, one solves an equation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import isqrt

import sympy as sp

DENOMINATORS = range(1, 61)
"""Denominators of rounded numbers."""
WIDTHS = {0: 0, 1: 4, 2: 3, 3: 1}
"""By the number of symbols beside the solved one in the equation: how many steps each moves away from its rounded value."""
GRID = 700
"""Limit on points with one denominator up to which each symbol moves by up to 1."""
DEGREE = 2
"""Largest degree of an equation that is solved."""

Terms = list[tuple[tuple[int, ...], Fraction]]


def rational_points_near(
    point: Mapping[str, float], equations: Sequence[sp.Eq]
) -> Iterator[Mapping[str, Fraction]]:
    """Points near another one that meet an equation; all numbers are rounded if there is none.

    None are tried for two equations, or if an equation has a high degree in every symbol.
    """
    if not equations:
        for denominator in DENOMINATORS:
            yield {name: Fraction(round(x * denominator), denominator) for name, x in point.items()}
    elif len(equations) == 1:
        yield from _on(equations[0], point)


def _on(equation: sp.Eq, point: Mapping[str, float]) -> Iterator[Mapping[str, Fraction]]:
    """Points with rounded numbers, and a rational root of the equation for one symbol."""
    difference = sp.fraction(sp.together(equation.lhs - equation.rhs))[0]
    symbols = sorted(difference.free_symbols, key=str)
    if not symbols or not difference.is_polynomial(*symbols):
        return
    place = min(symbols, key=lambda s: (sp.degree(difference, s), str(s)))
    others = [s for s in symbols if s != place]
    if sp.degree(difference, place) > DEGREE or len(others) not in WIDTHS:
        return
    coefficients = [_terms(c, others) for c in sp.Poly(difference, place).all_coeffs()]
    for denominator in DENOMINATORS:
        width = denominator if (2 * denominator + 1) ** len(others) <= GRID else WIDTHS[len(others)]
        rounded = {name: Fraction(round(x * denominator), denominator) for name, x in point.items()}
        for steps in product(range(-width, width + 1), repeat=len(others)):
            moved = {
                s.name: rounded[s.name] + Fraction(step, denominator)
                for s, step in zip(others, steps, strict=True)
            }
            for root in _roots([_value(terms, list(moved.values())) for terms in coefficients]):
                yield {**rounded, **moved, place.name: root}


def _terms(polynomial: sp.Expr, symbols: Sequence[sp.Symbol]) -> Terms:
    found = sp.Poly(polynomial, *symbols).terms() if symbols else [((), polynomial)]
    return [(powers, Fraction(int(c.p), int(c.q))) for powers, c in found]


def _value(terms: Terms, numbers: Sequence[Fraction]) -> Fraction:
    total = Fraction(0)
    for powers, factor in terms:
        for number, power in zip(numbers, powers, strict=True):
            factor *= number**power
        total += factor
    return total


def _roots(coefficients: Sequence[Fraction]) -> list[Fraction]:
    """Rational roots of a polynomial of degree 1 or 2."""
    first, last = coefficients[0], coefficients[-1]
    if first == 0:
        return []
    if len(coefficients) == 2:
        return [-last / first]
    middle = -coefficients[1] / (2 * first)
    square = middle * middle - last / first
    root = Fraction(isqrt(abs(square.numerator)), isqrt(square.denominator))
    return [middle + root, middle - root] if root * root == square else []
