"""Sums whose terms are sums, or speak of the end of the sum, as simpler sums: sum (n - i) as n^2 - n (n + 1)/2.

A sum is linear in its terms. Terms without the index are counted. A polynomial f telescopes: with a polynomial F such that
F(k) - F(k - 1) = f(k), which is checked, the sum of f from `low` to `high` is F(high) - F(low - 1). The sum of a geometric f with
f(k + 1) = q f(k) is (f(high + 1) - f(low))/(q - 1); certificates use this only where they know that q is not 1. Terms f(n - k)
are added up in the reverse order. Sums of sums over triangles are exchanged, and sums over rows of binomials follow from the
binomial theorem.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import sympy as sp

from verify.engine.certificates.formulas import tree
from verify.engine.elementary.law import BINOMIAL_THEOREM, LINEAR, VANDERMONDE
from verify.engine.elementary.products import Split
from verify.engine.model.scene import Condition

Sign = Callable[[sp.Expr], bool]
Limit = tuple[sp.Symbol, sp.Expr, sp.Expr]
_PLACE = sp.Dummy("index")
DEGREE = 5
"""Largest degree of a polynomial in the index that telescopes."""
LEFT_OUT = 3
"""Largest number of first terms that may be left out of a row of binomials."""


def split_sums(formulas: Iterable[sp.Basic], nonnegative: Sign, *, every: bool = False) -> list[Split]:
    """Equations that write nested sums, sums whose terms speak of their end, and sums that differ in their index, by simpler sums.

    With `every`, all sums are written by the sums of their terms, and geometric ones are added up.
    """
    totals = {part for formula in formulas for part in outermost(formula)}
    known: dict[sp.Basic, sp.Sum] = {}
    found = []
    for total in sorted(totals, key=lambda total: (_is_nested(total), sp.default_sort_key(total))):
        simple = _simpler(total, nonnegative, {}, inner=every) if every or _is_nested(total) else total
        simple = simple.xreplace({one: known.setdefault(_nameless(one), one) for one in outermost(simple)})
        if simple != total:
            found.append(Split(total, tree(simple), _law(total), tuple(simple.atoms(sp.Sum))))
    return found


def _law(total: sp.Sum) -> str:
    """The name of the law by which a sum is written by simpler ones."""
    if not total.has(sp.binomial):
        return LINEAR
    return BINOMIAL_THEOREM if _convolution(total.function, total.limits[0]) is None else VANDERMONDE


def simplified(formula: sp.Expr, nonnegative: Sign, known: Iterable[sp.Sum]) -> sp.Expr:
    """A formula with its sums written by simpler ones; those that differ from known ones only in their index are these."""
    names = {_nameless(one): one for one in known}
    found = formula.xreplace({one: _simpler(one, nonnegative, {}, inner=True) for one in outermost(formula)})
    return found.xreplace({one: names.get(_nameless(one), one) for one in outermost(found)})


def with_simpler_sums(relation: Condition) -> Condition:
    """A relation with nested sums, and sums whose terms speak of their end, written by simpler sums."""
    totals = {total for total in outermost(relation) if _is_nested(total)}
    simple = {total: _simpler(total, lambda n: bool(n.is_nonnegative), {}) for total in totals}
    return relation.func(*(side.xreplace(simple) for side in relation.args), evaluate=False)


def _nameless(total: sp.Sum) -> sp.Basic:
    """A sum without the name of its index."""
    index, *ends = total.limits[0]
    return sp.Tuple(total.function.xreplace({index: _PLACE}), *ends, *total.limits[1:])


def outermost(formula: sp.Basic) -> list[sp.Sum]:
    """Sums that are not inside other sums."""
    if isinstance(formula, sp.Sum):
        return [formula]
    return [total for part in formula.args for total in outermost(part)]


def without_sums(formula: sp.Basic) -> sp.Basic:
    """A formula with a letter for each sum and product over an index, so that it speaks of no index."""
    return formula.replace(
        lambda part: isinstance(part, sp.Sum | sp.Product), lambda _: sp.Dummy("sum", real=True)
    )


def _is_nested(total: sp.Sum) -> bool:
    """Whether terms of a sum are sums, speak of the ends of the sum, or multiply entries with other symbols in a power of a sum."""
    ends = {s for _, low, high in total.limits for s in low.free_symbols | high.free_symbols}
    own = total.function.free_symbols - {index for index, *_ in total.limits}
    powers = [p for p in total.function.atoms(sp.Pow) if p.base.is_Add and p.has(sp.Indexed)]
    mixed = {s for p in powers for s in p.free_symbols if isinstance(s, sp.Symbol)}
    labels = {base.label for base in total.function.atoms(sp.IndexedBase)}
    return len(total.limits) > 1 or total.function.has(sp.Sum) or bool(own & (ends | mixed) - labels)


def _simpler(
    total: sp.Sum, nonnegative: Sign, outer: Mapping[sp.Symbol, sp.Expr], *, inner: bool = False
) -> sp.Expr:
    """An equal formula; `outer` maps indices of surrounding sums to their lower ends, `inner` as for `_term`."""
    lows = {**outer, **{index: low for index, low, _ in total.limits}}
    within = {one: _simpler(one, nonnegative, lows) for one in outermost(total.function)}
    found = total.function.xreplace(within)
    for k, limit in enumerate(total.limits):
        around = [*((j, least) for j, least, _ in total.limits[k + 1 :]), *reversed([*outer.items()])]

        def counts(number: sp.Expr, around: Sequence[tuple[sp.Symbol, sp.Expr]] = around) -> bool:
            for j, least in around:
                number = number.subs(j, least + sp.Dummy(integer=True, nonnegative=True))
            return nonnegative(sp.expand(number))

        found = _added_up(found, limit, counts, inner=inner or bool(around))
    return found


def _added_up(formula: sp.Expr, limit: Limit, counts: Sign, *, inner: bool) -> sp.Expr:
    """The sum of a formula over an index, term by term; `counts` tells whether a number of terms is known not to be negative."""
    index, low, high = limit
    counted = counts(high - low + 1)
    found = []
    for part in sp.Add.make_args(_partial_fractions(formula, limit)):
        factor, rest = part.as_independent(index, as_Add=False)
        backwards = _backwards(rest, limit)
        if backwards is not None:
            found.append(factor * _added_up(*backwards, counts, inner=inner))
            continue
        for term in sp.Add.make_args(sp.expand_mul(sp.expand_multinomial(part))):
            factor, rest = term.as_independent(index, as_Add=False)
            exchanged = _exchanged(rest, limit, counts, inner=inner) if counted else None
            found.append(
                _term(term, limit, counted=counted, inner=inner) if exchanged is None else factor * exchanged
            )
    return sp.Add(*found)


def _exchanged(rest: sp.Expr, limit: Limit, counts: Sign, *, inner: bool) -> sp.Expr | None:
    """A sum over i of a sum over j, as a sum over j of sums over i, where j ends or begins at i + c.

    None unless the sums over i have closed forms. Each has a term, because j passes over no value that some i does not reach.
    """
    sums = rest.atoms(sp.Sum)
    if len(sums) != 1:
        return None
    (one,) = sums
    exchanged = _triangle(limit, one.limits[0]) if len(one.limits) == 1 else None
    if exchanged is None or (rest / one).has(sp.Sum):
        return None
    over_i, over_j = exchanged
    if not counts(over_j[2] - over_j[1] + 1):
        return None
    each = _added_up(rest / one * one.function, over_i, lambda _: True, inner=True)
    return None if each.has(sp.Sum) else _added_up(each, over_j, counts, inner=inner)


def _triangle(outer: Limit, inner: Limit) -> tuple[Limit, Limit] | None:
    """Ranges of i for each j, and of j, for lo <= i <= hi and a <= j <= i + c or i + c <= j <= b; None for other ranges.

    At the end where there are fewest j, there must be one of them or none.
    """
    (i, low, high), (j, first, last) = outer, inner
    if i not in first.free_symbols:
        shift = sp.expand(last - i)
        fits = i not in shift.free_symbols and sp.expand(first - shift - low) in (0, 1)
        return ((i, j - shift, high), (j, first, high + shift)) if fits else None
    shift = sp.expand(first - i)
    fits = i not in shift.free_symbols | last.free_symbols and sp.expand(high + shift - last) in (0, 1)
    return ((i, low, j - shift), (j, low + shift, last)) if fits else None


def _term(term: sp.Expr, limit: Limit, *, counted: bool, inner: bool) -> sp.Expr:
    """The sum of a product over an index: factors without the index in front of the sum of the rest.

    Geometric sums inside other sums (`inner`) are added up, because the other sums are then sums of terms.
    """
    index, low, high = limit
    factor, rest = term.as_independent(index, as_Add=False)
    if counted and rest == 1:
        return factor * (high - low + 1)
    convolution = _convolution(rest, limit) if rest.has(sp.binomial) else None
    if convolution is not None:
        return factor * convolution
    row = _row(term, index, high) if low in range(LEFT_OUT + 1) and term.has(sp.binomial) else None
    if row is not None and (counted or low == 0):
        return row - sp.Add(*(term.subs(index, k) for k in range(int(low))))
    if counted and rest.is_polynomial(index) and sp.degree(rest, index) <= DEGREE:
        whole = _antidifference(rest, index)
        if whole is not None:
            return factor * sp.factor(whole.subs(index, high) - whole.subs(index, low - 1))
    ratio = sp.powsimp(sp.simplify(rest.subs(index, index + 1) / rest))
    if counted and inner and index not in ratio.free_symbols and ratio != 1:
        first = sp.powsimp(rest.subs(index, low))
        beyond = sp.powsimp(first * ratio ** sp.expand(high - low + 1))
        return factor * (beyond - first) / sp.factor(ratio - 1)
    return factor * sp.Sum(rest, limit)


def _backwards(rest: sp.Expr, limit: Limit) -> tuple[sp.Expr, Limit] | None:
    """Terms f(high - k) in the reverse order, with their range; None if they, or their entries, would still speak of the ends.

    The index begins where the entries of a sequence have it as their place.
    """
    index, low, high = limit
    ends = low.free_symbols | high.free_symbols
    terms = rest.xreplace({index: low + high - index})
    before, after = (one.atoms(sp.Indexed) or {one} for one in (rest, terms))
    speaks, still = (any(ends & one.free_symbols for one in several) for several in (before, after))
    if not speaks or still:
        return None
    shifts = {sp.expand(entry.indices[0] - index) for entry in terms.atoms(sp.Indexed)}
    shift = shifts.pop() if len(shifts) == 1 else sp.S.Zero
    shift = sp.S.Zero if index in shift.free_symbols else shift
    return terms.xreplace({index: index - shift}), (index, low + shift, high + shift)


def _partial_fractions(formula: sp.Expr, limit: Limit) -> sp.Expr:
    """A rational function of the index whose denominator speaks of the ends of the sum, as a sum of simpler fractions."""
    index, low, high = limit
    ends = low.free_symbols | high.free_symbols
    if not ends & formula.free_symbols or not formula.is_rational_function(index):
        return formula
    several = [f for f in sp.Mul.make_args(sp.fraction(sp.together(formula))[1]) if index in f.free_symbols]
    if len(several) < 2 or not any(ends & f.free_symbols for f in several):
        return formula
    return sp.apart(formula, index)


def _row(term: sp.Expr, index: sp.Symbol, n: sp.Expr) -> sp.Expr | None:
    """The sum over i from 0 to n >= 0 of C(n, i) p(i) c x^i y^(n - i) with a polynomial p; None for other terms.

    With p as a sum of c_j i (i - 1) .. (i - j + 1), it is the sum of c c_j n (n - 1) .. (n - j + 1) x^j (x + y)^(n - j),
    because i (i - 1) .. (i - j + 1) C(n, i) = n (n - 1) .. (n - j + 1) C(n - j, i - j). For p = 1/(i + 1) it follows from the row of
    n + 1, because (n + 1) C(n, i) = (i + 1) C(n + 1, i + 1).
    """
    parts = sp.Mul.make_args(term)
    next_row = 1 / (index + 1) in parts
    rest = [part for part in parts if part not in (sp.binomial(n, index), 1 / (index + 1))]
    # SymPy answers None for entries and most functions
    p, g = (sp.Mul(*(f for f in rest if bool(f.is_polynomial(index)) is way)) for way in (True, False))
    ratio = sp.powsimp(sp.simplify(g.subs(index, index + 1) / g))
    known = len(rest) == len(parts) - 1 - next_row and n.is_integer and n.is_nonnegative
    if not known or g.has(sp.binomial) or index in ratio.free_symbols:
        return None
    start = sp.Mul.make_args(g.subs(index, 0))
    y = sp.Mul(*(part.base for part in start if isinstance(part, sp.Pow) and part.exp == n))
    c = sp.Mul(*(part for part in start if not (isinstance(part, sp.Pow) and part.exp == n)))
    x = sp.simplify(y * ratio)
    if next_row:
        row = (sp.expand(x + y) ** (n + 1) - y ** (n + 1)) / ((n + 1) * x)
        return c * p * row if index not in p.free_symbols and x.is_positive else None
    left, falling, found = sp.Poly(p, index), sp.S.One, sp.S.Zero
    for j in range(left.degree() + 1):
        found += left.eval(j) * falling * x**j * sp.expand(x + y) ** (n - j)
        left, falling = (left - left.eval(j)).quo(sp.Poly(index - j, index)), falling * (n - j)
    return c * found


def _convolution(term: sp.Expr, limit: Limit) -> sp.Expr | None:
    """The sum of C(r, i) C(s, m - i) over i from 0 to m or to r, which is C(r + s, m), also with C(s, s - m + i); else None."""
    index, low, high = limit
    pairs = [pair for part in sp.Mul.make_args(term) for pair in [part.as_base_exp()]]
    factors = [base for base, number in pairs for _ in range(int(number) if number in (1, 2) else 3)]
    if low != 0 or len(factors) != 2 or not all(isinstance(one, sp.binomial) for one in factors):
        return None
    for one, other in (factors, factors[::-1]):
        (r, i), (s, k) = one.args, other.args
        rising = sp.expand(k - index)
        m = sp.expand(s - rising) if index not in rising.free_symbols else sp.expand(k + index)
        fixed = i == index and index not in r.free_symbols | s.free_symbols | m.free_symbols
        whole = all(part.is_integer and part.is_nonnegative for part in (r, s, m))
        if fixed and whole and high in (m, r):
            return sp.binomial(r + s, m)
    return None


def _antidifference(f: sp.Expr, index: sp.Symbol) -> sp.Expr | None:
    """A polynomial F with F(k) - F(k - 1) = f(k), which is checked."""
    end = sp.Dummy(integer=True, positive=True)
    whole = sp.expand(sp.summation(f, (index, 1, end))).subs(end, index)
    return whole if sp.expand(whole - whole.subs(index, index - 1) - f) == 0 else None
