"""The output of `explain` for one statement: its formula, the findings with numbers, and its proof or dependencies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import networkx as nx

from verify.engine.model.extent import sizes_one_by_one
from verify.engine.work.messages import wrapped
from verify.report.entries import Entry, Record, breaks
from verify.report.graph import path_to_fault, proof_graph, resting
from verify.report.letters import letter_values
from verify.report.sketch import sketch
from verify.report.terminal import Paint, plain
from verify.report.theorems import true_instead, without_free
from verify.report.values import (
    MOST,
    certificates,
    check_text,
    condition,
    interval,
    meanings_of,
    numbers,
    sides,
    value_text,
)
from verify.report.wording import sentence


def story(
    entry: Entry,
    found: Sequence[Entry],
    replay: Callable[[Record], str],
    paint: Paint = plain,
    width: int | None = None,
) -> str:
    """Text about one entry of `found`.

    Parameters
    ----------
    replay : callable
        The command that replays the instance of a record.
    width : int, optional
        Characters per line; without it no text is wrapped.
    """

    def _wrapped(text: str) -> list[str]:
        return wrapped(text, width, "  ") if text else []

    graph = proof_graph(found)
    record = entry.record
    source = record["source"]
    says = record["statement"]["says"]
    lines = [
        f"{entry.id}  {paint(entry.verdict, entry.printed_verdict)}",
        *_wrapped(says if says != entry.name else ""),
    ]
    lines += _wrapped(
        f'{source["place"]} of "{source["paper"]}" ({source["version"]}), line {source["lines"]}'
    )
    lines += _part("formula", _wrapped(record["statement"]["text"]))
    if record["changes"]:
        lines += _part("what this variant changes", _wrapped(record["changes"]))
    lines += _part("conditions", [f"  {condition(text)}" for text in record["statement"]["conditions"]])
    lines += _part("for", _wrapped(entry.hypotheses))
    for finding in entry.findings:
        lines += _part(
            f"{check_text(finding['check'])}, {finding['method']}", list(_finding(finding, _wrapped))
        )
        if finding["witness"]:
            lines += list(_witness(entry, finding, replay, width))
    lines += _part("the sizes of its proof", _wrapped(sizes_one_by_one(record.get("sizes") or ())))
    lines += _part("the certificate", list(_certificate(record.get("proof") or {})))
    lines += _part("its proof rests on", list(_tree(entry.id, graph, paint)))
    path = path_to_fault(graph, entry.id)
    if path:
        broken = graph.nodes[path[-1]]["entry"].verdict
        so = "the conclusion survives" if entry.stands else f"the conclusion is {entry.verdict}"
        lines += _part("its proof breaks", _wrapped(f"{' -> '.join(path)} ({broken}); {so}"))
    lines += _part("true instead", list(_instead(entry.id, path, graph, paint)))
    return "\n".join(lines)


def _finding(finding: Record, wrapped_text: Callable[[str], list[str]]) -> Iterator[str]:
    yield from wrapped_text(sentence(finding["reason"]))
    if finding["trials"]:
        yield f"  {finding['trials']:,} instances met all conditions"
    if finding["tightness"] is not None:
        broken = finding["witness"] and breaks(finding)
        what = "lhs/rhs of the counterexample" if broken else "largest lhs/rhs"
        yield f"  {what} {finding['tightness']:.6g}"
    if lacking := finding.get("details", {}).get("no proof"):
        yield from wrapped_text(f"no proof: {sentence(lacking)}")
    for line in finding.get("details", {}).get("proof in words", ()):
        yield from wrapped_text(line)
    if course := finding.get("details", {}).get("search"):
        yield f"  {sketch(course, finding['trials']).says}"


def _witness(
    entry: Entry, finding: Record, replay: Callable[[Record], str], width: int | None
) -> Iterator[str]:
    witness = finding["witness"]
    yield "  the counterexample" if breaks(finding) else "  the tightest world"
    left, right = sides(witness)
    yield f"    left side   {interval(left)}"
    yield f"    right side  {interval(right)}"
    yield from wrapped(f"with        {numbers(witness)}", width, "    ", " " * 16)
    yield from meanings(witness, width)
    if letters := witness.get("letters"):
        said = ", ".join(f"{name} = {value_text(value)}" for name, value in letters.items())
        yield from wrapped(f"symbols     {said}", width, "    ", " " * 16)
    for letter in letter_values(entry, finding):
        yield from wrapped(f"{letter.name} = {letter.text}  ({letter.meaning})", width, "    ", " " * 8)
    for found in witness["conditions"]:
        met = "met" if found["holds"] else "NOT met"
        yield f"    {condition(found['text'])}: {met}, slack {found['slack']:.3g}"
    command = replay(entry.record)
    files = command.removeprefix("python -m verify replay ").split(" --theorem ")
    yield f"    again: {command}"
    if " --of " not in command:
        yield f"    in Python: from verify import rebuilt; rebuilt({', '.join(map(repr, files))}).values"


def meanings(witness: Record, width: int | None = None) -> Iterator[str]:
    """Meanings of the numbers of a witness that are not symbols of the source."""
    for name, words in meanings_of(witness).items():
        yield from wrapped(f"{name}: {words}", width, " " * 16, " " * 18)


def _certificate(proof: Record) -> Iterator[str]:
    found = certificates(proof)
    if found:
        lines = "1 line" if len(found[0]) == 1 else f"{len(found[0])} lines"
        of = f"first of {len(found)} certificates, " if len(found) > 1 else ""
        yield f"  {of}{lines}; `python verify/check_proof.py` checks such a file by itself"
        yield from (f"  {place}. {line}" for place, line in enumerate(found[0][:MOST]))
        if len(found[0]) > MOST:
            yield "  and more, in the record"


def _tree(root: str, graph: nx.DiGraph, paint: Paint) -> Iterator[str]:
    """Statements on which a statement rests, indented; each is listed once, at its first use."""
    shown = {root}
    stack = [(id, 1) for id in reversed(resting(graph, root))]
    while stack:
        id, depth = stack.pop()
        entry = graph.nodes[id]["entry"]
        mark = f"{entry.verdict} {entry.ratio}".rstrip() if entry else "fact"
        below = resting(graph, id)
        above = id in shown
        more = " (as above)" if above and below else ""
        label = id if entry else graph.nodes[id]["label"]
        yield f"{'  ' * depth}{label}  {paint(entry.verdict if entry else 'fact', mark)}{more}"
        if not above:
            shown.add(id)
            stack += [(other, depth + 1) for other in reversed(below)]


def _instead(id: str, path: Sequence[str] | None, graph: nx.DiGraph, paint: Paint) -> Iterator[str]:
    for name in dict.fromkeys((id, *(path or ())[-1:])):
        known = {variant: graph.nodes[variant]["entry"] for variant in graph.nodes[name]["variants"]}
        for entry in without_free(true_instead(name, graph, known)):
            yield f"  {entry.id}  {paint(entry.verdict, entry.verdict)}: {entry.summary}"


def _part(title: str, lines: Sequence[str]) -> list[str]:
    return ["", title, *lines] if lines else []
