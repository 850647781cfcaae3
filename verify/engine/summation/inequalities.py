"""Inequalities between sums over one index: Cauchy-Schwarz, power means, tangents of exp and log, means, Chebyshev, and parts.

The terms of sums with the same ends are compared with letters in place of the entries of sequences.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement, permutations, product

import sympy as sp

from verify.engine.elementary.law import (
    CAUCHY,
    CHEBYSHEV,
    MEAN_OF_POWERS,
    MEANS,
    PART,
    POWER_OF_SUM,
    SUMMED_TANGENTS,
    TERMS,
)
from verify.engine.summation.sums import domain_of_entry

Sign = Callable[[sp.Expr], bool]
Order = Mapping[sp.IndexedBase, tuple[int, int]]
"""Sequences that grow (1) or fall (-1), with the place from which they do so."""
MOST = 6
"""Limit on sums with the same ends, and on points of tangents."""


@dataclass(frozen=True)
class Added:
    """A sum with its terms, written with letters for the index and the entries of sequences; a count is a sum of ones."""

    value: sp.Expr
    term: sp.Expr

    def is_nonnegative(self) -> bool:
        return bool(self.term.is_nonnegative)


class Ends:
    """Sums and products with the same ends.

    Attributes
    ----------
    number : Expr
        The number of their terms, which is not negative.
    added : list of Added
        The sums, and the number as a sum of ones.
    """

    def __init__(self, low: sp.Expr, high: sp.Expr) -> None:
        self.low, self.high, self.number = low, high, sp.expand(high - low + 1)
        self.name = sp.Symbol("index", integer=True)
        # only signs that hold at every index: an index that is not positive at its first value 0 is not always 0
        self.index = sp.Dummy(
            "index", integer=True, positive=low.is_positive or None, nonnegative=low.is_nonnegative or None
        )
        self.letters: dict[sp.Indexed, sp.Symbol] = {}
        self.added = [Added(self.number, sp.S.One)]
        self.products: list[Added] = []

    def add(self, total: sp.Sum | sp.Product) -> None:
        self.name = total.limits[0][0]
        term = total.function.xreplace({self.name: self.index})
        for entry in sorted(term.atoms(sp.Indexed), key=sp.default_sort_key):
            self.letters.setdefault(entry, sp.Dummy(str(entry), **domain_of_entry(entry)))
        term = term.xreplace(self.letters)
        if term.has(sp.Sum, sp.Product, sp.Indexed):
            return
        there = self.products if isinstance(total, sp.Product) else self.added
        if len(there) < MOST and all(one.value != total for one in there):
            there.append(Added(total, term))

    def total(self, term: sp.Expr) -> sp.Expr:
        """The sum of a term: the same sums times factors without the index where these are known, otherwise a new sum."""
        own = {self.index, *self.letters.values()}
        found = sp.S.Zero
        for part in sp.Add.make_args(sp.expand_mul(sp.powsimp(sp.expand(term)))):
            factor, rest = part.as_independent(*own, as_Add=False)
            known = next((one.value for one in self.added if _same(one.term, rest)), None)
            if known is None:
                back = {letter: entry for entry, letter in self.letters.items()}
                each = rest.xreplace(back).xreplace({self.index: self.name})
                known = sp.Sum(each, (self.name, self.low, self.high)) if rest != 0 else rest
            found += factor * known
        return found

    def order(self, one: Added, order: Order) -> int:
        """1 if the terms of a sum grow with the index, -1 if they fall, 0 if neither is known."""
        entry = next((e for e, letter in self.letters.items() if letter == one.term), None)
        if entry is not None:
            way, start = order.get(entry.base, (0, 0))
            return way if entry.indices == (self.index,) and (self.low - start).is_nonnegative else 0
        if one.term.free_symbols != {self.index}:
            return 0
        change = sp.simplify(one.term.subs(self.index, self.index + 1) - one.term)
        return 1 if change.is_nonnegative else -1 if change.is_nonpositive else 0


def _same(one: sp.Expr, other: sp.Expr) -> bool:
    return bool(one == other or (other != 0 and sp.powsimp(one / other) == 1))


def by_ends(totals: Iterable[sp.Sum | sp.Product], nonnegative: Sign) -> list[Ends]:
    """Sums and products over one index by their ends, where there cannot be fewer than no terms."""
    found: dict[tuple[sp.Expr, sp.Expr], Ends] = {}
    for total in totals:
        if len(total.limits) > 1:
            continue
        _, low, high = total.limits[0]
        here = found.setdefault((low, high), Ends(low, high))
        here.add(total)
    return [one for one in found.values() if nonnegative(one.number)]


def inequalities(
    here: Ends, outside: Sequence[sp.Basic], nonnegative: Sign, order: Order
) -> Iterator[tuple[sp.Basic, str]]:
    """Yield relations between sums with the same ends, with the names of their laws.

    Parameters
    ----------
    here : Ends
    outside : sequence of formulas
        Exponentials, logarithms and powers of a claim outside of its sums; tangents touch there.
    nonnegative : callable
        Whether a formula without sums is known to be nonnegative.
    order : mapping
        Sequences that are known to grow or to fall.
    """
    yield from _cauchy(here, outside)
    yield from _terms(here)
    yield from _power_means(here, nonnegative)
    yield from _powers_of_sums(here, nonnegative)
    yield from _tangents(here, outside)
    yield from _means(here, outside)
    yield from _chebyshev(here, order)


def _cauchy(here: Ends, outside: Sequence[sp.Basic]) -> Iterator[tuple[sp.Basic, str]]:
    roots = any(power.exp == sp.S.Half for f in outside for power in f.atoms(sp.Pow))
    signed = [one for one in here.added if one.is_nonnegative()]
    for one in here.added:
        for f, g in combinations_with_replacement(signed, 2):
            if f != g and one not in (f, g) and _same(one.term**2, f.term * g.term):
                yield sp.Le(one.value**2, f.value * g.value, evaluate=False), CAUCHY
                if roots:
                    yield sp.Le(one.value, sp.sqrt(f.value) * sp.sqrt(g.value), evaluate=False), CAUCHY
    for one, f in permutations(here.added[1:], 2):
        if not (
            f.is_nonnegative() and f.term.free_symbols - {here.index} == one.term.free_symbols - {here.index}
        ):
            continue
        weight = sp.powsimp(one.term**2 / f.term)
        if weight.free_symbols == {here.index} and weight.is_positive and f.term.free_symbols != {here.index}:
            yield sp.Le(one.value**2, f.value * here.total(weight), evaluate=False), CAUCHY


def squares_of_sums(total: sp.Sum, nonnegative: Sign) -> Iterator[tuple[sp.Basic, str]]:
    """Yield Cauchy-Schwarz in each term: the sum over i of w (f_1 + .. + f_n)^2 is at most that of w n (f_1^2 + .. + f_n^2)."""
    squares = [p for p in total.function.atoms(sp.Pow) if p.exp == 2 and isinstance(p.base, sp.Sum)]
    if len(total.limits) > 1 or len(squares) != 1 or len(squares[0].base.limits) > 1:
        return
    (i, low, _), inner = total.limits[0], squares[0].base
    j, first, last = inner.limits[0]
    number = last - first + 1
    weight = total.function / squares[0]
    some = sp.Dummy(integer=True, nonnegative=True)
    counted = nonnegative(sp.expand(number.subs(i, low + some)))
    if counted and not weight.has(sp.Sum, sp.Indexed) and nonnegative(weight.subs(i, low + some)):
        bound = sp.Sum(weight * number * sp.Sum(inner.function**2, (j, first, last)), total.limits[0])
        yield sp.Le(total, bound, evaluate=False), CAUCHY


def windows(total: sp.Sum, nonnegative: Sign) -> Iterator[tuple[sp.Basic, str]]:
    """Yield that a sum over i of sums over j of f(i + j) >= 0 has each f(l) at most as often as there are i, and as there are j.

    The same for f(i - j).
    """
    if len(total.limits) != 2:
        return
    (j, first, last), (i, low, high) = total.limits
    for ends, place in (((low + first, high + last), i - j), ((low - last, high - first), i + j)):
        each = total.function.xreplace({i: place})
        numbers = [sp.expand(high - low + 1), sp.expand(last - first + 1)]
        fixed = i not in first.free_symbols | last.free_symbols and j not in each.free_symbols
        if fixed and all(map(nonnegative, (*numbers, sp.expand(ends[1] - ends[0] + 1)))):
            here = Ends(*map(sp.expand, ends))
            whole = sp.Sum(each, (i, here.low, here.high))
            here.add(whole)
            if len(here.added) > 1 and here.added[1].is_nonnegative():
                for number in numbers:
                    yield sp.Le(total, number * whole, evaluate=False), PART


def _terms(here: Ends) -> Iterator[tuple[sp.Basic, str]]:
    for small, large in permutations(here.added[1:], 2):
        if sp.factor(large.term - small.term).is_nonnegative:
            yield sp.Le(small.value, large.value, evaluate=False), TERMS


def _power_means(here: Ends, nonnegative: Sign) -> Iterator[tuple[sp.Basic, str]]:
    for w, one, other in permutations(here.added, 3):
        x = sp.powsimp(one.term / w.term)
        p = _exponent(x, sp.powsimp(other.term / w.term)) if w.is_nonnegative() else None
        if p is None or p in (0, 1, 2):
            continue
        even = p.is_integer and p.is_even and p.is_positive
        if not ((x.is_nonnegative and other.is_nonnegative()) or even):
            continue
        a, b, c = w.value, one.value, other.value
        if nonnegative(p - 1):
            yield sp.Le(b**p, a ** (p - 1) * c, evaluate=False), MEAN_OF_POWERS
        elif nonnegative(p) and nonnegative(1 - p):
            yield sp.Le(c, a ** (1 - p) * b**p, evaluate=False), MEAN_OF_POWERS
        elif nonnegative(-p) and x.is_positive:
            yield sp.Le(a ** (1 - p), c * b**-p, evaluate=False), MEAN_OF_POWERS


def _powers_of_sums(here: Ends, nonnegative: Sign) -> Iterator[tuple[sp.Basic, str]]:
    for one, other in permutations(here.added[1:], 2):
        signed = one.is_nonnegative() and other.is_nonnegative()
        r = _exponent(one.term, other.term) if signed else None
        if r is not None and r != 1 and nonnegative(r - 1):
            yield sp.Le(other.value, one.value**r, evaluate=False), POWER_OF_SUM
        elif r is not None and r not in (0, 1) and nonnegative(r) and nonnegative(1 - r):
            yield sp.Le(one.value**r, other.value, evaluate=False), POWER_OF_SUM


def _exponent(base: sp.Expr, value: sp.Expr) -> sp.Expr | None:
    """The p with base^p = value, up to the sign of both, for products of powers; None if there is none."""
    one, other = base.as_powers_dict(), value.as_powers_dict()
    if one.keys() != other.keys() or not base.free_symbols:
        return None
    quotients = {sp.simplify(other[key] / one[key]) for key in one}
    return quotients.pop() if len(quotients) == 1 else None


def _tangents(here: Ends, outside: Sequence[sp.Basic]) -> Iterator[tuple[sp.Basic, str]]:
    exps = sorted({e.args[0] for f in outside for e in f.atoms(sp.exp)}, key=sp.default_sort_key)
    logs = sorted({e.args[0] for f in outside for e in f.atoms(sp.log)}, key=sp.default_sort_key)
    for one in here.added:
        weight, part = _weighted(one.term)
        if part is None or not weight.is_nonnegative:
            continue
        (g,) = part.args
        all_weights, mean = here.total(weight), here.total(weight * g)
        if isinstance(part, sp.exp):
            for m in [*exps[:MOST], sp.S.Zero, mean / all_weights]:
                tangent = sp.exp(m) * (all_weights * (1 - m) + mean)
                yield sp.Ge(one.value, tangent, evaluate=False), SUMMED_TANGENTS
        elif g.is_positive:
            inverse = here.total(weight / g)
            for m, at_m in _points_of_logarithms(logs[:MOST], mean / all_weights):
                above, below = mean / m - all_weights, all_weights - m * inverse
                yield sp.Le(one.value, all_weights * at_m + above, evaluate=False), SUMMED_TANGENTS
                yield sp.Ge(one.value, all_weights * at_m + below, evaluate=False), SUMMED_TANGENTS


def _weighted(term: sp.Expr) -> tuple[sp.Expr, sp.Expr | None]:
    """A term as a weight times one exponential or logarithm; None if it is no such product.

    Logarithms with weights in fixed ratios are one: w log(x) - w log(y) is w log(x/y).
    """
    found = sorted(term.atoms(sp.exp, sp.log), key=sp.default_sort_key)
    if len(found) == 1:
        weight, part = sp.cancel(term / found[0]), found[0]
    elif found and all(isinstance(one, sp.log) for one in found):
        places = {one: sp.Dummy() for one in found}
        linear = sp.expand(term).xreplace(places)
        weights = [linear.diff(place) for place in places.values()]
        shares = [sp.cancel(w / weights[0]) if weights[0] != 0 else sp.nan for w in weights]
        rest = linear.xreplace(dict.fromkeys(places.values(), sp.S.Zero))
        if rest != 0 or not all(share.is_Integer for share in shares):
            return sp.S.Zero, None
        inside = sp.Mul(*(one.args[0] ** share for one, share in zip(found, shares, strict=True)))
        weight, part = weights[0], sp.log(inside)
    else:
        return sp.S.Zero, None
    return (weight, part) if not weight.has(sp.exp, sp.log) else (sp.S.Zero, None)


def _points_of_logarithms(logs: Sequence[sp.Expr], mean: sp.Expr) -> list[tuple[sp.Expr, sp.Expr]]:
    """Positive numbers with their logarithms, at which tangents touch."""
    found = [(sp.S.One, sp.S.Zero), (mean, sp.log(mean))]
    for m in logs:
        found += [(m, sp.log(m)), (1 / m, -sp.log(m))]
    return found


def _means(here: Ends, outside: Sequence[sp.Basic]) -> Iterator[tuple[sp.Basic, str]]:
    exponents, n = {abs(power.exp) for f in outside for power in f.atoms(sp.Pow)}, here.number
    for factors in here.products:
        mean = here.total(factors.term) / n
        if factors.is_nonnegative() and n in exponents:
            yield sp.Le(factors.value, mean**n, evaluate=False), MEANS
        if factors.term.is_positive and 1 / n in exponents:
            yield sp.Le(factors.value ** (1 / n), mean, evaluate=False), MEANS


def _chebyshev(here: Ends, order: Order) -> Iterator[tuple[sp.Basic, str]]:
    for one, other in combinations_with_replacement(here.added[1:], 2):
        way = here.order(one, order) * here.order(other, order)
        both = next((c for c in here.added if _same(c.term, one.term * other.term)), None)
        if way and both is not None and one != other:
            kind = sp.Le if way > 0 else sp.Ge
            yield kind(one.value * other.value, here.number * both.value, evaluate=False), CHEBYSHEV


def parts(
    totals: Sequence[sp.Sum], entries: Iterable[sp.Indexed], nonnegative: Sign
) -> Iterator[tuple[sp.Basic, str]]:
    """Yield that a sum of nonnegative terms is at least a sum of some of them, and at least each entry of a sequence in it."""
    for large, small in permutations(totals, 2):
        if len(large.limits) > 1 or len(small.limits) > 1 or not _is_nonnegative(large):
            continue
        (i, low, high), (j, first, last) = large.limits[0], small.limits[0]
        inside = all(map(nonnegative, (first - low, high - last, last - first + 1)))
        if large.function.xreplace({i: j}) == small.function and inside:
            yield sp.Le(small, large, evaluate=False), PART
    for large, entry in product(totals, entries):
        if len(large.limits) > 1 or not _is_nonnegative(large):
            continue
        index, low, high = large.limits[0]
        at = entry.indices[0]
        speaks = any(e.base == entry.base and e.indices == (index,) for e in large.function.atoms(sp.Indexed))
        if speaks and all(map(nonnegative, (at - low, high - at))):
            yield sp.Le(large.function.subs(index, at), large, evaluate=False), PART


def _is_nonnegative(total: sp.Sum) -> bool:
    here = Ends(*total.limits[0][1:])
    here.add(total)
    return len(here.added) == 2 and here.added[1].is_nonnegative()
