"""From a claim to its record."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from verify.engine.claim import BUDGETS, Claim
from verify.engine.verdict import overall

Record = dict[str, Any]


def judge(claim: Claim, budget: str, seed: int) -> Record:
    """Run every check of a claim; plain JSON.

    Errors inside a check are not verdicts: they propagate, with the id of the statement.
    """
    start = time.perf_counter()
    statement = claim.statement
    try:
        findings = [check(claim, BUDGETS[budget], seed) for check in claim.checks]
        shown = overall(findings)
    except Exception as error:
        error.add_note(f"while judging {statement.id}") if hasattr(error, "add_note") else None
        raise
    return {
        "id": statement.id,
        "kind": shown.check,
        "verdict": shown.verdict.value if shown.verdict else None,
        "source": statement.source.record(),
        "statement": {"says": statement.says, "latex": statement.latex(), "text": statement.text()},
        "changes": statement.changes,
        "uses": list(statement.uses),
        "evidence": [finding.record() for finding in findings],
        "tightness": shown.tightness,
        "method": shown.method,
        "witness": shown.witness.record() if shown.witness else None,
        "reason": shown.reason,
        "seconds": round(time.perf_counter() - start, 3),
        "seed": seed,
        "budget": budget,
    }


def link_proofs(records: Sequence[Record]) -> None:
    """Add to each record the first step of its proof that fails, and whether the conclusion survives it."""
    verdicts = {record["id"]: record["verdict"] for record in records}
    for record in records:
        failing = first_failing(record["uses"], verdicts)
        if failing is not None:
            record["proof"] = {
                "first_failing_step": failing,
                "its_verdict": verdicts[failing],
                "conclusion_survives": record["verdict"] in ("holds", "proved"),
            }


def first_failing(uses: Sequence[str], verdicts: Mapping[str, str]) -> str | None:
    """First of `uses` whose verdict is damaging, among those judged."""
    damaging = ("refuted", "inconsistent", "gap", "vacuous")
    return next((id for id in uses if verdicts.get(id) in damaging), None)
