"""Judge every true statement and every variant; print precision, recall, what is undecided, and times."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from statistics import median

from tests.benchmarks.theorems.descent import DESCENT
from tests.benchmarks.theorems.functions import FUNCTIONS
from tests.benchmarks.theorems.scalars import SCALARS
from tests.benchmarks.theorems.vectors import VECTORS
from verify.engine.judge import judge
from verify.engine.records import write_json
from verify.engine.verdict import Verdict

COLLECTIONS = (FUNCTIONS, DESCENT, VECTORS, SCALARS)
CAUGHT = tuple(verdict.value for verdict in Verdict if verdict.damaging)


def main() -> int:
    """Rows of the table, one a collection, and all together."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.theorems", description=__doc__)
    parser.add_argument("--budget", default="default", choices=("quick", "default", "full"))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path, help="write every verdict")
    options = parser.parse_args()
    verdicts, seconds = {}, []
    rows = []
    for collection in COLLECTIONS:
        found = {}
        for claim in (*collection.true, *collection.false):
            start = time.perf_counter()
            found[claim.statement.id] = judge(claim, options.budget, options.seed)["verdict"]
            seconds.append(time.perf_counter() - start)
            print(f"{claim.statement.id}: {found[claim.statement.id]}", file=sys.stderr, flush=True)
        verdicts |= found
        rows.append((collection.key, *_counts(collection, found)))
    rows.append(("all", *(sum(column) for column in zip(*(row[1:] for row in rows), strict=True))))
    print(
        f"{'':<12}{'true':>6}{'proved':>8}{'called false':>14}{'false':>7}{'caught':>8}{'recall':>8}{'precision':>11}"
    )
    for name, true, proved, wrong, false, caught in rows:
        precision = caught / (caught + wrong) if caught + wrong else 1.0
        print(
            f"{name:<12}{true:>6}{proved:>8}{wrong:>14}{false:>7}{caught:>8}{caught / false:>8.3f}{precision:>11.3f}"
        )
    print(
        f"seconds of a verdict: median {median(seconds):.2f}, largest {max(seconds):.1f}; budget {options.budget}"
    )
    for collection in COLLECTIONS:
        for claim in (*collection.true, *collection.false):
            called = verdicts[claim.statement.id] in CAUGHT
            if called == (claim in collection.true):
                print(
                    f"{'called false' if called else 'missed'}: {claim.statement.text()} [{claim.statement.id}]"
                )
    if options.json:
        write_json(options.json, verdicts)
    return 0


def _counts(collection: object, found: dict[str, str]) -> tuple[int, ...]:
    true, false = (
        [found[claim.statement.id] for claim in claims] for claims in (collection.true, collection.false)
    )
    wrong = sum(verdict in CAUGHT for verdict in true)
    return len(true), true.count("proved"), wrong, len(false), sum(verdict in CAUGHT for verdict in false)


if __name__ == "__main__":
    raise SystemExit(main())
