"""Questions to the prover that has laws and conditions alone, and the check of its answers."""

from __future__ import annotations

from sympy.core.relational import Relational

from verify.check_proof import check
from verify.engine.certificates.question import Question
from verify.engine.certificates.recheck import recheck
from verify.engine.proof.prover import check_answer, follows_by_laws


def question_of(relation: Relational, *conditions: Relational) -> Question:
    """Whether a relation follows from conditions."""
    return Question(relation, tuple((condition, "condition") for condition in conditions))


def require_proof(question: Question) -> None:
    """Fail unless a proof is found, and both checkers accept it as an answer to the question."""
    found = follows_by_laws(question, 400)
    assert found is not None
    certificate = found[1].certificate
    check(certificate)
    recheck(certificate)
    check_answer(question, certificate)
