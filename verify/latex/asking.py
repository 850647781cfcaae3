"""The dialogue of `check --ask`: it prints each question about a document and writes the answers into it as declarations."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from verify.latex.document import JUDGED, Passage, passages
from verify.latex.errors import Unclear, message_with_caret
from verify.latex.glossary import KINDS, kinds
from verify.latex.macros import macros_in
from verify.latex.theorems import parts_of

PROMPT = "kind, or `names: kind` (? lists the kinds, empty skips the lemma): "


def document_with_answers(
    source: str, path: Path, ask: Callable[[str], str], say: Callable[[str], None]
) -> str:
    """Ask the user every question about a document and return the document with the answers inserted.

    Each answer becomes a declaration, as a comment on the line before its lemma. The user may skip a lemma by an empty
    answer. A question that returns unchanged after its answer is not repeated; its lemma is skipped.

    Parameters
    ----------
    source, path :
        Text of the document and its file name. The suffix of the name selects the comment syntax, LaTeX or Markdown.
    ask : callable
        Returns the user's answer to a prompt.
    say : callable
        Prints a line.
    """
    skipped: set[str] = set()
    before: tuple[str, str] | None = None
    while (found := _question(source, path, skipped)) is not None:
        passage, error = found
        if (passage.id, error.question) == before:
            say("the answer does not settle this question; change the formula at this place")
            skipped.add(passage.id)
            continue
        say(message_with_caret(source, error, str(path)))
        declaration = _declaration(error, ask, say)
        if not declaration:
            skipped.add(passage.id)
            continue
        before = passage.id, error.question
        start = source.rfind("\n", 0, passage.at) + 1
        comment = f"<!-- verify: {declaration} -->" if path.suffix == ".md" else f"% verify: {declaration}"
        source = f"{source[:start]}{comment}\n{source[start:]}"
    return source


def _question(source: str, path: Path, skipped: set[str]) -> tuple[Passage, Unclear] | None:
    """The first lemma that is not skipped and cannot be read, with its question; None if all others can be read."""
    macros = macros_in(source)
    for passage in passages(source):
        if passage.kind in JUDGED.split("|") and passage.id not in skipped:
            try:
                parts_of(source, passage, macros, path.stem)
            except Unclear as error:
                return passage, error
    return None


def _declaration(error: Unclear, ask: Callable[[str], str], say: Callable[[str], None]) -> str:
    """Prompt until the user gives a valid declaration; an empty string if the user skips the question."""
    while answer := ask(PROMPT).strip():
        if answer == "?":
            say("\n".join(f"{kind:<12}{meaning}" for kind, meaning in KINDS.items()))
            continue
        declaration = f"{error.name}: {answer}" if error.name and ":" not in answer else answer
        try:
            kinds(declaration)
        except Unclear as mistake:
            say(mistake.question)
            continue
        return declaration
    return ""
