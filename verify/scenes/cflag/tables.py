"""Scenes: C-FLAG: do its tables of results agree with each other, with their metrics and with the text?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from bounds.cflag.tables import Results
from bounds.printed import Number, Result
from verify.engine.instance import Instance

Rows = dict[str, Instance]
Scores = Mapping[tuple[str, str], Fraction]
OURS = "C-FLAG"


def scores(results: Mapping[str, Results]) -> Scores:
    """Accuracies, and forgetting with its sign turned, by experiment and method."""
    return {
        (f"{metric} on {dataset}, {setting}", method): sign * number.value
        for setting, table in results.items()
        for (dataset, method), result in table.items()
        for metric, sign, number in (("Acc", 1, result.acc), ("Forget", -1, result.forget))
    }


def only(word: str, scores: Scores) -> Scores:
    """Scores of the experiments whose name holds a word."""
    return {key: score for key, score in scores.items() if word in key[0]}


def pairs(one: Result, other: Result) -> Iterator[tuple[str, Number, Number]]:
    yield "Acc", one.acc, other.acc
    yield "Forget", one.forget, other.forget


def apart(one: Result, other: Result) -> Fraction:
    parts = (abs(a.value - b.value) + abs(a.deviation - b.deviation) for _, a, b in pairs(one, other))
    return sum(parts, start=Fraction(0))
