"""`python -m verify explain`: the story of one statement."""

from __future__ import annotations

import argparse
import sys
from functools import partial

from verify.commands.options import add_saved
from verify.engine.errors import UsageError


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", help="id of a statement that has been judged")
    add_saved(parser)


def run(options: argparse.Namespace) -> int:
    from difflib import get_close_matches

    from verify.report.entries import entries, read
    from verify.report.story import story
    from verify.report.terminal import painter
    from verify.report.wording import again

    found = entries(read(options.records))
    known = {entry.id: entry for entry in found}
    if options.id not in known:
        close = get_close_matches(options.id, known, n=3)
        hint = f"did you mean {', '.join(close)}?" if close else f"`python -m verify {options.id}` judges it"
        raise UsageError(f"there is no record of {options.id!r} in {options.records}; {hint}")
    print(story(known[options.id], found, partial(again, folder=str(options.records)), painter(sys.stdout)))
    return 0
