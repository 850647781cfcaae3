"""`python -m verify certify`: check the stored certificates, search for missing ones, print them for a proof kernel."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

BROKEN = ("refuted", "gap", "inconsistent")
"""Verdicts with a counterexample."""


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("patterns", nargs="*", help="ids, shell patterns or topics; all if none")
    parser.add_argument(
        "--search", action="store_true", help="search for all anew instead of checking what is stored"
    )
    parser.add_argument(
        "--stored", action="store_true", help="look at stored certificates only, search for none"
    )
    parser.add_argument(
        "--coq",
        type=Path,
        metavar="FOLDER",
        help="write Coq files into FOLDER: proofs, and counterexamples of --records",
    )
    parser.add_argument(
        "--records",
        type=Path,
        default=Path("results/records"),
        metavar="FOLDER",
        help="records of a run whose counterexamples are written",
    )


def run(options: argparse.Namespace) -> int:
    from verify.check_proof import Refused
    from verify.engine.certificates import store
    from verify.engine.certificates.coq import theorem
    from verify.engine.certificates.recheck import Rejected

    wanted = questions(options.patterns)
    refused = 0
    for topic, asked in wanted.items():
        kept: dict[str, Any] = {}
        for id, question in asked.items():
            entry = None if options.search else store.entries().get(question.digest)
            if entry is None and options.stored:
                continue
            if entry is None:
                entry = searched(id, question)
                print(
                    f"{id}: {'undecided' if 'undecided' in entry else 'proved'}", file=sys.stderr, flush=True
                )
            elif "certificate" in entry:
                try:
                    store.answers(question, entry["certificate"])
                    store.checked_again(entry["certificate"])
                except (Refused, Rejected) as error:
                    refused += 1
                    print(f"{id}: REFUSED: {error}")
            kept[question.digest] = entry
        if not options.stored:
            store.keep(topic, kept, whole=not options.patterns)
        proofs = {e["id"]: e["certificate"] for e in kept.values() if "certificate" in e}
        print(f"{topic}: {len(proofs)} certificates, {len(kept) - len(proofs)} undecided")
        if options.coq:
            _write(options.coq / f"{topic}.v", proofs.items(), lambda item: theorem(*item))
    if options.coq:
        _counterexamples(options.coq, options.records, options.patterns)
    return int(bool(refused))


def questions(patterns: Iterable[str]) -> Mapping[str, Mapping[str, Any]]:
    """Questions of claims by topic and id; claims of orders and printed numbers ask none."""
    from bounds.statement import Scaling
    from verify.engine.basis import question_of
    from verify.engine.certificates.formulas import Untranslatable
    from verify.engine.topics import claims_of, selected, topics

    ids = set(selected(list(patterns)))
    found: dict[str, dict[str, Any]] = {}
    for topic in topics():
        for claim in claims_of(topic):
            if claim.statement.id not in ids or isinstance(claim.statement.relation, Scaling):
                continue
            question = question_of(claim)
            try:
                question.digest  # noqa: B018
            except Untranslatable:
                continue
            found.setdefault(topic, {})[claim.statement.id] = question
    return found


def searched(id: str, question: Any) -> dict[str, Any]:
    """What a search says about a question, as it is stored."""
    from verify.engine.certificates import Undecided, prove
    from verify.engine.points import breaking_point

    given = [relation for relation, _ in question.given]
    if question.induction is None and breaking_point(question.relation, given) is not None:
        return {"id": id, "undecided": "a point meets all that is assumed and breaks the relation"}
    answer = prove(question)
    if isinstance(answer, Undecided):
        return {"id": id, "undecided": answer.tried}
    return {"id": id, "certificate": answer}


def _counterexamples(folder: Path, records: Path, patterns: Iterable[str]) -> None:
    """A Coq file for the exact counterexamples of each topic."""
    from verify.engine.certificates.counterexamples import counterexample
    from verify.engine.records import path_of, read_json
    from verify.engine.replay import read
    from verify.engine.topics import claims_of, selected, topics

    ids = set(selected(list(patterns)))
    for topic in topics():
        found = []
        for id in (claim.statement.id for claim in claims_of(topic) if claim.statement.id in ids):
            path = path_of(records, id)
            record = read_json(path) if path.is_file() else {}
            if record.get("verdict") in BROKEN and (record.get("witness") or {}).get("method") == "exact":
                found.append((id, record))
        _write(folder / f"{topic}_witnesses.v", found, lambda item: counterexample(*read(item[1])))


def _write(path: Path, items: Iterable[tuple[str, Any]], theorem: Callable[[tuple[str, Any]], str]) -> None:
    """A Coq file with a theorem for each item; says which are left out, and why."""
    from verify.engine.certificates.coq import PRELUDE, NotExported
    from verify.engine.errors import UsageError
    from verify.engine.records import in_one_piece

    theorems, left_out = [], []
    for item in items:
        try:
            theorems.append(theorem(item))
        except (NotExported, UsageError) as error:
            left_out.append(f"{item[0]} ({error})")
    if theorems:
        with in_one_piece(path) as stream:
            stream.write("\n".join([PRELUDE, *theorems]))
    if left_out:
        print(f"{path.stem}: not exported: {', '.join(left_out)}")
