"""The picture of a proof: positions and shapes of its nodes, as data for an SVG."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import networkx as nx

from verify.engine.checks.kinds import CUT, kinds
from verify.report.entries import RANK, Entry
from verify.report.graph import RESTS
from verify.report.layout import layout

CHARACTER = 6.7
"""Width of a character of a label in pixels."""
HEIGHT = 34.0

FACT, GROUP, OTHERS = "fact", "group", "others"
"""Kinds of nodes that are no checked statement."""
_SHAPES = {FACT: "note", GROUP: "box"}


@dataclass(frozen=True)
class Face:
    """The content of a node: a statement, a fact, or a group of them; `tightness` from 0 to 1, or None."""

    label: str
    word: str
    verdict: str
    kind: str
    says: str
    tightness: float | None = None

    @property
    def width(self) -> float:
        return round(max(len(self.label), len(self.word)) * CHARACTER + 22, 1)


@dataclass(frozen=True)
class Node:
    """A face at its position; `outline` is the path data of its shape around (0, 0)."""

    id: str
    face: Face
    x: float
    y: float
    outline: str
    on_path: bool


@dataclass(frozen=True)
class Edge:
    """One edge, to the statement that rests on its start; `implied` if a longer path leads there, too."""

    start: str
    end: str
    kind: str
    curve: str
    on_path: bool
    implied: bool


@dataclass(frozen=True)
class Picture:
    """The data of an SVG of a proof."""

    width: float
    height: float
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]


def picture(graph: nx.DiGraph, paths: Sequence[Sequence[str]]) -> Picture:
    """Picture of a graph of statements; `paths` are highlighted."""
    faces = {name: _face(node["entry"], node["label"]) for name, node in graph.nodes.items()}
    kinds = {(a, b): kind for a, b, kind in graph.edges(data="kind")}
    return _picture(faces, kinds, {step for path in paths for step in pairwise(path)})


def grouped(graph: nx.DiGraph, group_of: Callable[[str], str], paths: Sequence[Sequence[str]]) -> Picture:
    """Picture with one node for all statements of a group, with the numbers of their verdicts."""
    members: dict[str, list[str]] = {}
    for name in graph:
        members.setdefault(group_of(name), []).append(name)
    faces = {group: _common_face(group, graph, names) for group, names in members.items()}
    kinds: dict[tuple[str, str], str] = {}
    for a, b, kind in graph.edges(data="kind"):
        step = group_of(a), group_of(b)
        if kind in RESTS and step[0] != step[1] and kinds.get(step) != "used":
            kinds[step] = kind
    steps = {(group_of(a), group_of(b)) for path in paths for a, b in pairwise(path)}
    return _picture(faces, kinds, steps)


def _picture(
    faces: Mapping[str, Face], kinds: Mapping[tuple[str, str], str], steps: Collection[tuple[str, str]]
) -> Picture:
    implied = _implied(kinds)
    marked = {name for step in steps for name in step}
    found = layout({name: (face.width, HEIGHT) for name, face in faces.items()}, kinds, weak=implied)
    nodes = tuple(
        Node(
            name,
            faces[name],
            x,
            y,
            outline(_shape(faces[name].kind), faces[name].width, HEIGHT),
            name in marked,
        )
        for name, (x, y) in found.centres.items()
    )
    edges = tuple(
        Edge(a, b, kinds[a, b], curve, (a, b) in steps, (a, b) in implied)
        for (a, b), curve in found.curves.items()
    )
    return Picture(found.width, found.height, nodes, edges)


def _implied(edges: Collection[tuple[str, str]]) -> set[tuple[str, str]]:
    """Edges whose end is also reached by another path that does not return to their start."""
    graph = nx.DiGraph(list(edges))
    found = set()
    for start in graph:
        onward = nx.restricted_view(graph, [start], [])
        below = {step: nx.descendants(onward, step) for step in graph.successors(start) if step != start}
        found |= {(start, end) for end in below if any(end in ends for ends in below.values())}
    return found


def _face(entry: Entry | None, label: str) -> Face:
    if entry is None:
        return Face(_short(label, 24), FACT, FACT, FACT, label)
    word = f"{_short(entry.printed_verdict, 28)} {entry.ratio}".rstrip()
    ratio = entry.record["tightness"]
    tightness = None if ratio is None else min(max(ratio, 0.0), 1.0)
    says = entry.record["statement"]["says"]
    return Face(_short(label, 34), word, entry.verdict, entry.record["kind"], says, tightness)


def _common_face(group: str, graph: nx.DiGraph, names: Sequence[str]) -> Face:
    found = [graph.nodes[name]["entry"] for name in names]
    counts = Counter(entry.verdict if entry else FACT for entry in found)
    order = sorted(counts, key=lambda word: RANK.get(word, len(RANK)))
    word = ", ".join(f"{counts[verdict]} {verdict}" for verdict in order)
    return Face(group, word, order[0], GROUP, ", ".join(graph.nodes[name]["label"] for name in names))


def shapes() -> dict[str, str]:
    """Outline of each kind's shape, small, for a legend."""
    own = [kind.name for kind in kinds().values() if kind.outline != CUT]
    return {name: outline(_shape(name), 34, 20) for name in (*own, FACT, OTHERS)}


def _shape(kind: str) -> str:
    """The shape of a statement or another node; kinds without a shape of their own have cut corners."""
    own = kinds().get(kind)
    return own.outline if own else _SHAPES.get(kind, CUT)


def _short(label: str, most: int) -> str:
    return label if len(label) <= most else label[: most - 1] + "…"


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
