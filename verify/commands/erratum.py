"""`python -m verify erratum`: the page that the authors of a paper could publish, from saved records."""

from __future__ import annotations

import argparse
from pathlib import Path

from verify.commands.report import ENDINGS
from verify.engine.work.errors import UsageError


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paper", help="key of a paper, as its ids begin: special, cfl, cflag, fedmes")
    parser.add_argument("--format", choices=tuple(ENDINGS), default="markdown", help="default %(default)s")
    parser.add_argument(
        "--records",
        type=Path,
        default=Path("results/records"),
        help="folder of records, or a file that holds a list of them (default %(default)s)",
    )
    parser.add_argument(
        "--out", type=Path, help="file to write (default results/erratum_PAPER.md, .tex or .html)"
    )


def run(options: argparse.Namespace) -> int:
    from bounds.catalogue import papers, statements
    from verify.engine.records.files import in_one_piece
    from verify.report.entries import entries, read
    from verify.report.erratum import erratum, rendered_erratum

    stated = statements(options.paper) if options.paper in papers() else {}
    found = erratum(entries(read(options.records)), options.paper, stated)
    out = options.out or Path("results") / f"erratum_{options.paper}.{ENDINGS[options.format]}"
    content = rendered_erratum(found, options.format)
    try:
        with in_one_piece(out) as stream:
            stream.write(content)
    except OSError as error:
        raise UsageError(f"cannot write {out}: {error.strerror}") from error
    print(out)
    return 0
