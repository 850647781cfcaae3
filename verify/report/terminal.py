"""What a run prints: a summary per paper, then one line per statement, what matters first."""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TextIO

from verify.report.entries import RANK, Entry
from verify.report.theorems import Fault, Theorem, by_weight, fault, theorems

Paint = Callable[[str, str], str]
"""``paint(verdict, text)``: the text in the colour of a verdict."""

COLOURS: Mapping[str, str] = {
    "refuted": "31;1",
    "inconsistent": "35",
    "gap": "33",
    "vacuous": "36",
    "holds": "34",
    "proved": "32",
    "not_applicable": "2",
}
"""ANSI codes of the verdicts."""
WIDEST = 24
"""Characters of a verdict with its sizes; what is longer is cut."""


def painter(stream: TextIO) -> Paint:
    """Colours if the stream is a terminal, none otherwise."""
    return _coloured if stream.isatty() else plain


def _coloured(verdict: str, text: str) -> str:
    return f"\x1b[{COLOURS.get(verdict, '0')}m{text}\x1b[0m"


def plain(_verdict: str, text: str) -> str:
    """The text as it is."""
    return text


def summary(found: Sequence[Entry], paint: Paint = plain, width: int | None = None) -> str:
    """Papers with their headlines, and every statement on one line.

    Parameters
    ----------
    found : sequence of Entry
    paint : callable
    width : int, optional
        Characters per line; by default those of the terminal, at least 80.
    """
    columns = width or max(80, shutil.get_terminal_size((118, 24)).columns)
    known = {entry.id: entry for entry in found}
    lines: list[str] = []
    headlines: list[Theorem] = []
    fault_of, in_order = _linked(found, known)
    for paper in dict.fromkeys(entry.paper for entry in found):
        own = [entry for entry in found if entry.paper == paper]
        heads = theorems(own)
        headlines += heads
        lines += _paper(own, heads, fault_of, known, paint, columns)
    first = max(len(id) for id in ("statement", *known))
    room = max(15, *(min(WIDEST, len(entry.shown)) + 2 for entry in found))
    lines.append(f"{'verdict':<{room}}{'statement':<{first + 2}}{'evidence':<11}{'lhs/rhs':<10}why")
    lines += [_line(entry, room, first, paint, columns) for entry in in_order(headlines)]
    return "\n".join(lines)


def _linked(
    found: Sequence[Entry], known: Mapping[str, Entry]
) -> tuple[Callable[[Entry], Fault | None], Callable[[Sequence[Theorem]], Sequence[Entry]]]:
    """What the links between entries say: where the proof of one breaks, and their order given the headlines."""
    if len(found) == 1:  # has no links, and the library of graphs takes a tenth of a second to load
        return lambda entry: None, lambda headlines: found
    from verify.report.graph import proof_graph

    graph = proof_graph(found)
    return partial(fault, graph=graph, known=known), partial(by_weight, found, graph=graph)


def _paper(
    own: Sequence[Entry],
    heads: Sequence[Theorem],
    fault_of: Callable[[Entry], Fault | None],
    known: Mapping[str, Entry],
    paint: Paint,
    width: int,
) -> list[str]:
    title = own[0].record["source"]["paper"]
    lines = [_cut(f"{own[0].paper}: {title}", width), f"  {tally(own, paint)}"]
    for theorem in heads:
        says = theorem.parts[0].record["statement"]["says"]
        lines.append(f"  {theorem.id}  {tally(theorem.parts, paint)}  {says}")
        broken = {f.step: f for part in theorem.parts if (f := fault_of(part))}
        for step, found in broken.items():
            word = f"{known[step].verdict}, {known[step].record['source']['place']}"
            own_line = any(step == part.id for head in heads for part in head.parts)
            instead = "" if own_line else ", ".join(reading.name for reading in found.instead)
            so = f"; instead {instead}" if instead else ""
            lines.append(f"    first broken step: {paint(known[step].verdict, step)} ({word}){so}")
        if theorem.instead:
            lines.append(_cut(f"    true instead: {'; '.join(map(_reading, theorem.instead))}", width))
    return [*lines, ""]


def _reading(entry: Entry) -> str:
    return f"{entry.name} ({entry.shown}): {entry.record['changes']}"


def tally(found: Sequence[Entry], paint: Paint = plain) -> str:
    """How many have which verdict, most damaging first; of a single one the verdict with its sizes."""
    if len(found) == 1:
        return paint(found[0].verdict, found[0].shown)
    counts = Counter(entry.verdict for entry in found)
    words = sorted(counts, key=RANK.__getitem__)
    return ", ".join(paint(word, f"{counts[word]} {word}") for word in words)


def _line(entry: Entry, room: int, first: int, paint: Paint, width: int) -> str:
    shown = _cut(entry.shown, WIDEST)
    verdict = paint(entry.verdict, shown) + " " * (room - len(shown))
    head = f"{entry.id:<{first + 2}}{entry.record['method']:<11}{entry.ratio:<9} "
    return verdict + _cut(head + entry.record["reason"], width - room).rstrip()


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"


def show(found: Sequence[Entry]) -> None:
    """Print the summary to standard output."""
    print(summary(found, painter(sys.stdout)))
