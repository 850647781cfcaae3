"""Is a stored answer still valid? Certificates are checked and counterexamples evaluated in every run.

The tightest instance of a statement with a certificate does not affect the verdict. It is evaluated, and random instances are
tried, unless exactly this answer was revalidated with this code before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from sympy.core.relational import Relational

from bounds.catalogue import statement
from verify.check_proof import Refused
from verify.engine.certificates import store
from verify.engine.certificates.memory import offering
from verify.engine.certificates.question import Certificate
from verify.engine.checks.attack import FEW, attack_at_random
from verify.engine.checks.kinds import names_of_relations
from verify.engine.checks.vacuity import comparison, requirements
from verify.engine.model.claim import Claim
from verify.engine.proof.basis import question_of
from verify.engine.proof.prover import ABSURD, check_answer
from verify.engine.records.answers import FOLDER, Answer, Key, answer_to, answers, pool_in
from verify.engine.records.pool import Pool, apart, digest
from verify.engine.records.replay import replay
from verify.engine.records.revalidation import is_known, remember, revalidated
from verify.engine.verdict import HARMLESS
from verify.engine.work.errors import UsageError
from verify.engine.work.messages import message
from verify.engine.work.processes import collecting_rarely

Evidence = Sequence[Mapping[str, Any]]
"""The findings of the checks of a claim."""


def doubt(claim: Claim, evidence: Evidence, seed: int) -> str:
    """The reason why findings about a claim are not valid; empty if everything is confirmed."""
    return _doubt(claim, evidence, evidence, seed)


def doubt_of_revalidated(claim: Claim, evidence: Evidence, seed: int) -> str:
    """The same for evidence that was revalidated with this code: instances are not evaluated if there is a certificate."""
    return _doubt(claim, evidence, [finding for finding in evidence if not _is_certified(finding)], seed)


def doubt_of_shown(claim: Claim, evidence: Evidence, seed: int) -> str:
    """The same for the evidence that proves or refutes a statement: certificates and counterexamples, no other instances."""
    return _doubt(
        claim, evidence, [finding for finding in evidence if finding["verdict"] not in HARMLESS], seed
    )


@collecting_rarely()
def standing(claim: Claim, key: Key, among: Iterable[Claim] = (), folder: Path = FOLDER) -> Answer | None:
    """The stored answer to a claim, confirmed by its evidence; None if there is none, or if it is not valid.

    Parameters
    ----------
    among : iterable of Claim
        Claims that may supply its premises.
    """
    answer = answer_to(key, folder)
    if answer is None:
        return None
    pool = pool_in(folder, key.topic)
    try:
        raw = answers(folder, key.topic)[key.id]
        known = is_known(key, raw)
        doubted = doubt_of_revalidated if known else doubt
        with offering(_parts_in(answer, pool)):  # so that the lemmas that a certificate names need no search
            why = doubted(claim, answer["evidence"], key.seed)
        why = why or _refusal(answer, pool)
        if not why and not known:
            now = revalidated(claim, answer, pool, key, among)
            confirmed = {
                **answer,
                **key.digests,
            }  # as `keep` stores it, if only the code of its quantities changed
            if {**now, **key.digests} == confirmed:
                remember(key, apart(confirmed)[0])
            return now
    except (Refused, UsageError, LookupError, TypeError, ValueError) as error:
        why = str(error)
    if why:
        message(f"verify: {key.id} is judged again, its stored answer is not valid: {why}")
    return None if why else answer


def _doubt(claim: Claim, evidence: Evidence, seen: Evidence, seed: int) -> str:
    """Check the certificates of all evidence and evaluate its instances; the reason for a doubt."""
    try:
        for finding in evidence:
            _check(claim, finding)
        for finding in seen:
            said, same = replay(_without_words(finding["witness"])) if finding["witness"] else ("", True)
            if not same:
                return said.splitlines()[-1]
    except (Refused, UsageError, LookupError, TypeError) as error:
        return str(error)
    relations = names_of_relations(claim)
    true = any(f["check"] in relations and f["verdict"] in HARMLESS for f in seen)
    return "a random instance breaks it" if true and _is_broken_at_random(claim, seed) else ""


def _without_words(witness: Mapping[str, Any]) -> dict[str, Any]:
    """A witness without the meanings of its numbers: a scene may explain them in other words without a change of evidence."""
    return {name: value for name, value in witness.items() if name != "told"}


def _is_certified(finding: Mapping[str, Any]) -> bool:
    """Whether certificates show that a relation is true."""
    certified = {"certificate", "certificates"} & (finding.get("proof") or {}).keys()
    return bool(certified) and finding["verdict"] in HARMLESS


def _check(claim: Claim, finding: Mapping[str, Any]) -> None:
    """Check the certificates of a finding. A certificate of a derivation must be for exactly this claim, or for a
    contradiction.
    """
    proof = finding.get("proof") or {}
    for certificate in proof.get("certificates", ()):
        store.checked_alone(digest(certificate), certificate)
    if "certificate" in proof:
        compared = finding.get("details", {}).get("comparison")
        if compared is None and not isinstance(claim.statement.relation, Relational):
            raise Refused("the certificate is of a relation, and the statement is an order")
        asked = question_of(claim)
        if compared is not None:
            free = statement(compared["with"])
            asked = comparison(claim, free)
            for condition, question in requirements(claim, free).items():
                check_answer(question, compared.get("requires", {})[str(condition)])
        if finding["verdict"] == "vacuous" and compared is None:
            asked = replace(asked, relation=ABSURD)
        check_answer(asked, proof["certificate"])


def _parts_in(answer: Answer, pool: Pool) -> list[Certificate]:
    """The certificates of all parts of a proof."""
    return [pool[name] for name in answer["whole"]["certificates"].values()] if answer["whole"] else []


def _refusal(answer: Answer, pool: Pool) -> str:
    """The reason why a certificate of a proof is invalid; empty if all are valid."""
    try:
        for name in answer["whole"]["certificates"].values() if answer["whole"] else ():
            store.checked(name, pool[name])
    except Refused as error:
        return str(error)
    return ""


def _is_broken_at_random(claim: Claim, seed: int) -> bool:
    return claim.scene is not None and attack_at_random(claim.question, FEW, seed).witness is not None
