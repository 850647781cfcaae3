"""Convert statements of the catalogue to parsed claims, so that tests can print them as LaTeX and parse them again."""

from __future__ import annotations

from typing import Any

import sympy as sp

from bounds.relations import eq
from bounds.statement import Scaling, Statement
from bounds.symbols import upright
from verify.latex.claims import Reading
from verify.latex.glossary import Entry
from verify.latex.heads import BigO


def reading_of(statement: Statement) -> Reading:
    """The relation and conditions of a statement as a `Reading`, with the LaTeX letters of its paper.

    An order (`Scaling`) becomes the equation "sum of terms = O(claimed)", and its step sizes become conditions.
    """
    relation, conditions = (
        statement.relation,
        [one for one in statement.conditions if one not in (True, False)],
    )
    if isinstance(relation, Scaling):
        conditions += [eq(step, value) for step, value in relation.steps.items()]
        relation = eq(sp.Add(*relation.terms.values()), BigO(relation.claimed))
    parts = [_as_read(part) for part in (relation, *conditions)]
    bound = {index.name for part in parts for total in part.atoms(sp.Sum) for index in total.variables}
    names = sorted({symbol.name for part in parts for symbol in part.atoms(sp.Symbol)} - bound)
    letters = {name: statement.glossary[name] for name in names}
    taken = {letter.latex: name for name, letter in reversed(letters.items())}
    used = {
        # Of two symbols with the same letter, such as a number and the number along which it grows, one has its name
        name: (
            letter.latex if taken[letter.latex] == name else upright(sp.Symbol(name)),
            Entry(letter.domain, symbol=name),
        )
        for name, letter in letters.items()
    }
    if any(e.is_number for part in parts for e in part.atoms(sp.exp)):
        used["e"] = "e", Entry("constant")
    indices = {name: (upright(sp.Symbol(name)), Entry("index", symbol=name)) for name in bound}
    return Reading((parts[0],), tuple(parts[1:]), used | indices, {})


def _as_read(part: Any) -> Any:
    """The relation with the assumptions that the LaTeX reader uses: real sequences and integer summation indices.

    SymPy symbols with different assumptions are different, so without this step no printed statement would equal itself
    after parsing.
    """
    families = {
        base: sp.IndexedBase(sp.Symbol(base.label.name, real=True)) for base in part.atoms(sp.IndexedBase)
    }
    indices = {
        index: sp.Symbol(index.name, integer=True)
        for total in part.atoms(sp.Sum)
        for index in total.variables
    }
    return part.xreplace(families).xreplace(indices)
