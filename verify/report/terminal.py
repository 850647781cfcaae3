"""The output of a run: a summary for each paper, then every statement, the most damaging verdicts first.

On a terminal long texts are wrapped at its width. In a file or a pipe every statement is one whole line, which `grep` finds.
"""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TextIO

from verify.engine.work.messages import width_of, wrapped
from verify.report.digits import instance_text
from verify.report.entries import RANK, Entry
from verify.report.theorems import Fault, Theorem, by_weight, conclusions, fault, theorems
from verify.report.values import FILLERS, numbers, value_text
from verify.report.wording import sentence

Paint = Callable[[str, str], str]
"""``paint(verdict, text)``: the text in the colour of a verdict."""

COLOURS: Mapping[str, str] = {
    "refuted": "31;1",
    "inconsistent": "35",
    "gap": "33",
    "vacuous": "36;1",
    "unrefuted": "34",
    "supported": "34",
    "proved (cited)": "36",
    "proved": "32",
    "inconclusive": "2",
    "assumption": "2",
    "not judged": "2",
}
"""ANSI codes of the verdicts."""
LONGEST = 200
"""Limit on characters of a reason with all numbers of its counterexample. Longer ones give the symbols of the formula, and
`explain` shows the rest."""
MOST = 3
"""Limit on named conclusions of a theorem; the others are counted."""
VERDICT = 14, 22
"""Least and largest number of characters of the column of verdicts; a verdict with many sizes is longer than that."""


def painter(stream: TextIO) -> Paint:
    """Colours if the stream is a terminal and ``NO_COLOR`` is not set, none otherwise."""
    return _coloured if stream.isatty() and not os.environ.get("NO_COLOR") else plain


def _coloured(verdict: str, text: str) -> str:
    return f"\x1b[{COLOURS.get(verdict, '0')}m{text}\x1b[0m"


def plain(_verdict: str, text: str) -> str:
    """The text as it is."""
    return text


@dataclass(frozen=True)
class _Links:
    """Functions that evaluate the links between entries.

    Attributes
    ----------
    fault_of : callable
        Gives the broken step of the proof of an entry.
    conclusions_of : callable
        Gives the true variants of a theorem.
    in_order : callable
        The entries, the most important first, given the headlines.
    """

    fault_of: Callable[[Entry], Fault | None]
    conclusions_of: Callable[[Theorem], tuple[Entry, ...]]
    in_order: Callable[[Sequence[Theorem]], Sequence[Entry]]


def summary(found: Sequence[Entry], paint: Paint = plain, width: int | None = None) -> str:
    """Papers with their headlines, and every statement with its reason.

    Parameters
    ----------
    found : sequence of Entry
    paint : callable
    width : int, optional
        Characters per line; without it no text is wrapped, and each statement is one line.
    """
    known = {entry.id: entry for entry in found}
    lines: list[str] = []
    headlines: list[Theorem] = []
    links = _links(found, known)
    for paper in dict.fromkeys(entry.paper for entry in found):
        own = [entry for entry in found if entry.paper == paper]
        heads = theorems(own)
        headlines += heads
        lines += _paper(own, heads, links, known, paint, width)
    first = max(len(id) for id in ("statement", *known))
    least, most = VERDICT
    lengths = [len(entry.printed_verdict) + 2 for entry in found]
    column = max((length for length in lengths if least < length <= most), default=least)
    lines.append(
        f"{'verdict':<{column}}{'statement':<{first + 2}}{'evidence':<11}lhs/rhs" + ("" if width else "  why")
    )
    for entry in links.in_order(headlines):
        lines += _statement(entry, column, first, paint, width)
    return "\n".join(lines)


def _links(found: Sequence[Entry], known: Mapping[str, Entry]) -> _Links:
    if len(found) == 1:  # has no links, and the library of graphs takes a tenth of a second to load
        return _Links(lambda entry: None, lambda theorem: (), lambda headlines: found)
    from verify.report.graph import proof_graph

    graph = proof_graph(found)
    return _Links(
        partial(fault, graph=graph, known=known),
        partial(conclusions, graph=graph, known=known),
        partial(by_weight, found, graph=graph),
    )


def _paper(
    own: Sequence[Entry],
    heads: Sequence[Theorem],
    links: _Links,
    known: Mapping[str, Entry],
    paint: Paint,
    width: int | None,
) -> list[str]:
    title = own[0].record["source"]["paper"]
    heading = own[0].paper if title == own[0].paper else f"{own[0].paper}: {title}"
    lines = [*wrapped(heading, width), f"  {tally(own, paint)}"]
    for theorem in heads:
        head, before = theorem.parts[0], len(lines)
        lines.append(f"  {theorem.id}  {tally(theorem.parts, paint)}")
        says = head.record["statement"]["says"]
        lines += wrapped(says, width, "    ") if says != head.name else []
        broken = {f.step: f for part in theorem.parts if (f := links.fault_of(part))}
        for step, found in broken.items():
            word = f"{known[step].verdict}, {known[step].record['source']['place']}"
            own_line = any(step == part.id for head in heads for part in head.parts)
            instead = "" if own_line else ", ".join(variant.name for variant in found.instead)
            so = f"; instead {instead}" if instead else ""
            text = "\n".join(wrapped(f"first broken step: {step} ({word}){so}", width, "    ", " " * 6))
            lines.append(text.replace(f": {step} ", f": {paint(known[step].verdict, step)} ", 1))
        if instead_of_it := links.conclusions_of(theorem):
            shown = "; ".join(f"{entry.name} ({entry.printed_verdict})" for entry in instead_of_it[:MOST])
            more = f"; and {len(instead_of_it) - MOST} more" if len(instead_of_it) > MOST else ""
            lines += wrapped(f"true instead: {shown}{more}", width, "    ", " " * 6)
        if says == head.name and len(lines) == before + 1:  # the table below says the same
            del lines[before:]
    return [*lines, ""]


def tally(found: Sequence[Entry], paint: Paint = plain) -> str:
    """The number of statements with each verdict, most damaging first; for a single statement its verdict with sizes."""
    if len(found) == 1:
        return paint(found[0].verdict, found[0].printed_verdict)
    counts = Counter(entry.verdict for entry in found)
    words = sorted(counts, key=RANK.__getitem__)
    return ", ".join(paint(word, f"{counts[word]} {word}") for word in words)


def _statement(entry: Entry, column: int, first: int, paint: Paint, width: int | None) -> list[str]:
    """Verdict with its sizes, id, evidence and lhs/rhs; the reason below them, or on the same line if nothing is wrapped."""
    gap = " " * max(2, column - len(entry.printed_verdict))
    rest = f"{entry.id:<{first + 2}}{entry.record['method']:<11}{entry.ratio:<9}"
    reason = _reason(entry)
    if width is None:
        return [f"{paint(entry.verdict, entry.printed_verdict)}{gap}{rest}{reason}".rstrip()]
    row = f"{entry.printed_verdict}{gap}{rest}".rstrip()
    lines = (
        [row]
        if len(row) <= width
        else [entry.printed_verdict, *wrapped(" ".join(rest.split()), width, " " * column)]
    )
    lines[0] = lines[0].replace(entry.printed_verdict, paint(entry.verdict, entry.printed_verdict), 1)
    return [*lines, *wrapped(reason, width, "    ")]


def _reason(entry: Entry) -> str:
    """The reason of a verdict; for a counterexample with every number, unless there are many."""
    reason, witness = entry.record["reason"], entry.record["witness"]
    first = reason[0]
    if not (entry.damaged and witness and first["code"] == "counterexample"):
        return sentence([*reason, *entry.needs])
    text = partial(instance_text, first["left"], first["sign"], first["right"])
    with_numbers = text(numbers(witness))
    if len(with_numbers) <= LONGEST:
        return with_numbers
    symbols = _symbols(entry)
    with_symbols = text(symbols)
    return with_symbols if symbols and len(with_symbols) <= LONGEST else sentence(reason)


def _symbols(entry: Entry) -> str:
    """The sizes, and the symbols of a formula and its conditions, with their values in the counterexample, on one line."""
    stated, witness = entry.record["statement"], entry.record["witness"]
    found = {**witness.get("letters", {}), **witness["parameters"], **witness["steps"], **witness["shape"]}
    letters = re.findall(r"\w+", " ".join((stated["relation"], *stated["conditions"])))
    names = [name for name in dict.fromkeys((*witness["shape"], *letters)) if name not in FILLERS]
    return ", ".join(f"{name} = {value_text(found[name])}" for name in names if name in found)


def show(found: Sequence[Entry]) -> None:
    """Print the summary to standard output."""
    print(summary(found, painter(sys.stdout), width_of(sys.stdout)))
