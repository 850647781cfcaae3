"""Texts for a terminal: wrapped at its width there; in a file or a pipe one whole line, which `grep` finds."""

from __future__ import annotations

import shutil
import sys
import textwrap
from typing import TextIO

JOINED = "\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}"
"""In place of `` = ``, so that a line does not end between a symbol and its value."""


def message(text: str) -> None:
    """Print a text to stderr; further lines of it are indented."""
    print(*wrapped(text, width_of(sys.stderr), further="  "), sep="\n", file=sys.stderr, flush=True)


def width_of(stream: TextIO) -> int | None:
    """Columns of a terminal, at least 60; None for a file or a pipe, where lines are not wrapped."""
    return max(60, shutil.get_terminal_size((80, 24)).columns) if stream.isatty() else None


def wrapped(text: str, width: int | None, indent: str = "", further: str | None = None) -> list[str]:
    """A text in lines of a width; one line if the width is None. `further` is the indentation of all lines but the first."""
    if width is None:
        return [indent + text]
    later = indent if further is None else further
    lines = textwrap.wrap(
        text.replace(" = ", JOINED),
        width,
        initial_indent=indent,
        subsequent_indent=later,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [line.replace(JOINED, " = ") for line in lines]
