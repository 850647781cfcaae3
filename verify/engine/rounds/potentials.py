"""Potentials: what a sequence can still add to a sum, so that the sum with it has an induction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import sympy as sp

from verify.engine.model.scene import Condition
from verify.engine.model.sequences import for_every
from verify.engine.summation.sums import sums_in, weight_in


def with_potentials(
    relation: Condition, letter: sp.Symbol, conditions: Sequence[Condition]
) -> Iterator[Condition]:
    """For A[t] <= A[t - 1] - g[t] + .. and a bound of a sum of w[t] g[t], the sum plus w[T] A[T] is at most the bound.

    A is a function of entries of sequences at one index, and g may be one, too. The least value that a condition allows is
    taken from A.
    """
    if isinstance(relation, sp.Eq | sp.Ne):
        return
    every = for_every(conditions)
    for total in sums_in([relation]):
        weight = weight_in(relation.gts - relation.lts, total) or _factor_on_small_side(relation, total)
        if weight is None or letter not in total.limits[0][2].free_symbols:
            continue
        found = [p for condition, index in every for p in _of_a_sum(total, letter, condition, index)]
        for potential in dict.fromkeys(found):
            least = [_above_least(potential, condition, index) for condition, index in every]
            for more in [*filter(None, least), potential][:1]:
                sides = (relation.lts + _weighted(weight, more), relation.gts)
                if letter in weight.free_symbols:  # an average, as a sum
                    sides = tuple(sp.expand(side / weight, deep=False) for side in sides)
                yield sp.Le(*sides, evaluate=False)


def _factor_on_small_side(relation: Condition, total: sp.Sum) -> sp.Expr | None:
    """The factor of a sum on the small side of a relation, of whatever sign; None if it is not linear in the sum."""
    place = sp.Dummy(real=True)
    factor = relation.lts.xreplace({total: place}).diff(place)
    return None if place in factor.free_symbols or factor == 0 or relation.gts.has(total) else factor


def _weighted(weight: sp.Expr, potential: sp.Expr) -> sp.Expr:
    """A weight times a potential; a weight that may be 0, such as a - 2 b, is not left as a divisor."""
    if not weight.is_Add:
        return weight * potential
    return sp.Add(*(sp.cancel(weight * term) for term in sp.Add.make_args(sp.expand(potential))))


def _of_a_sum(total: sp.Sum, letter: sp.Symbol, condition: Condition, index: sp.Symbol) -> Iterator[sp.Expr]:
    """What the further terms of a sum can add by a condition for every index."""
    if not isinstance(condition, sp.Le | sp.Ge):
        return
    i, _, high = total.limits[0]
    terms = terms_of(sp.expand(condition.gts - condition.lts))
    before = {
        g: g.subs(index, index - 1)
        for g, c in terms.items()
        if place_of(g, index) == 0 and _may_be_negative(c)
    }
    before = {g: earlier for g, earlier in before.items() if earlier in terms}
    losses = {g: c for g, c in terms.items() if g not in before and _may_be_negative(c)}
    # of an entry before a part is lost, as in r[t] <= (1 - a) r[t - 1]
    losses |= {earlier: sp.expand(terms[g] + terms[earlier]) for g, earlier in before.items()}
    for g, c in losses.items() if before else ():
        place = place_of(g, index)
        if place is None or not _may_be_negative(c):
            continue
        parts = terms_of(sp.expand_mul(total.function.subs(i, index + place)))
        if g not in parts:
            continue
        share = sp.powsimp(sp.simplify(-parts[g] / c))
        if len(parts) > 1 and any(sp.simplify(parts[h] + share * losses.get(h, 0)) != 0 for h in parts):
            continue
        last = sp.expand(high - place)
        if not sp.expand(last - letter).is_Integer:
            continue
        if sp.expand(last - letter).is_positive:  # the entries at this index, by those before
            lost = sp.Add(*(losses[h] * h for h in parts if h not in before.values()))
            rest = sp.Add(lost, *(terms[earlier] * earlier for earlier in before.values()))
        else:
            rest = sp.Add(*(sp.factor(-terms[g]) * g for g in before))
        yield sp.Add(*(share * term for term in sp.Add.make_args(rest))).subs(index, last)


def _may_be_negative(factor: sp.Expr) -> bool:
    return factor != 0 and not factor.is_nonnegative


def terms_of(formula: sp.Expr) -> dict[sp.Expr, sp.Expr]:
    """Products of entries of sequences in an expanded formula, each with its factor."""
    found = dict[sp.Expr, sp.Expr]()
    for term in sp.Add.make_args(formula):
        factor, entries = term.as_independent(sp.Indexed, as_Add=False)
        found[entries] = found.get(entries, sp.S.Zero) + factor
    return {entries: factor for entries, factor in found.items() if entries.has(sp.Indexed)}


def place_of(entries: sp.Expr, index: sp.Symbol) -> int | None:
    """How far from an index all entries in a product are; None if they are at different places."""
    places = {sp.expand(e.indices[0] - index) for e in entries.atoms(sp.Indexed)}
    (place,) = places if len(places) == 1 else (sp.nan,)
    return int(place) if place.is_Integer else None


def _above_least(potential: sp.Expr, condition: Condition, index: sp.Symbol) -> sp.Expr | None:
    """A potential without the least value that a condition such as f[t] >= b leaves it; None if it says nothing of that."""
    if not isinstance(condition, sp.Le | sp.Ge):
        return None
    entry, least = condition.gts, condition.lts
    if not isinstance(entry, sp.Indexed) or entry.indices != (index,) or least.has(sp.Indexed):
        return None
    (found, *others) = [*(e for e in potential.atoms(sp.Indexed) if e.base == entry.base), None]
    if found is None or others != [None]:
        return None
    low = least.subs(index, found.indices[0])
    return sp.factor(potential.coeff(found)) * (found - low) + potential.xreplace({found: sp.S.Zero})
