"""`python -m verify certify`: check the stored certificates, search for missing ones, print them for a proof kernel."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from verify.commands.options import add_timeout
from verify.engine.records.answers import FOLDER
from verify.engine.work.messages import message
from verify.report.wording import sentence

if TYPE_CHECKING:
    from verify.engine.proof.whole import Whole
    from verify.engine.run import Theorem

OWN = (".py", ".tex", ".md")
"""Suffixes of the names of the user's own files."""
BROKEN = ("refuted", "gap", "inconsistent")
"""Verdicts with a counterexample."""


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "patterns",
        nargs="*",
        help="ids, shell patterns or topics (default: all), or files of your own, as `check` takes them",
    )
    parser.add_argument(
        "--search",
        action="store_true",
        help="search for every certificate again, and compute again the files of --out and --coq",
    )
    parser.add_argument(
        "--stored",
        action="store_true",
        help="check stored proofs only; do not search for missing ones, and compute nothing again",
    )
    parser.add_argument(
        "--coq",
        type=Path,
        metavar="FOLDER",
        help="write Coq files into FOLDER, for each topic: derivations, the other parts of each proof, and counterexamples "
        "of --records",
    )
    parser.add_argument(
        "--out",
        type=Path,
        metavar="FOLDER",
        help="write one file into FOLDER for each proof, with the certificates of everything it rests on; "
        "verify/check_proof.py checks the file alone. Cached files are reused, others are computed",
    )
    parser.add_argument(
        "--records",
        type=Path,
        default=Path("results/records"),
        metavar="FOLDER",
        help="records of a run, for the counterexamples of --coq",
    )
    add_timeout(parser)


def run(options: argparse.Namespace) -> int:
    from verify.engine.run import Theorem

    files = [path for path in map(Path, options.patterns) if path.suffix in OWN]
    options.patterns = [pattern for pattern in options.patterns if Path(pattern) not in files]
    status = max([_of_file(Theorem(file, options.timeout), options) for file in files], default=0)
    return status if files and not options.patterns else max(status, _of_catalogue(options))


def _of_catalogue(options: argparse.Namespace) -> int:
    """Check, search and write certificates of the catalogue; 1 if a checker refuses one."""
    from verify.check_proof import Refused
    from verify.engine.certificates import store
    from verify.engine.certificates.recheck import Rejected

    wanted = questions(options.patterns)
    searches = options.search or not (options.stored or options.out or options.coq)
    refused, written = 0, dict[str, str]()
    for topic, asked in wanted.items():
        kept: dict[str, Any] = {}
        for id, question in asked.items():
            entry = None if options.search else store.entries().get(question.digest)
            if entry is None and not searches:
                continue
            if entry is None:
                entry = searched(id, question)
                message(f"{id}: {'undecided' if 'undecided' in entry else 'proved'}")
            elif "certificate" in entry:
                try:
                    store.answers(question, entry["certificate"])
                    store.checked_again(entry["certificate"])
                except (Refused, Rejected) as error:
                    refused += 1
                    print(f"{id}: REFUSED: {error}")
            kept[question.digest] = entry
        if searches:
            store.keep(topic, kept, whole=not options.patterns)
        proofs = {e["id"]: e["certificate"] for e in kept.values() if "certificate" in e}
        if kept:
            print(f"{topic}: {len(proofs)} derivations, {len(kept) - len(proofs)} undecided")
        if options.coq:
            named = [(id, (id, certificate)) for id, certificate in proofs.items()]
            _write(options.coq / f"{topic}.v", named, partial(_part, f"{topic}.v", written))
    if options.coq:
        _counterexamples(options.coq, options.records, options.patterns)
    if options.out or options.coq or options.stored:
        found = wholes(
            options.patterns, None if options.search else FOLDER, _missing if options.stored else _computed
        )
        refused += _wholes(_topics(found), options, written)
    return int(bool(refused))


def _of_file(theorem: Theorem, options: argparse.Namespace) -> int:
    """Prove the claims of a file and write the certificates; 1 if a checker refuses one, 2 if a claim could not be judged.

    Proofs of the catalogue on which the claims rest are written, too.
    """
    from verify.engine.proof.whole import found_by
    from verify.engine.run import UNJUDGED, judged_own
    from verify.engine.theorem import theorems_in
    from verify.engine.topics import selected
    from verify.engine.verdict import SHOWN

    found, topic = theorems_in(theorem.file, theorem.seconds), theorem.file.stem
    own = [claim.statement.id for claim in found.claims]
    proved, broken, values = list[Proved](), list[Any](), list[Any]()
    status = 2 if found.mistakes else 0
    for claim in found.claims:
        record = judged_own(theorem, claim.statement.id, "default", 0)
        whole = found_by(claim, record) if record["verdict"] in SHOWN else None
        if whole is None:
            print(
                f"{record['id']}: no certificate: {record['verdict']}, {sentence(record['reason'])}",
                flush=True,
            )
            status = max(status, 2 if record["kind"] == UNJUDGED else 0)
        else:
            proved.append((topic, record["id"], whole, record["verdict"]))
            proofs = (finding.get("proof") or {} for finding in record["evidence"])
            values += [(record["id"], proof) for proof in proofs if "exists" in proof]
        if record["verdict"] in BROKEN and (record["witness"] or {}).get("method") == "exact":
            broken.append((record["id"], (claim, record)))
    for mistake in found.mistakes:
        message(f"verify: {mistake}")
    others = {id for *_, whole, _ in proved for id in whole.rests_on} - {*own}
    more = _topics(wholes(selected(sorted(others)), FOLDER, _computed)) if others else ()
    status = max(status, int(bool(_wholes([*proved, *more], options, {}))))
    if options.coq:
        _write(options.coq / f"{topic}_witnesses.v", broken, lambda item: _counterexample(*item[1]))
        _write(options.coq / f"{topic}_values.v", values, lambda item: _existence(*item))
    return status


def _existence(name: str, proof: Mapping[str, Any]) -> str:
    from verify.engine.coq.existence import Value

    return _with_comment(name, Value(**proof["exists"]).theorem(name, proof["certificates"]))


def _counterexample(claim: Any, record: Mapping[str, Any]) -> str:
    from verify.engine.coq.counterexamples import counterexample
    from verify.engine.model.instance import Instance

    return counterexample(claim.question, Instance.from_record(record["witness"]))


def questions(patterns: Iterable[str]) -> Mapping[str, Mapping[str, Any]]:
    """Questions of claims by topic and id; claims about orders and printed numbers have none."""
    from bounds.statement import Scaling
    from verify.engine.certificates.formulas import Untranslatable
    from verify.engine.proof.basis import question_of

    found: dict[str, dict[str, Any]] = {}
    for topic, claim in _selected_claims(patterns):
        if isinstance(claim.statement.relation, Scaling):
            continue
        question = question_of(claim)
        try:
            question.digest  # noqa: B018
        except Untranslatable:
            continue
        found.setdefault(topic, {})[claim.statement.id] = question
    return found


def _selected_claims(patterns: Iterable[str]) -> Iterator[tuple[str, Any]]:
    """Claims that match patterns, with their topics; imports only these topics."""
    from verify.engine.topics import claims_of, index, selected

    ids = set(selected(list(patterns)))
    for topic in dict.fromkeys(entry.topic for entry in index().values() if entry.id in ids):
        for claim in claims_of(topic):
            if claim.statement.id in ids:
                yield topic, claim


def searched(id: str, question: Any) -> dict[str, Any]:
    """The result of a search for the answer to a question, in the form in which it is stored."""
    from verify.engine.certificates import Undecided, prove
    from verify.engine.search.points import breaking_point

    given = [relation for relation, _ in question.given]
    if question.induction is None and breaking_point(question.relation, given) is not None:
        return {"id": id, "undecided": "a point meets all that is assumed and breaks the relation"}
    answer = prove(question)
    if isinstance(answer, Undecided):
        return {"id": id, "undecided": answer.tried}
    return {"id": id, "certificate": answer}


Proved = tuple[str, str, "Whole", str]
"""A topic, the id of a statement, its proof with all parts, and how the proof was obtained."""


def _topics(found: Iterable[tuple[str, Whole, str]]) -> Iterator[Proved]:
    """The same proofs with the topics of their statements in the catalogue."""
    from verify.engine.topics import index

    for id, whole, how in found:
        yield index()[id].topic, id, whole, how


def _wholes(found: Iterable[Proved], options: argparse.Namespace, written: dict[str, str]) -> int:
    """Check and write complete proofs; the number of certificates that a checker refuses.

    Parameters
    ----------
    written : dict of str to str
        Theorems that are already in a Coq file, with their places.
    """
    from verify.engine.certificates.formulas import size
    from verify.engine.records.files import path_of, write_json
    from verify.engine.records.pool import form

    refused = 0
    theorems: dict[str, dict[str, tuple[str, Any]]] = {}
    for topic, id, whole, how in found:
        refused += (wrong := _number_refused(whole.certificates))
        length = sum(map(size, whole.certificates.values()))
        print(
            f"{id}: {len(whole.certificates)} certificates, {length / 1000:.1f} kB, {how}{_besides(whole)}",
            flush=True,
        )
        if wrong:
            continue
        if options.out:
            write_json(path_of(options.out, id), whole.certificates)
        for name, certificate in whole.certificates.items():
            theorems.setdefault(topic, {}).setdefault(form(certificate), (name, certificate))
    for topic, parts in theorems.items() if options.coq else ():
        named = [(f"{name} {k}", (name, certificate)) for k, (name, certificate) in enumerate(parts.values())]
        _write(options.coq / f"{topic}_parts.v", named, partial(_part, f"{topic}_parts.v", written))
    return refused


def _part(file: str, written: dict[str, str], item: tuple[str, tuple[str, Any]]) -> str:
    """One part of a proof as a theorem; a comment if an equal theorem was already written."""
    from verify.engine.coq.export import theorem

    text = theorem(item[0], item[1][1])
    head, name, rest = re.split(r"(?m)^Theorem (\w+)", text, maxsplit=1)
    place = written.setdefault(head + rest, f"{name} of {file}")
    return _with_comment(item[1][0], text if place == f"{name} of {file}" else f"(* as {place} *)\n")


def wholes(
    patterns: Iterable[str], answers: Path | None, otherwise: Callable[[str], Whole | None]
) -> Iterator[tuple[str, Whole, str]]:
    """Complete proofs of statements, and of the statements they rest on; and whether each was stored or computed again.

    Parameters
    ----------
    answers : Path or None
        Folder of stored answers; None to compute all proofs again.
    otherwise : callable
        The proof of a statement without a stored answer of this code.
    """
    from verify.engine.proof.whole import Whole
    from verify.engine.records.answers import answer_to, is_current, pool_in
    from verify.engine.topics import index, selected

    waiting = list(selected(list(patterns)))
    seen = set(waiting)
    for id in waiting:
        topic = index()[id].topic
        key = index()[id].key("default", 0)
        answer = answer_to(key, answers) if answers and is_current(key, answers) else None
        if answers is not None and answer is not None:
            whole = Whole.from_names(answer["whole"], pool_in(answers, topic)) if answer["whole"] else None
        else:
            whole = otherwise(id)
        if whole is not None:
            more = [other for other in whole.rests_on if other not in seen]
            waiting += more
            seen.update(more)
            yield id, whole, "computed again" if answer is None else "kept"


def _computed(id: str) -> Whole | None:
    """The complete proof that the prover finds."""
    from bounds.papers import paper_of
    from verify.engine.model.claim import BUDGETS
    from verify.engine.proof.whole import whole_of
    from verify.engine.topics import claim_of, claims

    claim = claim_of(id)
    among = (
        other for paper in (paper_of(id),) for other in claims(paper).values()
    )  # imported only if needed
    return whole_of(claim, among, BUDGETS["default"]) if claim else None


def _missing(id: str) -> None:
    """No proof, and a message that none is stored for this code."""
    from verify.engine.records.answers import is_kept
    from verify.engine.topics import index

    if is_kept(index()[id].topic):
        message(f"{id}: no answer of this code is stored; `python -m verify keep {id}` stores one")


def _number_refused(certificates: Mapping[str, Any]) -> int:
    """The number of certificates that one of the two checkers refuses; each is reported."""
    from verify.check_proof import Refused, check
    from verify.engine.certificates.recheck import Rejected, recheck

    refused = 0
    for name, certificate in certificates.items():
        try:
            check(dict(certificate))
            recheck(certificate)
        except (Refused, Rejected) as error:
            refused += 1
            print(f"{name}: REFUSED: {error}")
    return refused


def _besides(whole: Whole) -> str:
    """The statements on which a proof rests, and its parts without a certificate, in words."""
    rests = f"; rests on {', '.join(whole.rests_on)}" if whole.rests_on else ""
    return f"{rests}; without certificate: {'; '.join(whole.lacks)}" if whole.lacks else rests


def _with_comment(name: str, theorem: str) -> str:
    """A theorem below a comment with its name."""
    plain = name.replace("(*", "( *").replace("*)", "* )").replace('"', "'")
    return f"(* {plain} *)\n{theorem}"


def _counterexamples(folder: Path, records: Path, patterns: Iterable[str]) -> None:
    """A Coq file for the exact counterexamples of each topic."""
    from verify.engine.coq.counterexamples import counterexample
    from verify.engine.records.files import path_of, read_json
    from verify.engine.records.replay import question_and_instance

    ids: dict[str, list[str]] = {}
    for topic, claim in _selected_claims(patterns):
        ids.setdefault(topic, []).append(claim.statement.id)
    for topic, own in ids.items():
        found = []
        for id in own:
            path = path_of(records, id)
            record = read_json(path) if path.is_file() else {}
            if record.get("verdict") in BROKEN and (record.get("witness") or {}).get("method") == "exact":
                found.append((id, record))
        _write(
            folder / f"{topic}_witnesses.v",
            found,
            lambda item: counterexample(*question_and_instance(item[1])),
        )


def _write(path: Path, items: Iterable[tuple[str, Any]], theorem: Callable[[tuple[str, Any]], str]) -> None:
    """Write a Coq file with a theorem for each item, and report the items that cannot be exported, with the reasons."""
    from verify.engine.coq.export import file_of
    from verify.engine.coq.vectors import NotExported
    from verify.engine.records.files import in_one_piece
    from verify.engine.work.errors import UsageError

    theorems, left_out = [], []
    for item in items:
        try:
            theorems.append(theorem(item))
        except (NotExported, UsageError) as error:
            left_out.append(f"{item[0]} ({error})")
    if theorems:
        with in_one_piece(path) as stream:
            stream.write(file_of(theorems))
    if left_out:
        print(f"{path.stem}: not exported: {', '.join(left_out)}")
