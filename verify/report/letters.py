"""Meanings of the symbols in formulas, from the glossaries of the papers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp

from bounds.symbols import Quantity
from verify.engine.records.replay import values_of
from verify.report.entries import Entry, Record
from verify.report.values import value_text

_BACK = re.compile(r"\b(?:same|these|those|it|its|them|their|both)\b|\bthat \w+$")


def letters(found: Iterable[Entry]) -> tuple[Quantity, ...]:
    """Symbols of statements of one paper and their conditions, in the order of its glossary.

    A meaning that refers back ("the same one round later") comes with the symbol before it in the glossary.
    """
    known = [entry for entry in found if entry.statement is not None]
    if not known:
        return ()
    names = {name for entry in known for name in letter_names(entry)}
    assert known[0].statement is not None
    glossary = known[0].statement.glossary
    meanings = [letter.meaning for letter in glossary.values()]
    kept = with_antecedents(meanings, [name in names for name in glossary])
    return tuple(letter for letter, keep in zip(glossary.values(), kept, strict=True) if keep)


def with_antecedents(meanings: Sequence[str], wanted: Sequence[bool]) -> list[bool]:
    """Mask of meanings that are wanted, or to which the next kept meaning refers."""
    kept, needed = [], False
    for meaning, own in zip(reversed(meanings), reversed(wanted), strict=True):
        kept.append(own or needed)
        needed = kept[-1] and bool(_BACK.search(meaning))
    return kept[::-1]


def letter_names(entry: Entry) -> frozenset[str]:
    """Names of the letters of a statement and its conditions, including sequences such as ``Delta`` of ``Delta[tau]``."""
    if entry.statement is None:
        return frozenset()
    relation, original = entry.statement.relation, entry.statement.original
    series = relation.atoms(sp.IndexedBase) if isinstance(relation, sp.Basic) else ()
    said = original.relation.free_symbols if original else ()
    free = (symbol for condition in entry.conditions for symbol in condition.free_symbols)
    labels = (one.label for one in series)
    return frozenset(symbol.name for symbol in (*entry.statement.symbols, *labels, *said, *free))


@dataclass(frozen=True)
class LetterValue:
    """A symbol of a formula with its value in an instance."""

    name: str
    latex: str
    meaning: str
    text: str


def letter_values(
    entry: Entry,
    finding: Record,
    beside: Iterable[Entry] = (),
    quantities: Callable[[Record], Mapping[str, Any]] = values_of,
    text: Callable[[Any], str] = value_text,
) -> Iterator[LetterValue]:
    """Every symbol of the formula and of its conditions with its value in a finding's instance; for a sequence all its
    entries. Symbols of the entries `beside` it are given where they have a value.

    Parameters
    ----------
    quantities : callable
        Values of the quantities of a witness, by name.
    text : callable
        The text of a value.
    """
    statement, witness = entry.statement, finding["witness"]
    if statement is None or witness is None:
        return
    found = {**witness["shape"], **witness["parameters"], **witness["steps"], **quantities(witness)}
    names = letter_names(entry).union(*map(letter_names, beside))
    for name, letter in statement.glossary.items():
        if name in names and name in found:
            yield LetterValue(name, letter.latex, letter.meaning, text(found[name]))
