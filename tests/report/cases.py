"""Records for tests of the report: real ones of a small topic, and artificial ones."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from verify.engine.run import run
from verify.engine.topics import selected
from verify.report.entries import Entry, entries

TOPIC = "special_drift"


@cache
def judged() -> tuple[Entry, ...]:
    """A topic with a headline lemma, broken steps, witnesses, derivations and other variants, from its stored answers."""
    with TemporaryDirectory() as folder:
        return tuple(entries(run(selected([TOPIC]), Path(folder), "default", 0)))


def made(id: str, verdict: str = "unrefuted", uses: Sequence[str] = (), **other: Any) -> Entry:
    """An entry for a statement of no paper."""
    record = {
        "id": id,
        "kind": "inequality",
        "verdict": verdict,
        "source": {"paper": "Notes", "version": "draft", "place": id, "lines": "1"},
        "statement": {"says": f"what {id} says", "latex": "a \\leq b", "text": "a <= b", "relation": f"a <= {id}", "conditions": ["a >= 0"]},
        "changes": "another variant" if "/" in id else "",
        "uses": list(uses),
        "evidence": [{"check": "inequality", "verdict": verdict, "method": "exact", "reason": [{"code": "unjudged", "why": f"why {id}"}], "trials": 3, "tightness": None, "witness": None}],
        "tightness": None,
        "method": "exact",
        "witness": None,
        "reason": [{"code": "unjudged", "why": f"why {id}"}],
        "seconds": 0.5,
        "seed": 0,
        "budget": "quick",
        **other,
    }  # fmt: skip
    return Entry(record)
