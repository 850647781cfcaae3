"""Conditions for every index added up over the rounds: of potentials of several sequences, and with losses that never grow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import sympy as sp

from bounds.symbols import domain_of
from verify.engine.elementary.stronger import added_up, telescoped
from verify.engine.model.scene import Condition
from verify.engine.model.sequences import for_every
from verify.engine.rounds.potentials import place_of, terms_of
from verify.engine.rounds.unrolled import sums_of_unrolled
from verify.engine.summation.sums import cauchy_schwarz, closed_form, sums_in


def potentials_added_up(conditions: Sequence[Condition], letter: sp.Symbol) -> Iterator[Condition]:
    """A[n] - A[0] <= f[1] + .. + f[n] for conditions A[t] - A[t - 1] <= f[t] times a positive function of t.

    A is a function of entries of several sequences at t. Of f, terms -c d[t] of sequences with d[t] <= d[t - 1] are at most
    -c d[n].
    """
    every = for_every(conditions)
    falling = {base for condition, index in every for base in _falling(condition, index)}
    for condition, index in every:
        if not isinstance(condition, sp.Le | sp.Ge) or domain_of(index) != "count":
            continue
        for slack in _slacks(condition, index):
            now = {g: -c for g, c in terms_of(slack).items() if place_of(g, index) == 0}
            now = {g: c for g, c in now.items() if _is_part((c * g).subs(index, index - 1), slack)}
            potential = sp.Add(*(sp.factor(c) * g for g, c in now.items()))
            known = [(c * g, (c * g).subs(index, index - 1)) for g, c in now.items()]
            small = sp.expand(slack + sp.Add(*(here - before for here, before in known)))
            bases = potential.atoms(sp.IndexedBase)
            lost = [c * g for g, c in terms_of(small).items() if _is_lost(g, c, falling - bases, index)]
            small = sp.expand(small - sp.Add(*lost))
            if not now or small.has(sp.Indexed) or (len(now) == 1 and not lost):
                continue
            large = potential.subs(index, letter)
            for term in lost:
                (entry,) = term.atoms(sp.Indexed)
                large -= added_up(term.coeff(entry), index, letter) * entry.base[letter]
            added = added_up(small, index, letter) if small != 0 else sp.S.Zero
            yield sp.Le(large, potential.subs(index, 0) + added, evaluate=False)


def of_terms_and_squares(
    relation: Condition, conditions: Sequence[Condition], letter: sp.Symbol
) -> Iterator[tuple[Condition, ...]]:
    """Bounds of sums by sums of squares, of the terms of a sum, and of an unrolled recursion, from which a relation may follow."""
    yield from squares_added_up(relation, conditions, letter)
    yield from bounds_of_distances(relation, conditions, letter)
    yield from bounds_of_terms(relation, conditions, letter)
    yield from sums_of_unrolled(relation, letter, conditions)


def squares_added_up(
    relation: Condition, conditions: Sequence[Condition], letter: sp.Symbol
) -> Iterator[tuple[Condition, ...]]:
    """For r[t] <= r[t - 1] - d[t]^2 and a claim with the sum of d, r[n] + the sum of d^2 <= r[0] and what Cauchy says of the sums.

    Of a claim with several sums, such as those of r and of d, what is added up about one of them.
    """
    for total in sums_in([relation]):
        index, low, high = total.limits[0]
        if not low.is_Integer or sp.expand(high - low + 1 - letter) != 0:
            continue
        for added, _ in telescoped(conditions, letter):
            sums = sums_in([added])
            moved = {
                one: sp.Sum(
                    sp.expand(one.function.subs(one.limits[0][0], index + 1 - low)), (index, low, high)
                )
                for one in sums
            }
            known = added.xreplace(moved)
            bounds = [bound for bound in cauchy_schwarz([total, *moved.values()]) if bound.has(total)]
            if (
                total in moved.values() and len(sums_in([relation])) > 1
            ):  # the claim holds it beside another sum
                yield (known,)
            for bound in bounds:
                (squares,) = sums_in([bound.rhs])
                factor = -sp.expand(known.rhs).coeff(squares)
                if factor == 0 or factor.is_negative:
                    continue
                most = sp.expand((known.rhs + factor * squares - known.lhs) / factor)
                yield known, bound, sp.Le(bound.lhs, letter * most, evaluate=False)


def bounds_of_terms(
    relation: Condition, conditions: Sequence[Condition], letter: sp.Symbol
) -> Iterator[tuple[Condition]]:
    """For a bound f[1] + .. + f[n] <= G(n), f[n] <= G(n) - G(n - 1), where f holds entries at n and at fixed places."""
    total, bound = (relation.lts, relation.gts) if isinstance(relation, sp.Le | sp.Ge) else (sp.S.Zero,) * 2
    if not isinstance(total, sp.Sum) or len(total.limits) > 1 or not for_every(conditions):
        return
    index, low, high = total.limits[0]
    places = {entry.indices[0] for entry in total.function.atoms(sp.Indexed)}
    fixed = places - {index}
    starts = bool(fixed) and all(place.is_Integer for place in fixed)
    speaks = letter in bound.free_symbols and not bound.has(sp.Sum, sp.Product)
    if (low, high) == (1, letter) and index in places and starts and speaks:
        each = sp.factor(sp.expand(bound - bound.subs(letter, letter - 1)))
        yield (sp.Le(total.function.subs(index, letter), each, evaluate=False),)


def bounds_of_distances(
    relation: Condition, conditions: Sequence[Condition], letter: sp.Symbol
) -> Iterator[tuple[Condition, Condition]]:
    """For |x[t] - x[t - 1]| <= f(t), |x[n] - x[0]| <= F(n) with the sum F of f, and a sum of squares with this bound put in."""
    for condition, index in for_every(conditions):
        small, most = (
            (condition.lts, condition.gts) if isinstance(condition, sp.Le | sp.Ge) else (sp.S.Zero,) * 2
        )
        bases = (
            small.atoms(sp.IndexedBase) if isinstance(small, sp.Abs) and not most.has(sp.Indexed) else set()
        )
        for x in (x for x in bases if sp.expand(small.args[0] ** 2 - (x[index] - x[index - 1]) ** 2) == 0):
            total = sp.Sum(most, (index, 1, letter))
            far = closed_form(total)
            if far is None:
                continue
            for one in sums_in([relation]):
                i, low, high = one.limits[0]
                distance, within = x[i] - x[0], far.subs(letter, i)
                each = one.function.xreplace({distance**2: within**2, sp.Abs(distance): within})
                whole = closed_form(sp.Sum(each, (i, low, high))) if each != one.function else None
                if whole is not None and high == letter and low in (0, 1) and not each.has(sp.Indexed):
                    known = sp.Le(sp.Abs(x[letter] - x[0]), far, evaluate=False)
                    yield known, sp.Le(one, whole, evaluate=False)


def _slacks(condition: Condition, index: sp.Symbol) -> Iterator[sp.Expr]:
    """What a condition says to be at least 0, also times a positive denominator that holds the index."""
    slack = sp.expand(condition.gts - condition.lts)
    yield slack
    top, below = sp.fraction(sp.together(slack))
    if index in below.free_symbols and below.is_positive:
        yield sp.expand(top)


def _is_part(term: sp.Expr, slack: sp.Expr) -> bool:
    """Whether a product of entries has the same factor in an expanded sum."""
    terms = terms_of(slack)
    return all(sp.expand(terms.get(g, 0) - c) == 0 for g, c in terms_of(sp.expand(term)).items())


def _is_lost(entry: sp.Expr, factor: sp.Expr, falling: set[sp.IndexedBase], index: sp.Symbol) -> bool:
    known = isinstance(entry, sp.Indexed) and entry.base in falling and place_of(entry, index) in (0, -1)
    return bool(known and factor.is_nonpositive)


def _falling(condition: Condition, index: sp.Symbol) -> Iterator[sp.IndexedBase]:
    """The sequence of which a condition says that it never grows."""
    if isinstance(condition, sp.Le | sp.Ge):
        small, large = condition.lts, condition.gts
        if isinstance(small, sp.Indexed) and small.indices == (index,) and large == small.base[index - 1]:
            yield small.base
