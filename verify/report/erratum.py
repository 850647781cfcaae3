"""An erratum: what a source should say otherwise, with the reason and what is true instead, from records alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import networkx as nx

from verify.engine.errors import UsageError
from verify.report.entries import Entry, Record, standing
from verify.report.figures import Figure, at_home
from verify.report.graph import proof_graph, reached
from verify.report.theorems import Fault, fault, theorems


@dataclass(frozen=True)
class Correction:
    """A printed statement, and what the records say about it.

    Attributes
    ----------
    entry : Entry
    instead : tuple of Entry
        Readings of it that stand, proved ones first; without those that are steps of another's proof.
    tried : tuple of Entry
        Readings of it that fall, too.
    fault : Fault or None
        The way to the first step of its proof that is broken.
    """

    entry: Entry
    instead: tuple[Entry, ...]
    tried: tuple[Entry, ...]
    fault: Fault | None

    @property
    def resists(self) -> str:
        """Id of the step for which nothing true is known; empty if there is none."""
        if self.instead or not (self.entry.damaged or self.fault):
            return ""
        if self.fault is None or self.fault.instead:
            return self.entry.id if self.entry.damaged else ""
        return self.fault.step


@dataclass(frozen=True)
class Erratum:
    """Corrections of one source: of all its theorems, and of whatever else is damaged."""

    key: str
    title: str
    version: str
    theorems: tuple[Correction, ...]
    others: tuple[Correction, ...]
    figures: Mapping[str, Sequence[Figure]]

    @property
    def repaired(self) -> int:
        """How many damaged statements have a reading that stands."""
        return sum(bool(found.instead) for found in self.damaged)

    @property
    def damaged(self) -> list[Correction]:
        return [found for found in (*self.theorems, *self.others) if found.entry.damaged]


def erratum(found: Sequence[Entry], paper: str, drawn: Sequence[Figure] = ()) -> Erratum:
    """What the records say that a paper should say otherwise.

    Raises
    ------
    UsageError
        If no record speaks of the paper.
    """
    own = [entry for entry in found if entry.paper == paper]
    if not own:
        known = ", ".join(dict.fromkeys(entry.paper for entry in found))
        raise UsageError(f"no record speaks of {paper!r}; there are records of {known}")
    graph = proof_graph(found)
    by_id = {entry.id: entry for entry in found}
    heads = [part for theorem in theorems(own) for part in theorem.parts]
    shown = {part.id for part in heads}
    others = [e for e in own if e.damaged and e.id == e.printed and e.id not in shown]
    source = own[0].record["source"]
    return Erratum(
        paper,
        source["paper"],
        source["version"],
        tuple(_correction(part, graph, by_id) for part in heads),
        tuple(_correction(entry, graph, by_id) for entry in others),
        at_home(drawn, shown),
    )


def _correction(entry: Entry, graph: nx.DiGraph, known: Mapping[str, Entry]) -> Correction:
    readings = [known[id] for id in graph.nodes[entry.id]["readings"]]
    fallen = tuple(reading for reading in readings if reading.damaged)
    return Correction(entry, _ends(standing(readings), graph), fallen, fault(entry, graph, known))


def _ends(readings: Sequence[Entry], graph: nx.DiGraph) -> tuple[Entry, ...]:
    """Those that are no parts (``thm1/repaired.limit``) on which another rests that they do not rest on."""
    below = {reading.id: reached(graph, reading.id) for reading in readings}

    def step(id: str) -> bool:
        part = "." in id.partition("/")[2]
        return part and any(id in rests and other not in below[id] for other, rests in below.items())

    return tuple(reading for reading in readings if not step(reading.id))


def written(found: Erratum, kind: str, replay: Callable[[Record], str]) -> str:
    """An erratum as "html", "latex" or "markdown"."""
    from verify.report import html, texts
    from verify.report.pages import conditions_of, formula_of

    named = {"erratum": found, "replay": lambda entry: replay(entry.record)}
    if kind == "html":
        more = {"formula_of": formula_of, "conditions_of": conditions_of}
        return html.environment().get_template("erratum.html.j2").render(named, **more)
    return texts.environment().get_template(f"erratum.{texts.SUFFIXES[kind]}.j2").render(named)
