"""A run judges claims and saves each record as soon as it is finished. An interrupted run continues from saved records."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from verify.engine.links import missing_statements, with_final_verdicts
from verify.engine.records.answers import FOLDER, is_current, is_kept
from verify.engine.records.files import fingerprint, finite, parts_of, path_of, saved, with_seal, write_json
from verify.engine.records.pool import Pool, pool_of, write_pool
from verify.engine.verdict import because
from verify.engine.work.backends import HERE, Backend, let_go
from verify.engine.work.errors import UsageError
from verify.engine.work.items import name_of, together
from verify.engine.work.lines import Lines, premises_first
from verify.engine.work.messages import message
from verify.engine.work.processes import OutOfTime, at_most

if TYPE_CHECKING:
    from verify.engine.model.claim import Claim

Record = dict[str, Any]
SEARCHED, CHECKED = "searched", "checked again"
"""How a record was obtained: by searching, or by checking a stored answer (`verify.engine.records.answers`)."""
AT_ONCE = 160
"""Up to this number of stored answers, checking them here takes less time than starting processes."""
UNJUDGED = "error"
"""Kind of a record that says why a claim of the user's own file could not be judged."""


@dataclass(frozen=True)
class Theorem:
    """The user's own file, and the time limit in seconds for each of its claims."""

    file: Path
    seconds: float


def run(
    ids: Sequence[str],
    folder: Path,
    budget: str,
    seed: int,
    backend: Backend = HERE,
    theorem: Theorem | None = None,
    answers: Path | None = FOLDER,
) -> list[Record]:
    """Records of all `ids`, in their order, linked to each other and to the statements that they cite.

    A saved record holds only the findings of the claim's own checks, so it does not depend on other claims of the run. Cited
    statements are judged, too, so a verdict does not depend on the selected ids.

    Parameters
    ----------
    folder : Path
        Folder of records. Existing records of the same code, budget and seed are reused. Other processes may work in the
        same folder.
    theorem : Theorem, optional
        The user's own file in which the claims stand; they are always judged again.
    answers : Path, optional
        Folder of stored answers, which are only checked again; None to search for everything again.
    """
    lines = Lines()
    found = _gathered(ids, folder, budget, seed, backend, theorem, answers, lines)
    if len(ids) > AT_ONCE:  # processes are running, and have imported everything
        backend = replace(backend, few=0)
    while cited := missing_statements(list(found.values())):
        message(f"verify: {len(cited)} more that these cite")
        found |= _gathered(cited, folder, budget, seed, backend, theorem, FOLDER, lines)
    return with_final_verdicts(list(found.values()))[: len(ids)]


def _gathered(
    ids: Sequence[str],
    folder: Path,
    budget: str,
    seed: int,
    backend: Backend,
    theorem: Theorem | None,
    answers: Path | None,
    lines: Lines,
) -> dict[str, Record]:
    """Records of all `ids`, in their order, before linking: saved ones, and new ones."""
    done: dict[str, Record] = {}
    for id in ids if theorem is None else ():
        record = _saved(folder, id, budget, seed, answers)
        if record is not None:
            done[id] = record
    if done:
        message(f"verify: {len(done)} of {len(ids)} statements were judged before by this code")
    waiting = [id for id in ids if id not in done]
    lines.expect(done.values(), len(waiting))
    for part in _apart(waiting) if theorem is None else [waiting]:
        named = {name_of("record", id, budget, seed, fingerprint()): id for id in part}
        rest = folder, budget, seed, theorem, answers
        for record in together(
            saved_or_judged, named, folder, _for(part, backend, budget, seed, answers), *rest
        ):
            if record["versions"] != fingerprint():
                raise UsageError(f"{record['id']} was judged by other code or packages than those here")
            done[record["id"]] = record
            told = f"{record['seconds']:.1f} s" if record["judged"] == SEARCHED else record["judged"]
            lines.add(record, told)
    return {id: done[id] for id in ids}


def _apart(ids: Sequence[str]) -> Iterator[list[str]]:
    """First claims without training, then claims that train networks, in separate processes, because one process for both
    would need the memory of both.
    """
    from verify.engine.topics import index

    known = index()
    computed = [id for id in ids if id not in known or is_kept(known[id].topic)]
    trained = [id for id in ids if id not in set(computed)]
    if computed:
        yield premises_first(computed, {id: known[id].suppliers for id in computed if id in known})
    if computed and trained:
        let_go()
    if trained:
        message(f"verify: training networks, which takes minutes; sentences on experiments: {len(trained)}")
        yield trained


def _for(ids: Sequence[str], backend: Backend, budget: str, seed: int, answers: Path | None) -> Backend:
    """The backend for these claims: stored answers of one topic share most of what is computed, and checking a few takes less
    time than starting a process.
    """
    from verify.engine.topics import index

    known = index() if answers else {}
    if not answers or any(id not in known or not is_kept(known[id].topic) for id in ids):
        return backend
    backend = replace(backend, topic=lambda id: known[id].topic)
    if not backend.few or len(ids) > AT_ONCE:
        return backend
    here = all(is_current(known[id].key(budget, seed), answers) for id in ids)
    return replace(backend, few=max(backend.few, AT_ONCE)) if here else backend


def _saved(folder: Path, id: str, budget: str, seed: int, answers: Path | None) -> Record | None:
    """The saved record of one claim; without stored answers only one that was searched."""
    found = saved(folder, id, budget, seed)
    enough = {SEARCHED, CHECKED} if answers else {SEARCHED}
    return found if found is not None and found["judged"] in enough else None


def saved_or_judged(
    id: str, folder: Path, budget: str, seed: int, theorem: Theorem | None, answers: Path | None
) -> Record:
    """The saved record of one claim, judged if there is none yet."""
    found = _saved(folder, id, budget, seed, answers) if theorem is None else None
    if found is not None:
        return found
    judgement, parts = new_record(id, budget, seed, theorem, answers)
    record = with_seal(finite({**judgement, "versions": fingerprint()}))
    try:
        if parts:
            write_pool(parts_of(folder, id), parts)
        write_json(path_of(folder, id), record)
    except OSError as error:
        raise UsageError(f"cannot write records into {folder}: {error.strerror}") from error
    return record


def judged_own(theorem: Theorem, id: str, budget: str, seed: int) -> Record:
    """The record of a claim of the user's own file; if the claim has an error, the record has no verdict and the error as
    reason.
    """
    from verify.engine.judge import judge, unjudged
    from verify.engine.model.validation import validate
    from verify.engine.theorem import claim_in, error_line, theorems_in

    claim = claim_in(theorem.file, id, theorem.seconds)
    try:
        with at_most(theorem.seconds):
            validate(claim)
            found = judge(claim, budget, seed, theorems_in(theorem.file, theorem.seconds).claims)
            return _with_letters(found, claim)
    except OutOfTime:
        reason = because("out-of-time", seconds=theorem.seconds)
    except Exception as error:
        reason = because("error", error=error_line(error))
    return unjudged(claim, UNJUDGED, reason, budget, seed)


def _with_letters(record: Record, claim: Claim) -> Record:
    """A record whose instances have the values of all symbols, which only the user's file could give later."""
    from verify.engine.records.replay import letters_of

    def witness(found: Record | None) -> Record | None:
        return found and {**found, "letters": letters_of(claim.question, found)}

    if claim.scene is None:
        return record
    evidence = [{**one, "witness": witness(one["witness"])} for one in record["evidence"]]
    return {**record, "evidence": evidence, "witness": witness(record["witness"])}


def new_record(
    id: str, budget: str, seed: int, theorem: Theorem | None, answers: Path | None
) -> tuple[Record, Pool]:
    """The record of one claim of the catalogue or of the user's own file, by its id, and new certificates of its proof."""
    from verify.engine.judge import cut

    if theorem is not None:
        own = cut(judged_own(theorem, id, budget, seed))
        return {**own, "theorem": str(theorem.file), "judged": SEARCHED}, {}
    from verify.engine.judge import judge, record_of
    from verify.engine.proof.whole import found_by
    from verify.engine.records.standing import standing
    from verify.engine.topics import claim_of, index

    start = time.perf_counter()
    claim, key = claim_of(id), index()[id].key(budget, seed)
    assert claim is not None, id
    stored = standing(claim, key, suppliers_of(id), answers) if answers else None
    if stored is not None:
        found = record_of(claim, stored["evidence"], stored["cites"], start, budget, seed)
        return {
            **found,
            **key.digests,
            "searched": stored["searched"],
            "whole": stored["whole"],
            "judged": CHECKED,
        }, {}
    found = judge(claim, budget, seed, suppliers_of(id))
    whole = found_by(claim, found)
    parts = pool_of(whole.certificates.values()) if whole else {}
    named = whole.named() if whole else None
    return {**cut(found), **key.digests, "searched": key.searched, "whole": named, "judged": SEARCHED}, parts


def revalidate_stored(id: str, budget: str, seed: int) -> bool:
    """Whether the stored answer to a claim stands; if it is confirmed completely, this is noted in the user's cache."""
    from verify.engine.records.standing import standing
    from verify.engine.topics import claim_of, index

    claim = claim_of(id)
    assert claim is not None, id
    return standing(claim, index()[id].key(budget, seed), suppliers_of(id)) is not None


def suppliers_of(id: str) -> Iterator[Claim]:
    """Claims that may supply the premises of a claim; their topics are imported on first use."""
    from verify.engine.topics import claim_of, index

    for supplier in index()[id].suppliers:
        claim = claim_of(supplier)
        assert claim is not None, supplier
        yield claim
