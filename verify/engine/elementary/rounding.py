"""Laws of floor and ceiling: each is a whole number, represented by a new symbol, close to its argument."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import sympy as sp

from verify.engine.certificates.formulas import Tree, tree, with_part
from verify.engine.elementary.law import NESTED, WHOLE_PART, Law

Positive = Callable[[sp.Expr], bool]


@dataclass(frozen=True)
class Rounded:
    """Laws of some floors and ceilings, and the new whole symbols in these laws."""

    laws: tuple[Law, ...] = ()
    letters: tuple[str, ...] = ()


def roundings(formulas: Iterable[sp.Basic]) -> list[sp.Expr]:
    """Floors and ceilings in formulas, nested ones first."""
    found = {part for formula in formulas for part in formula.atoms(sp.floor, sp.ceiling)}
    return sorted(found, key=lambda part: (len(part.atoms(sp.floor, sp.ceiling)), sp.default_sort_key(part)))


def collapsed(one: sp.Expr) -> sp.Expr | None:
    """floor((x + m)/n) for floor((floor(x) + m)/n), where m is whole and n is a positive whole number, and the same for ceilings."""
    bottom = sp.fraction(sp.together(one.args[0]))[1]
    top = sp.expand(one.args[0] * bottom)
    inside = [part for part in top.args if isinstance(part, type(one))] if top.is_Add else [top]
    if not (
        isinstance(inside[0] if inside else None, type(one)) and bottom.is_integer and bottom.is_positive
    ):
        return None
    rest = top - inside[0]
    if not rest.is_integer or rest.has(sp.floor, sp.ceiling):
        return None
    return one.func((inside[0].args[0] + rest) / bottom)


def with_collapsed(found: Sequence[sp.Expr]) -> tuple[list[sp.Expr], list[tuple[sp.Expr, sp.Expr]]]:
    """Floors and ceilings with the simpler ones to which nested ones are equal, and these equal pairs."""
    equal, waiting, every = list[tuple[sp.Expr, sp.Expr]](), list(found), list(found)
    while waiting:
        one = waiting.pop()
        simple = collapsed(one)
        if simple is not None and isinstance(simple, type(one)):
            equal.append((one, simple))
            if simple not in every:
                every.append(simple)
                waiting.append(simple)
    return roundings(every), equal


def multiples(formulas: Iterable[sp.Basic]) -> list[tuple[sp.Symbol, sp.Expr]]:
    """Products of a whole symbol that is at least 0, and a floor or ceiling."""
    pairs = {part.args for formula in formulas for part in formula.atoms(sp.Mul) if len(part.args) == 2}
    found = [
        (n, one)
        for pair in pairs
        for n, one in (pair, pair[::-1])
        if n.is_Symbol and n.is_integer and n.is_nonnegative and isinstance(one, sp.floor | sp.ceiling)
    ]
    return sorted(found, key=sp.default_sort_key)


def rounded(
    found: Sequence[sp.Expr], nonnegative: Positive, times: Sequence[tuple[sp.Symbol, sp.Expr]] = ()
) -> Rounded:
    """Represent each floor or ceiling by a whole symbol, or by a difference of two if it may be negative; bound its distance.

    Parameters
    ----------
    found : sequence of expressions
        Floors and ceilings, nested ones first.
    nonnegative : callable
        Whether a formula is known to be nonnegative.
    times : sequence of pairs
        Whole symbols and floors or ceilings whose products are whole numbers, too.
    """
    laws: list[Law] = []
    letters: list[str] = []
    values: list[tuple[Tree, Tree]] = []
    every, equal = with_collapsed(found)
    for number, one in enumerate(every, 1):
        inside = _put_in(tree(one.args[0]), values)
        name = f"{type(one).__name__} {number}"
        own, value = _whole(name, one, nonnegative)
        letters += own
        values.append((tree(one), value))
        laws.append(Law(["=", tree(one), value], WHOLE_PART))
        laws += _distance(one, inside, value)
    known = {str(old): new for old, new in values}
    laws += [Law(["=", known[str(tree(a))], known[str(tree(b))]], NESTED) for a, b in equal]
    for number, (n, one) in enumerate(times, 1):
        own, value = _whole(f"multiple {number}", one, nonnegative)
        letters += own
        product = tree(n * one.args[0])
        below, above = (value, product) if isinstance(one, sp.floor) else (product, value)
        laws = [Law(["=", tree(n * one), value], WHOLE_PART), Law(["<=", below, above], WHOLE_PART), *laws]
    return Rounded(tuple(laws), tuple(letters))


def _whole(name: str, one: sp.Expr, nonnegative: Positive) -> tuple[list[str], Tree]:
    """New whole symbols for a floor or ceiling, or for a multiple of it, and the formula of its value."""
    if nonnegative(one.args[0]):
        return [name], name
    own = [f"{name} above 0", f"{name} below 0"]
    return own, ["-", *own]


def _put_in(formula: Tree, values: Iterable[tuple[Tree, Tree]]) -> Tree:
    for old, new in reversed(list(values)):
        formula = with_part(formula, old, new)
    return formula


def _distance(one: sp.Expr, inside: Tree, value: Tree) -> list[Law]:
    """Laws: floor and argument differ by less than 1, or by at most 1 - 1/q if q times the argument is a whole number."""
    below, above = (value, inside) if isinstance(one, sp.floor) else (inside, value)
    laws = [Law(["<=", below, above], WHOLE_PART)]
    parts = denominator(one.args[0])
    if parts is None:
        return [*laws, Law(["<", above, ["+", below, "1"]], WHOLE_PART)]
    return [*laws, Law(["<=", above, ["+", below, tree((parts - 1) / parts)]], WHOLE_PART)]


def denominator(formula: sp.Expr) -> sp.Expr | None:
    """A positive whole q, such as K for T/K, for which q times a quotient of polynomials in whole symbols is whole; else None."""
    symbols = formula.free_symbols
    if not symbols or not all(isinstance(s, sp.Symbol) and s.is_integer for s in symbols):
        return None
    top, bottom = sp.fraction(sp.together(formula))
    if not all(side.is_polynomial(*symbols) for side in (top, bottom)) or not bottom.is_positive:
        return None
    coefficients = [c for side in (top, bottom) for c in sp.Poly(side, *symbols).coeffs()]
    return bottom if all(c.is_Integer for c in coefficients) else None
