"""Topics: files of `verify` with claims, discovered automatically.

A topic belongs to one paper. Topics of several papers about one subject form a group, see `GROUPS`.
"""

from __future__ import annotations

import fnmatch
import gc
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from itertools import chain
from pkgutil import iter_modules
from typing import TYPE_CHECKING

from bounds.papers import paper_of
from verify.engine.records.answers import is_kept
from verify.engine.records.index import Entry, cached_index
from verify.engine.work.errors import UsageError
from verify.engine.work.extras import remedy

if TYPE_CHECKING:
    from verify.engine.model.claim import Claim

GROUPS: Mapping[str, tuple[str, ...]] = {"tables": ("*_metrics", "*_tables", "*.tab*")}
"""Names of groups with their patterns of topics and ids; the file of the same name in `verify` judges the group."""


@cache
def topics() -> tuple[str, ...]:
    """Names of all topics: the files of `verify` whose name begins with a paper."""
    files = iter_modules(import_module("verify").__path__)
    return tuple(file.name for file in files if not file.ispkg and paper_of(file.name))


def _importable() -> tuple[str, ...]:
    """Topics that can be imported here: without PyTorch, those about trained networks cannot."""
    return topics() if find_spec("torch") else tuple(filter(is_kept, topics()))


@cache
def claims_of(topic: str) -> tuple[Claim, ...]:
    """Claims of one topic, in the order of its file."""
    with _without_collection():
        return tuple(import_module(f"verify.{topic}").CLAIMS)


@contextmanager
def _without_collection() -> Iterator[None]:
    """Disable garbage collection inside the block; objects that exist at its end are exempt from it for good."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if collecting:
            gc.enable()


@cache
def claims(paper: str = "") -> Mapping[str, Claim]:
    """Claims of one paper's topics by statement id, or of all topics; without PyTorch, none about trained networks.

    Raises
    ------
    ValueError
        If two topics judge the same statement.
    """
    found: dict[str, Claim] = {}
    for topic in _importable():
        if paper in ("", paper_of(topic)):
            for claim in claims_of(topic):
                if claim.statement.id in found:
                    raise ValueError(f"`{claim.statement.id}` is judged twice, the second time in {topic}")
                found[claim.statement.id] = claim
    return found


def claim_of(id: str) -> Claim | None:
    """The claim that judges a statement, if there is one; imports only its topic."""
    if id not in index():
        return None
    return next(claim for claim in claims_of(index()[id].topic) if claim.statement.id == id)


@cache
def index() -> Mapping[str, Entry]:
    """All statements judged by topics, in the order of the topics; uses the cached index if there is one."""
    return cached_index(topics(), _new_index, set(topics()) - set(_importable()))


def _new_index(papers: Sequence[str]) -> dict[str, Entry]:
    """Entries of all statements of some papers."""
    from verify.engine.records.digests import digests_of_relations
    from verify.engine.work.items import name_of

    for paper in papers:
        claims(paper)  # each is judged once
    importable = [topic for topic in _importable() if paper_of(topic) in papers]
    every = [(claim, topic) for topic in importable for claim in claims_of(topic)]
    digests = {claim.statement.id: _digests(claim) for claim, topic in every if is_kept(topic)}
    relations = {claim.statement.id: digests_of_relations(claim) for claim, topic in every if is_kept(topic)}
    saying: dict[tuple[str, str], list[str]] = {}
    for id, (relation, _) in relations.items():
        saying.setdefault((paper_of(id), relation), []).append(id)
    found = {}
    for claim, topic in every:
        statement = claim.statement
        _, premises = relations.get(statement.id, ("", []))
        suppliers = [
            other
            for premise in premises
            for other in saying.get((paper_of(statement.id), premise), ())
            if other != statement.id
        ]
        suppliers += [lemma.statement.id for lemmas in claim.lemmas.values() for lemma in lemmas]
        cited = name_of([(other, digests[other]) for other in suppliers]) if suppliers else ""
        found[statement.id] = Entry(
            statement.id,
            topic,
            statement.says,
            list(statement.uses),
            *digests.get(statement.id, ("", "")),
            suppliers,
            cited,
        )
    return found


def _digests(claim: Claim) -> tuple[str, str]:
    """Digests of the question and of the code of a claim; empty, which fits no stored answer, if its code needs a package
    that is not installed here.
    """
    from verify.engine.records.digests import computed, digest_of_question

    try:
        return digest_of_question(claim), computed(claim)
    except ImportError as error:
        if remedy(error) is None:
            raise
        return "", ""


def with_proof(topic: str) -> list[str]:
    """Ids of a topic's claims, followed by the statements of other topics that their proofs use."""
    paper, known = paper_of(topic), index()
    ids = [id for id, entry in known.items() if entry.topic == topic]
    for id in ids:
        used = (other for other in known[id].uses if other in known and paper_of(known[other].topic) == paper)
        ids += dict.fromkeys(other for other in used if other not in ids)
    return ids


def selected(patterns: Sequence[str]) -> list[str]:
    """Ids that match any of the patterns (ids, shell patterns, names of topics or groups); all if there are none.

    Raises
    ------
    UsageError
        If a pattern matches nothing.
    """
    if not patterns:
        return list(index())
    chosen: dict[str, None] = {}
    for pattern in chain.from_iterable(GROUPS.get(name, (name,)) for name in patterns):
        hits = [id for topic in fnmatch.filter(topics(), pattern) for id in with_proof(topic)]
        hits += fnmatch.filter(index(), pattern)
        if not hits:
            raise UsageError(_unknown(pattern, index()))
        chosen.update(dict.fromkeys(hits))
    return list(chosen)


def _unknown(pattern: str, known: Iterable[str]) -> str:
    from difflib import get_close_matches

    parts = [id for id in known if id.startswith((f"{pattern}.", f"{pattern}/"))]
    papers = [] if "." in pattern else sorted({id.partition(".")[0] for id in known})
    close = get_close_matches(pattern, papers, n=1, cutoff=0.8) or get_close_matches(
        pattern, [*known, *topics(), *GROUPS], n=3, cutoff=0.5
    )
    hint = f"; did you mean {', '.join(close)}?" if close else "; `python -m verify --list` shows all"
    if parts:
        printed = sorted(parts, key=lambda id: ("/" in id, id.count("."), id))
        hint = f"; it has parts, {', '.join(printed[:3])}, ...: write '{pattern}.*' for all of them"
    return f"no statement or topic matches {pattern!r}{hint}"
