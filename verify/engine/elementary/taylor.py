"""Laws of exp and log beyond tangents: Taylor polynomials of exp, and rational bounds of log, at points S = exp(s).

Each law needs the sign of s, except that the cubic Taylor polynomial lies below exp everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import sympy as sp

from verify.engine.certificates.formulas import Tree, tree
from verify.engine.elementary.law import RATIONAL_BOUNDS, TAYLOR, Law

Point = tuple[sp.Expr, sp.Expr]


def taylor(points: Iterable[Point], nonnegative: Callable[[sp.Expr], bool]) -> Iterator[Law]:
    """Yield bounds of the second and third order at points (s, S) with S = exp(s).

    Parameters
    ----------
    points : iterable of pairs of expressions
    nonnegative : callable
        Whether an expression is known to be nonnegative.
    """
    for s, at_s in points:
        if s.is_number:
            continue
        value, exponent = tree(at_s), tree(s)
        second: Tree = ["+", "1", exponent, ["*", "1/2", ["^", exponent, "2"]]]
        third: Tree = [*second, ["*", "1/6", ["^", exponent, "3"]]]
        yield Law(["<=", third, value], TAYLOR)
        sign = next((sign for sign in (1, -1) if _has_sign(s, at_s, sign, nonnegative)), 0)
        # for s >= 0; for s <= 0 both sides change places, as exp(-s) = 1/exp(s) shows for the last two
        ordered: list[tuple[Tree, Tree, str]] = [
            (second, value, TAYLOR),
            (["*", value, ["-", "2", exponent]], ["+", "2", exponent], RATIONAL_BOUNDS),
            (["*", "2", exponent, value], ["-", ["^", value, "2"], "1"], RATIONAL_BOUNDS),
        ]
        for small, large, name in ordered if sign else ():
            yield Law(["<=", small, large] if sign > 0 else ["<=", large, small], name)


def _has_sign(s: sp.Expr, at_s: sp.Expr, sign: int, nonnegative: Callable[[sp.Expr], bool]) -> bool:
    """Whether s, or S - 1 if s is a logarithm, is known to have a sign."""
    return nonnegative(sign * (at_s - 1) if s.atoms(sp.log) else sign * s)
