"""For which sizes a proof speaks: for all, or for those at which it was checked; said where the verdict stands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Sizes = Mapping[str, Sequence[int]]
"""Least and largest value of every size at which a proof was checked."""


def told(sizes: Sizes) -> str:
    """Sizes as a reader sees them: ``N <= 3, 2 <= K <= 4, d = 1``."""
    return ", ".join(
        f"{n} = {low}" if low == high else f"{n} <= {high}" if low <= 1 else f"{low} <= {n} <= {high}"
        for n, (low, high) in sizes.items()
    )


def common(found: Iterable[Sizes | None]) -> dict[str, list[int]] | None:
    """Sizes of a proof that rests on several; None stands for all sizes."""
    both: dict[str, list[int]] = {}
    for sizes in found:
        for name, (low, high) in (sizes or {}).items():
            least, most = both.get(name, (low, high))
            both[name] = [max(low, least), min(high, most)]
    return both or None


def nowhere(sizes: Sizes | None) -> bool:
    """Whether the parts of a proof were checked at no size in common, so that together they show nothing."""
    return any(low > high for low, high in (sizes or {}).values())


def speaks_of(sizes: Sizes | None, shape: Mapping[str, int]) -> bool:
    """Whether a proof that was checked at these sizes, None standing for all, says anything of a shape."""
    return all(low <= shape.get(name, low) <= high for name, (low, high) in (sizes or {}).items())


def extended(
    records: Sequence[Mapping[str, Any]], sources: Mapping[str, Mapping[str, set[str]]]
) -> dict[str, Any]:
    """Sizes by the id of every proved record: its own, and those of the proved statements that it rests on.

    Of several suppliers of a premise the one counts whose proof says of more sizes.
    """
    proved = {record["id"]: record for record in records if record["verdict"] == "proved"}
    sizes = {id: common([(record.get("proof") or {}).get("sizes")]) for id, record in proved.items()}
    for _ in proved:
        before = dict(sizes)
        for id in proved:
            used = [ids & sizes.keys() for ids in sources.get(id, {}).values()]
            best = [min((before[other] for other in ids), key=lambda s: len(s or {})) for ids in used if ids]
            sizes[id] = common([before[id], *best])
        if sizes == before:
            break
    return sizes


def shown(record: Mapping[str, Any]) -> str:
    """The verdict of a record, with the sizes at which alone it was checked: ``proved (N <= 3)``."""
    verdict, sizes = str(record["verdict"]).replace("_", " "), record.get("sizes")
    return f"{verdict} ({told(sizes)})" if verdict == "proved" and sizes else verdict
