"""Overview of a whole paper: its theorem-like environments and displayed relations, and which of them the reader can parse."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from verify.engine.work.errors import UsageError
from verify.latex.claims import read_formula
from verify.latex.document import JUDGED, displays, passages
from verify.latex.errors import Unclear, line_and_column, message_with_caret
from verify.latex.glossary import kinds
from verify.latex.macros import macros_in
from verify.latex.printing import python_of, require_read_back, words_of
from verify.latex.prose import lemma_of
from verify.latex.theorems import parts_of, source_of

_DEFINITION = re.compile(r"\s*\\((re)?newcommand|providecommand|DeclareMathOperator|def)\b")
_END = re.compile(r"\\end\{[^}]*\}")


@dataclass(frozen=True)
class Listing:
    """A table of the environments and displays of a paper, and a draft file.

    The draft contains the lemmas of the paper, each with its open question as a comment.
    """

    table: str
    draft: str


def listing(path: Path) -> Listing:
    """List the theorem-like environments and displayed relations of a document.

    Raises
    ------
    UsageError
        If the file cannot be read as text, or has too many lemmas.
    """
    source = source_of(path)
    macros = macros_in(source)
    try:
        found = passages(source)
    except Unclear as error:
        raise UsageError(message_with_caret(source, error, str(path))) from None
    rows, draft = ([], [line for line in source.splitlines() if _DEFINITION.match(line)])
    for passage in found:
        line = line_and_column(source, passage.at)[0]
        closing = _END.match(source, passage.end)
        body = source[passage.at : closing.end() if closing else passage.end]
        question = ""
        try:
            if passage.kind in JUDGED.split("|"):
                parts = parts_of(source, passage, macros, path.stem)
                unjudged = sorted({part.reason for part in parts if part.claim is None})
                state = "read" if not unjudged else f"read; not judged: {unjudged[0]}"
            else:
                lemma_of(source, passage, macros)
                state = "read"
        except Unclear as error:
            place = line_and_column(source, error.position)
            question = error.question
            state = f"question at {place[0]}:{place[1]}: {question}"
        rows.append(f"{line:>6}  {passage.kind:<12}{passage.id:<28}{state}")
        if passage.kind in JUDGED.split("|"):
            asked = (
                [f"% question: {question.replace('% verify', 'verify')}", "% verify: "] if question else []
            )
            draft += ["", *asked, body.rstrip()]
    inside = [(passage.at, passage.end) for passage in found]
    for begin, end in displays(source):
        if any(first <= begin < last for first, last in inside):
            continue
        line = line_and_column(source, begin)[0]
        try:
            require_read_back(read_formula(source, kinds(), macros, begin, end))
            state = "read"
        except Unclear as error:
            place = line_and_column(source, error.position)
            state = f"question at {place[0]}:{place[1]}: {error.question}"
        rows.append(f"{line:>6}  {'display':<12}{'':<28}{state}")
    read = sum("  read" in row or " read;" in row for row in rows)
    head = [f"{path}: {read} of {len(rows)} read", f"{'line':>6}  {'kind':<12}{'id':<28}state"]
    return Listing("\n".join([*head, *rows]), "\n".join(draft) + "\n")


def readings_of(path: Path) -> str:
    """Each claim of a document as LaTeX, as Python and in words; `check` prints this before it judges the claims."""
    source = source_of(path)
    macros = macros_in(source)
    lines = []
    for passage in passages(source):
        if passage.kind not in JUDGED.split("|"):
            continue
        try:
            lemma = lemma_of(source, passage, macros)
            for reading, at in lemma.claims:
                text = require_read_back(reading, at)
                given = f"\n  given   {', '.join(map(str, lemma.conditions))}" if lemma.conditions else ""
                words = words_of(reading).replace("\n", "\n          ")
                lines.append(
                    f"{passage.id}\n  LaTeX   {text}\n  Python  {python_of(reading)}\n  words   {words}{given}"
                )
        except Unclear:
            continue  # `theorems` reports it with its place
    return "\n".join(lines)
