"""Answers: what the checks of a claim found, kept beside the claims so that a run need only check it again.

An answer is used for the very code that found it; `verify.engine.standing` checks it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from bounds.papers import paper_of
from verify.engine.items import name_of
from verify.engine.records import digest, in_one_piece

FOLDER = Path(__file__).resolve().parents[1] / "answers"
"""Where they are kept: one file for each topic."""

Answer = Mapping[str, Any]
"""``code``, which names all that it depends on; ``evidence``, the findings; ``cites``, who says what its premises say."""

_COMMON = (
    "bounds/*.py",
    "nqm",
    "algorithms",
    "verify/check_proof.py",
    "verify/engine",
    "verify/facts",
    "verify/scenes/*.py",
)


def is_kept(topic: str) -> bool:
    """Whether answers of a topic are kept: what a paper's own drawers compute. What trains networks is judged by its runs."""
    return topic.startswith(f"{paper_of(topic)}_")


def code_of(id: str, topic: str, budget: str, seed: int) -> str:
    """Digest of all that an answer depends on: what is asked, the code of engine and worlds, and that of its paper."""
    paper = paper_of(topic)
    own = (
        f"bounds/{paper}",
        f"verify/scenes/{paper}",
        f"verify/{paper}_*.py",
        f"verify/certificates/{topic}.json",
    )
    return name_of("answer", id, budget, seed, digest(*_COMMON, *own))


def keep(topic: str, ids: Iterable[str], records: Iterable[Mapping[str, Any]], folder: Path = FOLDER) -> int:
    """Keep what new records of a topic found, forget what is of other statements than `ids`; the number that is kept."""
    found = {id: answer for id, answer in answers(folder, topic).items() if id in set(ids)}
    for record in records:
        code = code_of(record["id"], topic, record["budget"], record["seed"])
        found[record["id"]] = {"code": code, "evidence": record["evidence"], "cites": record["cites"]}
    lines = (f"{json.dumps(id)}: {json.dumps(found[id], separators=(',', ':'))}" for id in sorted(found))
    with in_one_piece(folder / f"{topic}.json") as stream:
        stream.write("{\n" + ",\n".join(lines) + "\n}\n")
    answers.cache_clear()
    return len(found)


@cache
def answers(folder: Path, topic: str) -> Mapping[str, Answer]:
    """Kept answers of a topic by the ids of their statements."""
    path = folder / f"{topic}.json"
    found: Mapping[str, Answer] = json.loads(path.read_text()) if path.is_file() else {}
    return found
