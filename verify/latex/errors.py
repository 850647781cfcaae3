"""What a reader of LaTeX refuses: a question with its place in the source."""

from __future__ import annotations

from verify.engine.errors import UsageError

WIDTH = 100
"""Characters of a source line that are printed above a caret."""


class Unclear(UsageError):
    """A formula that cannot be read without a guess.

    Attributes
    ----------
    question : str
        What must be answered, with the remedy.
    position : int
        Offset in the source, from 0.
    name : str
        The name whose kind is asked for; empty if the question is another one.
    """

    def __init__(self, question: str, position: int, name: str = "") -> None:
        super().__init__(question)
        self.question, self.position, self.name = question, position, name


def line_and_column(source: str, position: int) -> tuple[int, int]:
    """Line and column of an offset, both from 1."""
    before = source[:position]
    return before.count("\n") + 1, position - (before.rfind("\n") + 1) + 1


def pointed(source: str, error: Unclear, name: str = "formula") -> str:
    """The question with line and column, the line of the source, and a caret under the place."""
    line, column = line_and_column(source, error.position)
    text = (source.splitlines() or [""])[min(line, source.count("\n") + 1) - 1 :][:1]
    shown = text[0] if text else ""
    start = max(0, column - WIDTH // 2)
    window = "".join(c if c.isprintable() else " " for c in shown[start : start + WIDTH])
    return f"{name}:{line}:{column}: {error.question}\n    {window}\n    {' ' * (column - 1 - start)}^"
