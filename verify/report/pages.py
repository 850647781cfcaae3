"""Data of the report's pages for the templates: a page per paper, from the records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import networkx as nx
from markupsafe import Markup

from verify.report.entries import RANK, Entry
from verify.report.figures import Figure
from verify.report.graph import RESTS, resting, support
from verify.report.letters import letters
from verify.report.mathml import formula, mathml, relation
from verify.report.picture import Picture, grouped, picture
from verify.report.theorems import Fault, Theorem, by_weight, conclusions, fault, theorems

MANY = 25
"""Number of statements from which on a proof is also drawn by groups."""


@dataclass(frozen=True)
class Step:
    """A row of the table with the content of a proof's picture."""

    id: str
    entry: Entry | None
    label: str
    used: tuple[str, ...]
    cited: tuple[str, ...]


@dataclass(frozen=True)
class Proof:
    """The graph of a theorem's proof: as a picture, by groups if it is large, and as a table."""

    steps: tuple[Step, ...]
    picture: Picture
    groups: Picture | None


@dataclass(frozen=True)
class Headline:
    """A theorem with the broken steps of its parts, its graph and its figures."""

    theorem: Theorem
    faults: Mapping[str, Fault]
    conclusions: tuple[Entry, ...]
    proof: Proof | None
    figures: tuple[Figure, ...]

    @property
    def instead(self) -> list[Entry]:
        """True variants of the theorem, or otherwise of the first broken step of its proof."""
        found = [*self.conclusions]
        return found or [variant for broken in self.breaks.values() for variant in broken.instead]

    @property
    def breaks(self) -> dict[str, Fault]:
        """The first broken steps, each once."""
        return {found.step: found for found in self.faults.values()}


@dataclass(frozen=True)
class Page:
    """The contents of the records about one paper."""

    key: str
    title: str
    version: str
    entries: tuple[Entry, ...]
    headlines: tuple[Headline, ...]
    glossary: tuple[tuple[Markup, str], ...]

    @property
    def source(self) -> Mapping[str, str]:
        """Title and version, from which the address is made."""
        return {"paper": self.title, "version": self.version}

    @property
    def theory(self) -> list[Entry]:
        """All entries but sentences on experiments."""
        return [entry for entry in self.entries if not entry.experiment]

    @property
    def experiments(self) -> list[Entry]:
        """Sentences on experiments, judged by runs of this toolkit."""
        return [entry for entry in self.entries if entry.experiment]

    @property
    def figures(self) -> list[Figure]:
        """Figures beside the paper's theorems."""
        return [figure for head in self.headlines for figure in head.figures]

    def cell(self, kind: str, verdict: str) -> int:
        """The number of statements of a kind with a verdict."""
        return sum(entry.record["kind"] == kind and entry.verdict == verdict for entry in self.entries)

    def all_of(self, kind: str) -> int:
        """The number of statements of a kind."""
        return sum(entry.record["kind"] == kind for entry in self.entries)

    @property
    def kinds(self) -> list[str]:
        """Kinds of the statements, the most frequent first."""
        return [kind for kind, _ in Counter(entry.record["kind"] for entry in self.entries).most_common()]


def verdict_counts(found: Sequence[Entry]) -> list[tuple[str, int]]:
    """Verdicts with their numbers, most damaging first."""
    return sorted(Counter(entry.verdict for entry in found).items(), key=lambda item: RANK[item[0]])


def kinds(found: Sequence[Page]) -> list[str]:
    """Kinds of statements on any page."""
    return list(dict.fromkeys(kind for page in found for kind in page.kinds))


def pages(found: Sequence[Entry], graph: nx.DiGraph, figures: Mapping[str, Sequence[Figure]]) -> list[Page]:
    """One page for each paper in the records; `figures` by the statement beside which they are placed."""
    known = {entry.id: entry for entry in found}
    made = []
    for paper in dict.fromkeys(entry.paper for entry in found):
        own = [entry for entry in found if entry.paper == paper]
        heads = theorems(own)
        source = own[0].record["source"]
        made.append(
            Page(
                paper,
                source["paper"],
                source["version"],
                tuple(by_weight(own, heads, graph)),
                tuple(_headline(theorem, graph, known, figures) for theorem in heads),
                _letters(own),
            )
        )
    return made


def _headline(
    theorem: Theorem, graph: nx.DiGraph, known: Mapping[str, Entry], figures: Mapping[str, Sequence[Figure]]
) -> Headline:
    faults = {part.id: found for part in theorem.parts if (found := fault(part, graph, known))}
    own = [entry.id for entry in (*theorem.parts, *theorem.variants)]
    return Headline(
        theorem,
        faults,
        conclusions(theorem, graph, known),
        _proof(theorem, graph, [found.path for found in faults.values()]),
        tuple(figure for id in own for figure in figures.get(id, ())),
    )


def _proof(theorem: Theorem, graph: nx.DiGraph, paths: Sequence[Sequence[str]]) -> Proof | None:
    part = support(graph, [entry.id for entry in theorem.parts])
    if part.number_of_edges() == 0:
        return None
    steps = []
    for id in dict.fromkeys((*(entry.id for entry in theorem.parts), *part)):
        node = part.nodes[id]
        by_kind = {
            kind: tuple(o for o in part.successors(id) if part.edges[id, o]["kind"] == kind) for kind in RESTS
        }
        steps.append(Step(id, node["entry"], node["label"], by_kind["used"], by_kind["cited"]))
    large = len(part) > MANY
    groups = grouped(part, lambda id: _group(part.nodes[id]["entry"]), paths) if large else None
    return Proof(tuple(steps), picture(part, paths), groups)


def _group(entry: Entry | None) -> str:
    """The item of the source that contains a step: a lemma, or an equation of a theorem's proof."""
    if entry is None:
        return "facts"
    first, *rest = entry.record["source"]["place"].split(", ")
    long_proof = first.startswith(("Theorem", "Appendix", "Proposition", "Corollary"))
    return f"{first}, {rest[0]}" if long_proof and rest else first


def formula_of(entry: Entry) -> Markup:
    """A statement's formula; from the record alone if the statement is no longer known."""
    if entry.statement is not None:
        return formula(entry.statement)
    return mathml((entry.record["statement"]["latex"],))


def conditions_of(entry: Entry) -> list[Markup]:
    """Formulas of all conditions; text if the statement is no longer known."""
    texts = entry.record["statement"]["conditions"]
    if entry.statement is None:
        return [Markup("<code>{}</code>").format(text) for text in texts]
    return [relation(condition, entry.statement.glossary) for condition in entry.conditions]


def _letters(own: Sequence[Entry]) -> tuple[tuple[Markup, str], ...]:
    """Letters of the statements with their meanings, in the order of the glossary."""
    return tuple((mathml((letter.latex,)), letter.meaning) for letter in letters(own))


def rests_on(graph: nx.DiGraph, entry: Entry) -> list[str]:
    """Statements and facts on which an entry rests."""
    return resting(graph, entry.id)


def used_by(graph: nx.DiGraph, entry: Entry) -> list[str]:
    """Statements that rest on an entry."""
    return [other for other in graph.predecessors(entry.id) if graph.edges[other, entry.id]["kind"] in RESTS]
