"""The table that a run prints."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Sequence
from typing import Any


def table(records: Sequence[dict[str, Any]], width: int = 118) -> str:
    """One block per statement: id, verdict, method, tightness, reason; totals at the end."""
    first = max([36, *(len(record["id"]) + 1 for record in records)])
    lines = [f"{'statement':<{first}}{'verdict':<15}{'evidence':<11}{'lhs/rhs':<10}", "-" * width]
    for record in records:
        ratio = "" if record["tightness"] is None else f"{record['tightness']:.4g}"
        lines.append(
            f"{record['id']:<{first}}{record['verdict']:<15}{record['method']:<11}{ratio:<10}".rstrip()
        )
        lines += textwrap.wrap(record["reason"], width, initial_indent="    ", subsequent_indent="    ")
        for finding in record["evidence"]:
            if finding["reason"] != record["reason"]:
                text = f"{finding['check']}: {finding['reason']}"
                lines += textwrap.wrap(text, width, initial_indent="    + ", subsequent_indent="      ")
        if "proof" in record:
            step = record["proof"]
            survives = (
                "the conclusion survives"
                if step["conclusion_survives"]
                else "the conclusion does not survive"
            )
            lines.append(
                f"    proof: first failing step {step['first_failing_step']} ({step['its_verdict']}); {survives}"
            )
    totals = Counter(record["verdict"] for record in records)
    lines += ["-" * width, ", ".join(f"{count} {verdict}" for verdict, count in totals.most_common())]
    return "\n".join(lines)
