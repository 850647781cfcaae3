"""The dialogue of `check --ask`: questions about a document, and their answers as declarations in it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from verify.latex.document import JUDGED, Passage, passages
from verify.latex.errors import Unclear, pointed
from verify.latex.glossary import KINDS, kinds
from verify.latex.macros import macros_in
from verify.latex.theorems import parts_of

PROMPT = "kind, or `names: kind` (? lists the kinds, empty skips the lemma): "


def answered(source: str, path: Path, ask: Callable[[str], str], say: Callable[[str], None]) -> str:
    """The document with a declaration before a lemma for each question that was answered.

    Parameters
    ----------
    ask : callable
        Gives the answer to a prompt.
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
        say(pointed(source, error, str(path)))
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
    """The first question about a lemma that was not skipped."""
    macros = macros_in(source)
    for passage in passages(source):
        if passage.kind in JUDGED.split("|") and passage.id not in skipped:
            try:
                parts_of(source, passage, macros, path.stem)
            except Unclear as error:
                return passage, error
    return None


def _declaration(error: Unclear, ask: Callable[[str], str], say: Callable[[str], None]) -> str:
    """The declaration that answers a question; empty if there is none."""
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
