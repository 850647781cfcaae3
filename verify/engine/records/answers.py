"""Stored answers: the findings of the checks of each claim, which later runs only need to verify.

*asked*, *computed* and *cited* are digests of the question, of the code of its quantities, and of
the statements that supply its premises. If one of them has changed, the answer is revalidated
(`verify.engine.records.revalidation`). The *evidence* has no digest: `verify.engine.records.standing` checks it in every run. *searched*
(version, budget, seed) describes the search. It never makes an answer stale; `keep --older` searches again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from bounds.papers import paper_of
from verify.engine.records.files import in_one_piece
from verify.engine.records.pool import Pool, apart, names_in, read_pool, together, write_pool

FOLDER = Path(__file__).resolve().parents[2] / "answers"
"""Folder of stored answers: for each topic one file of findings and one file of certificates."""
SEARCH = 1
"""Version of the search. Increase it whenever the search finds more than before."""

Answer = Mapping[str, Any]
"""``asked``, ``computed`` and ``cited`` are digests; ``searched`` describes the search; ``evidence`` holds the
findings; ``cites`` names the suppliers of premises; ``whole`` describes the complete proof, or is None: the digests of
its certificates by relation, the ids it ``rests_on``, and the parts it ``lacks``.
"""
DIGESTS = ("asked", "computed", "cited")
_PARTS = (*DIGESTS, "searched", "evidence", "cites", "whole")


@dataclass(frozen=True)
class Key:
    """The key under which an answer is stored.

    Attributes
    ----------
    id, topic : str
    asked, computed, cited : str
        Digests of the claim, and of the statements that may supply its premises.
    budget : str
    seed : int
    """

    id: str
    topic: str
    asked: str
    computed: str
    cited: str = ""
    budget: str = "default"
    seed: int = 0

    @property
    def digests(self) -> dict[str, str]:
        """The digests under the current code, in the form of a stored answer."""
        return {name: getattr(self, name) for name in DIGESTS}

    @property
    def searched(self) -> dict[str, Any]:
        """The current search, in the form of a stored answer."""
        return {"version": SEARCH, "budget": self.budget, "seed": self.seed}


def is_kept(topic: str) -> bool:
    """Whether answers of a topic are stored. Claims about trained networks are not stored; they are judged by their runs."""
    return topic.startswith(f"{paper_of(topic)}_")


def keep(
    topic: str,
    ids: Iterable[str],
    records: Iterable[Mapping[str, Any]],
    folder: Path = FOLDER,
    parts: Pool = MappingProxyType({}),
) -> int:
    """Store the findings of new records of a topic, delete answers of statements not in `ids`, and return the number stored.

    Parameters
    ----------
    parts : mapping
        Certificates of the new proofs, by their digests.
    """
    found = {id: answer for id, answer in answers(folder, topic).items() if id in set(ids)}
    pool = {**pool_in(folder, topic), **parts}
    for record in records:
        found[record["id"]], inside = apart({name: record[name] for name in _PARTS})
        pool |= inside
    named = set().union(*(names_in(answer) | _parts(answer) for answer in found.values()))
    write_pool(_pool_path(folder, topic), {name: pool[name] for name in named & pool.keys()})
    lines = (f"{json.dumps(id)}: {json.dumps(found[id], separators=(',', ':'))}" for id in sorted(found))
    with in_one_piece(folder / f"{topic}.json") as stream:
        stream.write("{\n" + ",\n".join(lines) + "\n}\n")
    answers.cache_clear()
    pool_in.cache_clear()
    return len(found)


def answer_to(key: Key, folder: Path = FOLDER) -> Answer | None:
    """The stored answer to a claim, with its certificates inserted; None if there is none.

    Whether the question and the code are still the same is not checked here (`is_current`).
    """
    answer = _searched(key, folder)
    if answer is None:
        return None
    pool = pool_in(folder, key.topic)
    try:
        for name in _parts(answer):
            pool[name]
        found: Answer = together(answer, pool)
    except KeyError:
        return None
    return found


def is_current(key: Key, folder: Path) -> bool:
    """Whether an answer to exactly this claim is stored, for the current code."""
    answer = _searched(key, folder)
    return answer is not None and all(answer[name] == digest for name, digest in key.digests.items())


def is_older(key: Key, folder: Path) -> bool:
    """Whether the stored answer to a claim comes from an older search."""
    answer = _searched(key, folder)
    return answer is not None and bool(answer["searched"]["version"] < SEARCH)


def is_searched_alone(key: Key, folder: Path) -> bool:
    """Whether a stored answer rests on a search that broke nothing: it has neither a certificate nor a counterexample."""
    answer = _searched(key, folder)
    return answer is not None and any(
        finding["verdict"] == "unrefuted" and not finding.get("proof") for finding in answer["evidence"]
    )


def is_other(record: Mapping[str, Any], answer: Answer) -> bool:
    """Whether a record contains findings that the stored answer lacks."""
    return any(apart(record[name])[0] != answer[name] for name in _PARTS)


def _searched(key: Key, folder: Path) -> Answer | None:
    """The stored answer to a claim by the same budget and seed, with digests in place of certificates."""
    answer = answers(folder, key.topic).get(key.id) if is_kept(key.topic) else None
    if answer is None:
        return None
    same = all(answer["searched"][name] == getattr(key, name) for name in ("budget", "seed"))
    return answer if same else None


def _parts(answer: Answer) -> set[str]:
    """Digests of all certificates of a proof."""
    return set(answer["whole"]["certificates"].values()) if answer.get("whole") else set()


@cache
def answers(folder: Path, topic: str) -> Mapping[str, Answer]:
    """Stored answers of a topic by the ids of their statements, with digests in place of certificates."""
    path = folder / f"{topic}.json"
    found: Mapping[str, Answer] = json.loads(path.read_text()) if path.is_file() else {}
    return found


@lru_cache(maxsize=4)
def pool_in(folder: Path, topic: str) -> Pool:
    """Certificates of all proofs of a topic by their digests."""
    return read_pool(_pool_path(folder, topic))


def _pool_path(folder: Path, topic: str) -> Path:
    return folder / f"{topic}.certificates.xz"
