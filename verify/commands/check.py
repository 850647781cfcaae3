"""`python -m verify check`: judge theorems of the user's own."""

from __future__ import annotations

import argparse
from pathlib import Path

from verify.commands.judge import report
from verify.commands.options import add_records, add_search, add_timeout


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, help="Python file that defines CLAIMS; it is executed")
    add_timeout(parser)
    add_search(parser)
    add_records(parser, "results/own")


def run(options: argparse.Namespace) -> int:
    from verify.engine.run import Theorem
    from verify.engine.theorem import claims_in

    ids = [claim.statement.id for claim in claims_in(options.file)]
    return report(ids, options, Theorem(options.file, options.timeout))
