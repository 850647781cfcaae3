"""One self-contained HTML file: no network, no server, readable without JavaScript."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache, partial
from typing import Any

import networkx as nx
from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from verify.report.against import Change
from verify.report.counterexamples import counterexample
from verify.report.entries import RANK, Entry, Record, breaks
from verify.report.figures import Figure, at_home
from verify.report.graph import proof_graph
from verify.report.letters import letter_names
from verify.report.mathml import mathml
from verify.report.packed import packed
from verify.report.pages import (
    Headline,
    Page,
    conditions_of,
    formula_of,
    kinds,
    pages,
    rests_on,
    used_by,
    verdict_counts,
)
from verify.report.picture import shapes
from verify.report.sketch import sketch
from verify.report.values import (
    MOST,
    again,
    as_json,
    brief,
    certificate_file,
    certificates,
    check_text,
    condition,
    flat,
    interval,
    link_to,
    meanings_text,
    number,
    numbers,
    printed,
    rejected,
    sides,
    token,
)
from verify.report.wording import sentence


def page(
    found: Sequence[Entry],
    drawn: Sequence[Figure] = (),
    changes: Sequence[Change] | None = None,
    replay: Callable[[Record], str] = again,
    sliders: Mapping[str, str] | None = None,
    made_by: str = "",
) -> str:
    """The whole report.

    Parameters
    ----------
    found : sequence of Entry
    drawn : sequence of Figure
    changes : sequence of Change or None
        Differences from another run; None if no run is compared.
    replay : callable
        The command that replays a record's witness.
    sliders : mapping of str to str, optional
        Addresses of pages with sliders, by the id of the bound.
    made_by : str
        Version, commit, date and command.
    """
    graph = proof_graph(found)
    homes = at_home(drawn, graph)
    shown = pages(found, graph, homes)
    return packed(
        environment()
        .get_template("report.html.j2")
        .render(
            _views(graph),
            sliders=sliders or {},
            figures_of=partial(_beside, homes, {figure.name for page in shown for figure in page.figures}),
            shown_with=partial(_elsewhere, homes),
            pages=shown,
            kinds=kinds(shown),
            seen_in=_graphs(shown),
            changes=changes,
            count=len(found),
            most=MOST,
            shapes=shapes(),
            replay=lambda entry: replay(entry.record),
            made_by=made_by,
        )
    )


@cache
def environment() -> Environment:
    """Templates that escape everything except markup, and raise an error for every unknown name."""
    made = Environment(
        loader=PackageLoader("verify.report"),
        autoescape=select_autoescape(["html.j2"], default_for_string=False),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(
        {
            f.__name__: f
            for f in (
                as_json,
                brief,
                certificate_file,
                certificates,
                condition,
                verdict_counts,
                interval,
                meanings_text,
                number,
                numbers,
                printed,
                rejected,
                check_text,
                sentence,
                sides,
                sketch,
                token,
            )
        }
    )
    made.tests.update(flat=flat, broken=breaks)
    return made


def _beside(homes: Mapping[str, Sequence[Figure]], shown: Collection[str], entry: Entry) -> list[Figure]:
    """Figures beside an entry that are not beside a theorem."""
    return [figure for figure in homes.get(entry.id, ()) if figure.name not in shown]


def _elsewhere(homes: Mapping[str, Sequence[Figure]], entry: Entry) -> list[str]:
    """Other statements beside which figures of an entry are placed."""
    return [
        home for home, found in homes.items() if home != entry.id and any(entry.id in f.shows for f in found)
    ]


def _graphs(shown: Sequence[Page]) -> Callable[[Entry], list[Headline]]:
    """The theorems whose graphs contain an entry."""
    heads: dict[str, list[Headline]] = {}
    for page in shown:
        for head in page.headlines:
            for step in head.proof.steps if head.proof else ():
                heads.setdefault(step.id, []).append(head)
    return lambda entry: heads.get(entry.id, [])


def symbols(entry: Entry) -> str:
    """The letters of a statement in the forms in which readers search them, without backslashes: ``lam`` and ``lambda``."""
    if entry.statement is None:
        return ""
    names = letter_names(entry)
    letters = [letter for name, letter in entry.statement.glossary.items() if name in names]
    spelled = [word for letter in letters for word in (letter.symbol.name, letter.latex.replace("\\", ""))]
    return " ".join(dict.fromkeys(spelled))


def _views(graph: nx.DiGraph) -> Mapping[str, Any]:
    return {
        "formula_of": formula_of,
        "conditions_of": conditions_of,
        "rests_on": partial(rests_on, graph),
        "used_by": partial(used_by, graph),
        "variants_of": lambda entry: graph.nodes[entry.id]["variants"],
        "node": lambda id: graph.nodes[id],
        "known": lambda id: id in graph,
        "counterexample_of": counterexample,
        "letter_of": lambda latex: mathml((latex,)),
        "symbols_of": symbols,
        "link_to": link_to,
        "verdicts": list(RANK),
    }
