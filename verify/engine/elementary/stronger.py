"""Stronger claims for inductions, and bounds of powers that their steps need.

The gap between a sum and its bound is at least what the tail of the sum would add; the gap between a sequence and its bound is
at least what its recursion adds in all later rounds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import sympy as sp

from bounds.symbols import domain_of
from verify.engine.model.scene import Condition
from verify.engine.model.sequences import for_every
from verify.engine.rounds.fewer import with_fewer_sequences
from verify.engine.rounds.unrolled import invariants
from verify.engine.summation.sums import closed_form, products_in, sums_in, weight_in
from verify.engine.summation.tails import tails, with_exponential_tails, with_partial_sums
from verify.engine.summation.termwise import bounded_terms, limits_of_entries

_ROUND = sp.Symbol("round", integer=True, positive=True)
_SHARES = (sp.S.One, sp.Rational(1, 2), sp.Integer(2))


def stronger(
    relation: Condition, letter: sp.Symbol, conditions: Sequence[Condition] = ()
) -> Iterator[Condition]:
    """Yield claims that imply a relation, the most promising first."""
    if not isinstance(relation, sp.Eq | sp.Ne):
        yield from _of_losses(relation, letter)
        yield from _of_gains(relation, letter, conditions)
        yield from _of_neighbours(relation, letter)
        yield from _of_sums(relation, letter)
        yield from _of_products(relation, letter)
        yield from _of_two_rounds(relation, letter, conditions)
        yield from _of_rounds(letter, conditions)
        yield from _of_bounded_entries(relation, letter, conditions)


def _of_bounded_entries(
    relation: Condition, letter: sp.Symbol, conditions: Sequence[Condition]
) -> Iterator[Condition]:
    """For a sum of f(d[i]) with d[t] <= c for every t, the sum of f(c), or of a chord of f, as a bound, in closed form if known."""
    limits = limits_of_entries(conditions)
    for total in sums_in([relation]) if limits else ():
        kind = sp.Le if relation.lts.has(total) else sp.Ge
        for bound, _ in bounded_terms(total, limits, lambda n: bool(n.is_nonnegative), ()):
            numbers = [one for one in sums_in([bound.rhs]) if not one.has(sp.Indexed)]
            closed = {one: form for one in numbers if (form := closed_form(one)) is not None}
            if isinstance(bound, kind) and total.limits[0][2] == letter:
                yield kind(total, bound.rhs.xreplace(closed), evaluate=False)


def _bounds_at(index: sp.Symbol, conditions: Sequence[Condition]) -> dict[sp.Indexed, sp.Expr]:
    """Upper bounds of entries at an index, by conditions for every index."""
    return {
        condition.lts.base[index]: condition.gts.subs(each, index)
        for condition, each in for_every(conditions)
        if isinstance(condition, sp.Le | sp.Ge)
        and isinstance(condition.lts, sp.Indexed)
        and condition.lts.indices == (each,)
    }


def powers_bounded(relation: Condition, letter: sp.Symbol) -> Iterator[Condition]:
    """Yield bounds by 1 of the powers with the letter in their exponents, where the base is at least or at most 1."""
    powers = sorted(relation.atoms(sp.Pow), key=sp.default_sort_key)
    fixed = dict.fromkeys(
        p.base
        for p in powers
        if letter in p.exp.free_symbols
        and p.exp.diff(letter).is_Integer
        and letter not in p.base.free_symbols
    )
    for base in fixed:
        if (base - 1).is_nonnegative:
            yield sp.Ge(base**letter, 1, evaluate=False)
        elif base.is_nonnegative and (1 - base).is_nonnegative:
            yield sp.Le(base**letter, 1, evaluate=False)


def _of_rounds(letter: sp.Symbol, conditions: Sequence[Condition]) -> Iterator[Condition]:
    """For r[t] <= r[t - 1] + f(t), r[n] <= r[0] + F(n) with the closed form F of the sum of f."""
    for bound, _ in telescoped(conditions, letter):
        forms = {total: closed_form(total) for total in sums_in([bound])}
        if forms and None not in forms.values():
            yield sp.Le(bound.lhs, bound.rhs.xreplace(forms), evaluate=False)


def with_limits(relation: Condition, conditions: Sequence[Condition]) -> Iterator[Condition]:
    """For r[t] <= q r[t - 1] + b with q > 1, r[T] + b/(q - 1) grows by the factor q at most."""
    for _, factor, rest in linear_recursions(conditions) if not isinstance(relation, sp.Eq | sp.Ne) else ():
        if (factor - 1).is_positive and rest != 0:
            yield sp.Le(relation.lts + rest / sp.factor(factor - 1), relation.gts, evaluate=False)


def largest_values(exponent: sp.Expr, conditions: Iterable[Condition]) -> Iterator[sp.Rational]:
    """Numbers that an exponent does not exceed at the upper ends that conditions set for symbols with which it increases."""
    values = [exponent]
    for condition in conditions:
        if isinstance(condition, sp.Ge | sp.Le | sp.Gt | sp.Lt):
            slack = sp.expand(condition.gts - condition.lts)
            for symbol in sorted(exponent.free_symbols & slack.free_symbols, key=str):
                slope = slack.diff(symbol)
                fixed = symbol not in slope.free_symbols and slope.is_negative
                if fixed and exponent.diff(symbol).is_nonnegative:
                    values.append(exponent.subs(symbol, symbol - slack / slope))
    for value in values:
        parts = sp.Add.make_args(sp.expand(sp.simplify(value)))
        if all(part.is_Rational or part.is_nonpositive for part in parts):
            yield sp.Add(*(part for part in parts if part.is_Rational))


def linear_recursions(conditions: Sequence[Condition]) -> Iterator[tuple[sp.IndexedBase, sp.Expr, sp.Expr]]:
    """Sequences with r[t] <= q r[t - 1] + b for fixed q and b, with q and b."""
    for entry, index, before, bound in bounded_entries(conditions):
        factor = sp.expand(bound).coeff(before)
        rest = sp.expand(bound - factor * before)
        if not any(index in part.free_symbols or part.has(sp.Indexed) for part in (factor, rest)):
            yield entry.base, factor, rest


def telescoped(conditions: Sequence[Condition], letter: sp.Symbol) -> Iterator[tuple[Condition, sp.Expr]]:
    """A[n] - A[0] <= f[1] + .. + f[n] for conditions A[t] - A[t - 1] <= f[t], or equations, with f.

    A is a function of one entry of a sequence, and f does not hold this sequence.
    """
    for condition, index in for_every(conditions):
        if not isinstance(condition, sp.Eq | sp.Le | sp.Ge) or domain_of(index) != "count":
            continue
        small, large = condition.args if isinstance(condition, sp.Eq) else (condition.lts, condition.gts)
        terms = sp.Add.make_args(sp.expand(small - large))
        for base in sorted({e.base for e in condition.atoms(sp.Indexed) if e.indices == (index,)}, key=str):
            now = sp.Add(*(term for term in terms if term.has(base[index])))
            before = now.xreplace({base[index]: base[index - 1]})
            f = sp.expand(now - before - small + large)
            if now.xreplace({base[index]: sp.S.Zero}) == 0 and f != 0 and base not in f.atoms(sp.IndexedBase):
                growth = now.xreplace({base[index]: base[letter]}) - now.xreplace({base[index]: base[0]})
                kind = sp.Eq if isinstance(condition, sp.Eq) else sp.Le
                yield kind(growth, added_up(f, index, letter), evaluate=False), f.subs(index, _ROUND)


def added_up(f: sp.Expr, index: sp.Symbol, letter: sp.Symbol) -> sp.Expr:
    """f[1] + .. + f[n], with a sum for each term."""
    found = []
    for term in sp.Add.make_args(f):
        factor, rest = term.as_independent(index, as_Add=False)
        found.append(
            factor * (letter if rest == 1 else sp.Sum(rest.subs(index, _ROUND), (_ROUND, 1, letter)))
        )
    return sp.Add(*found)


def with_entries(
    relation: Condition, letter: sp.Symbol, conditions: Sequence[Condition]
) -> Iterator[tuple[Condition, Condition]]:
    """Equations of sums and entries of sequences, and a relation in which entries replace the sum.

    With s[t] = s[t - 1] + g[t], the sum of g is s[n] - s[0].
    """
    for equation, f in telescoped(conditions, letter):
        for total in sums_in([relation]) if isinstance(equation, sp.Eq) else ():
            index, low, high = total.limits[0]
            if low.is_Integer and sp.expand(high - low + 1 - letter) == 0:
                share = sp.simplify(f / total.function.subs(index, _ROUND - 1 + low))
                if share.is_number:
                    value = sp.expand(equation.lhs / share)
                    yield sp.Eq(total, value, evaluate=False), relation.xreplace({total: value})


def with_quotients(relation: Condition) -> Condition:
    """A relation with one quotient in each exponential, logarithm and root, so that 1 + (s[T] - b)/b is s[T]/b."""

    def outside_of_sums(part: sp.Basic) -> sp.Basic:
        if isinstance(part, sp.Sum | sp.Product) or not part.args:
            return part
        inside = [outside_of_sums(one) for one in part.args]
        if isinstance(part, sp.exp | sp.log | sp.Pow):
            inside[0] = sp.cancel(inside[0])
        return part.func(*inside)

    return relation.func(*map(outside_of_sums, relation.args), evaluate=False)


def with_entries_for_bounds(
    relation: Condition, letter: sp.Symbol, conditions: Sequence[Condition]
) -> Iterator[tuple[Condition, Condition]]:
    """Bounds s[n] <= s[0] + b n, and relations in which s[n] replaces this bound on the larger side."""
    fewer = (
        with_fewer_sequences(relation.gts, tuple(conditions)) if isinstance(relation, sp.Le | sp.Ge) else ()
    )
    for sum_of_rounds, _ in telescoped(fewer, letter):
        if isinstance(sum_of_rounds, sp.Le) and not sum_of_rounds.has(sp.Sum):
            entries = [e for e in sum_of_rounds.lts.atoms(sp.Indexed) if e.indices == (letter,)]
            for entry in (e for e in entries if sum_of_rounds.lts.coeff(e) == 1):
                bound = sp.expand(sum_of_rounds.gts - sum_of_rounds.lts + entry)
                larger = relation.gts.xreplace({bound: entry})
                if larger != relation.gts:
                    known = sp.Le(entry, bound, evaluate=False)
                    yield known, sp.Le(relation.lts, larger, evaluate=False)


def with_new_functions(
    relation: Condition, letter: sp.Symbol, conditions: Sequence[Condition]
) -> Iterator[Condition]:
    """Yield claims that imply a relation and hold functions or sums that the relation does not hold, and invariants."""
    if not isinstance(relation, sp.Eq | sp.Ne):
        yield from _with_exponentials(relation, letter, conditions)
        yield from with_partial_sums(relation, letter)
        yield from with_exponential_tails(relation, letter)
        yield from _with_sums_of_conditions(relation, letter, conditions)
        yield from _with_sums_equal_to_one(relation, letter, conditions)
        yield from invariants(conditions, letter)


def _with_sums_of_conditions(
    relation: Condition, letter: sp.Symbol, conditions: Sequence[Condition]
) -> Iterator[Condition]:
    """For r[t] <= c + a (r[0] + .. + r[t - 1]), the claim with this bound in place of r[n]: sums grow by one entry."""
    for entry, index, _, bound in bounded_entries(conditions):
        now = entry.base[letter]
        if bound.has(sp.Sum) and now in relation.atoms(sp.Indexed):
            yield relation.xreplace({now: bound.subs(index, letter)})


def _with_sums_equal_to_one(
    relation: Condition, letter: sp.Symbol, conditions: Sequence[Condition]
) -> Iterator[Condition]:
    """Where weights add up to 1, the claim with a side times their sum, which can hold for all numbers of weights."""
    totals = [c.lhs for c in conditions if isinstance(c, sp.Eq) and isinstance(c.lhs, sp.Sum) and c.rhs == 1]
    for total in (total for total in totals if letter in total.limits[0][2].free_symbols):
        yield sp.Le(relation.lts, relation.gts * total, evaluate=False)
        yield sp.Le(relation.lts * total, relation.gts, evaluate=False)


def of_other_sequences(
    relation: Condition, letter: sp.Symbol, conditions: Sequence[Condition]
) -> list[Condition]:
    """Bounds d[n] <= q^n d[0] of sequences beside the one of which a relation speaks, where d[t] <= q d[t - 1]."""
    entries = relation.atoms(sp.Indexed)
    return [
        sp.Le(base[letter], factor**letter * base[0], evaluate=False)
        for base, factor, rest in linear_recursions(conditions)
        if rest == 0 and factor != 1 and base[letter] not in entries
    ]


def _with_exponentials(
    relation: Condition, letter: sp.Symbol, conditions: Sequence[Condition]
) -> Iterator[Condition]:
    """Yield P exp(g) <= B for bounds P <= B with exp, where P grows by the factor 1 + f(n) and g is guessed as n f(n).

    P is a product over an index, or an entry of a sequence with a recursion.
    """
    if not relation.gts.has(sp.exp) or letter in relation.gts.free_symbols:
        return
    growth = [
        (total, total.function.subs(total.limits[0][0], letter) - 1)
        for total in products_in([relation])
        if total.limits[0][2] == letter
    ]
    for entry, index, before, bound in bounded_entries(conditions):
        growth.append((entry.base[letter], (sp.expand(bound).coeff(before) - 1).subs(index, letter)))
    for grown, more in growth:
        if relation.lts == grown and letter in more.free_symbols and not more.has(sp.Indexed):
            for share in _SHARES:
                gap = sp.simplify(share * letter * more)
                if letter in gap.free_symbols:
                    yield sp.Le(grown * sp.exp(gap), relation.gts, evaluate=False)


def _of_two_rounds(
    relation: Condition, letter: sp.Symbol, conditions: Sequence[Condition]
) -> Iterator[Condition]:
    """For a recursion of r[t + 1] from r[t] and r[t - 1], the claim in two successive rounds, as one claim with a maximum."""
    lags = [_span(condition, index) for condition, index in for_every(conditions)]
    excess = relation.lts - relation.gts
    if any(lag > 1 for lag in lags) and letter in excess.free_symbols:
        for near in (-1, 1):
            both = sp.Max(excess, sp.expand(excess.subs(letter, letter + near)))
            yield sp.Le(both, 0, evaluate=False)


def _span(condition: Condition, index: sp.Symbol) -> int:
    """The distance of the first and the last entry of which a condition for every index speaks."""
    places = [sp.expand(entry.indices[0] - index) for entry in condition.atoms(sp.Indexed)]
    numbers = [int(place) for place in places if place.is_Integer]
    return max(numbers, default=0) - min(numbers, default=0)


def _of_products(relation: Condition, letter: sp.Symbol) -> Iterator[Condition]:
    """For a bound P <= B of a product with last factor 1 + f, P (1 + T f) <= B, where T f is guessed as the rest of the sum of f."""
    found = [p for p in products_in([relation]) if letter in p.limits[0][2].free_symbols]
    if len(found) != 1 or relation.lts != found[0]:
        return
    index, _, high = found[0].limits[0]
    last = sp.simplify(found[0].function.subs(index, high) - 1)
    for share in _SHARES:
        yield sp.Le(found[0] * sp.factor(1 + share * high * last), relation.gts, evaluate=False)


def bounded_entries(
    conditions: Sequence[Condition],
) -> Iterator[tuple[sp.Indexed, sp.Symbol, sp.Indexed, sp.Expr]]:
    """Entries r[t] that a condition for every index bounds from above: with the index, r[t - 1], and the bound."""
    for condition, index in for_every(conditions):
        if isinstance(condition, sp.Le | sp.Ge):
            entry, bound = condition.lts, condition.gts
            if isinstance(entry, sp.Indexed) and entry.indices == (index,):
                yield entry, index, entry.base[index - 1], bound


def _of_sums(relation: Condition, letter: sp.Symbol) -> Iterator[Condition]:
    """Yield claims that imply a bound of a sum, the most promising first.

    For a bound sum <= B with last term f, the gap B - sum is guessed as T f, T f/2, f and similar terms.
    """
    found = [total for total in sums_in([relation]) if letter in total.limits[0][2].free_symbols]
    if len(found) != 1:
        return
    (total,) = found
    index, _, high = total.limits[0]
    weight = weight_in(relation.gts - relation.lts, total)
    if weight is None:
        return
    last = sp.powsimp(sp.simplify(total.function.subs(index, high)))
    ratio = sp.powsimp(sp.simplify(total.function.subs(index, index + 1) / total.function))
    if index not in ratio.free_symbols:  # the sum of all further terms
        beyond = weight * last * ratio / sp.factor(1 - ratio)
        yield sp.Le(relation.lts + beyond, relation.gts, evaluate=False)
    further = list(tails(total))
    lengths = [share * length * last for length in (high, sp.S.One, high + 1) for share in _SHARES]
    for beyond in (*further, *lengths) if len(last.atoms(sp.Pow)) > 1 else (*lengths, *further):
        yield sp.Le(relation.lts + weight * beyond, relation.gts, evaluate=False)


def _of_losses(relation: Condition, letter: sp.Symbol) -> Iterator[Condition]:
    """For a bound of a sum of w[i] (d[i - 1] - d[i]), the sum plus w[n] d[n], which the next term adds or takes away."""
    for total in sums_in([relation]):
        index, _, high = total.limits[0]
        weight = weight_in(relation.gts - relation.lts, total)
        terms = sp.Add.make_args(sp.expand(total.function))
        several = {e.base for e in total.function.atoms(sp.Indexed)}
        lost = [term for term in terms if all(e.indices == (index,) for e in term.atoms(sp.Indexed))]
        lost = [-term for term in lost if term.could_extract_minus_sign() and term.has(sp.Indexed)]
        weights = sp.Add(*lost).xreplace(dict.fromkeys(total.function.atoms(sp.Indexed), sp.Dummy()))
        varies = len(several) > 1 or index in weights.free_symbols
        if weight is None or not lost or len(lost) == len(terms) or not varies or high != letter:
            continue
        rest = sp.Add(*lost).subs(index, high)
        sides = (relation.lts + weight * rest, relation.gts)
        if not relation.lts.has(total):
            sides = (relation.lts, relation.gts - weight * rest)
        yield sp.Le(*sides, evaluate=False)


def _of_neighbours(relation: Condition, letter: sp.Symbol) -> Iterator[Condition]:
    """Where terms of a sum hold neighbouring entries, a smaller bound, without half of its last term: the next term needs this half."""
    places = [{e.indices[0] for e in one.function.atoms(sp.Indexed)} for one in sums_in([relation.lts])]
    for total in sums_in([relation.gts]) if any(len(several) > 1 for several in places) else ():
        index, _, high = total.limits[0]
        weight = weight_in(relation.gts - relation.lts, total)
        if weight is not None and letter in high.free_symbols:
            half = weight * total.function.subs(index, high) / 2
            yield sp.Le(relation.lts, relation.gts - half, evaluate=False)


def _of_gains(relation: Condition, letter: sp.Symbol, conditions: Sequence[Condition]) -> Iterator[Condition]:
    """For a bound of a sum of w[i] (d[i] - d[i - 1]) with d[t] <= c, the sum plus w[n] (c - d[n]), which falls where w does."""
    for total in sums_in([relation]):
        index, _, high = total.limits[0]
        weight = weight_in(relation.gts - relation.lts, total)
        terms = sp.Add.make_args(sp.expand(total.function))
        lagged = total.function.has(*(e for e in total.function.atoms(sp.Indexed) if e.indices != (index,)))
        bounds = {d: c for d, c in _bounds_at(index, conditions).items() if not c.has(sp.Indexed)}
        gains = [term for term in terms if all(e.indices == (index,) for e in term.atoms(sp.Indexed))]
        rest = sp.Add(
            *(term.xreplace({d: c - d}) for term in gains for d, c in bounds.items() if term.has(d))
        )
        if weight is not None and lagged and high == letter and rest != 0:
            yield sp.Le(relation.lts + weight * rest.subs(index, high), relation.gts, evaluate=False)
