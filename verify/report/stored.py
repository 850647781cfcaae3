"""Entries from stored answers: what was found last, without checking it again, for pages that are built often."""

from __future__ import annotations

import time
from collections.abc import Iterator

from bounds.papers import paper_of
from verify.engine.answers import FOLDER as ANSWERS
from verify.engine.answers import answers, is_kept
from verify.engine.judge import Record, record_of
from verify.engine.links import linked
from verify.engine.topics import claims_of, topics
from verify.report.entries import Entry, entries


def stored_entries(paper: str) -> list[Entry]:
    """Entries of a paper's stored answers, in the order of its statements.

    The stored findings are read, not checked again; `python -m verify` checks them with today's code. Statements without a
    stored answer are left out.
    """
    return entries(linked(list(_records(paper))))


def _records(paper: str) -> Iterator[Record]:
    for topic in topics():
        if paper_of(topic) != paper or not is_kept(topic):
            continue
        stored = answers(ANSWERS, topic)
        for claim in claims_of(topic):
            if answer := stored.get(claim.statement.id):
                searched = answer["searched"]
                start = time.perf_counter()
                yield record_of(
                    claim, answer["evidence"], answer["cites"], start, searched["budget"], searched["seed"]
                )
