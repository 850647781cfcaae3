"""Products over an index lie between 1 plus the sum of f - 1 for their factors f, and the exponential of this sum."""

from __future__ import annotations

from collections.abc import Iterator

import sympy as sp

from verify.engine.elementary.law import FACTORS, LOG_PRODUCT, SUMMED_TANGENTS, WEIERSTRASS
from verify.engine.summation.inequalities import Ends
from verify.engine.summation.integrals import Sign, monotone_sums, of_monotone
from verify.engine.summation.summing import Limit, simplified
from verify.engine.summation.sums import weight_in


def sums_of_factors(
    factors: sp.Product, positive: Sign, nonnegative: Sign, *, exponentials: bool
) -> Iterator[tuple[sp.Basic, str]]:
    """Yield bounds of a product of f >= 0: by the tangents of exp at 0, and 1 plus the sum of f - 1 where all f - 1 have one sign."""
    if len(factors.limits) > 1 or not all(_over(factors.function, factors.limits[0], nonnegative)):
        return
    total = sp.Sum(sp.expand(factors.function - 1), factors.limits[0])
    found = simplified(total, nonnegative, ())
    if exponentials:
        yield sp.Le(factors, sp.exp(found), evaluate=False), SUMMED_TANGENTS
        for bound in _integrals(found, positive, nonnegative):
            yield sp.Le(factors, sp.exp(bound, evaluate=False), evaluate=False), FACTORS
    signs = (total.function, -total.function)
    if any(all(_over(sign, factors.limits[0], nonnegative)) for sign in signs):
        yield sp.Ge(factors, 1 + found, evaluate=False), WEIERSTRASS


def added_logarithms(total: sp.Sum) -> Iterator[tuple[sp.Basic, str]]:
    """Yield that a sum of logarithms of positive f is the logarithm of the product of f."""
    here = Ends(*total.limits[0][1:])
    here.add(total)
    logarithm = len(total.limits) == 1 and isinstance(total.function, sp.log) and len(here.added) > 1
    if logarithm and here.added[1].term.args[0].is_positive:
        factors = sp.Product(total.function.args[0], total.limits[0])
        yield sp.Eq(total, sp.log(factors), evaluate=False), LOG_PRODUCT


def _over(term: sp.Expr, limit: Limit, nonnegative: Sign) -> tuple[bool, ...]:
    """Signs that show that a term is nonnegative at every index: its own, or that of the end where it is least, if it is monotone."""
    index, low, high = limit
    here = Ends(low, high)
    here.add(sp.Sum(term, limit))
    if len(here.added) > 1 and here.added[1].is_nonnegative():
        return (True,)
    change = sp.factor(term.xreplace({index: here.index}).diff(here.index))
    logs = [log for log in change.atoms(sp.log) if log.args[0].is_positive and nonnegative(1 - log.args[0])]
    change = change.xreplace({log: -sp.Dummy(nonnegative=True) for log in logs})
    if term.has(sp.Indexed, sp.Sum) or not (change.is_nonnegative or change.is_nonpositive):
        return (False,)
    least = term.subs(index, low if change.is_nonnegative else high)
    return nonnegative(high - low + 1), nonnegative(least)


def _integrals(exponent: sp.Expr, positive: Sign, nonnegative: Sign) -> Iterator[sp.Expr]:
    """Upper bounds of a sum of monotone terms, written as products, times a factor of known sign."""
    totals = exponent.atoms(sp.Sum)
    exponent = exponent.xreplace({one: sp.Sum(sp.factor(one.function), *one.limits) for one in totals})
    for one in monotone_sums([exponent], positive, nonnegative):
        if weight_in(exponent, one.total) is None:
            continue
        kind = sp.Le if exponent.coeff(one.total).is_nonnegative else sp.Ge
        for _, bound in of_monotone(one, positive, nonnegative):
            if isinstance(bound, kind):
                yield exponent.xreplace({one.total: bound.rhs})
