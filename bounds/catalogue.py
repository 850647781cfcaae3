"""Every statement of every paper, by id."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from sympy.core.relational import Relational

from bounds.papers import paper_of as paper_of
from bounds.papers import papers as papers
from bounds.statement import Statement


@cache
def statements(paper: str = "") -> Mapping[str, Statement]:
    """Statements of one paper by id, or of all papers, in the order of the files.

    Raises
    ------
    ValueError
        If two statements share an id.
    """
    found: dict[str, Statement] = {}
    for key in [paper] if paper else papers():
        drawer = import_module(f"bounds.{key}")
        for file in iter_modules(drawer.__path__):
            for statement in getattr(import_module(f"bounds.{key}.{file.name}"), "STATEMENTS", ()):
                if statement.id in found:
                    raise ValueError(f"`id` must be unique, got {statement.id!r} twice")
                found[statement.id] = statement
    return found


def statement(id: str) -> Statement:
    """The statement with this id; reads the files of its paper only.

    Raises
    ------
    KeyError
        If there is none; the message suggests close ids.
    """
    from difflib import get_close_matches

    known = statements(paper_of(id))
    if id not in known:
        close = get_close_matches(id, known or statements(), n=3)
        hint = f"; did you mean {', '.join(close)}?" if close else ""
        raise KeyError(f"no statement has the id {id!r}{hint}")
    return known[id]


def conditions(statement_: Statement) -> tuple[Relational, ...]:
    """A statement's own conditions and those of the assumptions that it rests on, each once."""
    found = list(statement_.conditions)
    for assumption in map(statement, statement_.assumes):
        found += [assumption.compared, *assumption.conditions]
    return tuple(dict.fromkeys(found))
