"""An erratum: what a source should say otherwise, with the reason and what is true instead, from records alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import networkx as nx
import sympy as sp
from markupsafe import Markup

from bounds.statement import Scaling
from bounds.symbols import Quantity
from verify.engine.errors import UsageError
from verify.report.entries import Entry, Record
from verify.report.figures import Figure, at_home
from verify.report.graph import proof_graph, rested_on
from verify.report.letters import letters
from verify.report.theorems import Fault, fault, theorems, true_instead, without_free

MOST = 3
"""Statements that are named beside one that has no other reading."""


@dataclass(frozen=True)
class Correction:
    """A printed statement, and what the records say about it.

    Attributes
    ----------
    entry : Entry
    instead : tuple of Entry
        Readings of it that stand, proved ones first; without those that are steps of another's proof, and without
        what is free.
    free : tuple of Entry
        Readings of it that say what holds without the theorem.
    beside : tuple of Entry
        Proved statements of the same subject that speak of all the quantities of one that has no other reading.
    tried : tuple of Entry
        Readings of it that fall, too.
    fault : Fault or None
        The way to the first step of its proof that is broken.
    """

    entry: Entry
    instead: tuple[Entry, ...]
    free: tuple[Entry, ...]
    beside: tuple[Entry, ...]
    tried: tuple[Entry, ...]
    fault: Fault | None

    @property
    def differs(self) -> bool:
        """Whether two places of the source differ and nothing else is the matter: nothing true is to be expected."""
        return self.entry.verdict == "inconsistent" and not (self.instead or self.tried or self.fault)

    @property
    def table(self) -> bool:
        """Whether it is one of printed numbers."""
        return bool(self.entry.record["kind"] == "table")

    def stands_as(self, reading: Entry) -> str:
        """How a reading that stands is announced: only what is proved is called true."""
        how = "true" if reading.verdict == "proved" else "not refuted"
        return f"{how.capitalize()} instead" if self.entry.damaged else f"Also {how}"

    @property
    def resists(self) -> str:
        """Id of the step of which no reading is known that stands; empty if there is none, or it is proved without it."""
        if self.instead or self.entry.verdict == "proved" or not (self.entry.damaged or self.fault):
            return ""
        if self.fault is None or self.fault.instead:
            return self.entry.id if self.entry.damaged else ""
        return self.fault.step

    def told(self, reading: Entry) -> str:
        """What a reading says, where it says something else, and what it changes."""
        says = reading.record["statement"]["says"]
        own = () if says == self.entry.record["statement"]["says"] else (says,)
        return "; ".join((*own, reading.record["changes"]))

    @property
    def plain(self) -> bool:
        """Whether it stands, and nothing is to be said of it: its proof does, too, or its sides are the same formula."""
        fault = self.fault and not self.entry.alike
        return not (self.entry.damaged or self.instead or self.free or fault)


@dataclass(frozen=True)
class Erratum:
    """Corrections of one source, in the order of its lines: of all its theorems, `plain` where they simply stand, and of
    whatever else is damaged."""

    key: str
    title: str
    version: str
    theorems: tuple[Correction, ...]
    plain: tuple[Correction, ...]
    others: tuple[Correction, ...]
    figures: Mapping[str, Sequence[Figure]]

    @property
    def repaired(self) -> int:
        """How many damaged statements have a reading that is proved."""
        return sum(any(one.verdict == "proved" for one in found.instead) for found in self.damaged)

    @property
    def damaged(self) -> list[Correction]:
        return [found for found in (*self.theorems, *self.others) if found.entry.damaged]

    @property
    def letters(self) -> tuple[Quantity, ...]:
        """Letters of all formulas."""
        corrections = (*self.theorems, *self.others)
        return letters(entry for found in corrections for entry in (found.entry, *found.instead, *found.free))


def erratum(found: Sequence[Entry], paper: str, drawn: Sequence[Figure] = ()) -> Erratum:
    """What the records say that a paper should say otherwise.

    Raises
    ------
    UsageError
        If no record speaks of the paper.
    """
    own = [entry for entry in found if entry.paper == paper and not entry.asked]
    if not own:
        known = ", ".join(dict.fromkeys(entry.paper for entry in found))
        raise UsageError(f"no record speaks of {paper!r}; there are records of {known}")
    graph = proof_graph(found)
    by_id = {entry.id: entry for entry in found}
    listed = [part for theorem in theorems(own) for part in theorem.parts]
    steps = _own_steps(listed, graph)
    heads = [part for part in listed if part.id not in steps]
    shown = {part.id for part in heads}
    others = [e for e in own if e.damaged and e.id == e.printed and e.id not in shown]
    source = own[0].record["source"]
    told = [_correction(part, graph, by_id) for part in sorted(heads, key=_line)]
    full = tuple(found for found in told if not found.plain)
    return Erratum(
        paper,
        source["paper"],
        source["version"],
        full,
        tuple(found for found in told if found.plain),
        tuple(_correction(entry, graph, by_id) for entry in sorted(others, key=_line)),
        at_home(drawn, {found.entry.id for found in full}),
    )


def _line(entry: Entry) -> int:
    """First line of the source that a statement is taken from."""
    first = re.match(r"\d+", entry.record["source"]["lines"])
    return int(first.group()) if first else 0


def _own_steps(parts: Sequence[Entry], graph: nx.DiGraph) -> set[str]:
    """Ids of parts that stand and on which nothing rests but other readings of the source, or such parts."""
    users = {part.id: set(rested_on(graph, part.id)) for part in parts if part.stands}
    steps = {id for id, above in users.items() if above}
    while wrong := {id for id in steps if any("/" not in one and one not in steps for one in users[id])}:
        steps -= wrong
    return steps


def _correction(entry: Entry, graph: nx.DiGraph, known: Mapping[str, Entry]) -> Correction:
    readings = true_instead(entry.id, graph, known)
    instead = without_free(readings)
    free = tuple(reading for reading in readings if reading.free)
    fallen = tuple(
        known[id] for id in graph.nodes[entry.id]["readings"] if entry.damaged and known[id].damaged
    )
    beside = () if instead or not entry.damaged else _beside(entry, known.values())
    return Correction(entry, instead, free, beside, fallen, fault(entry, graph, known))


def _beside(entry: Entry, found: Iterable[Entry]) -> tuple[Entry, ...]:
    """Proved statements of the same subject whose relations have all the letters of this one's, those with fewest first.

    Without those that claim the same.
    """
    own = _letters(entry)
    other = [
        one
        for one in found
        if own
        and (one.paper, one.subject, one.verdict) == (entry.paper, entry.subject, "proved")
        and one.printed != entry.printed
        and own <= _letters(one)
        and one.record["statement"]["relation"] != entry.record["statement"]["relation"]
    ]
    return tuple(sorted(other, key=lambda one: len(_letters(one)))[:MOST])


def _letters(entry: Entry) -> set[sp.Basic]:
    """Letters of its relation; none where it is an order, or no statement is known any more."""
    statement = entry.statement
    if statement is None or isinstance(statement.relation, Scaling):
        return set()
    return set(statement.relation.free_symbols)


def _letter(latex: str) -> Markup:
    from verify.report.mathml import mathml

    return mathml((latex,))


def written(found: Erratum, kind: str, replay: Callable[[Record], str]) -> str:
    """An erratum as "html", "latex" or "markdown"."""
    from verify.report import html, texts
    from verify.report.pages import conditions_of, formula_of

    named = {"erratum": found, "replay": lambda entry: replay(entry.record)}
    if kind == "html":
        more = {"formula_of": formula_of, "conditions_of": conditions_of, "letter_of": _letter}
        return html.environment().get_template("erratum.html.j2").render(named, **more)
    return texts.environment().get_template(f"erratum.{texts.SUFFIXES[kind]}.j2").render(named)
