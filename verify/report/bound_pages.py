"""Pages with sliders beside a report: one for each headline bound, with an exact run of a quadratic model if one is
stored.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import sympy as sp

from bounds.admissible import ConditionNotMet
from bounds.statement import Scaling, Statement
from verify.engine.records.files import in_one_piece, read_json
from verify.engine.records.forms import require
from verify.engine.work.errors import UsageError
from verify.report.bound_page import page

RUN = {
    "methods": [
        {"name": str, "bound?": {"id": str, "rounds": [float], "exact": [float], "values": {...: float}}}
    ]
}
"""The parts of a file of `python -m nqm --bound ID --json FILE` that pages read."""
ROUNDS = ("T", "t")
"""Letters of the number of rounds, along which runs are stored."""


def file_of(id: str) -> str:
    """Name of the page of a statement."""
    return re.sub(r"[^\w.-]", "_", id) + ".html"


def has_page(statement: Statement | None) -> bool:
    """Whether a statement is a bound that a page can compute: no order, and no entries of sequences."""
    if statement is None or isinstance(statement.relation, Scaling):
        return False
    return bool(statement.rhs.free_symbols) and not statement.rhs.has(sp.Indexed)


def run_of(content: Mapping[str, Any], statement: Statement) -> tuple[dict[str, float], list[dict[str, Any]]]:
    """Values of a statement's quantities in a stored run, and the exact left side as dots; empty if the run is about
    another bound.

    Parameters
    ----------
    content : mapping
        The content of a file of `python -m nqm --bound ID --json FILE`.
    """
    names = {symbol.name for symbol in statement.symbols}
    time = next((name for name in ROUNDS if name in names), None)
    for method in content["methods"]:
        bound = method.get("bound")
        if time and bound and bound["id"] == statement.id:
            values = {
                name: value for name, value in bound["values"].items() if name in names and name != time
            }
            dots = {"name": time, "points": bound["rounds"], "values": bound["exact"], "says": method["name"]}
            return {**values, time: bound["rounds"][-1]}, [dots]
    return {}, []


def read_run(file: Path, statement: Statement) -> tuple[dict[str, float], list[dict[str, Any]]]:
    """The same from a file.

    Raises
    ------
    UsageError
        If the file is not a run of the quadratic lab, or its run is about another bound.
    """
    try:
        content = read_json(file)
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}") from error
    require(content, RUN, str(file))
    values, runs = run_of(content, statement)
    if not runs:
        raise UsageError(
            f"{file} has no run of {statement.id}; make one with `python -m nqm --bound {statement.id} --json {file}`"
        )
    return values, runs


def stored_run(statement: Statement, folder: Path) -> tuple[dict[str, float], list[dict[str, Any]]]:
    """The first run in a folder about this statement's bound."""
    for file in sorted(folder.glob("*.json")):
        try:
            values, runs = read_run(file, statement)
        except UsageError:
            continue
        if runs:
            return values, runs
    return {}, []


def write_pages(statements: Iterable[Statement], folder: Path, runs: Path) -> dict[str, str]:
    """Write the pages of all bounds that have one, and return the file names by id.

    Bounds whose conditions no random point meets are left out.

    Parameters
    ----------
    folder : Path
        Folder of the pages.
    runs : Path
        Folder of stored runs of the quadratic lab.
    """
    written = {}
    for one in statements:
        values, dots = stored_run(one, runs)
        try:
            content = page(one, values, runs=dots)
        except (ConditionNotMet, ValueError):
            continue
        with in_one_piece(folder / file_of(one.id)) as stream:
            stream.write(content)
        written[one.id] = file_of(one.id)
    return written
