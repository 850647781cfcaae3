"""The graph of all proofs: the statements that each step uses, those that the paper cites, and variants.

An edge leads from a statement to a statement on which it rests. Its `kind` is

- ``used``: the toolkit's proof uses it (this edge is computed);
- ``cited``: the paper's proof cites it, and the step was judged by itself;
- ``variant``: another variant of the statement.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import networkx as nx

from verify.engine.links import suppliers_of_derived
from verify.engine.verdict import SHOWN
from verify.report.broken import counterexample_values, fails_at, lacks
from verify.report.entries import Entry

RESTS = ("used", "cited")
"""Kinds of edges along which a fault propagates."""


def proof_graph(found: Sequence[Entry]) -> nx.DiGraph:
    """All entries and the facts that proofs rest on, as nodes; their links as edges."""
    graph = nx.DiGraph()
    for entry in found:
        graph.add_node(entry.id, entry=entry, label=entry.name, variants=[], damaged=entry.damaged)
    for entry in found:
        for id in entry.record["uses"]:
            if id in graph:
                graph.add_edge(entry.id, id, kind="cited")
        if entry.printed != entry.id and entry.printed in graph:
            graph.nodes[entry.printed]["variants"].append(entry.id)
            if entry.printed not in entry.record["uses"]:
                graph.add_edge(entry.printed, entry.id, kind="variant")
    for id, premises in suppliers_of_derived([entry.record for entry in found]).items():
        for premise, suppliers in premises.items():
            for supplier in suppliers or [_fact(graph, premise)]:
                graph.add_edge(id, supplier, kind="used")
    return graph


def _fact(graph: nx.DiGraph, premise: str) -> str:
    """Node of a premise that no statement supplies: a fact of the scene or a textbook lemma."""
    name = f"fact: {premise}"
    if name not in graph:
        graph.add_node(name, entry=None, label=premise, variants=[], damaged=False)
    return name


def resting(graph: nx.DiGraph, id: str) -> list[str]:
    """Nodes that a node rests on, in the order of its proof."""
    return [other for other in graph.successors(id) if graph.edges[id, other]["kind"] in RESTS]


def rested_on(graph: nx.DiGraph, id: str) -> list[str]:
    """Nodes that rest on a node."""
    return [other for other in graph.predecessors(id) if graph.edges[other, id]["kind"] in RESTS]


def nodes_below(graph: nx.DiGraph, id: str) -> set[str]:
    """All nodes on which a node rests, directly or indirectly."""
    steps = nx.generic_bfs_edges(graph, id, lambda step: iter(resting(graph, step)))
    return {other for _, other in steps}


def _rests(graph: nx.DiGraph) -> nx.DiGraph:
    return nx.subgraph_view(graph, filter_edge=lambda a, b: graph.edges[a, b]["kind"] in RESTS)


def path_to_fault(graph: nx.DiGraph, id: str) -> list[str] | None:
    """Shortest path from a statement to the broken step on which its failure rests; among equally short ones, the first
    in its proof.

    If the statement has a counterexample, this is a step that the counterexample breaks, or else one that it does not show
    to hold there. No path leads through a proved statement, because its users do not depend on the steps of its printed
    proof.
    """
    rests = nx.subgraph_view(_rests(graph), filter_edge=lambda a, _: a == id or not _proved(graph, a))
    values = counterexample_values(graph.nodes[id]["entry"]) if graph.nodes[id]["damaged"] else {}
    before: dict[str, str] = {}
    undecided: list[str] | None = None
    for step, other in nx.bfs_edges(rests, id):
        before[other] = step
        if not graph.nodes[other]["damaged"]:
            continue
        failing = step_fails(graph, other, values) if values else True
        if failing:
            return _back(before, other, id)
        if failing is None and undecided is None:
            undecided = _back(before, other, id)
    return undecided


def step_fails(graph: nx.DiGraph, id: str, values: Mapping[str, float]) -> bool | None:
    """Whether a damaged step fails at the values of a counterexample; None if they do not decide it."""
    node = graph.nodes[id]
    return fails_at(node["entry"], [graph.nodes[other]["entry"] for other in node["variants"]], values)


def unproved_at(graph: nx.DiGraph, id: str, values: Mapping[str, float]) -> bool:
    """Whether a counterexample breaks a condition under which the formula of a step is proved."""
    node = graph.nodes[id]
    return any(lacks(graph.nodes[other]["entry"], node["entry"], values) for other in node["variants"])


def _back(before: Mapping[str, str], step: str, start: str) -> list[str]:
    """The path from the start to a step."""
    path = [step]
    while path[-1] != start:
        path.append(before[path[-1]])
    return path[::-1]


def _proved(graph: nx.DiGraph, id: str) -> bool:
    entry = graph.nodes[id]["entry"]
    return entry is not None and entry.verdict in SHOWN


def support(graph: nx.DiGraph, roots: Iterable[str]) -> nx.DiGraph:
    """The subgraph on which some statements rest, with the variants of all its nodes."""
    reached = set(roots)
    for root in list(reached):
        reached |= nx.descendants(graph, root)
    return graph.subgraph(reached)
