"""`python -m verify check`: judge theorems of the user's own."""

from __future__ import annotations

import argparse
from pathlib import Path

from verify.commands.judge import report
from verify.commands.options import add_records, add_search
from verify.engine.errors import UsageError


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, help="Python file that defines CLAIMS; it is executed")
    add_search(parser)
    add_records(parser, "results/own")


def run(options: argparse.Namespace) -> int:
    from verify.engine.topics import claims_in

    try:
        return report([claim.statement.id for claim in claims_in(options.file)], options, options.file)
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{options.file} cannot be judged: {error}") from error
