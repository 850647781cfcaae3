"""`python -m verify mutants`: the share of mutants of true statements that is detected."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from verify.commands.options import add_search
from verify.engine.work.backends import backend_of
from verify.engine.work.errors import UsageError


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("patterns", nargs="*", help="ids, shell patterns or topics (default: all)")
    add_search(parser)
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("results/mutants"),
        help="folder of what each statement came to, from which an interrupted run goes on (default %(default)s)",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every mutant and its verdict")


def run(options: argparse.Namespace) -> int:
    from verify.engine.records.files import write_json
    from verify.engine.search.mutants import can_be_mutated, examine, summary
    from verify.engine.topics import selected
    from verify.engine.work.items import each

    ids = [id for id in selected(options.patterns) if can_be_mutated(id)]
    if not ids:
        raise UsageError("none of these statements is an equation or inequality that could be mutated")
    found = {}
    reports_of = each(examine, ids, options.out, backend_of(options), options.budget, options.seed)
    for count, report in enumerate(reports_of, start=1):
        found[report["id"]] = report
        print(f"[{count}/{len(ids)}] {report['id']}", file=sys.stderr, flush=True)
    reports = [found[id] for id in ids]
    if options.json:
        write_json(options.json, reports)
    print(summary(reports))
    return 0
