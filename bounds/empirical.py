"""What a text says of experiments, as sentences about expectations over seeds.

Each is about runs where it can be tried, on the embedded digits: not about the numbers of the paper, whose tables are
compared with each other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import sympy as sp

from bounds.statement import Paper, Statement

Where = tuple[str, str]
"""A place of the paper, and lines of the transcription."""


def sentences(paper: Paper) -> Callable[..., tuple[Statement, ...]]:
    """Maker of a paper's sentences: ``(item, says, where, readings)`` -> the sentence and other readings of it.

    `readings` maps a name to what it changes; further fields are those of `Statement`. `lead` is what a sentence is
    about: of all differences of expectations that it says are positive the smallest one.
    """
    lead = paper.glossary.real(
        "lead", "smallest of the mean differences over seeds that the sentence says are positive"
    )

    def sentence(
        item: str, says: str, where: Where, readings: Mapping[str, str] = {}, **fields: Any
    ) -> tuple[Statement, ...]:
        said = f"on the embedded digits, in the mean over seeds, {says}"
        printed = paper.statement(f"emp.{item}", said, sp.Gt(lead, 0), *where, **fields)
        return (printed, *(printed.reading(name, changes=changes) for name, changes in readings.items()))

    return sentence
