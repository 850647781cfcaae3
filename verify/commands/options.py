"""Options that commands share."""

from __future__ import annotations

import argparse
from pathlib import Path

from verify.engine.work.arguments import positive, whole
from verify.engine.work.backends import add_backend


def add_search(parser: argparse.ArgumentParser, budget: str = "effort of the searches") -> None:
    """Options of a search: the budget (with the meaning of its values), the seed, and the backend."""
    add_budget(parser, budget)
    add_seed(parser)
    add_backend(parser)


def add_budget(parser: argparse.ArgumentParser, decides: str = "effort of the searches") -> None:
    parser.add_argument(
        "--budget",
        default="default",
        choices=("quick", "default", "full"),
        help=f"{decides} (default %(default)s)",
    )


def add_seed(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seed", type=whole("seed", 0), default=0, help="whole number >= 0 (default 0)")


def add_saved(parser: argparse.ArgumentParser) -> None:
    """The option that names the saved records."""
    parser.add_argument(
        "--records",
        type=Path,
        default=Path("results/records"),
        help="folder of records, or a file that holds a list of them (default %(default)s)",
    )


def add_timeout(parser: argparse.ArgumentParser) -> None:
    """The option for the time limit of each claim of the user's own file."""
    parser.add_argument(
        "--timeout",
        type=positive("timeout"),
        default=300.0,
        metavar="S",
        help="seconds for each claim of a file (default 300)",
    )


def add_records(parser: argparse.ArgumentParser, folder: str) -> None:
    """Options for the output of records and the exit status."""
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the list of all records of this run")
    parser.add_argument(
        "--out", type=Path, default=Path(folder), help="folder of records (default %(default)s)"
    )
    parser.add_argument(
        "--strict",
        action="store_true",
        help="exit with status 1 if a statement is refuted, gap, inconsistent or vacuous",
    )
