"""The error of the LaTeX reader: a question to the author, with its place in the source."""

from __future__ import annotations

from verify.engine.work.errors import UsageError

WIDTH = 100
"""Largest number of characters of a source line that is printed above a caret."""


class Unclear(UsageError):
    """Raised where a formula is ambiguous, unknown or wrong; the reader never guesses.

    Attributes
    ----------
    question : str
        The question to the author, with the remedy.
    position : int
        Offset in the source, from 0.
    name : str
        The name whose kind is missing; empty for any other question.
    """

    def __init__(self, question: str, position: int, name: str = "") -> None:
        super().__init__(question)
        self.question, self.position, self.name = question, position, name


def line_and_column(source: str, position: int) -> tuple[int, int]:
    """Line and column of an offset, both from 1."""
    before = source[:position]
    return before.count("\n") + 1, position - (before.rfind("\n") + 1) + 1


def message_with_caret(source: str, error: Unclear, name: str = "formula") -> str:
    """The message for a terminal: ``name:line:column: question``, the line of the source, and a caret under the place."""
    line, column = line_and_column(source, error.position)
    text = (source.splitlines() or [""])[min(line, source.count("\n") + 1) - 1 :][:1]
    shown = text[0] if text else ""
    start = max(0, column - WIDTH // 2)
    window = "".join(c if c.isprintable() else " " for c in shown[start : start + WIDTH])
    return f"{name}:{line}:{column}: {error.question}\n    {window}\n    {' ' * (column - 1 - start)}^"
