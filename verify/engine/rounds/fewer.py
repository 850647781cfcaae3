"""Conditions for every index without the sequences of which a claim does not speak, by their bounds.

They only suggest claims for inductions: proofs use the conditions themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

import sympy as sp

from verify.engine.model.scene import Condition
from verify.engine.model.sequences import for_every

_INDEX = sp.Dummy("index", integer=True)
_ROUNDS = 3
"""How often bounds are put in, as a bound may hold entries that have bounds."""
Bound = tuple[sp.IndexedBase, sp.Expr, sp.Expr]
"""A sequence, and the bounds of its entry at an index from below and from above; NaN for none."""


@lru_cache(maxsize=64)
def with_fewer_sequences(formula: sp.Basic, conditions: tuple[Condition, ...]) -> tuple[Condition, ...]:
    """The conditions, and those for every index in which bounds replace entries of sequences that a formula does not hold.

    r[t] <= r[t - 1] - d[t]^2 and d[t] >= D give r[t] <= r[t - 1] - D^2.
    """
    spoken, every = formula.atoms(sp.IndexedBase), for_every(conditions)
    bounds = [bound for condition, index in every for bound in _bounds(condition, index, spoken)]
    found = list[Condition]()
    for condition, index in every if bounds else ():
        for slack in _slacks(condition):
            less = slack
            for _ in range(_ROUNDS):
                less = sp.Add(*(_with_bounds(term, index, bounds) for term in sp.Add.make_args(less)))
            if less != slack and not less.has(sp.nan) and less.has(sp.Indexed):
                found.append(of_an_entry(less, index))
    return (*conditions, *found)


def _slacks(condition: Condition) -> list[sp.Expr]:
    """What a condition says to be at least 0, if it has more than one entry."""
    if len(condition.atoms(sp.Indexed)) < 2 or not isinstance(condition, sp.Eq | sp.Le | sp.Ge):
        return []
    if isinstance(condition, sp.Eq):
        return [sp.expand(condition.lhs - condition.rhs), sp.expand(condition.rhs - condition.lhs)]
    return [sp.expand(condition.gts - condition.lts)]


def _bounds(condition: Condition, index: sp.Symbol, spoken: set[sp.IndexedBase]) -> Iterator[Bound]:
    """Bounds of an entry that is a side of a condition, or whose absolute value is one."""
    if not isinstance(condition, sp.Le | sp.Ge):
        return
    small, large = condition.lts, condition.gts
    for entry, other in ((small, large), (large, small)):
        inside = entry.args[0] if isinstance(entry, sp.Abs) and entry is small else entry
        if not isinstance(inside, sp.Indexed) or inside.base in spoken | other.atoms(sp.IndexedBase):
            continue
        place = inside.indices[0] - index
        if place.is_Integer:
            value = other.subs(index, _INDEX - place)
            low = sp.S.Zero if inside.base.label.is_nonnegative else sp.nan
            low = -value if inside is not entry else value if entry is large else low
            yield inside.base, low, value if entry is small else sp.nan


def _with_bounds(term: sp.Expr, index: sp.Symbol, bounds: Sequence[Bound]) -> sp.Expr:
    """A term that is at least the given one: bounds replace its entries as far as its sign and growth are known."""
    for base, low, high in bounds:
        entries = [e for e in term.atoms(sp.Indexed) if e.base == base]
        if len(entries) != 1:
            continue
        (entry,) = entries
        signs = {e: sp.Dummy(nonnegative=True) for e in term.atoms(sp.Indexed) if e.base.label.is_nonnegative}
        unknown = sp.Dummy(real=True)
        place = signs.setdefault(entry, unknown)
        alike = term.xreplace(signs)
        even = place is unknown and low == -high and alike.subs(place, -place) == alike
        if even:
            place = sp.Dummy(nonnegative=True)
            alike = alike.xreplace({unknown: place})
        growth = alike.diff(place)
        value = high if growth.is_nonnegative else (0 if even else low) if growth.is_nonpositive else sp.nan
        if value is not sp.nan:
            term = term.xreplace({entry: sp.sympify(value).subs(_INDEX, entry.indices[0])})
    return sp.expand(term)


def of_an_entry(slack: sp.Expr, index: sp.Symbol) -> Condition:
    """A nonnegative formula as a bound of an entry by the one before, if it is one; or of an entry alone."""
    entries = sorted((e for e in slack.atoms(sp.Indexed) if e.indices == (index,)), key=str)
    for entry in sorted(entries, key=lambda e: not slack.has(e.base[index - 1])):
        if slack.coeff(entry) == -1:
            return sp.Le(entry, slack + entry, evaluate=False)
    return sp.Le(0, slack, evaluate=False)
