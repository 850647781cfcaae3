"""`python -m verify hunt`: search for hours, in unrefuted statements, for counterexamples and for tighter instances."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from verify.commands.options import add_budget, add_saved
from verify.engine.work.arguments import positive
from verify.engine.work.backends import add_backend, backend_of
from verify.engine.work.errors import UsageError
from verify.engine.work.messages import message


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "patterns", nargs="+", help="ids, shell patterns or topics; those that survived a search are hunted"
    )
    parser.add_argument("--hours", type=positive("hours"), default=1.0, help="how long (default %(default)s)")
    add_budget(parser)
    add_backend(parser)
    add_saved(parser)
    parser.add_argument(
        "--out", type=Path, default=Path("results/hunt"), help="folder of all hunts (default %(default)s)"
    )


def run(options: argparse.Namespace) -> int:
    from verify.engine.records.files import write_json
    from verify.engine.search.hunt import best, hunt, place, trail
    from verify.engine.topics import selected
    from verify.report.entries import records_in

    wanted = set(selected(options.patterns))
    ids = [
        record["id"]
        for record in records_in(options.records)
        if record["id"] in wanted and _is_unrefuted_by_search(record)
    ]
    if not ids:
        raise UsageError(
            f"nothing that matches has survived a search by the records in {options.records}; judge it first, and hunt "
            "neither what is proved nor sentences on experiments"
        )
    before = {id: trail(options.out, id) for id in ids}
    known = {id: max((ratio for _, _, ratio in found.course), default=0.0) for id, found in before.items()}
    for start in hunt(ids, options.out, options.budget, 3600 * options.hours, backend_of(options)):
        id, ratio = start["id"], start["ratio"] or 0.0
        if start["witness"] or ratio > known[id]:
            what = "BROKEN" if start["witness"] else f"lhs/rhs {ratio:.6g}"
            message(f"{id}: {what} at start {start['start']}")
            known[id] = max(known[id], ratio)
    print(
        f"{'statement':<34} {'starts':>8} {'instances':>12} {'hours':>8}  lhs/rhs as it grew, after so many starts"
    )
    for id in ids:
        found = trail(options.out, id)
        witness = best(found)
        if witness:
            write_json(options.out / place(id) / "best.json", witness)
        grew = ", ".join(f"{ratio:.6g} ({starts})" for starts, _, ratio in found.course[-6:])
        said = "BROKEN, see best.json" if found.witness else grew or "no ratio was computed"
        print(f"{id:<34} {found.starts:>8} {found.trials:>12,} {found.seconds / 3600:>8.2f}  {said}")
    message(f"starts and best instances are in {options.out}; the same command goes on")
    return 0


def _is_unrefuted_by_search(record: Mapping[str, Any]) -> bool:
    """Whether a statement is unrefuted because instances were searched; sentences judged by means of seeds are not
    hunted.
    """
    searched = (
        found["method"] != "sampled" for found in record["evidence"] if found["verdict"] == "unrefuted"
    )
    return record["verdict"] == "unrefuted" and any(searched)
