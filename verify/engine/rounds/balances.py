"""Potentials of several sequences: their terms at the beginning are terms of a bound, and multiples of conditions pay for a sum."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import sympy as sp

from verify.engine.model.scene import Condition
from verify.engine.model.sequences import for_every
from verify.engine.rounds.potentials import place_of, terms_of
from verify.engine.summation.sums import sums_in

Terms = Mapping[sp.Expr, sp.Expr]
"""Products of entries of sequences, each with its factor."""


def with_balances(
    relation: Condition, letter: sp.Symbol, conditions: Sequence[Condition]
) -> Iterator[Condition]:
    """Yield stronger claims: with the terms of a bound r[0] + c h[0] at the last index, or with a potential that is solved for."""
    if isinstance(relation, sp.Eq | sp.Ne) or not for_every(conditions):
        return
    outside = relation.gts - relation.lts
    outside = terms_of(sp.expand_mul(outside.xreplace(dict.fromkeys(sums_in([relation]), sp.S.Zero))))
    starts = {entries: c for entries, c in outside.items() if _is_at_the_beginning(entries)}
    ends = {entries: c for entries, c in outside.items() if place_of(entries, letter) is not None}
    found = [*_from_beginnings(starts, ends, letter), _solved(relation, letter, conditions)]
    for potential in dict.fromkeys(found):
        if potential != 0:
            yield sp.Le(relation.lts + potential, relation.gts, evaluate=False)


def _is_at_the_beginning(entries: sp.Expr) -> bool:
    return all(e.indices[0].is_Integer for e in entries.atoms(sp.Indexed))


def _from_beginnings(starts: Terms, ends: Terms, letter: sp.Symbol) -> Iterator[sp.Expr]:
    """The terms of a bound with the first entries, at the last index, as far as it has no such terms itself.

    For r[T] <= q^T (r[0] + c h[0]) the factor of h[T] is that of h[0], divided by that of r[0].
    """
    later = {_moved(entries, letter): c for entries, c in starts.items()}
    more = {entries: c for entries, c in later.items() if entries not in ends and _is_nonnegative(entries)}
    yield sp.Add(*(c * entries for entries, c in more.items()))
    for entries in (entries for entries in later if entries in ends):
        share = -ends[entries] / later[entries]
        yield sp.Add(*(sp.simplify(share * c) * other for other, c in more.items()))


def _moved(entries: sp.Expr, letter: sp.Symbol) -> sp.Expr:
    return entries.xreplace({e: e.base[e.indices[0] + letter] for e in entries.atoms(sp.Indexed)})


def _is_nonnegative(entries: sp.Expr) -> bool:
    kinds = {
        e: sp.Dummy(real=True, nonnegative=e.base.label.is_nonnegative) for e in entries.atoms(sp.Indexed)
    }
    return bool(entries.xreplace(kinds).is_nonnegative)


def _solved(relation: Condition, letter: sp.Symbol, conditions: Sequence[Condition]) -> sp.Expr:
    """A potential with which the claim grows by multiples of the conditions from each round to the next; 0 if there is none.

    Its factors and the multiples are the solution of linear equations, one for each product of entries.
    """
    grown = _growth(relation, letter) if sums_in([relation]) else None
    if grown is None:
        return sp.S.Zero
    slacks = [
        terms_of(sp.expand(slack.subs(index, letter + 1)))
        for c, index in for_every(conditions)
        if isinstance(c, sp.Le | sp.Ge) and not c.has(sp.Sum, sp.Max, sp.Min)
        for slack in (c.gts - c.lts, *_of_squares(c))
    ]
    speaking = {entries for terms in (grown, *slacks) for entries in terms}
    factors = {
        entries: sp.Dummy()
        for entries in sorted(speaking, key=sp.default_sort_key)
        if entries.subs(letter, letter + 1) in speaking
    }
    multiples = [sp.Dummy() for _ in slacks]
    unknown = [*factors.values(), *multiples]
    balance = {
        entries: grown.get(entries, sp.S.Zero)
        + factors.get(entries, sp.S.Zero)
        - factors.get(entries.subs(letter, letter - 1), sp.S.Zero)
        - sum((m * terms.get(entries, 0) for m, terms in zip(multiples, slacks, strict=True)), sp.S.Zero)
        for entries in speaking
    }
    try:
        solutions = sp.linsolve([*balance.values()], unknown) if factors else sp.S.EmptySet
    except (ValueError, NotImplementedError):
        return sp.S.Zero
    for solution in solutions:
        values = [sp.factor(value.xreplace(dict.fromkeys(unknown, sp.S.Zero))) for value in solution]
        found = sp.Add(*(value * entries for value, entries in zip(values, factors, strict=False)))
        if letter not in sp.Add(*values[: len(factors)]).free_symbols:
            return found
    return sp.S.Zero


def _of_squares(condition: Condition) -> list[sp.Expr]:
    """The difference of the squares of r[t] <= q r[t - 1], which is nonnegative, too."""
    one_each = all(len(sp.Add.make_args(side)) == 1 and side.has(sp.Indexed) for side in condition.args)
    return [condition.gts**2 - condition.lts**2] if one_each and _is_nonnegative(condition.lts) else []


def _growth(relation: Condition, letter: sp.Symbol) -> Terms | None:
    """The terms by which the difference of the sides grows from one round to the next; None if a sum has another form."""
    outside, grown = relation.gts - relation.lts, sp.S.Zero
    for total in sums_in([relation]):
        index, low, high = total.limits[0]
        place = sp.Dummy(real=True)
        factor = outside.xreplace({total: place}).diff(place)
        if {letter, place} & sp.Tuple(factor, low, total.function).free_symbols:
            return None
        if not sp.expand(high - letter).is_Integer:
            if letter in high.free_symbols:
                return None
            continue
        grown += factor * total.function.subs(index, high.subs(letter, letter + 1))
        outside = outside.xreplace({total: sp.S.Zero})
    return terms_of(sp.expand(grown + outside.subs(letter, letter + 1) - outside))
