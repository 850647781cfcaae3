"""Guesses of what the further terms of a sum would add, for stronger claims that inductions show."""

from __future__ import annotations

from collections.abc import Iterator

import sympy as sp

from verify.engine.model.scene import Condition
from verify.engine.summation.sums import sums_in, weight_in


def tails(total: sp.Sum) -> Iterator[sp.Expr]:
    """Guesses of the further terms of a sum of products of powers of k + a: the integral of (k + b)^(-p) from its end on, p > 1.

    The terms are about (k + m)^(-p) with the mean m of a. By convexity b is at most half an index beyond m; of several powers
    it is one of the a, so that no new roots occur.
    """
    index, _, high = total.limits[0]
    factor, rest = total.function.as_independent(index, as_Add=False)
    shifts: dict[sp.Expr, sp.Expr] = {}
    for power in sp.Mul.make_args(rest):
        base, exponent = power.as_base_exp()
        slope = sp.expand(base).diff(index)
        if not (exponent.is_Rational and slope.is_Rational and slope > 0):
            return
        factor *= slope**exponent
        shift = sp.expand(base / slope - index)
        shifts[shift] = shifts.get(shift, sp.S.Zero) + exponent
    p = -sp.Add(*shifts.values())
    if p <= 1 or (len(shifts) > 1 and not all(shift.is_Rational for shift in shifts)):
        return
    most = sp.Add(*(shift * exponent for shift, exponent in shifts.items())) / -p + sp.Rational(1, 2)
    inside = sorted((shift for shift in shifts if len(shifts) > 1 and shift <= most), reverse=True)
    for start in inside or [most]:
        yield factor * sp.factor((high + start) ** (1 - p)) / (p - 1)


def with_partial_sums(relation: Condition, letter: sp.Symbol) -> Iterator[Condition]:
    """For a bound of a sum of h[i] F(S_i) with partial sums S_i of h, the gap is guessed as the integral of F from S_n on."""
    for total in sums_in([relation]):
        index, _, high = total.limits[0]
        inner = [one for one in total.function.atoms(sp.Sum) if one.limits[0][2] == index]
        weight = weight_in(relation.gts - relation.lts, total)
        if high != letter or len(inner) != 1 or weight is None:
            continue
        z, (partial,) = sp.Dummy(positive=True), inner
        factor = (total.function / partial.function.subs(partial.limits[0][0], index)).xreplace({partial: z})
        if factor.has(sp.Indexed, sp.Sum) or index in factor.free_symbols:
            continue
        whole = sp.integrate(factor, z)
        if not whole.has(sp.Integral, sp.Piecewise) and whole.limit(z, sp.oo) == 0:
            gap = sp.factor(-whole).xreplace({z: partial.subs(index, letter)})
            yield sp.Le(relation.lts + weight * gap, relation.gts, evaluate=False)


def with_exponential_tails(relation: Condition, letter: sp.Symbol) -> Iterator[Condition]:
    """For a bound of a sum of c exp(b - a k), a > 0, the gap is guessed as the integral of the terms from the end on."""
    for total in sums_in([relation]):
        index, _, high = total.limits[0]
        factor, rest = total.function.as_independent(index, as_Add=False)
        fall = -sp.expand(rest.args[0]).diff(index) if isinstance(rest, sp.exp) else sp.S.Zero
        weight = weight_in(relation.gts - relation.lts, total)
        if high == letter and fall.is_positive and index not in fall.free_symbols and weight is not None:
            tail = factor * rest.subs(index, high) / fall
            yield sp.Le(relation.lts + weight * tail, relation.gts, evaluate=False)
