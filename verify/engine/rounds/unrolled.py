"""Linear recursions unrolled: bounds of entries by closed forms, and what they say of sums and of later entries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import sympy as sp

from verify.engine.model.scene import Condition
from verify.engine.model.sequences import for_every
from verify.engine.summation.sums import closed_form, sums_in

_ROUND = sp.Symbol("round", integer=True, positive=True)


def unrolled(conditions: Sequence[Condition], letter: sp.Symbol) -> Iterator[Condition]:
    """For r[t] <= q r[t - 1] + f(t), r[n] <= q^n r[0] + F(n), where f is a sum of powers, or q = 1 and f has a closed form.

    Each power c p^t adds c p (q^n - p^n)/(q - p), or c n q^n if p = q. An equation for r[0] is put in. An equation for r[t]
    gives one for r[n].
    """
    starts = {c.lhs: c.rhs for c in conditions if isinstance(c, sp.Eq) and isinstance(c.lhs, sp.Indexed)}
    for condition, index in for_every(conditions):
        sides = condition.args if isinstance(condition, sp.Eq) else ()
        small, large = sides or (getattr(condition, "lts", sp.S.Zero), getattr(condition, "gts", sp.S.Zero))
        if not isinstance(small, sp.Indexed) or small.indices != (index,):
            continue
        before = small.base[index - 1]
        large = sp.expand_mul(large)
        factor = large.coeff(before)
        rest = sp.expand(large - factor * before)
        if factor == 0 or index in factor.free_symbols or rest.has(sp.Indexed) or factor.has(sp.Indexed):
            continue
        added = _added(rest, factor, index, letter)
        if added is not None:
            first = small.base[0]
            value = factor**letter * starts.get(first, first) + added
            kind = sp.Eq if sides else sp.Le
            yield kind(small.base[letter], value, evaluate=False)


def _added(rest: sp.Expr, factor: sp.Expr, index: sp.Symbol, letter: sp.Symbol) -> sp.Expr | None:
    """What terms of a recursion with a factor add up to; None if there is no closed form."""
    found = []
    for term in sp.Add.make_args(rest) if rest != 0 else ():
        number, power = term.as_independent(index, as_Add=False)
        base = sp.simplify(power.subs(index, index + 1) / power)
        if index not in base.free_symbols:  # number * power is c base^t
            c = number * power.subs(index, 0)
            more = letter * factor**letter
            if sp.expand(base - factor) != 0:
                more = base * (factor**letter - base**letter) / sp.factor(factor - base)
            found.append(c * more)
            continue
        form = closed_form(sp.Sum(power.subs(index, _ROUND), (_ROUND, 1, letter))) if factor == 1 else None
        if form is None:
            return None
        found.append(number * form)
    return sp.Add(*found)


def sums_of_unrolled(
    relation: Condition, letter: sp.Symbol, conditions: Sequence[Condition]
) -> Iterator[tuple[Condition, ...]]:
    """For a sum of f(d[i]), where d is unrolled, the bound of d[n] and the closed form of the sum of f at these bounds.

    Without a closed form, the relation with the sum of f at these bounds. Where d is only bounded, f must grow with d.
    """
    for bound in unrolled(conditions, letter):
        base = bound.lhs.base
        for total in sums_in([relation]):
            index, _, high = total.limits[0]
            most = total.function.xreplace({base[index]: bound.rhs.subs(letter, index)})
            speaks = any(index in e.free_symbols for e in most.atoms(sp.Indexed))
            if most == total.function or speaks or not sp.expand(high - letter).is_Integer:
                continue
            if not (isinstance(bound, sp.Eq) or _grows_with(total.function, base[index])):
                continue
            other = sp.Sum(sp.expand(most), *total.limits)
            closed = closed_form(other)
            if closed is not None:
                yield bound, bound.func(total, closed, evaluate=False)
            else:
                yield bound, bound.func(total, other, evaluate=False), relation.xreplace({total: other})


def _grows_with(formula: sp.Expr, entry: sp.Indexed) -> bool:
    number = sp.Dummy(nonnegative=entry.base.label.is_nonnegative, real=True)
    return bool(formula.xreplace({entry: number}).diff(number).is_nonnegative)


def invariants(conditions: Sequence[Condition], letter: sp.Symbol) -> list[Condition]:
    """Bounds of the first entry of a sequence with a recursion, claimed of every entry; and that none exceeds the first if all fall."""
    grown = {
        e.base for c, index in for_every(conditions) for e in c.atoms(sp.Indexed) if e.indices == (index,)
    }
    found = []
    for condition in conditions:
        if isinstance(condition, sp.Le | sp.Ge):
            for entry, other in ((condition.lts, condition.gts), (condition.gts, condition.lts)):
                begins = isinstance(entry, sp.Indexed) and entry.indices[0] == 0 and entry.base in grown
                if begins and other != 0 and not other.has(sp.Indexed):
                    found.append(condition.xreplace({entry: entry.base[letter]}))
            entry = condition.lts
            if isinstance(entry, sp.Indexed) and condition.gts == entry.base[entry.indices[0] - 1]:
                found.append(sp.Le(entry.base[letter], entry.base[0], evaluate=False))
    return found
