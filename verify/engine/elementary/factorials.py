"""Laws of factorials and binomials: their first values, and the factors by which two of them differ."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import sympy as sp

from verify.engine.certificates.formulas import Tree, tree
from verify.engine.certificates.recheck import replaced
from verify.engine.elementary.law import BINOMIAL, BINOMIAL_ROW, FACTORIAL, Law

MOST = 12
"""Largest number of factors by which two of them may differ, and largest lower number of an expanded binomial."""

Positive = Callable[[sp.Expr], bool]


def factorials(formulas: Iterable[sp.Basic]) -> list[sp.Expr]:
    """Factorials in formulas."""
    return _sorted(part for formula in formulas for part in formula.atoms(sp.factorial))


def binomials(formulas: Iterable[sp.Basic]) -> list[sp.Expr]:
    """Binomials in formulas."""
    return _sorted(part for formula in formulas for part in formula.atoms(sp.binomial))


def _sorted(found: Iterable[sp.Expr]) -> list[sp.Expr]:
    return sorted(set(found), key=sp.default_sort_key)


def of_factorials(formulas: Sequence[sp.Basic], nonnegative: Positive, every: str = "") -> Iterator[Law]:
    """Yield laws of factorials: they are at least 1 and at least their argument, and each is a multiple of the smallest one.

    Parameters
    ----------
    nonnegative : callable
        Whether a formula is known to be nonnegative; if `every` is given, for every value of this symbol.
    """
    found = [f for f in factorials(formulas) if f.args[0].is_integer and nonnegative(f.args[0])]
    for f in found:
        speaks = every if every in _names(f) else ""
        yield Law(["<", "0", tree(f)], FACTORIAL, speaks)
        yield Law(["<=", "1", tree(f)], FACTORIAL, speaks)
        yield Law(["<=", tree(f.args[0]), tree(f)], FACTORIAL, speaks)
        least = min(found, key=lambda other: _apart(other.args[0], f.args[0]))
        if (apart := -_apart(least.args[0], f.args[0])) > 0:
            by = [tree(least.args[0] + k) for k in range(1, apart + 1)]
            yield Law(["=", tree(f), ["*", *by, tree(least)]], FACTORIAL, speaks)


def _names(formula: sp.Expr) -> set[str]:
    return {s.name for s in formula.free_symbols}


def _apart(one: sp.Expr, other: sp.Expr) -> int:
    """The difference of two formulas if it is a whole number of at most `MOST`; else 0."""
    found = sp.expand(one - other)
    return int(found) if found.is_Integer and abs(found) <= MOST else 0


def of_binomials(formulas: Sequence[sp.Basic], nonnegative: Positive, every: str = "") -> Iterator[Law]:
    """Yield laws of binomials: expanded, as quotients of factorials, or as multiples of other binomials."""
    found = binomials(formulas)
    for one in found:
        speaks = every if every in _names(one) else ""
        if (out := multiplied_out(one)) is not None:
            yield Law(["=", tree(one), out], BINOMIAL, speaks)
    large = [
        one
        for one in found
        if multiplied_out(one) is None and all(part.is_integer and nonnegative(part) for part in one.args)
    ]
    for one in large:
        above, below = one.args
        speaks = every if every in _names(one) else ""
        inside = nonnegative(above - below)
        yield Law(["<=", "0", tree(one)], BINOMIAL, speaks)
        if inside:
            yield Law(["<", "0", tree(one)], BINOMIAL, speaks)
            yield Law(["<=", "1", tree(one)], BINOMIAL, speaks)
        yield Law(["<=", tree(one), ["^", "2", tree(above)]], BINOMIAL_ROW, speaks)
        near = [o for o in large if all(_near(a, b) for a, b in zip(o.args, one.args, strict=True))]
        least = [min((o.args[k] for o in near), key=lambda part: _apart(part, one.args[k])) for k in (0, 1)]
        base = sp.binomial(*least, evaluate=False)
        if base != one and all(map(nonnegative, least)):
            yield Law(["<=", "0", tree(base)], BINOMIAL, speaks)
            more = (_apart(above, least[0]), _apart(below, least[1]))
            yield _ratio(base, more, nonnegative, speaks)
        mirrored = next((o for o in large if o.args == (above, sp.expand(above - below))), one)
        if base == one and mirrored != one and str(mirrored) < str(one):
            yield Law(["=", tree(one), tree(mirrored)], BINOMIAL, speaks)
        elif base == one and inside and factorials(formulas):
            by = ["*", *(tree(sp.factorial(part)) for part in (below, above - below))]
            yield Law(["=", tree(one), ["/", tree(sp.factorial(above)), by]], BINOMIAL, speaks)


def _near(one: sp.Expr, other: sp.Expr) -> bool:
    return one == other or _apart(one, other) != 0


def multiplied_out(one: sp.Expr) -> Tree | None:
    """A binomial (n, k) with small k or n - k as a product; None for any other binomial."""
    above, below = one.args
    rest = sp.expand(above - below)
    if not below.is_Integer and rest.is_Integer and above.is_integer and above.is_nonnegative:
        below = rest
    if not (below.is_Integer and 0 <= below <= MOST):
        return None
    factors = [tree(above - k) for k in range(int(below))]
    return ["/", ["*", *factors], str(sp.factorial(below))] if factors else "1"


def _ratio(base: sp.Expr, more: tuple[int, int], nonnegative: Positive, every: str) -> Law:
    """The law that relates binomial(n + d, k + e) to binomial(n, k), with each side multiplied by the missing factors.

    It holds for all whole numbers n, k >= 0: if a binomial on one side is 0, a factor on the other side is 0.
    """
    (above, below), (more_above, more_below) = base.args, more
    rest = above - below
    other = sp.binomial(above + more_above, below + more_below, evaluate=False)
    top = [above + i for i in range(1, more_above + 1)]
    bottom = [below + i for i in range(1, more_below + 1)]
    top += [rest - i for i in range(more_below - more_above)]
    free = [rest + i for i in range(1, more_above - more_below + 1)]
    large = ["*", *map(tree, top), tree(base)]
    if not free or nonnegative(rest):
        return Law(["=", tree(other), ["/", large, _product([*bottom, *free])]], BINOMIAL, every)
    return Law(["=", ["*", tree(other), *map(tree, [*bottom, *free])], large], BINOMIAL, every)


def _product(factors: Sequence[sp.Expr]) -> Tree:
    return ["*", *map(tree, factors)] if factors else "1"


def growing_with(
    formulas: Sequence[sp.Basic], letter: sp.Symbol, least: sp.Expr, nonnegative: Positive
) -> Iterator[Law]:
    """Yield the values of factorials and binomials at the least value of a symbol, and their factors from n to n + 1.

    `nonnegative` tells whether a formula is nonnegative for every value of the symbol from the least on.
    """
    for f in factorials(formulas):
        (number,) = f.args
        slope = sp.expand(number).diff(letter)
        if not (slope.is_Integer and 0 < slope <= MOST and number.is_integer and nonnegative(number)):
            continue
        first = sp.expand(number.subs(letter, least))
        if first.is_Integer and first <= MOST:
            yield Law(["=", _first(f, letter, least), str(sp.factorial(first))], FACTORIAL)
        by = [tree(number + k) for k in range(1, int(slope) + 1)]
        yield Law(["=", _later(f, letter), ["*", *by, tree(f)]], FACTORIAL, letter.name)
    for one in binomials(formulas):
        slopes = [sp.expand(part).diff(letter) for part in one.args]
        known = all(part.is_integer and nonnegative(part) for part in one.args)
        if not (known and any(slopes) and all(s.is_Integer and 0 <= s <= MOST for s in slopes)):
            continue
        first = sp.binomial(*(sp.expand(part.subs(letter, least)) for part in one.args))
        out = multiplied_out(first) if isinstance(first, sp.binomial) else tree(first)
        if out is not None:
            yield Law(["=", _first(one, letter, least), out], BINOMIAL)
        later = sp.binomial(*(part.subs(letter, letter + 1) for part in one.args), evaluate=False)
        if (out := multiplied_out(later)) is not None:
            yield Law(["=", _later(one, letter), out], BINOMIAL, letter.name)
        else:
            yield _ratio(one, (int(slopes[0]), int(slopes[1])), nonnegative, letter.name)


def _first(formula: sp.Expr, letter: sp.Symbol, least: sp.Expr) -> Tree:
    return replaced(tree(formula), letter.name, tree(least))


def _later(formula: sp.Expr, letter: sp.Symbol) -> Tree:
    return replaced(tree(formula), letter.name, ["+", letter.name, "1"])


def counting_for_every(formulas: Sequence[sp.Basic], letter: sp.Symbol, least: sp.Expr) -> Iterator[Law]:
    """Laws of factorials and binomials for every value of a symbol from the least on."""
    more = least + sp.Dummy(integer=True, nonnegative=True)

    def nonnegative(formula: sp.Expr) -> bool:
        return bool(sp.expand(formula.subs(letter, more)).is_nonnegative)

    yield from growing_with(formulas, letter, least, nonnegative)
    # of the functions only: SymPy refuses a relation whose side is not real at the least value
    counting = (one for formula in formulas for one in formula.atoms(sp.factorial, sp.binomial))
    first = [one.subs(letter, least) for one in counting]
    yield from of_factorials([*formulas, *first], nonnegative, letter.name)
    yield from of_binomials(formulas, nonnegative, letter.name)
