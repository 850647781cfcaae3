"""Headlines: the theorems of a paper, the first failing step of each proof, and the true variants.

Headlines are identified by their ids: theorems, propositions and corollaries if a paper has any, otherwise lemmas, otherwise
all statements.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING

from verify.report.broken import counterexample_values
from verify.report.entries import RANK, Entry, standing

if TYPE_CHECKING:
    import networkx as nx

_RANKS = (r"thm|theorem|prop|proposition|cor|corollary", r"lem|lemma", r"")
_NUMBER = r"[A-Z]?\d*(?:\.\d+)*"


@dataclass(frozen=True)
class Theorem:
    """A headline: its parts as printed, and its other variants.

    Attributes
    ----------
    id : str
        Common beginning of the ids of its parts.
    parts : tuple of Entry
        The printed claims that have a proof, or the single one.
    variants : tuple of Entry
        Other variants of the parts.
    """

    id: str
    parts: tuple[Entry, ...]
    variants: tuple[Entry, ...]

    @property
    def worst(self) -> Entry:
        """The part with the most damaging verdict."""
        return min(self.parts, key=lambda part: RANK[part.verdict])

    @property
    def place(self) -> str:
        """The place of a headline: the common beginning of the places of its parts, or otherwise the place of the
        first.
        """
        places = [part.record["source"]["place"] for part in self.parts]
        shared = takewhile(lambda letters: len(set(letters)) == 1, zip(*places, strict=False))
        common = "".join(letters[0] for letters in shared).rstrip(" (,.;")
        return common if any(letter.isdigit() for letter in common) else str(places[0])


def theorems(found: Sequence[Entry]) -> list[Theorem]:
    """Headlines of one paper's entries, in their order."""
    for rank in _RANKS:
        headline = re.compile(rf"(?:{rank}){_NUMBER}(?=[./]|$)" if rank else r"[^./]+")
        groups: dict[str, list[Entry]] = {}
        for entry in found:
            if match := headline.match(entry.name):
                groups.setdefault(f"{entry.paper}.{match.group()}", []).append(entry)
        if groups:
            return [theorem for id, group in groups.items() if (theorem := _theorem(id, group))]
    return []


def _theorem(id: str, group: Sequence[Entry]) -> Theorem | None:
    printed = [entry for entry in group if entry.id == entry.printed]
    parts = [entry for entry in printed if entry.record["uses"] or entry.id == id] or printed
    parts = [entry for entry in parts if not entry.added] or parts
    parts.sort(key=lambda part: (part.id != id, part.id.count(".")))
    names = {part.id for part in parts}
    variants = [entry for entry in group if entry.id != entry.printed and entry.printed in names]
    return Theorem(id, tuple(parts), tuple(variants)) if parts else None


@dataclass(frozen=True)
class Fault:
    """The path from a theorem to the broken step on which its failure rests, and the true variants of this step.

    `shown` is False if the theorem has a counterexample which neither breaks the step nor a condition under which the step
    is proved.
    """

    path: tuple[str, ...]
    instead: tuple[Entry, ...]
    shown: bool

    @property
    def step(self) -> str:
        return self.path[-1]


def fault(part: Entry, graph: nx.DiGraph, known: Mapping[str, Entry]) -> Fault | None:
    """The fault of the proof of a theorem's part; None if no step is broken."""
    from verify.report.graph import path_to_fault, step_fails, unproved_at

    path = path_to_fault(graph, part.id)
    if path is None:
        return None
    variants = without_free(true_instead(path[-1], graph, known))
    instead = tuple(one for one in variants if not _is_rested_on(one, variants, graph))
    values = counterexample_values(part)
    shown = not values or bool(step_fails(graph, path[-1], values)) or unproved_at(graph, path[-1], values)
    return Fault(tuple(path), instead, shown)


def true_instead(id: str, graph: nx.DiGraph, known: Mapping[str, Entry]) -> tuple[Entry, ...]:
    """The variants of a statement that stand, proved ones first: conclusions, their parts, then the statements on which
    conclusions rest.

    Steps of another variant's proof are left out: a step is a part (``thm1/repaired.limit``) on which another variant
    rests that it does not rest on.
    """
    variants = standing(known[id] for id in graph.nodes[id]["variants"])

    def part(variant: Entry) -> bool:
        return "." in variant.id.partition("/")[2]

    def weight(variant: Entry) -> tuple[bool, bool]:
        return _is_rested_on(variant, [one for one in found if not part(one)], graph), part(variant)

    found = tuple(
        variant for variant in variants if not (part(variant) and _is_rested_on(variant, variants, graph))
    )
    return tuple(sorted(found, key=weight))


def _is_rested_on(variant: Entry, variants: Iterable[Entry], graph: nx.DiGraph) -> bool:
    """Whether another of these variants rests on this one, and not also the other way round."""
    from verify.report.graph import nodes_below

    below = nodes_below(graph, variant.id)
    return any(
        variant.id in nodes_below(graph, other.id) and other.id not in below
        for other in variants
        if other.id != variant.id
    )


def conclusions(theorem: Theorem, graph: nx.DiGraph, known: Mapping[str, Entry]) -> tuple[Entry, ...]:
    """The true variants of a theorem: variants of its parts that stand and are conclusions, proved ones first.

    Steps of their proofs (``thm1/repaired.limit``) are left out unless there is nothing else, and so are trivial bounds.
    """
    found = [one for part in theorem.parts for one in without_free(true_instead(part.id, graph, known))]
    whole = [one for one in found if "." not in one.id.partition("/")[2]]
    return standing(whole or found)


def without_free(variants: Iterable[Entry]) -> tuple[Entry, ...]:
    """Statements without trivial bounds, which hold without the theorem (``thm1/free``, ``thm1/free.start``)."""
    return tuple(variant for variant in variants if not variant.free)


def by_weight(found: Sequence[Entry], headlines: Sequence[Theorem], graph: nx.DiGraph) -> list[Entry]:
    """Entries, the most important first: headlines, then by damage; among damaged ones those nearest below a headline
    come first.
    """
    import networkx as nx

    parts = [part.id for theorem in headlines for part in theorem.parts]
    near = nx.multi_source_dijkstra_path_length(graph, parts) if parts else {}
    far = len(graph)
    return sorted(
        found, key=lambda entry: (entry.id not in parts, RANK[entry.verdict], near.get(entry.id, far))
    )
