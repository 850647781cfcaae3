"""Sums whose terms are sums, or speak of the end of the sum, as simpler sums: sum (n - i) as n^2 - n (n + 1)/2.

A sum is linear in its terms. Terms without the index are counted. A polynomial f telescopes: with a polynomial F such that
F(k) - F(k - 1) = f(k), which is checked, the sum of f from `low` to `high` is F(high) - F(low - 1). The sum of a geometric f with
f(k + 1) = q f(k) is (f(high + 1) - f(low))/(q - 1); certificates use this only where they know that q is not 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import sympy as sp

from verify.engine.certificates.formulas import tree
from verify.engine.elementary.law import LINEAR
from verify.engine.elementary.products import Split

Sign = Callable[[sp.Expr], bool]
_PLACE = sp.Dummy("index")
DEGREE = 5
"""Largest degree of a polynomial in the index that telescopes."""


def split_sums(formulas: Iterable[sp.Basic], nonnegative: Sign) -> list[Split]:
    """Equations that write nested sums, sums whose terms speak of their end, and sums that differ in their index, by simpler sums."""
    totals = {part for formula in formulas for part in _outermost(formula)}
    known: dict[sp.Basic, sp.Sum] = {}
    found = []
    for total in sorted(totals, key=lambda total: (_is_nested(total), sp.default_sort_key(total))):
        simple = _simpler(total, nonnegative, {}) if _is_nested(total) else total
        simple = simple.xreplace({one: known.setdefault(_nameless(one), one) for one in _outermost(simple)})
        if simple != total:
            found.append(Split(total, tree(simple), LINEAR, tuple(simple.atoms(sp.Sum))))
    return found


def _nameless(total: sp.Sum) -> sp.Basic:
    """A sum without the name of its index."""
    index, *ends = total.limits[0]
    return sp.Tuple(total.function.xreplace({index: _PLACE}), *ends, *total.limits[1:])


def _outermost(formula: sp.Basic) -> list[sp.Sum]:
    """Sums that are not inside other sums."""
    if isinstance(formula, sp.Sum):
        return [formula]
    return [total for part in formula.args for total in _outermost(part)]


def _is_nested(total: sp.Sum) -> bool:
    """Whether terms of a sum are sums, speak of the ends of the sum, or multiply entries with other symbols in a power of a sum."""
    ends = {s for _, low, high in total.limits for s in low.free_symbols | high.free_symbols}
    own = total.function.free_symbols - {index for index, *_ in total.limits}
    powers = [p for p in total.function.atoms(sp.Pow) if p.base.is_Add and p.has(sp.Indexed)]
    mixed = {s for p in powers for s in p.free_symbols if isinstance(s, sp.Symbol)}
    labels = {base.label for base in total.function.atoms(sp.IndexedBase)}
    return len(total.limits) > 1 or total.function.has(sp.Sum) or bool(own & (ends | mixed) - labels)


def _simpler(total: sp.Sum, nonnegative: Sign, outer: Mapping[sp.Symbol, sp.Expr]) -> sp.Expr:
    """An equal formula; `outer` maps indices of surrounding sums to their lower ends."""
    lows = {**outer, **{index: low for index, low, _ in total.limits}}
    inner = {one: _simpler(one, nonnegative, lows) for one in _outermost(total.function)}
    found = total.function.xreplace(inner)
    for k, (index, low, high) in enumerate(total.limits):
        number = high - low + 1
        around = [*((j, least) for j, least, _ in total.limits[k + 1 :]), *reversed([*outer.items()])]
        for j, least in around:
            number = number.subs(j, least + sp.Dummy(integer=True, nonnegative=True))
        counted = nonnegative(sp.expand(number))
        terms = sp.Add.make_args(sp.expand_mul(sp.expand_multinomial(found)))
        found = sp.Add(
            *(_term(term, (index, low, high), counted=counted, inner=bool(around)) for term in terms)
        )
    return found


def _term(term: sp.Expr, limit: tuple[sp.Symbol, sp.Expr, sp.Expr], *, counted: bool, inner: bool) -> sp.Expr:
    """The sum of a product over an index: factors without the index in front of the sum of the rest.

    Geometric sums inside other sums are added up, because the other sums are then sums of terms.
    """
    index, low, high = limit
    factor, rest = term.as_independent(index, as_Add=False)
    if counted and rest == 1:
        return factor * (high - low + 1)
    if counted and rest.is_polynomial(index) and sp.degree(rest, index) <= DEGREE:
        whole = _antidifference(rest, index)
        if whole is not None:
            return factor * sp.factor(whole.subs(index, high) - whole.subs(index, low - 1))
    ratio = sp.powsimp(sp.simplify(rest.subs(index, index + 1) / rest))
    if counted and inner and index not in ratio.free_symbols and ratio != 1:
        beyond, first = (rest.subs(index, end) for end in (high + 1, low))
        return factor * sp.factor(sp.powsimp(sp.simplify((beyond - first) / (ratio - 1))))
    return factor * sp.Sum(rest, limit)


def _antidifference(f: sp.Expr, index: sp.Symbol) -> sp.Expr | None:
    """A polynomial F with F(k) - F(k - 1) = f(k), which is checked."""
    end = sp.Dummy(integer=True, positive=True)
    whole = sp.expand(sp.summation(f, (index, 1, end))).subs(end, index)
    return whole if sp.expand(whole - whole.subs(index, index - 1) - f) == 0 else None
