"""Topics and statements of a run, ordered by the seconds in their records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

SLOWEST = 15
"""Statements that are listed."""


def profile(records: Sequence[Mapping[str, Any]], topic_of: Mapping[str, str]) -> str:
    """Seconds of topics and of the slowest statements, with their share of all work.

    Parameters
    ----------
    records : sequence of dict
        Saved records; `seconds` is the time in which each was judged.
    topic_of : mapping of str to str
        Topics by id; other statements are listed without a topic.
    """
    spent = {record["id"]: float(record["seconds"]) for record in records}
    whole = sum(spent.values()) or 1.0
    topics: Counter[str] = Counter()
    for id, seconds in spent.items():
        topics[topic_of.get(id, "one's own")] += seconds  # type: ignore[assignment]
    lines = [f"{sum(spent.values()):.1f} s of work, by topic:"]
    lines += [_line(name, seconds, whole) for name, seconds in topics.most_common()]
    slowest = sorted(spent, key=lambda id: -spent[id])[:SLOWEST]
    return "\n".join([*lines, "the slowest statements:", *(_line(id, spent[id], whole) for id in slowest)])


def _line(name: str, seconds: float, whole: float) -> str:
    return f"  {seconds:9.2f} s {seconds / whole:6.1%}  {name}"
