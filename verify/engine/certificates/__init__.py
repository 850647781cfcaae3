"""Certificates: proofs as plain JSON, which `verify/check_proof.py` checks without trusting any other code of the toolkit.

    prove(Question(relation, given)) -> certificate | Undecided

`prove` searches for a proof and returns only certificates that both checkers accept: `verify.check_proof.check`, and
`recheck`, which uses python-flint and shares no code with it. `Question.given` lists the assumptions, each with its
justification: "condition", "statement ID" or "fact NAME". `Undecided` says what was tried, and may contain a point that
meets all conditions and breaks the relation.
"""

from verify.engine.certificates.question import Certificate, Question, Undecided
from verify.engine.certificates.recheck import Rejected, recheck
from verify.engine.tactics.prove import prove

__all__ = ["Certificate", "Question", "Rejected", "Undecided", "prove", "recheck"]
