"""`python -m verify explain`: the story of one statement."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from functools import partial
from pathlib import Path

from verify.engine.work.errors import UsageError

FOLDERS = (Path("results/records"), Path("results/own"))
"""Folders in which `python -m verify` and `check` write their records."""


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", help="id of a statement that has been judged")
    parser.add_argument(
        "--records",
        type=Path,
        help="folder of records, or a file that holds a list of them (default results/records, then results/own)",
    )


def run(options: argparse.Namespace) -> int:
    from verify.engine.records.files import path_of
    from verify.engine.work.messages import width_of
    from verify.report.entries import entries, records_in
    from verify.report.story import story
    from verify.report.terminal import painter
    from verify.report.values import again

    written = [folder for folder in FOLDERS if path_of(folder, options.id).is_file()]
    records = options.records or (written or FOLDERS)[0]
    found = entries(records_in(records))
    known = {entry.id: entry for entry in found}
    if options.id not in known:
        elsewhere = (one.stem.replace("__", "/") for folder in FOLDERS for one in folder.glob("*.json"))
        hint = _hint(options.id, {*known, *elsewhere})
        raise UsageError(f"there is no record of {options.id!r} in {records}; {hint}")
    replay = partial(again, folder=str(records))
    print(story(known[options.id], found, replay, painter(sys.stdout), width_of(sys.stdout)))
    return 0


def _hint(id: str, known: Iterable[str]) -> str:
    """Suggestions for an id without a record: similar ids, or the command that judges it."""
    from difflib import get_close_matches

    from verify.engine.topics import selected

    if close := get_close_matches(id, known, n=3):
        return f"did you mean {', '.join(close)}?"
    try:
        selected([id])
    except UsageError as error:
        return str(error)
    return f"`python -m verify {id}` judges it"
