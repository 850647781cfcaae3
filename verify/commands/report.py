"""`python -m verify report`: one HTML file, LaTeX or Markdown, from saved records."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from verify.commands.options import add_search, add_timeout
from verify.engine.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verify.report.against import Change
    from verify.report.entries import Entry

ENDINGS = {"html": "html", "latex": "tex", "markdown": "md"}


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "patterns",
        nargs="*",
        help="papers, ids, shell patterns or topics; all that was judged if none; or a Python file that defines "
        "CLAIMS, which is executed and judged first",
    )
    parser.add_argument("--format", choices=tuple(ENDINGS), default="html", help="default %(default)s")
    parser.add_argument(
        "--records",
        type=Path,
        default=Path("results/records"),
        help="folder of records, or a file that holds a list of them (default %(default)s)",
    )
    parser.add_argument(
        "--against", type=Path, metavar="OLD", help="records of another run, to say what changed since (HTML)"
    )
    parser.add_argument("--out", type=Path, help="file to write (default results/report.html, .tex or .md)")
    add_timeout(parser)
    add_search(parser)


def run(options: argparse.Namespace) -> int:
    from verify.engine.records import in_one_piece
    from verify.report.entries import entries, read, select
    from verify.report.figures import drawn
    from verify.report.html import page
    from verify.report.texts import text

    start = time.perf_counter()
    found, folder = _own(options) if _is_file(options) else (entries(read(options.records)), options.records)
    chosen = found if _is_file(options) else select(found, options.patterns)
    out = options.out or Path("results") / f"report.{ENDINGS[options.format]}"
    if options.format == "html":
        content = page(chosen, drawn(Path("results")), _changes(options, chosen), str(folder))
    else:
        content = text(chosen, options.format, found, str(folder))
    try:
        with in_one_piece(out) as stream:
            stream.write(content)
    except OSError as error:
        raise UsageError(f"cannot write {out}: {error.strerror}") from error
    print(out)
    print(f"{len(chosen)} statements in {time.perf_counter() - start:.1f} s", file=sys.stderr)
    return 0


def _changes(options: argparse.Namespace, chosen: Sequence[Entry]) -> list[Change] | None:
    """What changed about what is reported; None if nothing is compared."""
    from verify.report.against import changes
    from verify.report.entries import entries, read

    if options.against is None:
        return None
    names = {entry.id for entry in chosen}
    old = entries(read(options.against))
    return changes([entry for entry in old if entry.id in names or not options.patterns], chosen)


def _is_file(options: argparse.Namespace) -> bool:
    return any(pattern.endswith(".py") for pattern in options.patterns)


def _own(options: argparse.Namespace) -> tuple[list[Entry], Path]:
    """Entries of the user's own file, judged now."""
    from verify.engine.run import Theorem
    from verify.engine.run import run as judged
    from verify.engine.theorem import claims_in
    from verify.report.entries import entries

    if len(options.patterns) > 1:
        raise UsageError(f"a file stands alone, got {' '.join(options.patterns)}")
    file, folder = Path(options.patterns[0]), Path("results/own")
    known = {claim.statement.id: claim.statement for claim in claims_in(file)}
    records = judged(
        list(known), folder, options.budget, options.seed, options.jobs, Theorem(file, options.timeout)
    )
    return entries(records, known), folder
