"""`python -m verify report`: one HTML file, LaTeX, Markdown or a table, from saved records."""

from __future__ import annotations

import argparse
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from verify.commands.options import add_saved, add_search, add_timeout
from verify.engine.work.backends import backend_of
from verify.engine.work.errors import UsageError
from verify.engine.work.messages import message

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from verify.report.against import Change
    from verify.report.entries import Entry, Record

OWN = Path("results/own")
"""Folder of the records of the user's own theorems."""
ENDINGS = {"html": "html", "latex": "tex", "markdown": "md"}
"""Formats with the suffixes of their files."""
REPORTS = {**ENDINGS, "table": "md", "vacuity": "md"}
"""Formats with the suffixes of their reports, of which two are tables in Markdown."""


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "patterns",
        nargs="*",
        help="papers, ids, shell patterns or topics; all that was judged if none; or a Python file that defines "
        "CLAIMS, which is executed and judged first",
    )
    parser.add_argument("--format", choices=tuple(REPORTS), default="html", help="default %(default)s")
    add_saved(parser)
    parser.add_argument(
        "--against", type=Path, metavar="OLD", help="records of another run, to say what changed since (HTML)"
    )
    parser.add_argument("--out", type=Path, help="file to write (default results/report.html, .tex or .md)")
    add_timeout(parser)
    add_search(parser)


def run(options: argparse.Namespace) -> int:
    from verify.curves.headlines import drawn_in
    from verify.engine.records.files import in_one_piece
    from verify.report.entries import entries, records_in, select
    from verify.report.texts import text, vacuity_table
    from verify.report.values import again

    start = time.perf_counter()
    if _is_file(options):
        found = chosen = _own(options)
        replay = partial(again, folder=str(OWN))
    else:
        found = entries(records_in(options.records))
        chosen = select(found, options.patterns)
        replay = partial(again, folder=str(options.records))
    out = options.out or Path("results") / f"report.{REPORTS[options.format]}"
    if options.format == "html":
        content = _page(options, chosen, replay, out)
    elif options.format == "vacuity":
        content = vacuity_table(chosen, drawn_in())
    else:
        content = text(chosen, options.format, found, replay)
    try:
        with in_one_piece(out) as stream:
            stream.write(content)
    except OSError as error:
        raise UsageError(f"cannot write {out}: {error.strerror}") from error
    print(out)
    message(f"{len(chosen)} statements in {time.perf_counter() - start:.1f} s")
    return 0


def _page(
    options: argparse.Namespace, chosen: Sequence[Entry], replay: Callable[[Record], str], out: Path
) -> str:
    """The report as HTML. Only this format needs the packages of the extra `report`."""
    from verify.report.figures import drawn_figures
    from verify.report.html import page
    from verify.report.provenance import provenance

    changed = _changes(options, chosen)  # read before figures are drawn, which takes longest
    sliders = _sliders(chosen, out)
    return page(chosen, drawn_figures(Path("results")), changed, replay, sliders, provenance().says)


def _changes(options: argparse.Namespace, chosen: Sequence[Entry]) -> list[Change] | None:
    """Changes since another run among the reported entries; None if no run is compared."""
    from verify.report.against import changes
    from verify.report.entries import entries, records_in

    if options.against is None:
        return None
    names = {entry.id for entry in chosen}
    old = entries(records_in(options.against))
    return changes([entry for entry in old if entry.id in names or not options.patterns], chosen)


def _sliders(chosen: Sequence[Entry], out: Path) -> dict[str, str]:
    """Addresses of the pages with sliders, written beside the report, for its headline bounds."""
    from verify.curves.headlines import drawn_in
    from verify.report.bound_pages import has_page, write_pages

    folder = out.with_name(f"{out.stem}-bounds")
    headlines = drawn_in()
    bounds = [
        entry.statement
        for entry in chosen
        if entry.id in headlines and entry.statement is not None and has_page(entry.statement)
    ]
    try:
        written = write_pages(bounds, folder, Path("results/lab"))
    except OSError as error:
        raise UsageError(f"cannot write into {folder}: {error.strerror}") from error
    return {id: f"{folder.name}/{name}" for id, name in written.items()}


def _is_file(options: argparse.Namespace) -> bool:
    return any(pattern.endswith(".py") for pattern in options.patterns)


def _own(options: argparse.Namespace) -> list[Entry]:
    """Entries of the user's own file, judged now."""
    from verify.engine.run import Theorem
    from verify.engine.run import run as judged
    from verify.engine.theorem import theorems_in
    from verify.report.entries import entries

    if len(options.patterns) > 1:
        raise UsageError(f"a file stands alone, got {' '.join(options.patterns)}")
    file = Path(options.patterns[0])
    found = theorems_in(file, options.timeout)
    for mistake in found.mistakes:
        message(f"verify: {mistake}")
    known = {claim.statement.id: claim.statement for claim in found.claims}
    records = judged(
        list(known), OWN, options.budget, options.seed, backend_of(options), Theorem(file, options.timeout)
    )
    return entries(records, known)
