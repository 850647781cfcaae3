"""Counterexamples that a reader can check by hand: the value of every symbol, and both sides term by term."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp
from sympy.core.relational import Relational

from bounds.symbols import printed_terms
from verify.engine.records.replay import values_of
from verify.report.entries import Entry
from verify.report.letters import LetterValue, letter_values


@dataclass(frozen=True)
class Term:
    """A term of one side of a relation with its value; `side` is "left" or "right"."""

    side: str
    latex: str
    value: float


@dataclass(frozen=True)
class Counterexample:
    """A damaged statement's counterexample.

    Attributes
    ----------
    witness : mapping
        The witness of the record.
    letters : tuple of LetterValue
        Every symbol of the formula and its conditions.
    terms : tuple of Term
        Of sides with several terms, whose letters are all numbers; sides with one term have none.
    """

    witness: Mapping[str, Any]
    letters: tuple[LetterValue, ...]
    terms: tuple[Term, ...]


def counterexample(entry: Entry) -> Counterexample | None:
    """The counterexample of a damaged entry; None if it has none."""
    finding = next((one for one in entry.findings if one["verdict"] == entry.verdict), None)
    if not entry.damaged or finding is None or finding["witness"] is None:
        return None
    witness = finding["witness"]
    return Counterexample(witness, tuple(letter_values(entry, finding)), tuple(_terms(entry, witness)))


def _terms(entry: Entry, witness: Mapping[str, Any]) -> Iterator[Term]:
    statement = entry.statement
    if statement is None or not isinstance(statement.relation, Relational):
        return
    sides = {"left": statement.relation.lhs, "right": statement.relation.rhs}
    if not any(isinstance(side, sp.Add) for side in sides.values()):
        return
    numbers = _numbers({**witness["shape"], **values_of(witness)})
    for name, side in sides.items():
        for term in printed_terms(side):
            value = _value(term, numbers)
            if value is not None:
                yield Term(name, statement.glossary.latex(term), value)


def _numbers(values: Mapping[str, Any]) -> dict[str, float]:
    """Values that are single numbers, as floats."""
    single = {name: np.asarray(value, dtype=object) for name, value in values.items()}
    return {name: float(value.item()) for name, value in single.items() if value.size == 1}


def _value(term: sp.Expr, numbers: Mapping[str, float]) -> float | None:
    """Value of a term at the numbers; None if one of its symbols is not a number, or the term is undefined."""
    found = {
        letter: numbers.get(letter.name) for letter in term.free_symbols if isinstance(letter, sp.Symbol)
    }
    if term.has(sp.IndexedBase) or None in found.values():
        return None
    try:
        return float(term.subs(found).evalf())
    except (TypeError, ValueError):
        return None
