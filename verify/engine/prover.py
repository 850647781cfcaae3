"""Proofs of scalar relations: a certificate, stored or searched for, or an exact point that breaks the relation."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import sympy as sp

from verify.engine.certificates import store
from verify.engine.certificates.prove import STEPS, prove
from verify.engine.certificates.question import Certificate, Question, Undecided
from verify.engine.points import Point, breaking_point, meeting_point, suspected_contradiction
from verify.engine.scene import Condition

ABSURD = sp.Le(sp.Integer(1), sp.Integer(0), evaluate=False)
"""What only a contradiction proves."""


@dataclass(frozen=True)
class Proof:
    """Outcome of a proof attempt.

    "proved" with a certificate; "contradiction" with one of 1 <= 0 (the premises cannot all hold, so they prove
    anything); "countermodel" with an exact point; "unknown" with what was tried.
    """

    outcome: Literal["proved", "contradiction", "countermodel", "unknown"]
    certificate: Certificate | None = None
    point: Point | None = None
    tried: str = ""


def follows(question: Question, steps: int = STEPS) -> Proof:
    """Try to derive a relation from what is given and from the domains of its symbols.

    A stored certificate is checked; a search is made only where there is none. Every limit is a number of steps.
    """
    answer = store.found(question)
    if answer is None:
        relations = [relation for relation, _ in question.given]
        point = None if question.induction else breaking_point(question.relation, relations)
        if point is not None:
            return Proof("countermodel", point=point)
        answer = prove(question, steps)
    if isinstance(answer, Undecided):
        return Proof("unknown", tried=answer.tried)
    return _unless_contradictory(question, answer, steps)


def _unless_contradictory(question: Question, certificate: Certificate, steps: int) -> Proof:
    """A proof, unless what it assumes contradicts itself."""
    used = [line["given"] for line in certificate["lines"] if "given" in line]
    relations = [relation for relation, _ in question.given]
    if used and suspected_contradiction(relations):
        absurd = Question(ABSURD, question.given)
        answer = store.found(absurd) or prove(absurd, steps)
        if not isinstance(answer, Undecided):
            return Proof("contradiction", answer)
    return Proof("proved", certificate)


def derived(relation: Condition, premises: Iterable[Condition] = (), steps: int = STEPS) -> Proof:
    """The same for premises without a name."""
    return follows(Question(relation, tuple((premise, "condition") for premise in premises)), steps)


__all__ = ["Proof", "derived", "follows", "meeting_point"]
