"""Exponents as sums of terms, and products of powers as formulas of certificates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import sympy as sp

from verify.engine.certificates.formulas import Tree

Terms = dict[sp.Expr, sp.Rational]
"""Term of a sum without its rational factor -> this factor."""


@dataclass(frozen=True)
class Split:
    """A part of a formula, an equal formula, the name of the law for the equation, and the functions in the equal formula."""

    old: sp.Expr
    new: Tree
    law: str
    functions: tuple[sp.Expr, ...] = ()


def terms(formula: sp.Expr) -> Terms:
    """A formula as a sum of terms times rational numbers."""
    found: Terms = {}
    for part in sp.Add.make_args(sp.expand(formula)):
        number, rest = part.as_coeff_Mul()
        if not number.is_Rational:
            number, rest = sp.S.One, part
        found[rest] = found.get(rest, sp.S.Zero) + number
    return {rest: number for rest, number in found.items() if number != 0}


def common_units(several: Iterable[Terms]) -> Terms:
    """For each term the greatest common divisor of its rational factors; negative if all factors are negative."""
    factors: dict[sp.Expr, list[sp.Rational]] = {}
    for found in several:
        for part, number in found.items():
            factors.setdefault(part, []).append(number)
    return {part: _unit(numbers) for part, numbers in factors.items()}


def _unit(numbers: Sequence[sp.Rational]) -> sp.Rational:
    below = sp.ilcm(1, *(number.q for number in numbers))
    unit = sp.Rational(sp.igcd(0, *(abs(number.p) * (below // number.q) for number in numbers)), below)
    return -unit if all(number < 0 for number in numbers) else unit


def power(base: Tree, exponent: int) -> Tree:
    """A power with a positive integer exponent."""
    return base if exponent == 1 else ["^", base, str(exponent)]


def product(factors: Iterable[tuple[Tree, int]]) -> Tree:
    """A product of integer powers; those with negative exponents are in the denominator."""
    found = [(base, exponent) for base, exponent in factors if exponent]
    above = [power(base, exponent) for base, exponent in found if exponent > 0]
    below = [power(base, -exponent) for base, exponent in found if exponent < 0]
    top, bottom = (_times(part) for part in (above, below))
    return ["/", top, bottom] if below else top


def _times(parts: Sequence[Tree]) -> Tree:
    return "1" if not parts else parts[0] if len(parts) == 1 else ["*", *parts]
