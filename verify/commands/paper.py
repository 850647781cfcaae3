"""`python -m verify paper`: judge all statements of one paper."""

from __future__ import annotations

import argparse
from difflib import get_close_matches

from bounds.papers import papers
from verify.commands import judge
from verify.engine.work.errors import UsageError


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", help=f"key of the paper: {', '.join(papers())}")
    judge.add_judging(parser)


def run(options: argparse.Namespace) -> int:
    if options.name not in papers():
        close = get_close_matches(options.name, papers(), n=1)
        hint = f"did you mean {close[0]}?" if close else f"write {' or '.join(papers())}"
        raise UsageError(f"`name` must be the key of a paper, got {options.name!r}; {hint}")
    options.patterns = [f"{options.name}.*"]
    return judge.run(options)
