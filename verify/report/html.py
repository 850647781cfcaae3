"""One self-contained HTML file: no network, no server, readable without JavaScript."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import networkx as nx
from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from verify.engine.records import path_of
from verify.report.against import Change
from verify.report.entries import RANK, Entry
from verify.report.figures import Figure
from verify.report.graph import proof_graph
from verify.report.pages import (
    Headline,
    Page,
    conditions_of,
    counted,
    formula_of,
    kinds,
    pages,
    rests_on,
    used_by,
)

MOST = 12
"""Entries of a list or table that a page shows; the record has the rest."""


def page(
    found: Sequence[Entry],
    drawn: Sequence[Figure] = (),
    changes: Sequence[Change] | None = None,
    folder: str = "results/records",
) -> str:
    """The whole report.

    Parameters
    ----------
    found : sequence of Entry
    drawn : sequence of Figure
    changes : sequence of Change or None
        What is different from another run; None if none is compared.
    folder : str
        Where the records lie, as the commands that replay witnesses name it.
    """
    graph = proof_graph(found)
    shown = pages(found, graph, drawn)
    return (
        environment()
        .get_template("report.html.j2")
        .render(
            _views(graph, folder),
            figures_of=partial(_beside, drawn, {figure.name for page in shown for figure in page.figures}),
            pages=shown,
            kinds=kinds(shown),
            seen_in=_graphs(shown),
            changes=changes,
            count=len(found),
            most=MOST,
        )
    )


@cache
def environment() -> Environment:
    """Templates with everything escaped that is no markup, and an error for every unknown name."""
    made = Environment(
        loader=PackageLoader("verify.report"),
        autoescape=select_autoescape(["html.j2"], default_for_string=False),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["number"] = number
    made.filters["interval"] = interval
    made.filters["words"] = words
    made.filters["rejected"] = rejected
    made.filters["brief"] = brief
    made.filters["counted"] = counted
    made.tests["flat"] = flat
    return made


def _beside(drawn: Sequence[Figure], shown: Collection[str], entry: Entry) -> list[Figure]:
    """Figures of an entry that stand with no theorem."""
    return [figure for figure in drawn if figure.statement == entry.id and figure.name not in shown]


def _graphs(shown: Sequence[Page]) -> Callable[[Entry], list[Headline]]:
    """In the graphs of which theorems an entry is seen."""
    heads: dict[str, list[Headline]] = {}
    for page in shown:
        for head in page.headlines:
            for step in head.proof.steps if head.proof else ():
                heads.setdefault(step.id, []).append(head)
    return lambda entry: heads.get(entry.id, [])


def _views(graph: nx.DiGraph, folder: str) -> Mapping[str, Any]:
    return {
        "formula_of": formula_of,
        "conditions_of": conditions_of,
        "rests_on": partial(rests_on, graph),
        "used_by": partial(used_by, graph),
        "readings_of": lambda entry: graph.nodes[entry.id]["readings"],
        "node": lambda id: graph.nodes[id],
        "known": lambda id: id in graph,
        "replay": lambda entry: f"python -m verify replay {path_of(Path(folder), entry.id)}",
        "rank": RANK.__getitem__,
        "verdicts": list(RANK),
    }


def number(value: object) -> str:
    """A number to six digits, anything else as text."""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def interval(ends: Sequence[float]) -> str:
    """One number if both ends agree, else an interval."""
    low, high = ends
    return f"{low:.6g}" if low == high else f"[{low:.10g}, {high:.10g}]"


def flat(value: object) -> bool:
    """Whether a value of a record is short enough for one line: no mapping lies in it."""
    if isinstance(value, Mapping):
        return False
    return isinstance(value, str) or not isinstance(value, Sequence) or all(map(flat, value))


def brief(value: object) -> str:
    """A flat value on one line; of a long list the beginning."""
    if value is None:
        return "none"
    if isinstance(value, str) or not isinstance(value, Sequence):
        return number(value)
    more = ", …" if len(value) > MOST else ""
    return f"({', '.join(map(brief, value[:MOST]))}{more})"


def rejected(content: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """A mapping without some of its entries."""
    return {key: value for key, value in content.items() if key not in names}


def words(name: str) -> str:
    """A name of a record for reading."""
    return str(name).replace("_", " ")
