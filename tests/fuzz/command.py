"""The command line of fuzzers that judge random claims."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from verify.engine.records.files import in_one_piece


def run(
    judged: Callable[[int, int], dict[str, Any]],
    number: int,
    text: str | None,
    arguments: Sequence[str] | None,
) -> int:
    """Judge claims, print the counts as JSON, and return 1 if anything is wrong.

    Parameters
    ----------
    judged : callable
        ``judged(place, seed)`` gives the verdict of a claim and its fault, empty if there is none.
    number : int
        Default number of claims.
    text : str
        The help of the command.
    """
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--number", type=int, default=number)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="the place of the first claim")
    parser.add_argument("--json", type=Path, help="file for all that is wrong or missed, and the counts")
    parser.add_argument("--kept", type=Path, help="file of what is judged, one line each; resumes there")
    given = parser.parse_args(arguments)
    places = range(given.first, given.first + given.number)
    kept = _kept(given.kept, given.seed) if given.kept else {}
    for place in places:
        if place not in kept:
            began = time.process_time()
            one = judged(place, given.seed)
            kept[place] = {**one, "seed": given.seed, "seconds": round(time.process_time() - began, 2)}
            if given.kept:
                _keep(given.kept, kept[place])
    found = [kept[place] for place in places]
    wrong = [one for one in found if one["wrong"]]
    missed = [one for one in found if one["verdict"] == "unrefuted" and one.get("fails at")]
    verdicts = dict(Counter(one["verdict"] for one in found))
    report = {
        "number": len(found),
        "seed": given.seed,
        "verdicts": verdicts,
        "longest": max((one["seconds"] for one in found), default=0),
        "missed": missed,
        "wrong": wrong,
    }
    if given.json:
        given.json.parent.mkdir(parents=True, exist_ok=True)
        given.json.write_text(json.dumps(report, indent=1))
    errors = sum(one["verdict"] == "error" for one in wrong)
    counts = {"missed": len(missed), "wrong": len(wrong) - errors, "errors": errors}
    print(json.dumps({**report, **counts}, indent=1))
    for one in wrong:
        print(json.dumps(one)[:2000], file=sys.stderr)
    return int(bool(wrong))


def _kept(path: Path, seed: int) -> dict[int, dict[str, Any]]:
    """Claims that were judged before with this seed, by place; a line that a killed process left unfinished is cut off."""
    if not path.exists():
        return {}
    text = path.read_text()
    whole = text[: text.rfind("\n") + 1]
    if whole != text:
        with in_one_piece(path) as stream:
            stream.write(whole)
    found = map(json.loads, whole.splitlines())
    return {one["place"]: one for one in found if one["seed"] == seed}


def _keep(path: Path, one: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as stream:
        stream.write(json.dumps(one) + "\n")
