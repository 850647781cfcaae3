"""`python -m verify read`: the claims of a paper, those that can be read, and a file to complete."""

from __future__ import annotations

import argparse
from pathlib import Path

from verify.engine.work.errors import UsageError


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, help=".tex or .md file; it is data")
    parser.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
        help="write the lemmas into a file to complete, with the open questions as comments",
    )


def run(options: argparse.Namespace) -> int:
    from verify.engine.records.files import in_one_piece
    from verify.latex.paper import listing

    found = listing(options.file)
    print(found.table)
    if options.out:
        if options.out.exists():
            raise UsageError(f"`--out` must be a new file, {options.out} is there already")
        with in_one_piece(options.out) as stream:
            stream.write(found.draft)
        print(
            f"{options.out}: answer its questions, then judge it with `python -m verify check {options.out}`"
        )
    return 0
