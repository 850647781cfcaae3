"""Every statement of every paper, by id."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.resources import files
from math import log
from pkgutil import iter_modules

from sympy.core.relational import Relational

from bounds.hypotheses import Hypothesis
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
            for statement in _in(f"bounds.{key}.{file.name}"):
                if statement.id in found:
                    raise ValueError(f"`id` must be unique, got {statement.id!r} twice")
                found[statement.id] = statement
    return found


@cache
def statement(id: str) -> Statement:
    """The statement with this id. Reads only as many files of its paper as necessary.

    Raises
    ------
    KeyError
        If no statement has this id; the message suggests similar ids.
    """
    from difflib import get_close_matches

    for name in _likely(id):
        found = next((one for one in _in(name) if one.id == id), None)
        if found is not None:
            return found
    known = {name.lower(): name for name in statements(paper_of(id)) or statements()}
    close = [known[name] for name in get_close_matches(id.lower(), known, n=3)]
    hint = f"; did you mean {', '.join(close)}?" if close else ""
    raise KeyError(f"no statement has the id {id!r}{hint}")


def relations(paper: str) -> Callable[[str], Relational]:
    """A function that returns the relation of a statement of this paper; its argument is the id without the paper."""
    return lambda id: statement(f"{paper}.{id}").compared


def _in(module: str) -> Sequence[Statement]:
    return getattr(import_module(module), "STATEMENTS", ())


def _likely(id: str) -> Iterator[str]:
    """Modules of a paper: first the modules already imported, then the others, ordered by how much of the id occurs in
    their text.
    """
    texts = _texts(paper_of(id))
    yield from [module for module in texts if module in sys.modules]
    yield from _by_likeness(id.removeprefix(f"{paper_of(id)}."), texts)


def _by_likeness(name: str, texts: Mapping[str, str]) -> list[str]:
    """Modules ordered by how much of a name occurs in their text. Parts that occur in few modules weigh more."""
    words = re.findall(r"\w+", name)
    parts = {*words, *(f'"{part}"' for part in (name, *name.split("/"))), *(f'"{word}' for word in words[:1])}
    likeness = dict.fromkeys(texts, 0.0)
    for part in sorted(parts):
        said_in = [module for module, text in texts.items() if part in text]
        for module in said_in:
            likeness[module] += log(len(texts) / len(said_in))
    return sorted(texts, key=likeness.__getitem__, reverse=True)


@cache
def _texts(paper: str) -> Mapping[str, str]:
    """Text of each module of a paper, by module name, without the ids that it cites."""
    if not paper:
        return {}
    folder = files(f"bounds.{paper}")
    names = (module.name for module in iter_modules(import_module(f"bounds.{paper}").__path__))
    written = {f"bounds.{paper}.{name}": folder.joinpath(f"{name}.py").read_text("utf-8") for name in names}
    return {module: re.sub(r"\b(uses|assumes)=\([^()]*\)", "", text) for module, text in written.items()}


def conditions(statement_: Statement) -> tuple[Relational, ...]:
    """Conditions of a statement and of the assumptions it rests on, without duplicates."""
    found = list(statement_.conditions)
    for assumption in map(statement, statement_.assumes):
        found += [assumption.compared, *assumption.conditions]
    return tuple(dict.fromkeys(found))


def hypotheses(statement_: Statement) -> tuple[Hypothesis, ...]:
    """Hypotheses of a statement and of the assumptions it rests on, without duplicates."""
    own = (*statement_.hypotheses, *(one for id in statement_.assumes for one in statement(id).hypotheses))
    return tuple(dict.fromkeys(own))
