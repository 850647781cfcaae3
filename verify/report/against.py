"""Comparison of two runs: changes of verdicts or sizes, tightness and time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from verify.report.entries import Entry

SLOWER, LEAST_SECONDS = 1.5, 1.0
"""Times are reported as different beyond this ratio, if one of them is at least this long."""
DIGITS = 1e-3
"""Two tightnesses are reported as different from this relative difference on."""


@dataclass(frozen=True)
class Change:
    """A difference of one statement: ``verdict``, ``tightness``, ``time``, ``new`` or ``gone``."""

    id: str
    what: str
    before: str
    after: str


def changes(old: Sequence[Entry], new: Sequence[Entry]) -> list[Change]:
    """Differences by kind, verdicts first, in the order of the new run."""
    before, after = ({entry.id: entry for entry in run} for run in (old, new))
    found = [change for id in after if id in before for change in _between(before[id], after[id])]
    found += [Change(id, "new", "", after[id].printed_verdict) for id in after if id not in before]
    found += [Change(id, "gone", before[id].printed_verdict, "") for id in before if id not in after]
    order = ("verdict", "new", "gone", "tightness", "time")
    return sorted(found, key=lambda change: order.index(change.what))


def _between(old: Entry, new: Entry) -> list[Change]:
    found = []
    if old.printed_verdict != new.printed_verdict:
        found.append(Change(new.id, "verdict", old.printed_verdict, new.printed_verdict))
    a, b = old.record["tightness"], new.record["tightness"]
    if (a is None) != (b is None) or (a is not None and abs(a - b) > DIGITS * max(abs(a), abs(b))):
        found.append(Change(new.id, "tightness", old.ratio or "none", new.ratio or "none"))
    times = sorted((old.record["seconds"], new.record["seconds"]))
    if times[1] >= LEAST_SECONDS and times[1] > SLOWER * times[0]:
        found.append(
            Change(new.id, "time", f"{old.record['seconds']:.1f} s", f"{new.record['seconds']:.1f} s")
        )
    return found
