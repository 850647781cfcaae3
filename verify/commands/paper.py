"""`python -m verify paper`: judge all statements of one paper."""

from __future__ import annotations

import argparse
from difflib import get_close_matches

from bounds.papers import papers
from verify.commands import judge
from verify.engine.work.errors import UsageError


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", help=f"key of the paper: {', '.join(papers())}")
    parser.add_argument(
        "--no-networks",
        action="store_true",
        help="leave out sentences on experiments, for which networks are trained",
    )
    judge.add_judging(parser)


def run(options: argparse.Namespace) -> int:
    if options.name not in papers():
        close = get_close_matches(options.name, papers(), n=1)
        hint = f"did you mean {close[0]}?" if close else f"write {' or '.join(papers())}"
        raise UsageError(f"`name` must be the key of a paper, got {options.name!r}; {hint}")
    options.patterns = _of_theory(options.name) if options.no_networks else [f"{options.name}.*"]
    return judge.run(options)


def _of_theory(name: str) -> list[str]:
    """The topics of a paper without those that train networks, which are named `networks_PAPER`."""
    from verify.engine.topics import topics

    return [topic for topic in topics() if topic.startswith(f"{name}_")]
