"""Sums and products with a symbolic end: their first value, their growth by one term, and their signs."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import sympy as sp

from verify.engine.certificates.definedness import domain_conditions
from verify.engine.certificates.formulas import Tree, tree
from verify.engine.certificates.recheck import replaced
from verify.engine.elementary.law import BEGINNING, FIRST_TERM, NEXT, NONNEGATIVE, PASCAL, Law
from verify.engine.elementary.rewriting import OPAQUE, is_numeral

LONG = 12
"""Largest number of terms that are written out."""
_INDEX = sp.Dummy("index")


def sums_in(formulas: Iterable[sp.Basic]) -> list[sp.Sum]:
    """Sums over one index."""
    found = {part for formula in formulas for part in formula.atoms(sp.Sum) if len(part.limits) == 1}
    return sorted(found, key=sp.default_sort_key)


def products_in(formulas: Iterable[sp.Basic]) -> list[sp.Product]:
    """Products over one index."""
    found = {part for formula in formulas for part in formula.atoms(sp.Product) if len(part.limits) == 1}
    return sorted(found, key=sp.default_sort_key)


@dataclass(frozen=True)
class Written:
    """Two ways to write a sum or product: by its name, as in arguments of functions, and by the one with fewer terms."""

    name: Tree
    terms: Tree


def later_sums(formulas: Iterable[sp.Basic], letter: sp.Symbol, least: sp.Expr) -> dict[str, Written]:
    """How to write sums and products up to n, n + 1 and the least n, by the text of their formulas of certificates.

    Certificates know a sum by its name and the value of n. Sums that differ only in their index have one name.
    """
    formulas = tuple(formulas)
    totals = [total for total in (*sums_in(formulas), *products_in(formulas)) if letter in total.free_symbols]
    totals.sort(key=lambda total: (total.count_ops(), sp.default_sort_key(total)))
    known, found = dict[sp.Basic, sp.Expr](), dict[str, Written]()
    for total in totals:
        here = known.setdefault(_without_index(total), total)
        if here != total:
            found[str(tree(total))] = Written(tree(here), tree(here))
    for total in totals:
        now = known.get(_without_index(total.subs(letter, letter - 1)))
        first = total.subs(letter, least)
        if now is not None:
            later = replaced(tree(now), letter.name, ["+", letter.name, "1"])
            found[str(tree(total))] = Written(later, _one_more(now, letter, least) or later)
        elif tree(first) != tree(total):
            found[str(tree(first))] = Written(replaced(tree(total), letter.name, tree(least)), tree(first))
    return found


def _one_more(total: sp.Sum | sp.Product, letter: sp.Symbol, least: sp.Expr) -> Tree | None:
    """A sum or product at n + 1: that at n with one more term; None if more changes, or it is not known to have terms."""
    index, low, high = total.limits[0]
    number = sp.expand(high.subs(letter, least) - low + 1)
    fixed = high.diff(letter) == 1 and letter not in total.function.free_symbols | low.free_symbols
    if not (fixed and number.is_Integer and number >= 0):
        return None
    last = total.function.subs(index, high + 1)
    return ["+" if isinstance(total, sp.Sum) else "*", tree(total), tree(last)]


def written(formula: Tree, ways: Mapping[str, Written], *, inside: bool = False) -> Tree:
    """A formula of certificates with its sums written in these ways; `inside` the argument of a function by their names."""
    if not isinstance(formula, list):
        return formula
    way = ways.get(str(formula))
    if way is not None and inside:
        return way.name
    if way is not None and way.terms != formula:
        return written(way.terms, ways)
    within = inside or formula[0] in OPAQUE or (formula[0] == "^" and not is_numeral(formula[2]))
    return [formula[0], *(written(part, ways, inside=within) for part in formula[1:])]


def _without_index(total: sp.Sum | sp.Product) -> sp.Basic:
    """A sum or product without the name of its index."""
    index, *ends = total.limits[0]
    return sp.Tuple(sp.Symbol(type(total).__name__), total.function.xreplace({index: _INDEX}), *ends)


def growing_product(total: sp.Product, letter: sp.Symbol, least: sp.Expr) -> Iterator[Law]:
    """Yield the value of a product at the least value of a symbol, and its factor from n to n + 1, as far as known.

    The symbol must occur only in the upper end of the product, with an integer factor.
    """
    index, low, high = total.limits[0]
    slope = sp.expand(high).diff(letter)
    first = sp.expand(high.subs(letter, least))
    number = sp.expand(first - low + 1)
    if letter in total.function.free_symbols | low.free_symbols or not (slope.is_Integer and slope > 0):
        return
    if not (number.is_Integer and 0 <= number <= LONG):
        return
    name = tree(total)
    start = [tree(total.function.subs(index, low + k)) for k in range(int(number))]
    yield Law(["=", replaced(name, letter.name, tree(least)), ["*", *start] if start else "1"], BEGINNING)
    come = [tree(total.function.subs(index, sp.expand(high + k + 1))) for k in range(int(slope))]
    after = replaced(name, letter.name, ["+", letter.name, "1"])
    yield Law(["=", after, ["*", name, *come]], NEXT, letter.name)


def growing(total: sp.Sum, letter: sp.Symbol, least: sp.Expr) -> Iterator[Law]:
    """Yield the value of a sum at the least value of a symbol, and its growth from n to n + 1, as far as known.

    Both ends must be linear in the symbol, which may occur in the terms only as a common factor.
    """
    index, low, high = total.limits[0]
    slopes = [sp.expand(end).diff(letter) for end in (low, high)]
    if (
        not all(slope.is_Integer and slope >= 0 for slope in slopes)
        or slopes[1] < slopes[0]
        or not any(slopes)
    ):
        return
    first = [sp.expand(end.subs(letter, least)) for end in (low, high)]
    number = sp.expand(first[1] - first[0] + 1)
    factor = _factor(total.function, letter)
    if not (number.is_Integer and 0 <= number <= LONG) or factor is None or factor.has(index):
        return
    start = [total.function.subs(letter, least).subs(index, first[0] + k) for k in range(int(number))]
    name = tree(total)
    yield Law(["=", replaced(name, letter.name, tree(least)), _added(start)], BEGINNING)
    later = total.function.subs(letter, letter + 1)
    come = [later.subs(index, sp.expand(high + k + 1)) for k in range(int(slopes[1]))]
    gone = [-later.subs(index, sp.expand(low + k)) for k in range(int(slopes[0]))]
    before: Tree = name if factor == 1 else ["*", tree(factor), name]
    after = replaced(name, letter.name, ["+", letter.name, "1"])
    yield Law(["=", after, ["+", before, *map(tree, (*come, *gone))]], NEXT, letter.name)


def growing_row(total: sp.Sum, letter: sp.Symbol, least: sp.Expr) -> Iterator[Law]:
    """Yield the value of a sum of C(n, i) w^i over a whole row at the least n, and its growth by the factor 1 + w.

    Pascal's rule C(n + 1, i) = C(n, i) + C(n, i - 1), times w^i, is added up over i.
    """
    index, low, high = total.limits[0]
    rest = total.function / sp.binomial(high, index)
    if low != 0 or high.diff(letter) != 1 or rest.has(sp.binomial) or letter in rest.free_symbols:
        return
    ratio = sp.simplify(rest.subs(index, index + 1) / rest)
    first = sp.expand(high.subs(letter, least))
    if index in ratio.free_symbols or not (first.is_Integer and 0 <= first < LONG):
        return
    name = tree(total)
    start = [rest.subs(index, k) * sp.binomial(first, k) for k in range(int(first) + 1)]
    yield Law(["=", replaced(name, letter.name, tree(least)), _added(start)], BEGINNING)
    after = replaced(name, letter.name, ["+", letter.name, "1"])
    yield Law(["=", after, ["*", tree(1 + ratio), name]], PASCAL, letter.name)


def exponent_growth(exponent: sp.Expr, letter: sp.Symbol, least: sp.Expr) -> tuple[sp.Expr, sp.Expr] | None:
    """An exponent at the least value of a symbol, and its growth from n to n + 1.

    The exponent is a polynomial in the symbol of at most the second degree plus multiples of sums up to the symbol; None for
    others, and for linear ones, whose exponentials are powers.
    """
    totals = {total: sp.Dummy(real=True) for total in sums_in([exponent]) if letter in total.free_symbols}
    rest = exponent.xreplace(totals)
    weights = {total: rest.diff(place) for total, place in totals.items()}
    if {letter, *totals.values()} & set().union(*(w.free_symbols for w in weights.values())):
        return None
    rest = sp.expand(rest.xreplace(dict.fromkeys(totals.values(), sp.S.Zero)))
    degree = max(sp.degree(rest, letter), 0) if rest.is_polynomial(letter) else sp.oo
    if not (0 if totals else 2) <= degree <= 2:
        return None
    first, growth = rest.subs(letter, least), sp.expand(rest.subs(letter, letter + 1) - rest)
    for total, weight in weights.items():
        index, low, high = total.limits[0]
        number = sp.expand(high.subs(letter, least) - low + 1)
        fixed = letter not in total.function.free_symbols | low.free_symbols
        if not (fixed and high.diff(letter) == 1 and number.is_Integer and 0 <= number <= LONG):
            return None
        first += weight * sp.Add(*(total.function.subs(index, low + k) for k in range(int(number))))
        growth += weight * total.function.subs(index, sp.expand(high + 1))
    return first, growth


def _factor(term: sp.Expr, letter: sp.Symbol) -> sp.Expr | None:
    """The factor of a term from n to n + 1; None if the factor is not the same for all indices."""
    if letter not in term.free_symbols:
        return sp.S.One
    ratio = sp.powsimp(sp.simplify(term.subs(letter, letter + 1) / term))
    return ratio


def _added(parts: list[sp.Expr]) -> Tree:
    return "0" if not parts else tree(parts[0]) if len(parts) == 1 else ["+", *map(tree, parts)]


def nonnegative(total: sp.Sum | sp.Product, letter: str = "") -> Iterator[Law]:
    """Yield the law that a sum or product is nonnegative or positive if all terms are, by the domains of symbols."""
    term = _any_term(total)
    _, low, high = total.limits[0]
    some = isinstance(total, sp.Product) or (high - low + 1).is_positive
    if term.is_positive and some:
        yield Law(["<", "0", tree(total)], NONNEGATIVE, letter)
    if term.is_nonnegative:
        yield Law(["<=", "0", tree(total)], NONNEGATIVE, letter)


def first_terms(formulas: Iterable[sp.Basic]) -> Iterator[Law]:
    """Yield that divisors in the first terms of sums and products are not 0, for formulas that have values.

    An instance counts only if the claim and its conditions have values; no other formulas may be given.
    """
    formulas = tuple(formulas)
    for total in (*sums_in(formulas), *products_in(formulas)):
        index, low, high = total.limits[0]
        if total.function.has(sp.Indexed) and (high - low).is_nonnegative:
            for sign, formula, zero in domain_conditions(tree(total.function.subs(index, low))):
                if sign == "!=":
                    inside = formula[2] if formula[0] == "root" else formula
                    yield Law([sign, inside, zero], FIRST_TERM)


def _any_term(total: sp.Sum | sp.Product) -> sp.Expr:
    """A term at an index of which only the lower end is known."""
    index, low, _ = total.limits[0]
    named = (
        sp.Dummy(integer=True, positive=True) if low.is_positive else sp.Dummy(integer=True, nonnegative=True)
    )
    term = total.function.subs(index, named if low.is_nonnegative else sp.Dummy(integer=True))
    entries = {entry: sp.Dummy(**domain_of_entry(entry)) for entry in term.atoms(sp.Indexed)}
    return term.xreplace(entries)


def domain_of_entry(entry: sp.Indexed) -> dict[str, bool]:
    """The domain of the entries of a sequence, as an assumption of SymPy."""
    label = entry.base.label
    return (
        {"positive": True}
        if label.is_positive
        else {"nonnegative": True}
        if label.is_nonnegative
        else {"real": True}
    )


def closed_form(total: sp.Sum | sp.Product) -> sp.Expr | None:
    """A guess of a closed form of a sum or product, by Gosper's algorithm and similar ones; used only after it is proved."""
    geometric = _geometric_form(total)
    if geometric is not None:
        return geometric
    try:
        found = total.doit()
        found = sp.gammasimp(found) if isinstance(total, sp.Product) else found
    except (ArithmeticError, AttributeError, NotImplementedError, RecursionError, TypeError, ValueError):
        return None
    if found.has(sp.Piecewise):
        found = sp.piecewise_fold(found)
    if isinstance(found, sp.Piecewise):
        found = found.args[-1].expr
    if found.has(sp.Sum, sp.Product, sp.Piecewise, sp.zoo, sp.nan) or found.atoms(sp.Function) - found.atoms(
        sp.exp, sp.log
    ):
        return None
    above, below = sp.fraction(sp.simplify(found))
    return sp.factor_terms(above / sp.factor(below))


def _geometric_form(total: sp.Sum | sp.Product) -> sp.Expr | None:
    """The closed form of a sum of p(k) g(k) with a polynomial p and g(k + 1) = q g(k), q != 1; None for other sums.

    With P(k) - P(k - 1)/q = p(k), whose coefficients solve linear equations, the sum is P(high) g(high) - P(low - 1) g(low - 1).
    """
    index, low, high = total.limits[0]
    factors = sp.Mul.make_args(total.function) if isinstance(total, sp.Sum) else ()
    p = sp.Mul(*(factor for factor in factors if factor.is_polynomial(index)))
    g = sp.Mul(*(factor for factor in factors if not factor.is_polynomial(index)))
    if index not in g.free_symbols or not p.is_polynomial(index):
        return None
    q = sp.powsimp(sp.simplify(g.subs(index, index + 1) / g))
    degree = sp.degree(p, index)
    if index in q.free_symbols or degree > LONG:
        return None
    unknown = sp.symbols(f"c:{degree + 1}", cls=sp.Dummy)
    whole = sum((c * index**k for k, c in enumerate(unknown)), sp.S.Zero)
    equations = sp.Poly(whole - whole.subs(index, index - 1) / q - p, index).all_coeffs()
    solution = next(iter(sp.linsolve(equations, *unknown)), None)
    if solution is None or set(unknown) & solution.free_symbols:
        return None
    found = sp.factor(whole.subs(dict(zip(unknown, solution, strict=True))))
    last, first = (found.subs(index, end) * g.subs(index, end) for end in (high, low - 1))
    return last - sp.factor(first)


def cauchy_schwarz(formulas: Iterable[sp.Basic]) -> Iterator[sp.Rel]:
    """(x_1 + .. + x_n)^2 <= n (x_1^2 + .. + x_n^2) for each sum beside the sum of its squares."""
    totals = sums_in(formulas)
    for total, squares in itertools.permutations(totals, 2):
        _, low, high = total.limits[0]
        if total.limits == squares.limits and sp.expand(total.function**2 - squares.function) == 0:
            yield sp.Le(total**2, (high - low + 1) * squares, evaluate=False)


def weight_in(slack: sp.Expr, total: sp.Sum) -> sp.Expr | None:
    """The absolute value of the factor of a sum in a slack; None if the slack is not linear in it or the sign is unknown."""
    place = sp.Dummy(real=True)
    weight = slack.xreplace({total: place}).diff(place)
    if place in weight.free_symbols or weight == 0:
        return None
    return weight if weight.is_nonnegative else -weight if weight.is_nonpositive else None
