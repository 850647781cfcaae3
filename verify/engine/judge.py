"""From a claim to its record."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Sequence
from typing import Any

from bounds.relations import text_of
from bounds.statement import Scaling
from verify.engine.model.claim import BUDGETS, Claim
from verify.engine.proof.needs import with_need
from verify.engine.proof.premises import suppliers_of_premises
from verify.engine.proof.restrictions import restrictions
from verify.engine.proof.sizes import short
from verify.engine.verdict import Finding, Reason, Verdict, overall

Record = dict[str, Any]


def judge(claim: Claim, budget: str, seed: int, among: Iterable[Claim] = ()) -> Record:
    """The record of a claim from all its checks, as plain JSON. Claims in `among` may supply its premises.

    Errors inside a check are not verdicts: they propagate, with the id of the statement as a note.
    """
    start = time.perf_counter()
    try:
        findings: list[Finding] = []
        for check in claim.checks:
            findings.append(with_need(claim, check(claim, BUDGETS[budget], seed)))
            if "stopped" in findings[-1].details:  # raised by the time limit of the claim
                break
        return record_of(
            claim, [f.record() for f in findings], suppliers_of_premises(claim, among), start, budget, seed
        )
    except Exception as error:
        if sys.version_info >= (3, 11):  # Python 3.10 has no notes
            error.add_note(f"while judging {claim.statement.id}")
        raise


def cut(record: Record) -> Record:
    """The record in its saved form, with as many certificates at sizes as fit."""
    evidence = [{**f, "proof": short(f["proof"])} if "proof" in f else f for f in record["evidence"]]
    return {**record, "evidence": evidence, "proof": short(record["proof"]) if record["proof"] else None}


def unjudged(claim: Claim, kind: str, reason: Reason, budget: str, seed: int) -> Record:
    """The record of a claim that could not be judged, with the reason."""
    finding = Finding(kind, Verdict.NOT_JUDGED, "symbolic", reason)
    return record_of(claim, [finding.record()], {}, time.perf_counter(), budget, seed)


def record_of(
    claim: Claim, evidence: Sequence[Record], cites: Record, start: float, budget: str, seed: int
) -> Record:
    """The record of a claim from the findings of its checks, with the time since `start`."""
    shown = overall(evidence)
    return {
        "id": claim.statement.id,
        "kind": shown["check"],
        "verdict": shown["verdict"],
        **entries_of_statement(claim),
        "evidence": evidence,
        "tightness": shown["tightness"],
        "method": shown["method"],
        "witness": shown["witness"],
        "proof": shown.get("proof"),
        "restrictions": restrictions(claim, shown, cites),
        "reason": shown["reason"],
        "seconds": round(time.perf_counter() - start, 3),
        "seed": seed,
        "budget": budget,
        "cites": cites,
    }


def entries_of_statement(claim: Claim) -> Record:
    """The entries of a record about its statement, independent of the verdict."""
    statement, relation = claim.statement, claim.statement.relation
    return {
        "source": statement.source.record(),
        "statement": {
            "says": statement.says,
            "latex": statement.latex(),
            "text": statement.text(),
            "relation": str(relation) if isinstance(relation, Scaling) else text_of(relation),
            "conditions": list(map(text_of, claim.conditions)),
            "hypotheses": [hypothesis.value for hypothesis in claim.hypotheses],
        },
        "changes": statement.changes,
        "uses": list(statement.uses),
    }
