"""`python -m verify new`: a file to start a theorem of one's own from."""

from __future__ import annotations

import argparse
from importlib.resources import files
from pathlib import Path

from verify.engine.errors import UsageError

KINDS = ("scalar", "descent", "rate", "federated", "table")
"""Templates, each a file of `verify/templates`."""


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, help="where it is written; a file that is there stays")
    parser.add_argument(
        "--kind", choices=KINDS, default="scalar", help="what it is about (default %(default)s)"
    )


def run(options: argparse.Namespace) -> int:
    text = (files("verify") / "templates" / f"{options.kind}.py").read_text()
    try:
        with options.file.open("x") as stream:
            stream.write(text.replace("THIS_FILE", str(options.file)))
    except FileExistsError:
        raise UsageError(f"`file` must be new, {options.file} is there already") from None
    except OSError as error:
        raise UsageError(f"cannot write {options.file}: {error.strerror}") from error
    print(f"{options.file}: judge it with `python -m verify check {options.file}`")
    return 0
