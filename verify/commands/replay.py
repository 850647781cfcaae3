"""`python -m verify replay`: evaluate the instance of a record again."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from verify.engine.work.errors import UsageError


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file", type=Path, help="a record, or its part `witness`: a counterexample or a tightest instance"
    )
    parser.add_argument("--of", metavar="ID", help="which record, if the file holds a list of them")
    parser.add_argument(
        "--theorem", type=Path, help="the user's own file, if the statement stands there; it is executed"
    )


def run(options: argparse.Namespace) -> int:
    from verify.engine.records.files import read_json
    from verify.engine.records.replay import replay

    try:
        content = read_json(options.file)
    except OSError as error:
        raise UsageError(f"cannot read {options.file}: {error.strerror}") from error
    text, same = replay(_one(content, options), options.theorem)
    print(text)
    return 0 if same else 1


def _one(content: Any, options: argparse.Namespace) -> Any:
    """The requested record from a list of records; any other content unchanged."""
    if options.of is None:
        return content
    found = content if isinstance(content, list) else [content]
    for record in found:
        if isinstance(record, dict) and record.get("id") == options.of:
            return record
    raise UsageError(f"{options.file} has no record of {options.of!r}")
