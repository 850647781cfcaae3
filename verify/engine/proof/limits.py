"""Facts that prevent statements from being proved at all sizes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from verify.engine.model.extent import sizes_text


def limiting(record: Mapping[str, Any]) -> dict[str, str]:
    """Relations proved at some sizes only on which a proof rests directly, each with its sizes."""
    proof = record.get("proof") or {}
    if proof.get("sizes") and "certificate" not in proof:
        return {record["statement"]["relation"]: sizes_text(proof["sizes"])}
    found = {p: sizes_text(says["own_sizes"]) for p, says in record["cites"].items() if says.get("own_sizes")}
    facts = (finding.get("details", {}).get("facts", {}) for finding in record["evidence"])
    for relation, why in (pair for of in facts for pair in of.items()):
        if why[0].get("sizes"):
            found[relation] = sizes_text(why[0]["sizes"])
    return found


def table(records: Sequence[Mapping[str, Any]]) -> list[str]:
    """Lines about linked records: the number of statements proved at some sizes only, for each paper, and the relations that
    limit most of them.
    """
    proved = [record for record in records if record["verdict"] == "proved"]
    sized = [record for record in proved if record["sizes"]]
    lines = [f"{len(proved)} proved, {len(sized)} of them at sizes only"]
    for paper, number in sorted(Counter(record["id"].partition(".")[0] for record in sized).items()):
        lines.append(f"  {paper}: {number}")
    limits = Counter((relation, sizes) for record in sized for relation, sizes in limiting(record).items())
    for (relation, sizes), number in limits.most_common():
        lines.append(f"{number:>5}  {sizes:<50}  {relation}")
    return lines


__all__ = ["limiting", "table"]
