"""`python -m verify certify`: check the stored certificates, search for missing ones, print them for a proof kernel."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("patterns", nargs="*", help="ids, shell patterns or topics; all if none")
    parser.add_argument(
        "--search", action="store_true", help="search for all anew instead of checking what is stored"
    )
    parser.add_argument(
        "--stored", action="store_true", help="look at stored certificates only, search for none"
    )
    parser.add_argument(
        "--coq", type=Path, metavar="FOLDER", help="write a Coq file for each topic into FOLDER"
    )


def run(options: argparse.Namespace) -> int:
    from verify.check_proof import Refused
    from verify.engine.certificates import store
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
            _export(options.coq, topic, proofs)
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

    if breaking_point(question.relation, [relation for relation, _ in question.given]) is not None:
        return {"id": id, "undecided": "a point meets all that is assumed and breaks the relation"}
    answer = prove(question)
    if isinstance(answer, Undecided):
        return {"id": id, "undecided": answer.tried}
    return {"id": id, "certificate": answer}


def _export(folder: Path, topic: str, proofs: Mapping[str, Any]) -> None:
    from verify.engine.certificates.coq import PRELUDE, NotExported, theorem
    from verify.engine.records import in_one_piece

    parts, left_out = [PRELUDE], []
    for id, certificate in proofs.items():
        try:
            parts.append(theorem(id, certificate))
        except NotExported as error:
            left_out.append(f"{id} ({error})")
    if len(parts) > 1:
        with in_one_piece(folder / f"{topic}.v") as stream:
            stream.write("\n".join(parts))
    if left_out:
        print(f"{topic}: not exported: {', '.join(left_out)}")
