"""Claims of a text about experiments, as sentences about expectations over seeds.

A sentence is tested on runs of this project (the embedded digits), where it can be repeated. The paper's own printed
numbers are compared only with each other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from bounds.relations import gt
from bounds.statement import Paper, Statement


def sentences(paper: Paper) -> Callable[[str, str], Callable[..., tuple[Statement, ...]]]:
    """Makers of a paper's sentences by their place: ``at(place, lines)(item, says, variants)`` -> the sentence and other variants.

    `variants` maps the name of a variant to a description of its change. Further fields are those of `Statement`.
    `lead` is the quantity that a sentence claims to be positive: the smallest of the differences of expectations in
    it.
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
