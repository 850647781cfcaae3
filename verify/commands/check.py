"""`python -m verify check`: judge theorems of the user's own."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

from verify.commands.judge import report
from verify.commands.options import add_records, add_search, add_timeout
from verify.engine.errors import UsageError


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, help="Python file that defines CLAIMS; it is executed")
    add_timeout(parser)
    parser.add_argument(
        "--plot", type=Path, metavar="FOLDER", help="draw both sides of each claim along its worst direction"
    )
    add_search(parser)
    add_records(parser, "results/own")


def run(options: argparse.Namespace) -> int:
    from verify.engine.run import Theorem
    from verify.engine.theorem import theorems_in

    found = theorems_in(options.file, options.timeout)
    ids = [claim.statement.id for claim in found.claims]
    status = report(ids, options, Theorem(options.file, options.timeout))
    for mistake in found.mistakes:
        print(f"verify: {mistake}", file=sys.stderr)
    if options.plot:
        print(_plotted(options))
    return 2 if found.mistakes else status


def _plotted(options: argparse.Namespace) -> Path:
    """The picture of all claims that have an instance to go through; drawn by a process of its own, from a file."""
    from verify.engine.along import along
    from verify.engine.instance import Instance
    from verify.engine.records import path_of, read_json, write_json
    from verify.engine.theorem import theorems_in

    lines = []
    for claim in theorems_in(options.file, options.timeout).claims:
        record = read_json(path_of(options.out, claim.statement.id))
        if record["witness"]:
            line = along(claim.question, Instance.read(record["witness"]))
            lines.append({"id": record["id"], "verdict": record["verdict"], **line})
    if not lines:
        raise UsageError(
            "no claim has an instance to draw: all are proved without a search, or none was judged"
        )
    write_json(options.plot / "curves" / "along.json", {"name": "along", "figure": "along", "claims": lines})
    folder = str(options.plot)
    draw = [sys.executable, "-m", "figures", "along", "--results", folder, "--out", folder]
    here = str(
        Path(__file__).resolve().parents[2]
    )  # the figures that stand beside this code, wherever it is run from
    done = subprocess.run(draw, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": here})
    if done.returncode:
        raise UsageError(done.stderr.strip())
    return options.plot / "along.png"
