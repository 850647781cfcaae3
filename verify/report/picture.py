"""The picture of a proof: what stands where, in which shape, as data for an SVG."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import networkx as nx

from verify.report.entries import RANK
from verify.report.graph import RESTS
from verify.report.layout import layout

CHARACTER = 6.7
"""Width of a character of a label in pixels."""
HEIGHT = 34.0

SHAPES: Mapping[str, str] = {
    "identity": "box",
    "inequality": "round",
    "bound": "stadium",
    "entailment": "hexagon",
    "order": "trapezium",
    "agreement": "slanted",
    "fact": "note",
}
"""Shape of each kind of statement; kinds that are not named are cut at the corners."""


@dataclass(frozen=True)
class Node:
    """One node: a statement, a fact, or a group of them.

    `outline` is the path data of its shape around (0, 0); `tightness` from 0 to 1, or None.
    """

    id: str
    x: float
    y: float
    width: float
    label: str
    word: str
    verdict: str
    kind: str
    outline: str
    tightness: float | None
    on_path: bool
    says: str


@dataclass(frozen=True)
class Edge:
    """One edge, from what rests to what it rests on."""

    start: str
    end: str
    kind: str
    curve: str
    on_path: bool


@dataclass(frozen=True)
class Picture:
    """Everything that an SVG of a proof shows."""

    width: float
    height: float
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]


def picture(graph: nx.DiGraph, paths: Sequence[Sequence[str]]) -> Picture:
    """Picture of a graph of statements; `paths` are highlighted."""
    words = {name: _word(graph.nodes[name]) for name in graph}
    labels = {name: _short(graph.nodes[name]["label"]) for name in graph}
    sizes = {name: (_width(labels[name], words[name]), HEIGHT) for name in graph}
    steps = {step for path in paths for step in pairwise(path)}
    marked = {name for path in paths for name in path}
    found = layout(sizes, graph.edges)
    nodes = []
    for name, (x, y) in found.centres.items():
        entry = graph.nodes[name]["entry"]
        kind = entry.record["kind"] if entry else "fact"
        nodes.append(
            Node(
                id=name,
                x=x,
                y=y,
                width=sizes[name][0],
                label=labels[name],
                word=words[name],
                verdict=entry.verdict if entry else "fact",
                kind=kind,
                outline=outline(SHAPES.get(kind, "cut"), sizes[name][0], HEIGHT),
                tightness=_tightness(entry.record["tightness"] if entry else None),
                on_path=name in marked,
                says=entry.record["statement"]["says"] if entry else graph.nodes[name]["label"],
            )
        )
    edges = tuple(
        Edge(a, b, graph.edges[a, b]["kind"], curve, (a, b) in steps)
        for (a, b), curve in found.curves.items()
    )
    return Picture(found.width, found.height, tuple(nodes), edges)


def grouped(graph: nx.DiGraph, group_of: Callable[[str], str], paths: Sequence[Sequence[str]]) -> Picture:
    """Picture in which all statements of a group are one node, with its verdicts counted."""
    members: dict[str, list[str]] = {}
    for name in graph:
        members.setdefault(group_of(name), []).append(name)
    edges = {
        (a, b): "used" if graph.edges[s, e]["kind"] == "used" else "cited"
        for s, e in graph.edges
        if graph.edges[s, e]["kind"] in RESTS and (a := group_of(s)) != (b := group_of(e))
    }
    steps = {(group_of(a), group_of(b)) for path in paths for a, b in pairwise(path)}
    marked = {group for step in steps for group in step}
    words = {group: _count(graph, names) for group, names in members.items()}
    sizes = {group: (_width(group, words[group]), HEIGHT) for group in members}
    found = layout(sizes, edges)
    return Picture(
        found.width,
        found.height,
        tuple(
            Node(
                id=group,
                x=x,
                y=y,
                width=sizes[group][0],
                label=group,
                word=words[group],
                verdict=_worst(graph, members[group]),
                kind="group",
                outline=outline("box", sizes[group][0], HEIGHT),
                tightness=None,
                on_path=group in marked,
                says=", ".join(members[group]),
            )
            for group, (x, y) in found.centres.items()
        ),
        tuple(Edge(a, b, edges[a, b], curve, (a, b) in steps) for (a, b), curve in found.curves.items()),
    )


def _worst(graph: nx.DiGraph, names: Sequence[str]) -> str:
    verdicts = [entry.verdict for name in names if (entry := graph.nodes[name]["entry"])]
    return min(verdicts, key=RANK.__getitem__, default="fact")


def _count(graph: nx.DiGraph, names: Sequence[str]) -> str:
    counts = Counter(
        graph.nodes[name]["entry"].verdict if graph.nodes[name]["entry"] else "fact" for name in names
    )
    return ", ".join(f"{counts[word]} {word}" for word in sorted(counts, key=lambda word: RANK.get(word, 99)))


def _word(node: Mapping[str, Any]) -> str:
    entry = node["entry"]
    if entry is None:
        return "fact"
    return f"{entry.verdict.replace('_', ' ')} {entry.ratio}".rstrip()


def _short(label: str, most: int = 34) -> str:
    return label if len(label) <= most else label[: most - 1] + "…"


def _width(*lines: str) -> float:
    return round(max(len(line) for line in lines) * CHARACTER + 22, 1)


def _tightness(ratio: float | None) -> float | None:
    return None if ratio is None else min(max(ratio, 0.0), 1.0)


def outline(shape: str, width: float, height: float) -> str:
    """Path data of a shape of this size around the origin."""
    w, h = width / 2, height / 2
    corners: Mapping[str, Sequence[tuple[float, float]]] = {
        "box": ((-w, -h), (w, -h), (w, h), (-w, h)),
        "hexagon": ((-w, 0), (-w + 9, -h), (w - 9, -h), (w, 0), (w - 9, h), (-w + 9, h)),
        "trapezium": ((-w + 8, -h), (w - 8, -h), (w, h), (-w, h)),
        "slanted": ((-w + 8, -h), (w, -h), (w - 8, h), (-w, h)),
        "note": ((-w, -h), (w - 9, -h), (w, -h + 9), (w, h), (-w, h)),
        "cut": (
            (-w + 6, -h),
            (w - 6, -h),
            (w, -h + 6),
            (w, h - 6),
            (w - 6, h),
            (-w + 6, h),
            (-w, h - 6),
            (-w, -h + 6),
        ),
    }
    if shape in ("round", "stadium"):
        r = 7.0 if shape == "round" else h
        return (
            f"M{-w + r:g},{-h:g}H{w - r:g}A{r:g},{r:g} 0 0 1 {w:g},{-h + r:g}V{h - r:g}A{r:g},{r:g} 0 0 1 {w - r:g},{h:g}"
            f"H{-w + r:g}A{r:g},{r:g} 0 0 1 {-w:g},{h - r:g}V{-h + r:g}A{r:g},{r:g} 0 0 1 {-w + r:g},{-h:g}Z"
        )
    return "M" + "L".join(f"{x:g},{y:g}" for x, y in corners[shape]) + "Z"
