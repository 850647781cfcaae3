"""Bounds of the terms of a sum, added up: of floors and ceilings, and of entries that conditions for every index bound."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import sympy as sp

from verify.engine.elementary.law import TERMS
from verify.engine.elementary.rounding import denominator
from verify.engine.model.scene import Condition
from verify.engine.model.sequences import for_every
from verify.engine.summation.inequalities import Ends, Sign
from verify.engine.summation.summing import simplified
from verify.engine.summation.sums import domain_of_entry


@dataclass(frozen=True)
class Limits:
    """The bounds that a condition sets for all entries of a sequence from a first place on, or for their absolute values."""

    base: sp.IndexedBase
    index: sp.Symbol
    start: int
    bound: sp.Expr
    above: bool
    absolute: bool

    def at(self, place: sp.Expr) -> sp.Expr:
        return self.bound.subs(self.index, place)


def limits_of_entries(conditions: Sequence[Condition]) -> list[Limits]:
    """Limits of entries by conditions for every index that bound an entry or its absolute value by a formula without entries."""
    found = []
    for condition, index in for_every(conditions):
        if not isinstance(condition, sp.Le | sp.Lt | sp.Ge | sp.Gt):
            continue
        sides = (condition.lts, condition.gts)
        for part, bound, above in ((*sides, True), (*sides[::-1], False)):
            absolute = isinstance(part, sp.Abs) and above
            entry = part.args[0] if absolute else part
            if isinstance(entry, sp.Indexed) and entry.indices == (index,) and not bound.has(sp.Indexed):
                start = 1 if index.is_positive else 0
                found.append(Limits(entry.base, index, start, bound, above, absolute))
    return found


def bounded_terms(
    total: sp.Sum, limits: Sequence[Limits], nonnegative: Sign, known: Sequence[sp.Sum]
) -> Iterator[tuple[sp.Basic, str]]:
    """Yield that a sum is at most the sum of upper bounds of its terms, and at least that of lower bounds.

    A term is bounded by the bounds of the parts in which it grows or falls.
    """
    index, low, high = total.limits[0]
    here = Ends(low, high)
    term = total.function.xreplace({index: here.index})
    if len(total.limits) > 1 or term.has(sp.Sum, sp.Product) or not nonnegative(here.number):
        return
    chords: dict[sp.Expr, sp.Expr] = {}
    letters: dict[sp.Expr, sp.Symbol] = {}
    bounds: dict[tuple[sp.Symbol, bool], sp.Expr] = {}
    for entry in sorted(term.atoms(sp.Indexed), key=sp.default_sort_key):
        place = entry.indices[0]
        first, last = (place.subs(here.index, end) for end in (low, high))
        for one in (one for one in limits if one.base == entry.base and place.diff(here.index).is_Integer):
            if all(map(nonnegative, (first - one.start, last - one.start))):
                own = {"nonnegative": True} if one.absolute else domain_of_entry(entry)
                part = sp.Abs(entry) if one.absolute else entry
                letter = letters.setdefault(part, sp.Dummy(**own))
                if one.absolute:
                    letters |= {entry**2: letter**2}
                bounds[letter, one.above] = one.at(place)
        chords |= _chord(entry, letters, bounds)
    for part in sorted(term.atoms(sp.floor, sp.ceiling), key=sp.default_sort_key):
        (x,) = part.args
        q = denominator(x)
        apart = sp.S.One if q is None else 1 - 1 / q
        letter = letters.setdefault(part, sp.Dummy(real=True))
        is_floor = isinstance(part, sp.floor)
        bounds[letter, True], bounds[letter, False] = (x, x - apart) if is_floor else (x + apart, x)
    if chords and all(_has_square(term, square) for square in chords):
        above = sp.expand(term).xreplace(chords)
        bound = simplified(
            sp.Sum(above.xreplace({here.index: index}), (index, low, high)), nonnegative, known
        )
        yield sp.Le(total, bound, evaluate=False), TERMS
    written = term.xreplace(letters)
    bounds = {key: bound for key, bound in bounds.items() if key[0] in written.free_symbols}
    for above in (True, False):
        ways = {letter: _way(written, letter, above=above) for letter, _ in bounds}
        put_in = {letter: bounds.get((letter, way)) for letter, way in ways.items() if way is not None}
        chosen = {
            letter: bound
            for letter, bound in put_in.items()
            if bound is not None and (ways[letter] or letter.is_nonnegative is None or bound.is_nonnegative)
        }
        if chosen:
            back = {letter: part for part, letter in letters.items() if letter.is_Symbol}
            each = written.xreplace(chosen).xreplace(back).xreplace({here.index: index})
            bound = simplified(sp.Sum(each, (index, low, high)), nonnegative, known)
            yield (sp.Le if above else sp.Ge)(total, bound, evaluate=False), TERMS


def _chord(
    entry: sp.Indexed, letters: Mapping[sp.Expr, sp.Symbol], bounds: Mapping[tuple[sp.Symbol, bool], sp.Expr]
) -> dict[sp.Expr, sp.Expr]:
    """The square of a number between a and b, or of its absolute value, with its upper bound (a + b) x - a b."""
    for part in (entry, sp.Abs(entry)):
        letter = letters.get(part)
        high = bounds.get((letter, True)) if letter is not None else None
        low = bounds.get((letter, False), sp.S.Zero if letter.is_nonnegative else None) if letter else None
        if high is not None and low is not None:
            return {entry**2: (low + high) * part - low * high}
    return {}


def _has_square(term: sp.Expr, square: sp.Expr) -> bool:
    """Whether a term grows with the square of an entry, which it holds in no other way."""
    place = sp.Dummy()
    weight = sp.expand(term).xreplace({square: place}).diff(place)
    return bool(weight.is_nonnegative) and weight != 0 and not weight.has(place)


def _way(term: sp.Expr, letter: sp.Symbol, *, above: bool) -> bool | None:
    """Whether an upper bound of a part bounds a term on the given side, or a lower one; None if the term may grow and fall in it."""
    change = sp.factor(term.diff(letter))
    grows = True if change.is_nonnegative else False if change.is_nonpositive else None
    return None if grows is None else grows is above
