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
        If a term has no exponent: what it is told by has no limit that can be told, as with `Min` or (-1)^T.
    """
    table = {}
    for name, term in terms.items():
        put = sp.factor(term.subs(steps, simultaneous=True))
        table[name] = {v.name: _exponent(name, put, v) for v in variables}
    return table


def _exponent(name: str, term: sp.Expr, variable: sp.Symbol) -> sp.Expr:
    if term == 0:
        return -sp.oo
    try:
        slope = sp.simplify(variable * sp.diff(term, variable) / term)
        found = sp.simplify(sp.limit(slope, variable, sp.oo))
    except (NotImplementedError, sp.PoleError):  # SymPy's own, of Min and Max
        found = sp.nan
    if found in (sp.oo, -sp.oo) or (found.is_real and variable not in found.free_symbols):
        return found
    raise ValueError(
        f"term `{name}` must have an order in {variable}: powers, roots, logarithms and what is made of them by arithmetic, "
        f"got {term}"
    )
