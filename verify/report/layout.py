"""Positions of the nodes and edges of a proof's graph: Graphviz's `dot`, from left to right, in pixels."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

import pygraphviz

Point = tuple[float, float]
Pixels = tuple[int, int]
_INCH = 72.0
MARGIN = 8.0
GAP = 38.0
"""Pixels between ranks."""


@dataclass(frozen=True)
class Layout:
    """Sizes in whole pixels, which keep large reports short; y downward.

    Attributes
    ----------
    width, height : int
    centres : mapping of node to (x, y)
    curves : mapping of edge to str
        Path data of an SVG `path`, a chain of Bezier curves that ends at the arrow's tip.
    """

    width: int
    height: int
    centres: Mapping[str, Pixels]
    curves: Mapping[tuple[str, str], str]


def layout(
    sizes: Mapping[str, Point], edges: Iterable[tuple[str, str]], weak: Collection[tuple[str, str]] = ()
) -> Layout:
    """Lay out nodes of given (width, height), each edge from a node on the left to one on its right.

    Edges in `weak` do not pull their ends towards each other.
    """
    keys = {node: str(place) for place, node in enumerate(sizes)}
    drawing = pygraphviz.AGraph(directed=True, rankdir="LR", ranksep=GAP / _INCH, nodesep=8 / _INCH)
    drawing.node_attr.update(shape="box", fixedsize="true", label="")
    drawing.edge_attr.update(arrowsize="0.6")
    for node, (width, height) in sizes.items():
        drawing.add_node(keys[node], width=width / _INCH, height=height / _INCH)
    pairs = list(edges)
    for a, b in pairs:
        drawing.add_edge(keys[a], keys[b], weight=0 if (a, b) in weak else 2)
    drawing.layout("dot")
    _, _, width, height = (float(x) for x in drawing.graph_attr["bb"].split(","))

    def pixels(text: str) -> Pixels:
        x, y = (float(part) for part in text.split(","))
        return round(x + MARGIN), round(height - y + MARGIN)

    return Layout(
        round(width + 2 * MARGIN),
        round(height + 2 * MARGIN),
        {node: pixels(drawing.get_node(key).attr["pos"]) for node, key in keys.items()},
        {(a, b): _curve(drawing.get_edge(keys[a], keys[b]).attr["pos"], pixels) for a, b in pairs},
    )


def _curve(position: str, pixels: Callable[[str], Pixels]) -> str:
    """Path data of a spline in the format of `dot`: ``e,`` and the tip, then the control points."""
    words = position.split()
    tip = [pixels(word[2:]) for word in words if word.startswith("e,")]
    start, *rest = [pixels(word) for word in words if word[1] != ","]
    join = " ".join(f"{x},{y}" for x, y in rest)
    end = "".join(f"L{x},{y}" for x, y in tip)
    return f"M{start[0]},{start[1]}C{join}{end}"
