"""Sums of monotone terms: they lie between integrals, and between their number times the first and the last term.

A term is c (s k + a)^p, where p may be a symbol with a known sign and p + 1 is known not to be 0, or c log(s k + a), with
c >= 0 and s > 0. It increases or decreases in k wherever s k + a is positive. Terms c log(z)^n z^(-p) with z = s k + a >= 1, n a
positive whole number and p > 0 grow up to z = exp(n/p) and then fall, so that their sum differs from an integral by at most
the largest term, c (n/(p e))^n.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import sympy as sp

from verify.engine.certificates.formulas import relation_tree
from verify.engine.elementary.law import INTEGRAL, LOG_SERIES, MONOTONE, PEAK, SERIES, Law
from verify.engine.summation.sums import sums_in

Sign = Callable[[sp.Expr], bool]
MOST = 3
"""Largest power of a logarithm in terms that grow and then fall."""


@dataclass(frozen=True)
class Monotone:
    """A sum of the values of a monotone function from `low` to `high`, with an antiderivative of the function."""

    total: sp.Sum
    value: sp.Lambda
    antiderivative: sp.Lambda
    inside: sp.Lambda
    """The positive formula s k + a of the index."""
    increases: bool

    @property
    def low(self) -> sp.Expr:
        return self.total.limits[0][1]

    @property
    def high(self) -> sp.Expr:
        return self.total.limits[0][2]


def monotone_sums(formulas: Iterable[sp.Basic], positive: Sign, nonnegative: Sign) -> list[Monotone]:
    """Sums of monotone terms that are positive from the first index on."""
    found = (_monotone(total, positive, nonnegative) for total in sums_in(formulas))
    return [one for one in found if one is not None and positive(one.inside(one.low))]


def _monotone(total: sp.Sum, positive: Sign, nonnegative: Sign) -> Monotone | None:
    index, *_ = total.limits[0]
    factor, rest = total.function.as_independent(index, as_Add=False)
    base, exponent = (rest.args[0], None) if isinstance(rest, sp.log) else rest.as_base_exp()
    slope = sp.expand(base).diff(index)
    if not (slope.is_Rational and slope > 0 and nonnegative(factor)):
        return None
    if exponent is None:
        whole = (base * sp.log(base) - base) / slope
    elif (exponent.is_Integer and exponent > 0) or not exponent.is_real or index in exponent.free_symbols:
        return None
    elif exponent == -1:
        whole = sp.log(base) / slope
    elif positive(exponent + 1) or positive(-exponent - 1):
        whole = base ** (exponent + 1) / (exponent + 1) / slope
    else:
        return None
    increases = exponent is None or nonnegative(exponent)
    if exponent is not None and not increases and not nonnegative(-exponent):
        return None
    value, antiderivative, inside = (
        sp.Lambda(index, part) for part in (total.function, factor * whole, base)
    )
    return Monotone(total, value, antiderivative, inside, increases)


def of_monotone(one: Monotone, positive: Sign, nonnegative: Sign) -> Iterator[tuple[Law, sp.Basic]]:
    """Yield the bounds of a sum of monotone terms as laws, and as relations."""
    low, high, f, whole = one.low, one.high, one.value, one.antiderivative
    number = sp.expand(high - low + 1)
    if not nonnegative(number):
        return
    some, first = positive(number), one.inside(low - 1)
    begins_before = positive(first) or (one.increases and not whole.has(sp.log) and nonnegative(first))
    # for increasing terms; for decreasing ones the larger and the smaller side change places
    yield from _bounded(one.total, whole(high + 1) - whole(low), INTEGRAL, above=one.increases)
    if begins_before:
        yield from _bounded(one.total, whole(high) - whole(low - 1), INTEGRAL, above=not one.increases)
    elif some:
        begun = f(low) + whole(high) - whole(low)
        yield from _bounded(one.total, begun, INTEGRAL, above=not one.increases)
    yield from _bounded(one.total, number * f(low), MONOTONE, above=not one.increases)
    if some:
        yield from _bounded(one.total, number * f(high), MONOTONE, above=one.increases)


def peaked(formulas: Iterable[sp.Basic], positive: Sign, nonnegative: Sign) -> Iterator[tuple[Law, sp.Basic]]:
    """Yield the bounds of sums of terms that grow and then fall as laws, and as relations."""
    for total in sums_in(formulas):
        index, low, high = total.limits[0]
        factor, rest = total.function.as_independent(index, as_Add=False)
        powers = rest.as_powers_dict()
        logs = [base for base in powers if isinstance(base, sp.log)]
        others = [base for base in powers if base not in logs]
        if len(logs) != 1 or len(others) != 1 or not nonnegative(factor):
            continue
        (z,) = logs[0].args
        n, p, slope = powers[logs[0]], -powers[others[0]], sp.expand(z).diff(index)
        ratio = sp.cancel(z / others[0])
        if not (ratio.is_Rational and ratio > 0):
            continue
        factor *= ratio**p
        begins = slope.is_Rational and slope > 0 and nonnegative(z.subs(index, low) - 1)
        if not (begins and n in range(1, MOST + 1) and positive(p) and nonnegative(high - low)):
            continue
        whole = _antiderivative(z, int(n), p, positive)
        if whole is not None:
            most = factor * (n / (p * sp.E)) ** n
            ends = [factor * whole.subs(index, end) / slope for end in (low, high, high + 1)]
            yield from _bounded(total, ends[1] - ends[0] + most, PEAK, above=True)
            yield from _bounded(total, ends[2] - ends[0] - most, PEAK, above=False)


def of_series(
    formulas: Iterable[sp.Basic], positive: Sign, nonnegative: Sign
) -> Iterator[tuple[Law, sp.Basic]]:
    """Yield that sums of c x^k/k! or c x^k/k with c, x >= 0 are at most c exp(x), or -c log(1 - x) for x < 1, less the first terms."""
    for total in sums_in(formulas):
        index, low, high = total.limits[0]
        logarithmic = not total.function.has(sp.factorial)
        below, least = (index, 1) if logarithmic else (sp.factorial(index), 0)
        c, x = _geometric(total.function * below, index)
        if index in c.free_symbols or (x == 1 and logarithmic) or low not in range(least, MOST + 1):
            continue
        known = nonnegative(high - low) and nonnegative(x) and nonnegative(c)
        if known and (positive(1 - x) or not logarithmic):
            whole, name = (-sp.log(1 - x), LOG_SERIES) if logarithmic else (sp.exp(x), SERIES)
            before = sp.Add(*(x**k / below.subs(index, k) for k in range(least, int(low))))
            yield from _bounded(total, c * (whole - before), name, above=True)


def _geometric(term: sp.Expr, index: sp.Symbol) -> tuple[sp.Expr, sp.Expr]:
    """A term as c x^k, where x is a product of bases whose exponents are linear in the index k."""
    c, x = sp.S.One, sp.S.One
    for factor in sp.Mul.make_args(term):
        base, exponent = (sp.E, factor.args[0]) if isinstance(factor, sp.exp) else factor.as_base_exp()
        slope = sp.expand(exponent).diff(index)
        if index in factor.free_symbols and index not in base.free_symbols | slope.free_symbols:
            c, x = c * base ** exponent.subs(index, 0), x * base**slope
        else:
            c *= factor
    return c, x


def _antiderivative(z: sp.Expr, n: int, p: sp.Expr, positive: Sign) -> sp.Expr | None:
    """The antiderivative of log(z)^n z^(-p); None if it is not known whether p is 1."""
    if p == 1:
        return sp.log(z) ** (n + 1) / (n + 1)
    if not (positive(p - 1) or positive(1 - p)):
        return None
    less = _antiderivative(z, n - 1, p, positive) if n else sp.S.Zero
    return None if less is None else (z ** (1 - p) * sp.log(z) ** n - n * less) / (1 - p)


def _bounded(total: sp.Sum, bound: sp.Expr, name: str, *, above: bool) -> Iterator[tuple[Law, sp.Basic]]:
    relation = (sp.Le if above else sp.Ge)(total, bound, evaluate=False)
    yield Law(relation_tree(relation), name), relation
