"""Answers: what the checks of a claim found, kept beside the claims so that a run need only check it again.

An answer is used for the very code that found it; `verify.engine.standing` checks it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from bounds.papers import paper_of
from verify.engine.items import name_of
from verify.engine.pool import Pool, apart, names_in, read_pool, together, write_pool
from verify.engine.records import digest, in_one_piece

FOLDER = Path(__file__).resolve().parents[1] / "answers"
"""Where they are kept: a file for each topic, and one of the certificates that its proofs consist of."""

Answer = Mapping[str, Any]
"""``code``, which names all that it depends on; ``evidence``, the findings; ``cites``, who says what its premises say;
``whole``, the digests of all certificates of the proof by what they show, what it ``rests_on`` and what it ``lacks``, or None."""

_COMMON = ("bounds/*.py", "nqm", "algorithms", "verify/facts", "verify/scenes/*.py")


def is_kept(topic: str) -> bool:
    """Whether answers of a topic are kept: what a paper's own drawers compute. What trains networks is judged by its runs."""
    return topic.startswith(f"{paper_of(topic)}_")


def code_of(id: str, topic: str, budget: str, seed: int) -> str:
    """Digest of what an answer is computed from: what is asked, and the code of the worlds, scenes and statements of its paper.

    The engine is not part of it: what its search found is evidence, which every run checks again.
    """
    paper = paper_of(topic)
    own = (f"bounds/{paper}", f"verify/scenes/{paper}", f"verify/{paper}_*.py")
    return name_of("answer", id, budget, seed, digest(*_COMMON, *own))


def keep(
    topic: str,
    ids: Iterable[str],
    records: Iterable[Mapping[str, Any]],
    folder: Path = FOLDER,
    parts: Pool = MappingProxyType({}),
) -> int:
    """Keep what new records of a topic found, forget what is of other statements than `ids`; the number that is kept.

    Parameters
    ----------
    parts : mapping
        Certificates of the new proofs, by their digests.
    """
    found = {id: answer for id, answer in answers(folder, topic).items() if id in set(ids)}
    pool = {**pool_in(folder, topic), **parts}
    for record in records:
        said, inside = apart({name: record[name] for name in ("evidence", "cites", "whole")})
        found[record["id"]] = {"code": code_of(record["id"], topic, record["budget"], record["seed"]), **said}
        pool |= inside
    named = set().union(*(names_in(answer) | _parts(answer) for answer in found.values()))
    write_pool(_pool_path(folder, topic), {name: pool[name] for name in named & pool.keys()})
    lines = (f"{json.dumps(id)}: {json.dumps(found[id], separators=(',', ':'))}" for id in sorted(found))
    with in_one_piece(folder / f"{topic}.json") as stream:
        stream.write("{\n" + ",\n".join(lines) + "\n}\n")
    answers.cache_clear()
    pool_in.cache_clear()
    return len(found)


def answer_to(id: str, topic: str, budget: str, seed: int, folder: Path = FOLDER) -> Answer | None:
    """The kept answer of this very code to a claim, its certificates in their places; None if there is none."""
    if not is_answered(id, topic, budget, seed, folder):
        return None
    answer, pool = answers(folder, topic)[id], pool_in(folder, topic)
    try:
        for name in _parts(answer):
            pool[name]
        found: Answer = together(answer, pool)
    except KeyError:
        return None
    return found


def is_answered(id: str, topic: str, budget: str, seed: int, folder: Path) -> bool:
    """Whether an answer of this very code to a claim is kept."""
    answer = answers(folder, topic).get(id) if is_kept(topic) else None
    return answer is not None and bool(answer["code"] == code_of(id, topic, budget, seed))


def _parts(answer: Answer) -> set[str]:
    """Digests of all certificates of a proof."""
    return set(answer["whole"]["certificates"].values()) if answer.get("whole") else set()


@cache
def answers(folder: Path, topic: str) -> Mapping[str, Answer]:
    """Kept answers of a topic by the ids of their statements, with digests in place of certificates."""
    path = folder / f"{topic}.json"
    found: Mapping[str, Answer] = json.loads(path.read_text()) if path.is_file() else {}
    return found


@lru_cache(maxsize=4)
def pool_in(folder: Path, topic: str) -> Pool:
    """Certificates of all proofs of a topic by their digests."""
    return read_pool(_pool_path(folder, topic))


def _pool_path(folder: Path, topic: str) -> Path:
    return folder / f"{topic}.certificates.xz"
