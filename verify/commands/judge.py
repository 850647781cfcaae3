"""`python -m verify`: judge statements of the catalogue."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from verify.commands.options import add_records, add_search
from verify.engine.records.answers import FOLDER
from verify.engine.work.backends import backend_of
from verify.engine.work.errors import UsageError
from verify.engine.work.messages import message
from verify.report.wording import sentence

if TYPE_CHECKING:
    from verify.engine.run import Theorem


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("patterns", nargs="*", help="ids, shell patterns or topics (default: all)")
    add_judging(parser)


def add_options_of_topic(parser: argparse.ArgumentParser, topic: str) -> None:
    """The same for one topic's own command."""
    parser.set_defaults(patterns=[topic])
    add_judging(parser)


def add_judging(parser: argparse.ArgumentParser) -> None:
    """Options of every command that judges statements of the catalogue."""
    parser.add_argument("--list", action="store_true", help="list the statements instead of judging them")
    parser.add_argument("--profile", action="store_true", help="show which topics and statements took long")
    parser.add_argument(
        "--search",
        action="store_true",
        help="search for everything again instead of checking the stored answers",
    )
    add_search(parser)
    add_records(parser, "results/records")


def run(options: argparse.Namespace) -> int:
    _refuse_what_is_no_pattern(options.patterns)
    message(f"verify: reading the statements {' '.join(options.patterns)}".rstrip())
    from verify.engine.topics import index, selected

    ids = selected(options.patterns)
    if options.list:
        for id in ids:
            print(f"{id:<34} {index()[id].says}")
        return 0
    status = report(ids, options, answers=None if options.search else FOLDER)
    if options.profile:
        from verify.engine.records.files import path_of, read_json
        from verify.report.profile import profile

        records = [read_json(path_of(options.out, id)) for id in ids]
        print(profile(records, {id: entry.topic for id, entry in index().items()}), file=sys.stderr)
    return status


def _refuse_what_is_no_pattern(patterns: Sequence[str]) -> None:
    """Suggest a command for a file name, or for a word that is almost the name of a command.

    Raises
    ------
    UsageError
        If there is such a word.
    """
    from difflib import get_close_matches

    from verify.commands.main import COMMANDS

    if not patterns:
        return
    first, *rest = patterns
    command = {".py": "check", ".tex": "check", ".md": "check", ".json": "replay"}.get(Path(first).suffix)
    if command:
        raise UsageError(
            f"{first} is a file, and no statement; did you mean `python -m verify {command} {first}`?"
        )
    if close := get_close_matches(first, COMMANDS, n=1, cutoff=0.7):
        meant = " ".join(("python -m verify", close[0], *rest))
        raise UsageError(f"there is no command {first!r}; did you mean `{meant}`?")


def report(
    ids: Sequence[str],
    options: argparse.Namespace,
    theorem: Theorem | None = None,
    answers: Path | None = None,
) -> int:
    """Judge, print, and give the exit status: whether a verdict is damaging."""
    from verify.engine.links import DAMAGING
    from verify.engine.records.files import write_json
    from verify.engine.run import CHECKED
    from verify.engine.run import run as judged
    from verify.report.entries import Entry
    from verify.report.terminal import show

    start = time.perf_counter()
    records = judged(ids, options.out, options.budget, options.seed, backend_of(options), theorem, answers)
    if options.json:
        write_json(options.json, records)
    show([Entry(record) for record in records])
    again = sum(record["judged"] == CHECKED for record in records)
    known = f", {again} from stored evidence" if again else ""
    statements = "1 statement" if len(records) == 1 else f"{len(records)} statements"
    spent = f"{statements} in {time.perf_counter() - start:.1f} s{known}"
    from verify.commands.explain import FOLDERS

    more = "python -m verify explain ID" + ("" if options.out in FOLDERS else f" --records {options.out}")
    message(f"{spent}; records in {options.out}, `{more}` shows the details")
    if theorem and _told_unjudged(records, theorem):
        return 2
    return int(options.strict and any(record["verdict"] in DAMAGING for record in records))


def _told_unjudged(records: Sequence[dict[str, Any]], theorem: Theorem) -> bool:
    """Whether some claims of a file could not be judged; prints the reason of each on one line."""
    from verify.engine.run import UNJUDGED
    from verify.engine.theorem import place_of

    found = [record for record in records if record["kind"] == UNJUDGED]
    for record in found:
        place = place_of(theorem.file, record["source"]["lines"])
        message(f"verify: {place}: {record['id']}: {sentence(record['reason'])}")
    return bool(found)
