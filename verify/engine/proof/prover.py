"""Proofs of scalar relations: a certificate, stored or searched for, or an exact point that breaks the relation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain
from typing import Literal

import sympy as sp

from verify.check_proof import Refused
from verify.engine.certificates import store
from verify.engine.certificates.formulas import Untranslatable
from verify.engine.certificates.memory import first_offered
from verify.engine.certificates.question import Certificate, Question, Undecided
from verify.engine.classical.exponents import by_whole_powers
from verify.engine.classical.monomials import by_values
from verify.engine.classical.monotone import by_order
from verify.engine.classical.norms import by_norms
from verify.engine.classical.tangents import by_tangents
from verify.engine.elementary.derivatives import by_derivatives, is_nonnegative
from verify.engine.elementary.extended import extensions
from verify.engine.elementary.forms import by_forms
from verify.engine.elementary.law import CONDITION, LAW, Law
from verify.engine.elementary.minima import by_chords, by_mean_values, by_minima
from verify.engine.elementary.parts import by_parts, parts_of, with_parts
from verify.engine.elementary.questions import Extended, needs_laws
from verify.engine.elementary.search import elementary
from verify.engine.elementary.tuning import by_terms, is_tuned
from verify.engine.model.scene import Condition
from verify.engine.pieces.search import by_pieces
from verify.engine.search.points import (
    Point,
    breaking_point,
    meeting_point,
    suspected_consequence,
    suspected_contradiction,
)
from verify.engine.summation.questions import by_sums
from verify.engine.tactics.prove import STEPS, prove, prove_by_squares

ABSURD = sp.Le(sp.Integer(1), sp.Integer(0), evaluate=False)
"""The relation that only a contradiction proves."""


MANY = 30
"""Number of laws beyond which a search for a proof takes longer than one for the least value of a function."""


@dataclass(frozen=True)
class Proof:
    """The outcome of a proof attempt.

    "proved" with a certificate; "contradiction" with a certificate of 1 <= 0 (the premises contradict each other);
    "countermodel" with an exact point; "unknown" with what was tried.
    """

    outcome: Literal["proved", "contradiction", "countermodel", "unknown"]
    certificate: Certificate | None = None
    point: Point | None = None
    tried: str = ""


def follows(question: Question, steps: int = STEPS) -> Proof:
    """Try to derive a relation from given relations and from the domains of its symbols.

    A stored certificate is checked; a search is made only where there is none. Every limit is a number of steps.
    """
    answer = store.stored_answer(question)
    if answer is None:
        relations = [relation for relation, _ in question.given]
        point = None if question.induction else breaking_point(question.relation, relations)
        if point is not None:
            return Proof("countermodel", point=point)
        answer = prove(question, steps)
        parts = None if question.induction else with_parts(question)
        if isinstance(answer, Undecided) and parts is not None:
            answer = prove(parts, steps)
        if isinstance(answer, Undecided) and not question.induction:
            # A longer search is worth while only where no point seems to break the relation
            longer = suspected_consequence(question.relation, relations)
            answer = prove_by_squares(question) if longer else answer
    if isinstance(answer, Undecided):
        return Proof("unknown", tried=answer.tried)
    return _unless_contradictory(question, answer, steps)


def follows_of_numbers(question: Question, steps: int, by_laws: int) -> tuple[Question, Proof]:
    """The same for a relation between numbers, where textbook laws apply; also returns the question that was answered.

    Laws are tried first if few other relations are given, and bounds of terms and chords where they are likely to help.
    """
    stored = _is_stored(question)
    first = needs_laws(question) and not stored
    if not first and not stored:
        with suppress(Untranslatable):
            asked = [*(by_terms(question) if is_tuned(question) else ()), *by_chords(question)]
            if found := _offered(asked) or _with_proof(question, _searched(asked, by_laws), by_laws):
                return found
    answer = (follows_by_laws(question, by_laws) if first else None) or (question, follows(question, steps))
    if first or answer[1].outcome != "unknown":
        return answer
    return follows_by_laws(question, by_laws) or answer


def _is_stored(question: Question) -> bool:
    """Whether an earlier search answered a question."""
    if store.stored_answer(question) is not None:
        return True
    try:
        return first_offered(question.symbols, question.claim, question.assumptions) is not None
    except Untranslatable:
        return False


def follows_by_laws(question: Question, steps: int = STEPS) -> tuple[Question, Proof] | None:
    """The same with textbook laws of the functions in a relation; also returns the question with them. None without
    success.
    """
    with suppress(Untranslatable):
        asked = list(extensions(question))
        if known := _offered(asked):
            return known
        found = _searched(_ways(question, asked, steps), steps) or by_pieces(question)
        found = found or _searched(by_forms(question), steps)
        return _with_proof(question, found, steps)
    return None


def _ways(question: Question, asked: Sequence[Extended], steps: int) -> Iterator[Extended]:
    """The question with laws, in the order in which a search tries them; `asked` are its extensions."""
    first = chain(by_mean_values(question), asked[:1], by_sums(question), by_parts(question))
    minima = chain(by_minima(question), by_minima(question, is_nonnegative), by_derivatives(question))
    parts, several = _by_each_part(question, steps), _by_classical_laws(question)
    if asked and len(asked[0].laws) > MANY:
        first = chain(parts, several, by_minima(question), first)
    return chain(first, several, parts, minima, asked[1:])


def _by_each_part(question: Question, steps: int = STEPS) -> Iterator[Extended]:
    """The question with the laws that prove each of the claims which together say the same."""
    whole = with_parts(question)
    if whole is None:
        return
    laws: dict[str, Law] = {}
    for relation in parts_of(question.relation):
        part = replace(question, relation=relation)
        if isinstance(prove(part, steps), Undecided):
            found = _searched(_ways(part, list(extensions(part)), steps), steps)
            if found is None or found[0].letter:
                return
            laws |= {str(law.relation): law for law in found[0].laws}
    yield Extended(question.relation, question.given, None, whole.through, tuple(laws.values()))


def _by_classical_laws(question: Question) -> Iterator[Extended]:
    """The question with identities and inequalities of several numbers."""
    several = (by_norms, by_order, by_values, by_tangents, by_whole_powers)
    yield from chain.from_iterable(way(question) for way in several)


def _offered(asked: Iterable[Extended]) -> tuple[Question, Proof] | None:
    """The first question with laws that an earlier certificate answers, and the proof."""
    for extended in asked:
        known = first_offered(
            extended.symbols, extended.claim, extended.assumptions, extended.over, extended.for_every
        )
        if known is not None:
            return extended, Proof("proved", known)
    return None


def _with_proof(
    question: Question, found: tuple[Extended, Certificate] | None, steps: int
) -> tuple[Question, Proof] | None:
    return None if found is None else (found[0], _unless_contradictory(question, found[1], steps))


def _searched(questions: Iterable[Extended], steps: int) -> tuple[Extended, Certificate] | None:
    """The first question with laws for which a certificate is found, and the certificate."""
    for extended in questions:
        answer = elementary(extended, steps)
        if not isinstance(answer, Undecided):
            return extended, answer
    return None


def check_answer(question: Question, certificate: Certificate) -> None:
    """Check that a certificate answers a question, or the question with textbook laws.

    Raises
    ------
    Refused
        If it answers neither.
    """
    try:
        store.answers(question, certificate)
    except Refused as refused:
        by_laws = any(line.get("by", "").startswith((LAW, CONDITION)) for line in certificate["lines"])
        for extended in _with_laws(question) if by_laws else ():
            with suppress(Refused, Untranslatable):
                store.answers(extended, certificate)
                return
        raise refused


def _with_laws(question: Question) -> Iterator[Extended]:
    """The question with laws, in every way in which proofs use them."""
    yield from chain(extensions(question), by_sums(question), by_parts(question))
    yield from chain(_by_classical_laws(question), by_minima(question))
    yield from chain(by_derivatives(question), by_forms(question), by_chords(question))
    yield from chain(by_mean_values(question), by_minima(question, is_nonnegative))
    yield from _by_each_part(question)
    found = by_pieces(question)
    if found is not None:
        yield found[0]


def _unless_contradictory(question: Question, certificate: Certificate, steps: int) -> Proof:
    """The proof, unless its assumptions contradict each other."""
    used = [line["given"] for line in certificate["lines"] if "given" in line]
    relations = [relation for relation, _ in question.given]
    if used and suspected_contradiction(relations):
        absurd = Question(ABSURD, question.given)
        answer = store.stored_answer(absurd) or prove(absurd, steps)
        if not isinstance(answer, Undecided):
            return Proof("contradiction", answer)
    return Proof("proved", certificate)


def derived(relation: Condition, premises: Iterable[Condition] = (), steps: int = STEPS) -> Proof:
    """The same for premises without a name."""
    return follows(Question(relation, tuple((premise, "condition") for premise in premises)), steps)


__all__ = ["Proof", "derived", "follows", "meeting_point"]
