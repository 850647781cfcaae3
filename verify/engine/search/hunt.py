"""Hunts: long searches for counterexamples and tighter instances of unrefuted statements, in separate starts.

A start is a complete search with its own seed. It is saved, so a hunt continues where the last one stopped, and any number
of processes that share a folder can hunt together.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import count, islice
from pathlib import Path
from typing import Any

from verify.engine.checks.attack import attack
from verify.engine.model.claim import BUDGETS
from verify.engine.model.instance import Instance
from verify.engine.model.question import Question
from verify.engine.records.files import fingerprint, finite, path_of, unchanged, with_seal, write_json
from verify.engine.search.witness import tightest
from verify.engine.topics import claim_of
from verify.engine.work.backends import Backend
from verify.engine.work.errors import UsageError
from verify.engine.work.items import name_of, together

SHELF = 1000
"""Largest number of saved starts in one folder."""
ROUND = 4
"""Starts that each process prepares in advance, over all hunted statements in turn."""
Start = tuple[str, int]


@dataclass(frozen=True)
class Trail:
    """Progress of the hunt for one statement.

    Attributes
    ----------
    course : tuple of (starts, trials, ratio)
        Each increase of lhs/rhs: the number of starts and instances before it, and the new value.
    instance : record or None
        The instance with the largest lhs/rhs.
    witness : record or None
        A confirmed counterexample.
    """

    id: str
    starts: int
    trials: int
    seconds: float
    course: tuple[tuple[int, int, float], ...]
    instance: dict[str, Any] | None
    witness: dict[str, Any] | None


def hunt(
    ids: Sequence[str], folder: Path, budget: str, seconds: float, backend: Backend
) -> Iterator[dict[str, Any]]:
    """Starts of all `ids` in turn, each as it is finished, until the time is over. Refuted statements are dropped.

    Parameters
    ----------
    folder : Path
        Folder of saved starts. Existing ones are not repeated.
    """
    end, alive = time.monotonic() + seconds, list(ids)
    waiting = {id: _not_saved(folder, id) for id in ids}
    while alive and time.monotonic() < end:
        each = max(1, ROUND * backend.jobs // len(alive))
        starts = [(id, number) for id in alive for number in islice(waiting[id], each)]
        named = {name_of("start", place(id), budget, number): (id, number) for id, number in starts}
        for found in together(search_from, named, folder, backend, folder, budget):
            yield found
            if found["witness"] and found["id"] in alive:
                alive.remove(found["id"])
            if time.monotonic() > end:
                return


def _not_saved(folder: Path, id: str) -> Iterator[int]:
    return (number for number in count(1) if not file_of(folder, id, number).exists())


def search_from(start: Start, folder: Path, budget: str) -> dict[str, Any]:
    """The search of one statement from one start, from its file if it is saved."""
    id, number = start
    file = file_of(folder, id, number)
    if file.exists():
        return _search_record(file)
    begun = time.perf_counter()
    found = attack(_question(id), BUDGETS[budget], number)
    search = found.search
    said = {
        "id": id,
        "start": number,
        "trials": search.trials,
        "ratio": search.ratio,
        "instance": search.instance.record() if search.instance else None,
        "witness": found.witness.record() if found.witness else None,
        "seconds": round(time.perf_counter() - begun, 3),
    }
    record = with_seal(finite(said))
    try:
        write_json(file, record)
    except OSError as error:
        raise UsageError(f"cannot write {file}: {error.strerror}") from error
    return record


def _search_record(file: Path) -> dict[str, Any]:
    found = unchanged(file)
    if found is None:
        raise UsageError(f"{file} is not as a hunt has written it; without it, its search is made again")
    return found


def trail(folder: Path, id: str) -> Trail:
    """The combined result of all hunts for a statement."""
    found = sorted(map(_search_record, _shelves(folder, id)), key=lambda start: int(start["start"]))
    course: list[tuple[int, int, float]] = []
    trials, best = 0, None
    for number, start in enumerate(found, start=1):
        trials += start["trials"]
        if start["ratio"] is not None and (not course or start["ratio"] > course[-1][2]):
            course.append((number, trials, start["ratio"]))
            best = start["instance"]
    broken = (start["witness"] for start in found if start["witness"])
    spent = sum(start["seconds"] for start in found)
    return Trail(id, len(found), trials, spent, tuple(course), best, next(broken, None))


def best(found: Trail) -> dict[str, Any] | None:
    """The counterexample, or else the tightest instance with simple numbers, evaluated exactly: a witness that replays."""
    if found.witness or not found.instance:
        return found.witness
    witness = tightest(_question(found.id), Instance.from_record(found.instance))
    return witness.record() if witness else None


def file_of(folder: Path, id: str, number: int) -> Path:
    """The file of a start: by its statement, the digest of its question, and its number."""
    return folder / place(id) / f"{number // SHELF:04d}" / f"{number % SHELF:03d}.json"


@cache
def place(id: str) -> str:
    """The folder of a statement, which depends on the question and on the code of the search."""
    question = _question(id)
    code = fingerprint("verify/engine", "verify/scenes", "nqm", "algorithms")
    asked = str(question.relation), list(map(str, question.conditions)), question.scene.name, code
    return f"{path_of(Path(), id).stem}-{name_of(*asked)}"


def _shelves(folder: Path, id: str) -> Iterator[Path]:
    return (folder / place(id)).glob("*/*.json")


def _question(id: str) -> Question:
    claim = claim_of(id)
    assert claim is not None, id
    return claim.question
