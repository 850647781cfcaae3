"""Options that commands share."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from pathlib import Path


def add_search(parser: argparse.ArgumentParser) -> None:
    """Budget, seed, number of processes."""
    parser.add_argument(
        "--budget", default="default", choices=("quick", "default", "full"), help="how far searches go"
    )
    add_seed(parser)
    parser.add_argument(
        "--jobs", type=whole("jobs", 1), default=os.cpu_count() or 1, help="processes (default: all cores)"
    )


def add_seed(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seed", type=whole("seed", 0), default=0, help="whole number >= 0 (default 0)")


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


def positive(name: str) -> Callable[[str], float]:
    """Reader of a number > 0."""

    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = 0.0
        if not 0 < value < float("inf"):
            raise argparse.ArgumentTypeError(f"`{name}` must be a number > 0, got {text!r}")
        return value

    return read


def whole(name: str, least: int) -> Callable[[str], int]:
    """Reader of a whole number from `least` on."""

    def read(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(f"`{name}` must be a whole number >= {least}, got {text!r}")
        return int(text)

    return read
