"""`python -m verify check`: judge the user's own theorems."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from verify.commands.judge import report
from verify.commands.options import add_records, add_search, add_timeout
from verify.engine.work.errors import UsageError
from verify.engine.work.messages import message


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file",
        type=Path,
        help="Python file that defines CLAIMS, which is executed, or a .tex or .md file with lemmas, which is only read",
    )
    parser.add_argument(
        "--ask",
        action="store_true",
        help="ask the questions about a .tex or .md file here, and write the answers into it as comments",
    )
    add_timeout(parser)
    parser.add_argument(
        "--plot",
        type=Path,
        metavar="FOLDER",
        help="draw both sides of each claim along its worst direction, or the function that breaks it",
    )
    add_search(parser)
    add_records(parser, "results/own")


def run(options: argparse.Namespace) -> int:
    from verify.engine.run import Theorem
    from verify.engine.theorem import DOCUMENTS, theorems_in

    if options.ask:
        _ask(options.file)
    found = theorems_in(options.file, options.timeout)
    if options.file.suffix in DOCUMENTS:
        from verify.latex.paper import readings_of

        print(readings_of(options.file))
    ids = [claim.statement.id for claim in found.claims]
    status = report(ids, options, Theorem(options.file, options.timeout))
    for mistake in found.mistakes:
        message(f"verify: {mistake}")
    if options.plot:
        print(*_plotted(options), sep="\n")
    return 2 if found.mistakes else status


def _ask(path: Path) -> None:
    """Complete a document by asking its questions.

    Raises
    ------
    UsageError
        If the file is not a document.
    """
    from verify.engine.records.files import in_one_piece
    from verify.engine.theorem import DOCUMENTS
    from verify.latex.asking import document_with_answers
    from verify.latex.theorems import source_of

    if path.suffix not in DOCUMENTS:
        raise UsageError(f"`--ask` needs a .tex or .md file, got {path}")
    source = source_of(path)
    text = document_with_answers(source, path, _line, print)
    if text != source:
        with in_one_piece(path) as stream:
            stream.write(text)
        print(f"{path}: declarations written")


def _line(prompt: str) -> str:
    """A line typed by the user; empty at the end of the input."""
    try:
        return input(prompt)
    except EOFError:
        print()
        return ""


def _plotted(options: argparse.Namespace) -> list[Path]:
    """Pictures of all claims that have an instance: both sides along a direction, or the scene's own kind of picture."""
    from verify.engine.model.instance import Instance
    from verify.engine.records.files import path_of, read_json
    from verify.engine.search.along import along
    from verify.engine.theorem import theorems_in

    lines: dict[str, list[dict[str, Any]]] = {"along": [], "worst": []}
    for claim in theorems_in(options.file, options.timeout).claims:
        record = read_json(path_of(options.out, claim.statement.id))
        if not record["witness"]:
            continue
        instance, named = (
            Instance.from_record(record["witness"]),
            {"id": record["id"], "verdict": record["verdict"]},
        )
        if claim.scene is None or claim.scene.sketched is None:
            lines["along"].append({**named, **along(claim.question, instance)})
        elif (worst := claim.scene.sketched(instance)) is not None:
            lines["worst"].append({**named, **worst})
    if not any(lines.values()):
        raise UsageError(
            "no claim has an instance to draw: all are proved without a search, or none was judged"
        )
    return [_figure_path(figure, claims, options.plot) for figure, claims in lines.items() if claims]


def _figure_path(figure: str, claims: list[dict[str, Any]], folder: Path) -> Path:
    """The picture of some claims, drawn from a file by a separate process."""
    from verify.engine.records.files import write_json

    write_json(folder / "curves" / f"{figure}.json", {"name": figure, "figure": figure, "claims": claims})
    draw = [sys.executable, "-m", "figures", figure, "--results", str(folder), "--out", str(folder)]
    here = str(
        Path(__file__).resolve().parents[2]
    )  # the figures beside this code, whatever the current folder
    done = subprocess.run(draw, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": here})
    if done.returncode:
        raise UsageError(done.stderr.strip())
    return folder / f"{figure}.png"
