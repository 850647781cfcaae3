"""Certificates: proofs as plain JSON, which `verify/check_proof.py` checks without trusting anything of ours.

    prove(Question(relation, given)) -> certificate | Undecided

`prove` searches, and answers only with what both checkers accept (`verify.check_proof.check`, and `recheck`, through
python-flint, which shares no code with it). `Question.given` is what may be assumed, each relation with its right:
"condition", "statement ID" or "fact NAME". `Undecided` says what was tried, and may carry a point that meets all
conditions and breaks the relation.
"""

from verify.engine.certificates.prove import prove
from verify.engine.certificates.question import Certificate, Question, Undecided
from verify.engine.certificates.recheck import Rejected, recheck

__all__ = ["Certificate", "Question", "Rejected", "Undecided", "prove", "recheck"]
