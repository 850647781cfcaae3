"""What a text says of experiments, as sentences about expectations over seeds.

Each is about runs where it can be tried, on the embedded digits: not about the numbers of the paper, whose tables are
compared with each other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from bounds.relations import gt
from bounds.statement import Paper, Statement


def sentences(paper: Paper) -> Callable[[str, str], Callable[..., tuple[Statement, ...]]]:
    """Makers of a paper's sentences by their place: ``at(place, lines)(item, says, variants)`` -> the sentence and other variants.

    `variants` maps a name to what it changes; further fields are those of `Statement`. `lead` is what a sentence is
    about: of all differences of expectations that it says are positive the smallest one.
    """
    lead = paper.glossary.real(
        "lead", "smallest of the mean differences over seeds that the sentence says are positive"
    )

    def sentence(
        place: str, lines: str, item: str, says: str, variants: Mapping[str, str] = {}, **fields: Any
    ) -> tuple[Statement, ...]:
        said = f"on the embedded digits, in the mean over seeds, {says}"
        printed = paper.at(place, lines)(f"emp.{item}", said, gt(lead, 0), **fields)
        return (printed, *(printed.variant(name, changes=changes) for name, changes in variants.items()))

    return lambda place, lines: partial(sentence, place, lines)
