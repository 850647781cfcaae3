"""Exponents: how fast the terms of a bound grow."""

from __future__ import annotations

from collections.abc import Mapping

import sympy as sp


def exponents(
    terms: Mapping[str, sp.Expr], steps: Mapping[sp.Symbol, sp.Expr], variables: tuple[sp.Symbol, ...]
) -> dict[str, dict[str, sp.Expr]]:
    """Exponent of each term in each variable after substituting `steps`; see `Statement.exponents`.

    Raises
    ------
    ValueError
        If SymPy finds no exponent of a term, as with `Min` or (-1)^T.
    """
    table = {}
    for name, term in terms.items():
        put = sp.factor(term.subs(steps, simultaneous=True))
        table[name] = {v.name: _exponent(name, put, v) for v in variables}
    return table


def grows_to(name: str, formula: sp.Expr, variable: sp.Symbol) -> sp.Expr:
    """Limit of an expression as a variable grows, such as the logarithmic derivative that gives the order of a term.

    Raises
    ------
    ValueError
        If SymPy finds no limit.
    """
    try:
        return sp.limit(formula, variable, sp.oo)
    except (NotImplementedError, sp.PoleError, RecursionError):  # Min and Max, powers in exponents
        raise _without_order(name, formula, variable) from None


def _exponent(name: str, term: sp.Expr, variable: sp.Symbol) -> sp.Expr:
    if term == 0:
        return -sp.oo
    # SymPy finds some limits only before the expression is simplified.
    slope = sp.factor(variable * sp.diff(term, variable) / term)
    try:
        found = sp.simplify(grows_to(name, slope, variable))
    except ValueError:
        raise _without_order(name, term, variable) from None
    if found in (sp.oo, -sp.oo) or (found.is_real and variable not in found.free_symbols):
        return found
    raise _without_order(name, term, variable)


def _without_order(name: str, term: sp.Expr, variable: sp.Symbol) -> ValueError:
    return ValueError(
        f"term `{name}` must have an order in {variable}: powers, roots and logarithms and their sums, products and quotients, "
        f"got {term}"
    )
