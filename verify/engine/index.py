"""The index of all statements: which topic judges what, kept between runs, so that asking for it needs no statement read.

It belongs to the digest of the code, and is made anew whenever the code has changed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from verify.engine.answers import FOLDER
from verify.engine.errors import UsageError
from verify.engine.forms import require
from verify.engine.items import name_of
from verify.engine.records import digest, read_json, write_json

FORM = {"code": str, "statements": [{"id": str, "topic": str, "says": str, "uses": [str]}]}


@dataclass(frozen=True)
class Entry:
    """A statement, the topic that judges it, and what its proof uses."""

    id: str
    topic: str
    says: str
    uses: Sequence[str]


SHIPPED = FOLDER / "statements.json"
"""The index that comes with the answers, for a machine on which nothing was run before."""


def kept(topics: Sequence[str], make: Callable[[], Mapping[str, Entry]]) -> Mapping[str, Entry]:
    """The index of these topics that this code made before, or else made and kept now, where the user's folder for such things can be written."""
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "fcl-theory"
    name = _name(topics)
    file = folder / f"statements-{name}.json"
    for place in (SHIPPED, file):
        with suppress(OSError, UsageError):
            content = read_json(place)
            require(content, FORM, "index")
            if content["code"] == name:
                return {entry["id"]: Entry(**entry) for entry in content["statements"]}
    made = make()
    with suppress(OSError):
        for old in folder.glob("statements-*.json"):
            old.unlink(missing_ok=True)
        keep(topics, made, file)
    return made


def keep(topics: Sequence[str], entries: Mapping[str, Entry], file: Path = SHIPPED) -> None:
    """Write an index of this code to a file."""
    write_json(file, {"code": _name(topics), "statements": [asdict(entry) for entry in entries.values()]})


def _name(topics: Sequence[str]) -> str:
    return name_of(digest("bounds", "nqm", "algorithms", "verify"), topics)
