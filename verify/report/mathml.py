"""Formulas as MathML, from the LaTeX that SymPy writes with a paper's letters.

A long sum becomes several formulas in a row, one per term, so that a browser can break the line between them.
"""

from __future__ import annotations

import re

import sympy as sp
from markupsafe import Markup
from sympy.core.relational import Relational

from bounds.mathml import mathml as converted
from bounds.statement import Scaling, Statement
from bounds.symbols import Glossary, printed_terms

_ENTITY = re.compile("&#x([0-9A-F]+);")
_MARKUP = frozenset("<>&*_`[]|~^\\!#$")
"""Characters with a meaning in HTML or in Markdown, as pages of the documentation contain formulas."""
SIGNS = {sp.Le: r"\leq", sp.Lt: "<", sp.Ge: r"\geq", sp.Gt: ">", sp.Eq: "=", sp.Ne: r"\neq"}


def formula(statement: Statement) -> Markup:
    """The relation of a statement, or the order that it claims."""
    return mathml(parts(statement))


def relation(compared: Relational, glossary: Glossary) -> Markup:
    """A relation, which may be broken before its sign and before every term of a sum."""
    return mathml(sides(compared, glossary))


def parts(statement: Statement) -> tuple[str, ...]:
    """LaTeX of a statement's claim, in pieces between which a line may be broken."""
    claimed = statement.relation
    if not isinstance(claimed, Scaling):
        return sides(claimed, statement.glossary)
    latex = statement.glossary.latex
    written = {latex(symbol): latex(value) for symbol, value in claimed.steps.items()}
    steps = ", ".join(f"{symbol} = {value}" for symbol, value in written.items() if symbol not in value)
    return (statement.latex(), rf"\quad\text{{at}}\quad {steps}") if steps else (statement.latex(),)


def sides(compared: Relational, glossary: Glossary) -> tuple[str, ...]:
    """LaTeX of a relation in pieces: the terms of its left side, then its sign and the terms of its right side."""
    left, right = (pieces(side, glossary) for side in (compared.lhs, compared.rhs))
    return (*left, f"{SIGNS[type(compared)]} {right[0]}", *right[1:])


def pieces(side: sp.Expr, glossary: Glossary) -> tuple[str, ...]:
    """LaTeX of an expression, one piece per term with its sign; together they are the LaTeX of the expression."""
    if not isinstance(side, sp.Add):
        return (glossary.latex(side),)
    found: list[str] = []
    for term in printed_terms(side):
        printed = glossary.latex(term)
        found.append(printed if printed.startswith("-") or not found else f"+ {printed}")
    return tuple(found)


def mathml(latex: tuple[str, ...]) -> Markup:
    """Formulas in a row, with characters such as ``+`` in place of ``&#x0002B;``, which makes reports shorter."""
    first, *rest = (_ENTITY.sub(_character, converted(piece)) for piece in latex)
    return Markup(" ".join([first, *(piece.replace("<mo>", '<mo form="infix">', 1) for piece in rest)]))


def _character(entity: re.Match[str]) -> str:
    """The character of a numeric entity; the entity if the character is part of the markup."""
    character = chr(int(entity[1], 16))
    return entity[0] if character in _MARKUP else character
