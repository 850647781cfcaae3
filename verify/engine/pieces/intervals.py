"""Signs of polynomials in intervals, with the formulas by which certificates show them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import comb

import sympy as sp

from bounds.symbols import domain_of
from verify.engine.certificates.formulas import Tree, relation_tree
from verify.engine.certificates.question import Question
from verify.engine.elementary.derivatives import linear_ends

DEGREE = 12
"""Limit on the degree of a polynomial."""


@dataclass(frozen=True)
class Piece:
    """An interval; `above` and `below` are formulas of certificates for the distances of its numbers to the ends.

    `open` names the distances that are positive.
    """

    low: sp.Rational | None
    high: sp.Rational | None
    above: Tree = None
    below: Tree = None
    open: tuple[str, ...] = ()

    @property
    def middle(self) -> sp.Rational:
        if self.low is None or self.high is None:
            end = self.low if self.high is None else self.high
            far = 1 + abs(end or 0)
            return sp.S.Zero if end is None else end + far if self.high is None else end - far
        return (self.low + self.high) / 2

    @property
    def samples(self) -> list[sp.Rational]:
        """Numbers inside."""
        low, high = self.low, self.high
        if low is not None and high is not None:
            return [low + (high - low) * sp.Rational(k, 16) for k in (1, 5, 9, 15)]
        scales = [sp.Rational(1, 10), sp.S.One, sp.Integer(5), sp.Integer(60)]
        start, way = (high, -1) if low is None and high is not None else (low or sp.S.Zero, 1)
        return [start + way * scale for scale in scales]

    def halves(self, at: sp.Rational, name: str) -> tuple[Tree, Piece, Piece]:
        """The formula by whose sign a certificate distinguishes both parts, and the parts."""
        formula: Tree = ["-", name, str(at)]
        before = tuple(end for end in self.open if end == "above")
        after = ("above", *(end for end in self.open if end == "below"))
        left = replace(self, high=at, below=["slack", ["<=", formula, "0"]], open=before)
        return formula, left, replace(self, low=at, above=["slack", [">", formula, "0"]], open=after)

    def has_inside(self, number: sp.Rational) -> bool:
        """Whether a number lies inside, at no end."""
        return (self.low is None or self.low < number) and (self.high is None or number < self.high)


def range_of(x: sp.Symbol, question: Question) -> Piece:
    """The range of a symbol by its domain and by linear conditions with rational ends."""
    least = {"positive": sp.S.Zero, "nonnegative": sp.S.Zero, "whole": sp.S.Zero, "count": sp.S.One}.get(
        domain_of(x)
    )
    above: Tree = x.name if least == 0 else None if least is None else ["-", x.name, str(least)]
    whole = Piece(least, None, above, open=("above",) if domain_of(x) == "positive" else ())
    for relation, low, high in linear_ends(x, [r for r, by in question.given if by == "condition"]):
        distance: Tree = ["slack", relation_tree(relation)]
        slope = abs(sp.expand(relation.gts - relation.lts).coeff(x))
        distance = distance if slope == 1 else ["/", distance, str(slope)]
        strict = isinstance(relation, sp.Lt | sp.Gt)
        if low is not None and low.is_Rational and (whole.low is None or low > whole.low):
            ends = tuple(end for end in whole.open if end == "below")
            whole = replace(whole, low=low, above=distance, open=(*ends, *(["above"] if strict else [])))
        if high is not None and high.is_Rational and (whole.high is None or high < whole.high):
            ends = tuple(end for end in whole.open if end == "above")
            whole = replace(whole, high=high, below=distance, open=(*ends, *(["below"] if strict else [])))
    return whole


def by_coefficients(formula: sp.Expr, x: sp.Symbol, piece: Piece, sign: str) -> Tree | None:
    """A formula of certificates for a polynomial that shows its sign in an interval; None if it does not.

    Its coefficients in Bernstein's basis, or in powers of the distance to the only end, are nonnegative.
    """
    low, high, t = piece.low, piece.high, sp.Dummy()
    if low is not None and high is not None:
        return _in_bernstein_basis(formula.subs(x, low + (high - low) * t), t, piece, high - low, sign)
    inside, distance, end = t, "1", ""
    if low is not None:
        inside, distance, end = low + t, piece.above, "above"
    elif high is not None:
        inside, distance, end = high - t, piece.below, "below"
    constant, *others = _coefficients(formula.subs(x, inside), t)
    if min([constant, *others]) < 0 or (others and not end):
        return None
    if sign == "<" and constant == 0 and not (any(others) and end in piece.open):
        return None
    terms = [["*", str(c), ["^", distance, str(k)]] for k, c in enumerate(others, 1) if c != 0]
    return ["+", str(constant), *terms]


def _in_bernstein_basis(
    formula: sp.Expr, t: sp.Symbol, piece: Piece, width: sp.Rational, sign: str
) -> Tree | None:
    """The same in a bounded interval, for a polynomial in t from 0 to 1."""
    coefficients = _coefficients(formula, t)
    n = len(coefficients) - 1
    control = [
        sum(sp.Rational(comb(k, j), comb(n, j)) * coefficients[j] for j in range(k + 1)) for k in range(n + 1)
    ]
    ends = {"below": control[0], "above": control[-1]}
    if n > DEGREE or min(control) < 0:
        return None
    if sign == "<" and min(control) == 0 and not any(ends[end] > 0 for end in piece.open):
        return None
    terms = [
        [
            "*",
            str((c - min(control)) * comb(n, k) / width**n),
            ["^", piece.above, str(k)],
            ["^", piece.below, str(n - k)],
        ]
        for k, c in enumerate(control)
        if c != min(control)
    ]
    return ["+", str(min(control)), *terms]


def _coefficients(formula: sp.Expr, t: sp.Symbol) -> list[sp.Rational]:
    """The coefficients of a polynomial, the constant first."""
    found: list[sp.Rational] = sp.Poly(sp.expand(formula), t).all_coeffs()[::-1]
    return found
