"""Revalidation of stored answers: findings are derived again from the stored evidence, never read from the file.

Counterexamples are evaluated, formulas of the scene are computed and must match one of the stored certificates, and every
check without a long search is repeated. This takes up to some seconds for a claim. So `keep` notes beside the answers which
of them were revalidated, by the digest of their content and of the code, and a run notes others in the user's cache
(`is_known`). An answer that was changed, or is read by changed code, has no note.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import sympy as sp
from sympy.core.relational import Relational

from verify.engine.certificates import store
from verify.engine.certificates.memory import offering, on_offer
from verify.engine.certificates.question import Certificate, Undecided
from verify.engine.checks.attack import attack_at_random, nearest, recalling
from verify.engine.checks.conclusions import (
    contradictory,
    finding_without_counterexample,
    identical,
    proved,
    refuted,
    with_unused,
)
from verify.engine.checks.kinds import Kind, kind_of, names_of_relations
from verify.engine.model.claim import BUDGETS, Budget, Check, Claim
from verify.engine.model.instance import Instance
from verify.engine.proof.basis import basis_of, question_of
from verify.engine.proof.premises import search_briefly, suppliers_of_premises
from verify.engine.proof.sizes import short, with_certificates
from verify.engine.proof.whole import certificates_of, found_by
from verify.engine.records.answers import FOLDER, Answer, Key, answers
from verify.engine.records.files import cache_folder, digest, finite, read_json, write_json
from verify.engine.records.pool import Pool, apart, pool_of
from verify.engine.search.witness import Witness, confirm
from verify.engine.verdict import Finding, Verdict
from verify.engine.work.errors import UsageError
from verify.engine.work.items import name_of

_PARTS = (
    "model",
    "proof",
    "records",
    "checks",
    "classical",
    "elementary",
    "summation",
    "pieces",
    "rounds",
    "certificates",
)
RULES = (
    *("verify/check_proof.py", "verify/engine/verdict.py"),
    *(f"verify/engine/{part}" for part in _PARTS),
)
"""The code that determines which question a certificate must answer and what evidence shows, without the searches."""
NOTES = FOLDER / "revalidated.json"
"""Notes of the stored answers that were revalidated, by the ids of their statements."""
_DECIDED = ("check", "verdict", "method")
_SHOWN = (*_DECIDED, "reason", "tightness", "proof")


class Unsupported(ValueError):
    """Stored evidence does not support its finding."""


def revalidated(claim: Claim, answer: Answer, pool: Pool, key: Key, among: Iterable[Claim]) -> Answer:
    """The answer that stored evidence gives under the current code.

    Parameters
    ----------
    answer : mapping
        The answer with its certificates inserted.
    pool : mapping
        All certificates of the topic.
    among : iterable of Claim
        Claims that may supply the premises.

    Raises
    ------
    Unsupported
        If the evidence does not support the stored verdict.
    """
    whole, evidence = answer["whole"], answer["evidence"]
    if len(evidence) != len(claim.checks):
        raise Unsupported(f"it has {len(evidence)} findings of {len(claim.checks)} checks")
    relations = names_of_relations(claim)
    budget = BUDGETS[key.budget]
    if answer["asked"] == key.asked:
        budget = _without_moves(budget)
    elif any(_rests_on_search(one) for one in evidence if one["check"] in relations):
        raise Unsupported("another question was searched")
    # What was not found then need not be searched again
    same = all(answer[name] == getattr(key, name) for name in ("asked", "cited"))
    named = whole["certificates"] if whole else {}
    with offering([*apart(answer)[1].values(), *(pool[name] for name in named.values())]):
        found = [
            concluded(claim, check, finding, budget, key.seed).record()
            for check, finding in zip(claim.checks, evidence, strict=True)
        ]
        cites = suppliers_of_premises(claim, among, on_offer if same else search_briefly)
        parts = found_by(claim, {"evidence": found, "cites": cites})
    made = parts.certificates if parts else {}
    if made.keys() != named.keys():
        raise Unsupported("its certificates are not those of the formulas that its scenes compute")
    named = {name: stored_certificate(pool, digest, made[name]) for name, digest in named.items()}
    stored = {name: pool[digest] for name, digest in named.items()}
    now = [_saved(_with_stored(finding, claim.statement.id, made, stored)) for finding in found]
    for before, after in zip(evidence, now, strict=True):
        _compare(before, after)
        if before["check"] in relations:
            _compare_proofs(before, after, ("sizes", "uncertified", "induction", "means") if made else ())
    return {
        **answer,
        "computed": key.computed,
        "evidence": now,
        "cites": _plain(cites),
        "whole": _plain({**parts.named(), "certificates": named}) if parts else None,
    }


def stored_certificate(pool: Pool, name: str, made: Certificate) -> str:
    """The digest of a stored certificate that proves what one made again proves: the one that the answer names, or, where
    several stored ones prove one relation from different assumptions, the one made again.

    Raises
    ------
    Unsupported
        If there is none.
    """
    # A process may know another certificate of a formula, from a claim before; which of them is used does not matter
    if store.proves(pool[name], made):
        return name
    for other in pool_of([made]).keys() & pool.keys():
        return other
    raise Unsupported("its certificates are not those of the formulas that its scenes compute")


def _with_stored(
    finding: Mapping[str, Any], id: str, made: Mapping[str, Certificate], stored: Mapping[str, Certificate]
) -> Mapping[str, Any]:
    """A finding with the stored certificates in place of those made again, if its proof is the one that consists of these."""
    proof = finding.get("proof") or {"certificates": ()}
    own = certificates_of(id, proof)
    if not own or any(made.get(name) != certificate for name, certificate in own.items()):
        return finding
    if "certificate" in proof:
        return {**finding, "proof": {**proof, "certificate": stored[id]}}
    return {**finding, "proof": with_certificates(proof, [stored[name] for name in own])}


def differing(claim: Claim, record: Mapping[str, Any], pool: Pool) -> list[str]:
    """Entries in the findings of a record that differ from the result of their evidence.

    Parameters
    ----------
    pool : mapping
        Certificates of the topic; a record itself contains only as many as fit.
    """
    evidence, named = record.get("evidence"), (record.get("whole") or {}).get("certificates", {})
    if not isinstance(evidence, list) or len(evidence) != len(claim.checks):
        return ["evidence, which is not one finding for each check"]
    other = list[str]()
    with offering([*apart(record)[1].values(), *(pool[name] for name in named.values() if name in pool)]):
        for check, finding in zip(claim.checks, evidence, strict=True):
            if not kind_of(check).broken and finding["verdict"] is None:
                continue  # a claim that only another search could confirm
            budget = _without_moves(BUDGETS[record["budget"]])
            now = _saved(concluded(claim, check, finding, budget, record["seed"]).record())
            other += [
                f"{name} {finding.get(name)}"
                for name in _SHOWN
                if not agree(finding.get(name), now.get(name))
            ]
    return other


def concluded(claim: Claim, check: Check, finding: Mapping[str, Any], budget: Budget, seed: int) -> Finding:
    """The finding of a check from stored evidence; it searches only if there is no evidence."""
    evidence = _evidence(claim, finding) if kind_of(check).broken else None
    found = None if evidence is None else _concluded(claim, kind_of(check), finding, *evidence, budget, seed)
    if found is not None:
        return with_unused(claim, found)
    with recalling(list(_instances_in(finding.get("details")))):
        repeated = check(claim, budget, seed)
    trials = max(repeated.trials, _trials(finding))
    if repeated.verdict is Verdict.UNREFUTED and _rests_on_search(finding):
        course = _course_of(finding)
        return finding_without_counterexample(
            claim, kind_of(check), None, trials, finding["tightness"], course
        )
    return replace(repeated, trials=trials)


def _without_moves(budget: Budget) -> Budget:
    """A budget without the long searches, which climb from instance to instance. What they did not find when the answer was
    stored, they need not look for again; new random instances are drawn, and `keep --again` repeats everything.
    """
    return replace(budget, ascents=0, moves=0)


def _instances_in(details: Any) -> Iterator[Instance]:
    """Instances that a finding names in its details."""
    if not isinstance(details, Mapping):
        return
    if {"shape", "parameters", "steps"} <= details.keys():
        yield Instance.from_record(details)
        return
    for part in details.values():
        yield from _instances_in(part)


def _concluded(
    claim: Claim,
    kind: Kind,
    finding: Mapping[str, Any],
    witness: Witness | None,
    trials: int,
    budget: Budget,
    seed: int,
) -> Finding | None:
    """The finding from an instance and certificates; None if only a search could give it."""
    details = finding.get("details", {})
    course = {name: details[name] for name in ("search",) if name in details}
    if witness is not None and witness.broken:
        return refuted(kind, witness, trials, course)
    if finding.get("proof"):
        basis = basis_of(claim, budget)
        if basis.outcome == "contradiction":
            return contradictory(kind, basis)
        if basis.outcome != "proved":
            codes = ", ".join(clause["code"] for clause in basis.lacks)
            raise Unsupported(f"nothing proves it ({codes})")
        if witness is None and not isinstance(claim.relation, sp.Eq) and _meets(claim, budget, seed):
            raise Unsupported("the tightest instance is missing")
        if kind.equation and basis.shapes and not basis.premises:
            return identical(kind, basis)
        return proved(claim, kind, basis, witness, trials, course)
    if finding["verdict"] == "unrefuted" and witness is not None:
        if _has_certificate(claim) and basis_of(claim, budget).outcome == "proved":
            raise Unsupported("a stored certificate proves it")
        return finding_without_counterexample(
            claim, kind, witness, trials, finding["tightness"], _course_of(finding)
        )
    return None


def _course_of(finding: Mapping[str, Any]) -> dict[str, Any]:
    """What the details of a finding say about its search, and why there is no proof."""
    details = finding.get("details", {})
    return {name: details[name] for name in ("no proof", "suspicions", "search") if name in details}


def _trials(finding: Mapping[str, Any]) -> int:
    """The number of trials of a stored finding."""
    trials = finding["trials"]
    if not isinstance(trials, int) or trials < 0:
        raise Unsupported(f"`trials` must be a whole number, got {trials!r}")
    return trials


def _has_certificate(claim: Claim) -> bool:
    """Whether a certificate of a claim from its conditions and premises is stored."""
    if not isinstance(claim.statement.relation, Relational):  # an order
        return False
    answer = store.stored_answer(question_of(claim))
    return answer is not None and not isinstance(answer, Undecided)


def _meets(claim: Claim, budget: Budget, seed: int) -> bool:
    """Whether a random instance meets the conditions; it would be reported as the tightest."""
    return nearest(claim.question, attack_at_random(claim.question, budget, seed)) is not None


def _rests_on_search(finding: Mapping[str, Any]) -> bool:
    """Whether a finding about a relation rests only on a search without counterexample."""
    return finding["verdict"] == "unrefuted" and not finding.get("proof")


def _evidence(claim: Claim, finding: Mapping[str, Any]) -> tuple[Witness | None, int] | None:
    """The instance of a finding, evaluated, and the number of trials; None if it has neither an instance nor a proof."""
    said = finding["witness"]
    if not said and not finding.get("proof"):
        return None
    return confirm(claim.question, Instance.from_record(said)) if said else None, _trials(finding)


def _compare(before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
    """Raise unless a finding has the verdict that its evidence gives. Its wording may differ."""
    for name in _DECIDED:
        if before.get(name) != after.get(name) and (before["verdict"], after["verdict"]) != (None, None):
            raise Unsupported(f"{name} {before.get(name)}, its evidence shows {after.get(name)}")


def _compare_proofs(before: Mapping[str, Any], after: Mapping[str, Any], names: Collection[str]) -> None:
    """Raise unless the proofs of a finding have the same entries of these names; of all names if there are none."""
    proofs = [
        {name: entry for name, entry in (finding.get("proof") or {}).items() if not names or name in names}
        for finding in (before, after)
    ]
    if proofs[0] != proofs[1]:
        raise Unsupported("its proof is another than its evidence gives")


def _saved(finding: Mapping[str, Any]) -> dict[str, Any]:
    """A finding in the form in which it is read from a file."""
    held: dict[str, Any] = _plain(
        {**finding, "proof": short(finding["proof"])} if "proof" in finding else finding
    )
    return held


def is_known(key: Key, raw: Any) -> bool:
    """Whether exactly this answer was revalidated with this code: a note comes with the answers, or lies in the user's
    cache.
    """
    mark = _mark(key, raw)
    return _shipped_notes().get(key.id) == mark or _note(mark).is_file()


def remember(key: Key, raw: Any) -> None:
    """Remember that an answer was revalidated, if the user's cache can be written."""
    with suppress(OSError):
        note = _note(_mark(key, raw))
        note.parent.mkdir(parents=True, exist_ok=True)
        note.touch()


def ship_notes(keys: Iterable[Key], present: Collection[str]) -> None:
    """Note beside the stored answers which of these were revalidated with this code.

    Parameters
    ----------
    present : collection of str
        Ids of all statements; notes of others are deleted.
    """
    notes = {id: mark for id, mark in _shipped_notes().items() if id in present}
    for key in keys:
        notes.pop(key.id, None)
        raw = answers(FOLDER, key.topic).get(key.id)
        if raw is not None and is_known(key, raw):
            notes[key.id] = _mark(key, raw)
    write_json(NOTES, dict(sorted(notes.items())))
    _shipped_notes.cache_clear()


@cache
def _shipped_notes() -> Mapping[str, str]:
    with suppress(OSError, UsageError):
        content = read_json(NOTES)
        if isinstance(content, dict):
            return content
    return {}


def _note(mark: str) -> Path:
    return cache_folder() / "revalidated" / mark


def _mark(key: Key, raw: Any) -> str:
    """Digest of an answer, of the question and the code that it belongs to, and of the code that revalidates."""
    return name_of(vars(key), raw, digest(*RULES))


def _plain(content: Any) -> Any:
    """Content in the form in which it is read from a file."""
    return json.loads(json.dumps(finite(content), default=str))


def agree(said: Any, found: Any) -> bool:
    """Whether two JSON values are equal, numbers up to rounding."""
    if isinstance(said, Mapping) and isinstance(found, Mapping):
        return said.keys() == found.keys() and all(agree(said[key], found[key]) for key in found)
    if isinstance(said, list) and isinstance(found, list):
        return len(said) == len(found) and all(map(agree, said, found))
    if isinstance(said, float | int) and isinstance(found, float) and not isinstance(said, bool):
        return abs(said - found) <= 1e-9 * (abs(said) + abs(found)) + 1e-15
    return bool(said == found)


__all__ = [
    "Unsupported",
    "agree",
    "concluded",
    "differing",
    "is_known",
    "remember",
    "revalidated",
    "ship_notes",
]
