"""Judge every true statement and every variant; print precision, recall, the undecided ones, and times."""

from __future__ import annotations

import argparse
import fnmatch
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from tests.benchmarks.theorems.cases import Collection
from tests.benchmarks.theorems.continual import CONTINUAL
from tests.benchmarks.theorems.descent import DESCENT
from tests.benchmarks.theorems.exchange import EXCHANGE
from tests.benchmarks.theorems.federated import FEDERATED
from tests.benchmarks.theorems.forgetting import FORGETTING
from tests.benchmarks.theorems.functions import FUNCTIONS
from tests.benchmarks.theorems.methods import METHODS
from tests.benchmarks.theorems.scalars import SCALARS
from tests.benchmarks.theorems.vectors import VECTORS
from verify.engine.judge import judge
from verify.engine.model.claim import Claim
from verify.engine.model.validation import validate
from verify.engine.records.files import fingerprint, finite, path_of, saved, with_seal, write_json
from verify.engine.verdict import Verdict

COLLECTIONS = (FEDERATED, METHODS, EXCHANGE, CONTINUAL, FORGETTING, DESCENT, FUNCTIONS, VECTORS, SCALARS)
DAMAGING = {verdict.value for verdict in Verdict if verdict.damaging}
HEAD = (
    "",
    "true",
    "proved",
    "hold",
    "called false",
    "false",
    "noticed",
    "undecided",
    "recall",
    "precision",
    "seconds",
)

Record = dict[str, Any]


def main() -> int:
    """Rows of the table: one for each collection, and one for all."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.theorems", description=__doc__)
    parser.add_argument("patterns", nargs="*", default=["*"], help="ids or shell patterns; all if none")
    parser.add_argument("--budget", default="default", choices=("quick", "default", "full"))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("results/theorems"), help="folder of records")
    options = parser.parse_args()
    found: dict[str, Record] = {}
    rows: list[tuple[str, list[Record], list[Record]]] = []
    for collection in COLLECTIONS:
        for claim in _selected(collection, options.patterns):
            record = _record(claim, options.out, options.budget, options.seed)
            found[record["id"]] = record
            print(f"{record['id']}: {record['verdict']} ({record['seconds']} s)", file=sys.stderr, flush=True)
        true, false = (
            [found[claim.statement.id] for claim in claims if claim.statement.id in found]
            for claims in (collection.true, collection.false)
        )
        rows.append((collection.key, true, false))
    rows.append(("all", [r for _, true, _ in rows for r in true], [r for _, _, false in rows for r in false]))
    lines = [HEAD, *(_row(*row) for row in rows)]
    widths = [max(len(cell) for cell in column) + 2 for column in zip(*lines, strict=True)]
    for line in lines:
        print("".join(f"{cell:>{width}}" for cell, width in zip(line, widths, strict=True)))
    _, true, false = rows[-1]
    for word, records in (
        ("called false", _caught(true)),
        ("missed", [r for r in false if r not in _caught(false)]),
    ):
        for record in records:
            print(f"{word}: {record['id']} ({record['verdict']}): {record['statement']['text']}")
    return 0


def _selected(collection: Collection, patterns: Sequence[str]) -> Iterator[Claim]:
    for claim in (*collection.true, *collection.false):
        if any(fnmatch.fnmatch(claim.statement.id, pattern) for pattern in patterns):
            yield claim


def _record(claim: Claim, folder: Path, budget: str, seed: int) -> Record:
    """The record of a claim; from an earlier run if the code and the claim are the same."""
    known = saved(folder, claim.statement.id, budget, seed)
    if known and known["statement"]["relation"] == str(claim.statement.relation):
        return known
    validate(claim)
    record = with_seal(finite({**judge(claim, budget, seed), "versions": fingerprint()}))
    write_json(path_of(folder, record["id"]), record)
    return record


def _caught(records: Sequence[Record]) -> list[Record]:
    return [record for record in records if record["verdict"] in DAMAGING]


def _row(name: str, true: Sequence[Record], false: Sequence[Record]) -> tuple[str, ...]:
    wrong, noticed = len(_caught(true)), len(_caught(false))
    verdicts = [record["verdict"] for record in true]
    undecided = sum(
        not (Verdict(record["verdict"]).damaging or Verdict(record["verdict"]).harmless)
        for record in (*true, *false)
    )
    seconds = [record["seconds"] for record in (*true, *false)] or [0.0]
    counts = (
        len(true),
        verdicts.count("proved"),
        verdicts.count("unrefuted"),
        wrong,
        len(false),
        noticed,
        undecided,
    )
    shares = (noticed / max(len(false), 1), noticed / max(noticed + wrong, 1))
    return (
        name,
        *map(str, counts),
        *(f"{share:.3f}" for share in shares),
        f"{median(seconds):.2f} to {max(seconds):.1f}",
    )


if __name__ == "__main__":
    raise SystemExit(main())
