"""`python -m verify calibrate`: what the engine gets right and wrong on statements of known truth."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from verify.commands.options import add_search
from verify.engine.work.arguments import whole
from verify.engine.work.backends import backend_of


def add_options(parser: argparse.ArgumentParser) -> None:
    add_search(parser)
    parser.add_argument(
        "--runs",
        type=whole("runs", 1),
        default=1000,
        help="seeded searches of true statements (default 1000)",
    )
    parser.add_argument(
        "--fuzz", type=whole("fuzz", 1), default=100, help="false conclusions made at random (default 100)"
    )
    parser.add_argument(
        "--every", type=whole("every", 1), default=1, help="take each so-many-th statement only (default 1)"
    )
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("results/calibration"),
        help="folder of verdicts and searches, from which an interrupted run goes on (default %(default)s)",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every statement, mutant and verdict")


def run(options: argparse.Namespace) -> int:
    from verify.calibration.measure import calibrated, table, wrong
    from verify.engine.records.files import finite, write_json

    tell = lambda line: print(line, file=sys.stderr, flush=True)  # noqa: E731
    backend = backend_of(options)
    asked = options.budget, options.seed, options.runs, options.fuzz, options.every
    found = calibrated(*asked, options.out, backend, tell)
    if options.json:
        write_json(options.json, finite(found))
    print(table(found))
    return int(wrong(found) > 0 or bool(found["alarms"]["false"]))
