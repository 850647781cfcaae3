"""A run: claims are judged, each record is saved as soon as it is there, and a run goes on from what is saved."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from verify.engine.errors import UsageError
from verify.engine.links import linked
from verify.engine.processes import spread
from verify.engine.records import fingerprint, finite, path_of, saved, write_json

Record = dict[str, Any]


def run(
    ids: Sequence[str], folder: Path, budget: str, seed: int, jobs: int, theorem: Path | None = None
) -> list[Record]:
    """Records of all `ids`, in their order, linked to each other.

    What is saved is what a claim's own checks found, so a record does not depend on what else was judged.

    Parameters
    ----------
    folder : Path
        Where records are saved, and taken from if the same code made them with the same budget and seed.
    theorem : Path, optional
        The user's own file in which the claims stand; they are always judged anew.
    """
    done: dict[str, Record] = {}
    for id in ids if theorem is None else ():
        record = saved(folder, id, budget, seed)
        if record is not None:
            done[id] = record
    if done:
        print(
            f"verify: {len(done)} of {len(ids)} statements were judged before by this code", file=sys.stderr
        )
    waiting = [id for id in ids if id not in done]
    for count, record in enumerate(spread(judged, waiting, jobs, budget, seed, theorem), start=1):
        record = finite({**record, "versions": fingerprint()})
        try:
            write_json(path_of(folder, record["id"]), record)
        except OSError as error:
            raise UsageError(f"cannot write records into {folder}: {error.strerror}") from error
        done[record["id"]] = record
        shown = f"[{count}/{len(waiting)}] {record['id']}: {record['verdict']} ({record['seconds']:.1f} s)"
        print(shown, file=sys.stderr, flush=True)
    return linked([done[id] for id in ids])


def judged(id: str, budget: str, seed: int, theorem: Path | None) -> Record:
    """The record of one claim, by its id: of the catalogue, or of the user's own file."""
    from verify.engine.judge import judge
    from verify.engine.topics import claim_of, claims_in

    claim = claim_of(id) if theorem is None else next(c for c in claims_in(theorem) if c.statement.id == id)
    assert claim is not None, id
    return judge(claim, budget, seed)
