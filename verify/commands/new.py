"""`python -m verify new`: a file for a theorem of your own, or the skeleton of a new paper."""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

from verify.engine.work.errors import UsageError

KINDS = ("scalar", "descent", "rate", "federated", "table")
"""Templates, each a file of `verify/templates`."""
KEY = re.compile(r"[a-z][a-z0-9]*")
"""Keys of papers: the first part of every id."""
PARTS: Mapping[str, str] = {
    "package.txt": "bounds/THIS_PAPER/__init__.py",
    "statements.txt": "bounds/THIS_PAPER/theorem.py",
    "topic.txt": "verify/THIS_PAPER_theorem.py",
}
"""Files of a new paper, by their templates in `verify/templates/paper`."""


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file", type=Path, nargs="?", help="where the file is written; an existing file is not overwritten"
    )
    parser.add_argument(
        "--kind", choices=KINDS, default="scalar", help="subject of the template (default %(default)s)"
    )
    parser.add_argument(
        "--paper",
        metavar="NAME",
        help="write the skeleton of a new paper instead: letters, a theorem, and its topic",
    )
    parser.add_argument(
        "--root",
        type=Path,
        default=Path(),
        help="with --paper: checkout of the toolkit into which it is written (default: the current folder)",
    )


def run(options: argparse.Namespace) -> int:
    if (options.file is None) == (options.paper is None):
        raise UsageError("`new` needs either a file, as in `new my_theorem.py`, or --paper NAME")
    if options.paper is not None:
        return _write_paper(options.paper, options.root)
    text = (files("verify") / "templates" / f"{options.kind}.py").read_text()
    _write(options.file, text.replace("THIS_FILE", str(options.file)))
    print(f"{options.file}: judge it with `python -m verify check {options.file}`")
    return 0


def _write_paper(name: str, root: Path) -> int:
    from bounds.papers import papers

    if not KEY.fullmatch(name):
        raise UsageError(
            f"`--paper` must be lower-case letters and digits that begin with a letter, got {name!r}"
        )
    if not (root / "bounds" / "statement.py").is_file():
        raise UsageError(
            f"`--root` must be a checkout of the toolkit, {root} has no bounds/statement.py; run in its folder"
        )
    if name in papers() or (root / "bounds" / f"{name}.py").exists():
        raise UsageError(
            f"`--paper` must be new, bounds has {name} already; its papers are {', '.join(papers())}"
        )
    folder = files("verify") / "templates" / "paper"
    (root / "bounds" / name).mkdir(exist_ok=True)
    for template, place in PARTS.items():
        file = root / place.replace("THIS_PAPER", name)
        _write(file, (folder / template).read_text().replace("THIS_PAPER", name))
        print(file)
    print(f"judge it with `python -m verify paper {name}`")
    return 0


def _write(file: Path, text: str) -> None:
    try:
        with file.open("x") as stream:
            stream.write(text)
    except FileExistsError:
        raise UsageError(f"`file` must be new, {file} is there already") from None
    except OSError as error:
        raise UsageError(f"cannot write {file}: {error.strerror}") from error
