"""Options that commands share."""

from __future__ import annotations

import argparse
from pathlib import Path

from verify.engine.arguments import positive, whole
from verify.engine.backends import add_backend


def add_search(parser: argparse.ArgumentParser, budget: str = "how far searches go") -> None:
    """Budget, of which is told what it decides, seed, and where the work is done."""
    add_budget(parser, budget)
    add_seed(parser)
    add_backend(parser)


def add_budget(parser: argparse.ArgumentParser, decides: str = "how far searches go") -> None:
    parser.add_argument(
        "--budget",
        default="default",
        choices=("quick", "default", "full"),
        help=f"{decides} (default %(default)s)",
    )


def add_seed(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seed", type=whole("seed", 0), default=0, help="whole number >= 0 (default 0)")


def add_saved(parser: argparse.ArgumentParser) -> None:
    """Which records are read."""
    parser.add_argument(
        "--records",
        type=Path,
        default=Path("results/records"),
        help="folder of records, or a file that holds a list of them (default %(default)s)",
    )


def add_timeout(parser: argparse.ArgumentParser) -> None:
    """How long a claim of the user's own file may take."""
    parser.add_argument(
        "--timeout",
        type=positive("timeout"),
        default=300.0,
        metavar="S",
        help="seconds for each claim of a file (default 300)",
    )


def add_records(parser: argparse.ArgumentParser, folder: str) -> None:
    """Where records go, and what the exit status says about them."""
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the list of all records of this run")
    parser.add_argument(
        "--out", type=Path, default=Path(folder), help="folder of records (default %(default)s)"
    )
    parser.add_argument(
        "--strict",
        action="store_true",
        help="exit status 1 if anything is refuted, gap, inconsistent, vacuous",
    )
