"""A selection of statements as LaTeX or Markdown, for an appendix or a rebuttal."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined

from verify.report.entries import Entry, Record, breaks, standing
from verify.report.graph import proof_graph
from verify.report.mathml import parts
from verify.report.theorems import fault
from verify.report.vacuity import Answers, vacuity
from verify.report.values import (
    check_text,
    condition,
    interval,
    meanings_text,
    number,
    numbers,
    printed,
    sides,
)
from verify.report.wording import sentence

SUFFIXES = {"latex": "tex", "markdown": "md"}
"""Formats with the suffixes of their templates."""
TEMPLATES = {**{kind: f"report.{ending}.j2" for kind, ending in SUFFIXES.items()}, "table": "table.md.j2"}
"""Contents of a report: statements one after the other, or one line of a table each."""

_TEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\ensuremath{<}",
    ">": r"\ensuremath{>}",
    "|": r"\ensuremath{|}",
}

_ENTITIES = str.maketrans({"<": "&lt;", ">": "&gt;", "|": "&#124;", "$": "&#36;"})
"""Characters that some dialects of Markdown do not let a backslash escape."""


def text(
    found: Sequence[Entry], kind: str, everything: Sequence[Entry], replay: Callable[[Record], str]
) -> str:
    """The statements `found` in one of the formats of `TEMPLATES`.

    `everything` are the entries among which steps and variants are looked up.
    """
    graph = proof_graph(everything)
    known = {entry.id: entry for entry in everything}
    template = environment().get_template(TEMPLATES[kind])
    return template.render(
        papers={
            paper: [entry for entry in found if entry.paper == paper]
            for paper in dict.fromkeys(e.paper for e in found)
        },
        fault_of=lambda entry: fault(entry, graph, known),
        instead_of=lambda entry: standing(known[id] for id in graph.nodes[entry.id]["variants"]),
        replay=lambda entry: replay(entry.record),
    )


def vacuity_table(found: Sequence[Entry], figures: Mapping[str, str]) -> str:
    """The table in Markdown on whether theorems say anything; `figures` gives the headline in whose figure a statement
    is drawn.
    """
    papers: dict[str, list[Answers]] = {}
    for row in vacuity(found, figures):
        papers.setdefault(row.entry.record["source"]["paper"], []).append(row)
    return environment().get_template("vacuity.md.j2").render(papers=papers)


@cache
def environment() -> Environment:
    """Templates of texts, with delimiters that neither LaTeX nor Markdown uses, and an error for every unknown name."""
    made = Environment(
        loader=PackageLoader("verify.report"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        block_start_string="<%",
        block_end_string="%>",
        variable_start_string="<<",
        variable_end_string=">>",
        comment_start_string="<#",
        comment_end_string="#>",
    )
    made.filters.update(
        tex=tex,
        rows=rows,
        md=md,
        interval=interval,
        meant=meanings_text,
        number=number,
        numbers=numbers,
        printed=printed,
        sentence=sentence,
        check_text=check_text,
        sides=sides,
        condition=condition,
        conditions=conditions,
    )
    made.tests["broken"] = breaks
    return made


def rows(entry: Entry) -> tuple[str, ...]:
    """LaTeX of a statement in pieces between which a line may be broken."""
    return parts(entry.statement) if entry.statement else (entry.record["statement"]["latex"],)


def tex(words: object) -> str:
    """Text with all special characters of TeX escaped."""
    return "".join(
        _TEX.get(letter, f"\\{letter}" if letter in "#$%&_{}" else letter) for letter in str(words)
    )


def md(words: object) -> str:
    """Text with all special characters of Markdown escaped, in a way that every dialect understands."""
    escaped = re.sub(r"([\\`*_\[\]#])", r"\\\1", str(words).replace("&", "&amp;"))
    return escaped.translate(_ENTITIES)


def conditions(entry: Entry) -> list[str]:
    """LaTeX of the conditions; plain text if the statement is no longer known."""
    if entry.statement is None:
        return [rf"\texttt{{{tex(text)}}}" for text in entry.record["statement"]["conditions"]]
    return [entry.statement.glossary.latex(condition) for condition in entry.conditions]
