"""Does a kept answer still stand? Certificates are checked, witnesses evaluated, and some random instances tried, again.

Of what is only cited, what certificates show is not evaluated as well: the tightest instance says nothing of the verdict.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from bounds.catalogue import statement
from verify.check_proof import Refused
from verify.engine.answers import FOLDER, Answer, Key, answer_to, pool_in
from verify.engine.basis import question_of
from verify.engine.certificates import store
from verify.engine.certificates.memory import offering
from verify.engine.checks.attack import FEW, attack_at_random
from verify.engine.checks.relation import OF_INSTANCES
from verify.engine.checks.vacuity import comparison
from verify.engine.claim import BUDGETS, Claim
from verify.engine.errors import UsageError
from verify.engine.pool import Pool, digest
from verify.engine.prover import ABSURD
from verify.engine.replay import replay
from verify.engine.whole import parts_of, proof_of

Evidence = Sequence[Mapping[str, Any]]
"""What the checks of a claim found."""


def doubt(claim: Claim, evidence: Evidence, seed: int) -> str:
    """Why findings about a claim do not stand; empty if everything comes out as they say."""
    return _doubt(claim, evidence, evidence, seed)


def doubt_of_cited(claim: Claim, evidence: Evidence, seed: int) -> str:
    """The same where only the verdict counts: what a certificate shows need not be seen at instances, too."""
    return _doubt(claim, evidence, [finding for finding in evidence if not _shown(finding)], seed)


def standing(
    claim: Claim, key: Key, folder: Path = FOLDER, doubted: Callable[[Claim, Evidence, int], str] = doubt
) -> Answer | None:
    """The stored answer to a claim, checked again; None if there is none, or if it does not stand."""
    answer = answer_to(key, folder)
    if answer is None:
        return None
    pool = pool_in(folder, key.topic)
    why = doubted(claim, answer["evidence"], key.seed) or _refused(answer, pool)
    if not why and answer["computed"] != key.computed:
        why = _differs(claim, answer, pool, key)
    if why:
        print(f"verify: {key.id} is judged anew, what was kept does not stand: {why}", file=sys.stderr)
    return None if why else {**answer, "computed": key.computed}


def _differs(claim: Claim, answer: Answer, pool: Pool, key: Key) -> str:
    """What comes out otherwise where other code computes the quantities of a claim; empty if all is as it was.

    The formulas of its scenes are computed again, and each must have one of the certificates that are stored.
    """
    budget, whole = BUDGETS[key.budget], answer["whole"]
    if whole is not None:
        with offering(pool[name] for name in whole["certificates"].values()):
            proof = proof_of(claim, budget)
            found = parts_of(claim, proof, answer["cites"]).named() if proof else None
        if found is None or found["certificates"] != whole["certificates"]:
            return "the quantities of its scene are others now, and the certificates are not of these"
    for check, finding in zip(claim.checks, answer["evidence"], strict=True):
        if (
            _rests_on_words(finding)
            and check(claim, budget, key.seed).record()["verdict"] != finding["verdict"]
        ):
            return f"the check {finding['check']!r} comes out otherwise"
    return ""


def _rests_on_words(finding: Mapping[str, Any]) -> bool:
    """Whether a finding has a verdict, and nothing that could be checked: no proof, no instance."""
    shown = finding["witness"] or finding.get("proof") or finding["check"] in OF_INSTANCES
    return finding["verdict"] is not None and not shown


def _doubt(claim: Claim, evidence: Evidence, seen: Evidence, seed: int) -> str:
    """Certificates of all evidence are checked, and what is to be seen at instances is evaluated."""
    try:
        for finding in evidence:
            _check(claim, finding)
        for finding in seen:
            said, same = replay(finding["witness"]) if finding["witness"] else ("", True)
            if not same:
                return said.splitlines()[-1]
    except (Refused, UsageError, LookupError, TypeError) as error:
        return str(error)
    true = any(f["check"] in OF_INSTANCES and f["verdict"] in ("holds", "proved") for f in seen)
    return "a random instance breaks it" if true and _broken(claim, seed) else ""


def _shown(finding: Mapping[str, Any]) -> bool:
    """Whether certificates show that a relation is true."""
    certified = {"certificate", "certificates"} & (finding.get("proof") or {}).keys()
    return bool(certified) and finding["verdict"] in ("holds", "proved")


def _check(claim: Claim, finding: Mapping[str, Any]) -> None:
    """Check what certificates a finding holds; one of a derivation must be of this very claim, or of a contradiction."""
    proof = finding.get("proof") or {}
    for certificate in proof.get("certificates", ()):
        store.checked_alone(digest(certificate), certificate)
    if "certificate" in proof:
        compared = finding.get("details", {}).get("comparison")
        asked = question_of(claim) if compared is None else comparison(claim, statement(compared["with"]))
        if finding["verdict"] == "vacuous" and compared is None:
            asked = replace(asked, relation=ABSURD)
        store.answers(asked, proof["certificate"])


def _refused(answer: Answer, pool: Pool) -> str:
    """Why one of the certificates that a proof consists of is none; empty if all are."""
    try:
        for name in answer["whole"]["certificates"].values() if answer["whole"] else ():
            store.checked(name, pool[name])
    except Refused as error:
        return str(error)
    return ""


def _broken(claim: Claim, seed: int) -> bool:
    return claim.scene is not None and attack_at_random(claim.question, FEW, seed).witness is not None
