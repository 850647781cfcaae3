"""`python -m verify erratum`: the page that the authors of a paper could publish, from stored answers or saved records."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from verify.commands.report import ENDINGS
from verify.engine.work.errors import UsageError
from verify.engine.work.messages import message

if TYPE_CHECKING:
    from verify.report.entries import Entry


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paper", help="key of a paper, as its ids begin: special, cfl, cflag, fedmes")
    parser.add_argument("--format", choices=tuple(ENDINGS), default="markdown", help="default %(default)s")
    parser.add_argument(
        "--records",
        type=Path,
        help="folder of records, or a file that holds a list of them (default: the stored answers, checked again)",
    )
    parser.add_argument(
        "--out", type=Path, help="file to write (default results/erratum_PAPER.md, .tex or .html)"
    )


def run(options: argparse.Namespace) -> int:
    from bounds.catalogue import papers, statements
    from verify.engine.records.files import in_one_piece
    from verify.report.erratum import erratum, rendered_erratum

    stated = statements(options.paper) if options.paper in papers() else {}
    found = erratum(_entries(options), options.paper, stated)
    out = options.out or Path("results") / f"erratum_{options.paper}.{ENDINGS[options.format]}"
    content = rendered_erratum(found, options.format)
    try:
        with in_one_piece(out) as stream:
            stream.write(content)
    except OSError as error:
        raise UsageError(f"cannot write {out}: {error.strerror}") from error
    print(out)
    return 0


def _entries(options: argparse.Namespace) -> Sequence[Entry]:
    """Entries of the records that were named, else of the stored answers of the paper."""
    from bounds.catalogue import papers
    from verify.report.entries import entries, records_in
    from verify.report.stored import stored_entries

    if options.records is not None:
        return entries(records_in(options.records))
    if options.paper not in papers():
        raise UsageError(
            f"`paper` must be the key of a paper, got {options.paper!r}; write one of {', '.join(papers())}"
        )
    found, doubts = stored_entries(options.paper)
    for id, reason in doubts.items():
        message(f"verify: the stored answer to {id} is left out: {reason}")
    if not found:
        raise UsageError(f"no answers are stored for {options.paper!r}; `python -m verify keep` stores them")
    return found
