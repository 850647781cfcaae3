"""Formulas for a value of one symbol that satisfies relations: where a gap is largest, sides are equal, or ranges end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import sympy as sp

from verify.engine.elementary.minima import zeros
from verify.engine.model.scene import Condition

FORMULAS, DEGREE = 12, 4
"""Limits on formulas that are tried for the value, and on the degree of an equation that is solved for it."""


def formulas(symbol: sp.Symbol, relations: Sequence[Condition]) -> Iterator[sp.Expr]:
    """Formulas for the value: the best value of the first relation within the ends that others set, where these are known."""
    ends = [end for relation in relations for end in _ends(relation, symbol)]
    best = [
        *_crossings(relations[0], symbol),
        *(value for piece in _pieces(relations[0], symbol) for value in _stationary(piece, symbol)),
        *(value for piece in _pieces(relations[0], symbol) for value in _tight(piece, symbol)),
    ]
    whole = bool(symbol.is_integer)
    found = [
        *sorted((*best, *(sp.Min(one, *ends) for one in best if ends)), key=sp.count_ops),
        *([sp.Min(*ends)] if ends else []),
        *ends,
        *((one + other) / 2 for one, other in combinations(ends, 2)),
        *(end + 1 for end in ends),
        sp.S.One,
    ]
    values = [sp.ceiling(one) if whole and not one.is_integer else one for one in found]
    fitting = (value for value in dict.fromkeys(values) if not (symbol.is_nonnegative and value.is_negative))
    yield from list(fitting)[:FORMULAS]


def _crossings(relation: Condition, symbol: sp.Symbol) -> list[sp.Expr]:
    """Where two arguments of a largest or smallest value, or an absolute value and 0, are equal."""
    pairs = (pair for extreme in _extremes(relation, symbol) for pair in combinations(_arguments(extreme), 2))
    return [value for one, other in pairs for value in _roots(one - other, symbol)]


def _pieces(relation: Condition, symbol: sp.Symbol) -> list[Condition]:
    """The relation with each extreme that contains the symbol replaced by one of its arguments, in all ways up to a limit."""
    pieces = [relation]
    while len(pieces) < FORMULAS and (extremes := _extremes(pieces[0], symbol)):
        arguments = _arguments(extremes[0])
        pieces = [
            piece.func(*(side.xreplace({extremes[0]: one}) for side in piece.args), evaluate=False)
            for piece in pieces
            for one in arguments
        ]
    return pieces


def _extremes(relation: Condition, symbol: sp.Symbol) -> list[sp.Expr]:
    """Largest, smallest and absolute values that contain the symbol, the outermost first."""
    found = relation.atoms(sp.Max, sp.Min, sp.Abs)
    return sorted(
        (one for one in found if symbol in one.free_symbols), key=lambda one: (-one.count_ops(), str(one))
    )


def _arguments(extreme: sp.Expr) -> list[sp.Expr]:
    """The values of which an extreme is one; an absolute value is the larger of a value and its negative."""
    return [extreme.args[0], -extreme.args[0]] if isinstance(extreme, sp.Abs) else list(extreme.args)


def _stationary(relation: Condition, symbol: sp.Symbol) -> list[sp.Expr]:
    """Where the difference of the sides is stationary in the symbol."""
    return _roots((relation.lhs - relation.rhs).diff(symbol), symbol)


def _tight(relation: Condition, symbol: sp.Symbol) -> list[sp.Expr]:
    """Where both sides are equal."""
    return _roots(relation.lhs - relation.rhs, symbol)


def _ends(relation: Condition, symbol: sp.Symbol) -> list[sp.Expr]:
    """The end that a relation sets if it is linear in the symbol."""
    top = sp.fraction(sp.together(relation.lhs - relation.rhs))[0]
    linear = top.is_polynomial(symbol) and sp.degree(top, symbol) == 1
    return _roots(top, symbol) if linear else []


def _roots(formula: sp.Expr, symbol: sp.Symbol) -> list[sp.Expr]:
    """The real roots of the numerator of a formula that is rational in the symbol, in its root, or in exponentials of its multiples.

    If there are none, the zeros of linear factors and of differences of two powers.
    """
    place = sp.Dummy(positive=True)
    rates = [power.exp / symbol for power in formula.atoms(sp.exp) if symbol in power.free_symbols]
    times = [rate / rates[0] for rate in rates]
    if rates and symbol not in rates[0].free_symbols and all(n.is_Rational for n in times):
        unit = sp.gcd_list(times) * rates[0]
        powers = {sp.exp(rate * symbol): place ** (rate / unit) for rate in rates}
        found = _rational_roots(formula.xreplace(powers), place)
        values = [sp.expand_log(sp.log(value)) / unit for value in found if not value.is_negative]
    elif symbol.is_positive:
        values = [sp.simplify(value**2) for value in _rational_roots(formula.subs(symbol, place**2), place)]
    else:
        values = _rational_roots(formula, symbol)
    values = values or [value for value in zeros(formula, symbol) if value.is_real is not False]
    values = [value for value in values if symbol not in value.free_symbols]
    return sorted(dict.fromkeys(values), key=lambda value: (value.count_ops(), str(value)))


def _rational_roots(formula: sp.Expr, place: sp.Symbol) -> list[sp.Expr]:
    """The roots of the numerator of a formula that are not known to be unreal."""
    top = sp.fraction(sp.together(formula))[0]
    if not top.is_polynomial(place) or not 0 < sp.degree(top, place) <= 2 * DEGREE:
        return []
    return [value for value in sp.roots(sp.Poly(top, place)) if value.is_real is not False]
