"""Does a kept answer still stand? Certificates are checked, witnesses evaluated, and some random instances tried, again."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from verify.check_proof import Refused
from verify.engine.answers import FOLDER, Answer, answer_to, pool_in
from verify.engine.basis import question_of
from verify.engine.certificates import store
from verify.engine.checks.attack import FEW, attack_at_random
from verify.engine.checks.relation import OF_INSTANCES
from verify.engine.claim import Claim
from verify.engine.errors import UsageError
from verify.engine.pool import Pool, digest
from verify.engine.prover import ABSURD
from verify.engine.replay import replay


def standing(claim: Claim, topic: str, budget: str, seed: int, folder: Path = FOLDER) -> Answer | None:
    """The kept answer to a claim, checked again; None if there is none, if it is of other code, or does not stand."""
    id = claim.statement.id
    answer = answer_to(id, topic, budget, seed, folder)
    if answer is None:
        return None
    why = doubt(claim, answer["evidence"], seed) or _refused(answer, pool_in(folder, topic))
    if why:
        print(f"verify: {id} is judged anew, what was kept does not stand: {why}", file=sys.stderr)
    return None if why else answer


def doubt(claim: Claim, evidence: Sequence[Mapping[str, Any]], seed: int) -> str:
    """Why findings about a claim do not stand; empty if everything comes out as they say."""
    try:
        for finding in evidence:
            _check(claim, finding)
            said, same = replay(finding["witness"]) if finding["witness"] else ("", True)
            if not same:
                return said.splitlines()[-1]
    except (Refused, UsageError, LookupError, TypeError) as error:
        return str(error)
    true = any(f["check"] in OF_INSTANCES and f["verdict"] in ("holds", "proved") for f in evidence)
    return "a random instance breaks it" if true and _broken(claim, seed) else ""


def _check(claim: Claim, finding: Mapping[str, Any]) -> None:
    """Check what certificates a finding holds; one of a derivation must be of this very claim, or of a contradiction."""
    proof = finding.get("proof") or {}
    for certificate in proof.get("certificates", ()):
        store.checked(digest(certificate), certificate)
    if "certificate" in proof:
        asked = question_of(claim)
        if finding["verdict"] == "vacuous":
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
