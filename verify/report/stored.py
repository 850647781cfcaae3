"""Entries from stored answers whose evidence is checked, for pages that are built often.

Every certificate passes the checker and every counterexample is evaluated again. A run of the command line
does more, in minutes: it evaluates tightest and random instances, and concludes each verdict from the formulas of its scene.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

from bounds.papers import paper_of
from verify.engine.judge import Record, record_of
from verify.engine.links import with_final_verdicts
from verify.engine.model.claim import Claim
from verify.engine.records.answers import FOLDER as ANSWERS
from verify.engine.records.answers import answers, is_kept, pool_in
from verify.engine.records.pool import together
from verify.engine.records.standing import doubt_of_shown
from verify.engine.topics import claims_of, topics
from verify.report.entries import Entry, entries

Doubts = dict[str, str]
"""Statement -> the reason why its stored evidence is not valid."""


def stored_entries(paper: str) -> tuple[list[Entry], Doubts]:
    """Entries of a paper's stored answers, in the order of its statements, and the answers that were left out.

    Statements without a stored answer are left out as well.
    """
    doubts: Doubts = {}
    return entries(with_final_verdicts(list(_records(paper, doubts)))), doubts


def _records(paper: str, doubts: Doubts) -> Iterator[Record]:
    for topic in topics():
        if paper_of(topic) != paper or not is_kept(topic):
            continue
        stored = answers(ANSWERS, topic)
        for claim in claims_of(topic):
            if claim.statement.id in stored:
                record = _checked(claim, topic, doubts)
                if record is not None:
                    yield record


def _checked(claim: Claim, topic: str, doubts: Doubts) -> Record | None:
    """The record of one answer; None, with the reason among the doubts, if its evidence is not valid."""
    start, id = time.perf_counter(), claim.statement.id
    stored = answers(ANSWERS, topic)[id]
    searched = stored["searched"]
    try:
        evidence = together(stored["evidence"], pool_in(ANSWERS, topic))
        why = doubt_of_shown(claim, evidence, searched["seed"])
    except KeyError as error:
        why = f"certificate {error} is missing"
    if why:
        doubts[id] = why
        return None
    return record_of(claim, evidence, stored["cites"], start, searched["budget"], searched["seed"])
