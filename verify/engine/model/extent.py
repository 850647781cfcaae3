"""The sizes that a proof covers: all, or those at which it was checked. They are printed with the verdict."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from verify.engine.verdict import SHOWN

Sizes = Sequence[Mapping[str, int]]
"""Sizes at which a proof was checked; None in place of a size stands for all its values, None for the whole for all
sizes.
"""


def least(shapes: Iterable[Mapping[str, int]]) -> list[dict[str, int]] | None:
    """Sizes without those that others already cover; None if one of them covers all sizes."""
    once = {tuple(sorted(shape.items())): dict(shape) for shape in shapes}.values()
    kinds = {frozenset(shape) for shape in once}
    if frozenset() in kinds:
        return None
    if len(kinds) == 1:
        return list(once)
    return [shape for shape in once if not any(o.items() < shape.items() for o in once)]


def common(found: Iterable[Sizes | None]) -> list[dict[str, int]] | None:
    """Sizes of a proof that rests on several proofs: the sizes that all of them cover."""
    both: list[dict[str, int]] = [{}]
    for sizes in found:
        each = [{}] if sizes is None else sizes
        both = [{**a, **b} for a in both for b in each if speaks_of([b], a)]
    return least(both)


def either(found: Iterable[Sizes | None]) -> list[dict[str, int]] | None:
    """Sizes that at least one of several proofs covers."""
    return least(shape for sizes in found for shape in ([{}] if sizes is None else sizes))


def is_empty(sizes: Sizes | None) -> bool:
    """Whether the parts of a proof have no size in common, so that together they prove nothing."""
    return sizes is not None and not sizes


def speaks_of(sizes: Sizes | None, shape: Mapping[str, int]) -> bool:
    """Whether a proof that was checked at these sizes covers a shape."""
    return sizes is None or any(all(shape.get(n, size) == size for n, size in each.items()) for each in sizes)


def sizes_text(sizes: Sizes | None) -> str:
    """Printed sizes: ``N <= 3, 2 <= K <= 4, d = 1``, with their number if some sizes in between are missing."""
    if sizes is None:
        return "all sizes"
    names = dict.fromkeys(frozenset(shape) for shape in sizes)
    return " or ".join(_between([shape for shape in sizes if shape.keys() == kind]) for kind in names)


def _between(shapes: Sizes) -> str:
    ends = {name: (min(s[name] for s in shapes), max(s[name] for s in shapes)) for name in shapes[0]}
    box = ", ".join(
        f"{n} = {low}" if low == high else f"{n} <= {high}" if low <= 1 else f"{low} <= {n} <= {high}"
        for n, (low, high) in ends.items()
    )
    every = math.prod(high - low + 1 for low, high in ends.values())
    return box if len(shapes) == every else f"{len(shapes)} sizes with {box}"


def sizes_one_by_one(sizes: Sizes) -> str:
    """Sizes one by one: ``N, K = 1, 1; 1, 2; 2, 2``."""
    names = dict.fromkeys(tuple(shape) for shape in sizes)
    return "; or ".join(
        f"{', '.join(kind)} = "
        + "; ".join(", ".join(map(str, shape.values())) for shape in sizes if tuple(shape) == kind)
        for kind in names
    )


def extended(
    records: Sequence[Mapping[str, Any]], sources: Mapping[str, Mapping[str, Sequence[str | Sizes | None]]]
) -> dict[str, Any]:
    """Sizes of every proved record, by id: its own, restricted to those of the proved statements and identities it rests
    on.
    """
    sizes = {
        record["id"]: (record.get("proof") or {}).get("sizes")
        for record in records
        if record["verdict"] in SHOWN
    }
    for _ in list(sizes):
        before = dict(sizes)
        for id in before:
            used = [
                [
                    before[by] if isinstance(by, str) else by
                    for by in suppliers
                    if not isinstance(by, str) or by in before
                ]
                for suppliers in sources.get(id, {}).values()
            ]
            sizes[id] = common([before[id], *(either(found) for found in used if found)])
        if sizes == before:
            break
    return sizes


def verdict_with_sizes(record: Mapping[str, Any]) -> str:
    """The printed verdict of a record, with the sizes that a proof covers: ``proved (N <= 3)``."""
    verdict, sizes = str(record["verdict"]), record.get("sizes")
    return narrower(verdict, sizes_text(sizes)) if verdict in SHOWN and sizes else verdict


def narrower(verdict: str, limits: str) -> str:
    """A verdict with further limits added in its brackets."""
    return f"{verdict[:-1]}; {limits})" if verdict.endswith(")") else f"{verdict} ({limits})"
