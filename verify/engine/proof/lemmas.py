"""Conditions that lemmas give: do the lemmas imply them, and are the lemmas' own conditions met?

A claim maps a condition to lemmas, each with what stands for its letters. It is refused unless certificates show that

- the conclusions of the lemmas, conditions that no lemma gives, and conditions that were shown before imply the condition;
- every condition of a lemma that no other lemma gives follows from these and from the lemmas before it;
- what stands for a letter lies in the domain of the letter, and in the range to which its scene restricts it.

A condition that defines a sequence of the lemma, such as a sum over rounds, needs no proof if the theorem does not mention the
sequence. That the formulas stand for the quantities of the lemma is the meaning of the substitution, which no program checks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import sympy as sp

from bounds.symbols import domain_of, is_visibly
from verify.engine.certificates.formulas import Untranslatable
from verify.engine.certificates.memory import first_offered
from verify.engine.certificates.question import Certificate, Question, Undecided
from verify.engine.model.box import UNBOUNDED
from verify.engine.model.claim import Claim
from verify.engine.model.lemma import Lemma
from verify.engine.model.scene import Condition
from verify.engine.model.sequences import letter_of, sequences_in
from verify.engine.proof.prover import follows_by_laws
from verify.engine.tactics.prove import prove
from verify.engine.work.errors import UsageError

STEPS, BY_LAWS = 200, 400
"""Limits on polynomials of a search: without and with textbook laws of functions."""
LEAST = {"positive": sp.Gt, "nonnegative": sp.Ge, "count": sp.Ge}
Given = tuple[tuple[Condition, str], ...]


def given_by_lemmas(claim: Claim, claims: Mapping[str, Claim]) -> dict[str, dict[str, Any]]:
    """By the conclusion of each lemma that a claim uses, in the claim's letters: the lemma and the certificates.

    Parameters
    ----------
    claims : mapping
        Claims of the paper by the ids of their statements.

    Returns
    -------
    dict
        In the form of `verify.engine.proof.premises.cited`. ``implied`` has the certificates that the conditions of the lemma
        are met, ``states`` its own relation, ``gives`` the certificates of the claim's conditions that it completes.

    Raises
    ------
    UsageError
        If a condition is not shown.
    """
    found: dict[str, dict[str, Any]] = {}
    _check(claim)
    held = list(claim.assumed)
    for condition, lemmas in claim.lemmas.items():
        letter = letter_of(condition)
        known: Given = ()
        for lemma in lemmas:
            id, says = lemma.statement.id, str(lemma.conclusion)
            entry = found.setdefault(says, _entry(lemma))
            met = entry["implied"].setdefault(id, [])
            for needed, why in _requirements(lemma, _claim_of(lemma, claim, claims), claim):
                given = (*known, *_assumed(held, {letter, letter_of(needed)}))
                met.append(_proved_certificate(needed, given, f"{claim.statement.id}: {why}"))
            known = (*known, (lemma.conclusion, f"statement {id}"))
        names = " and ".join(dict.fromkeys(lemma.statement.id for lemma in lemmas))
        why = (
            f"{claim.statement.id}: the condition {condition} must follow from {names} with their letters replaced, which say "
            f"{'; '.join(str(relation) for relation, _ in known)}"
        )
        entry["gives"].append(_proved_certificate(condition, (*known, *_assumed(held, {letter})), why))
        held.append(condition)
    return found


def lemmas_of(claim: Claim) -> tuple[str, ...]:
    """The conclusions of all lemmas that a claim uses, in its letters."""
    return tuple(dict.fromkeys(str(one.conclusion) for uses in claim.lemmas.values() for one in uses))


def _entry(lemma: Lemma) -> dict[str, Any]:
    stated = {"same": [lemma.statement.id], "other": [], "own": [], "implied": {}}
    return {**stated, "states": str(lemma.statement.relation), "gives": []}


def _check(claim: Claim) -> None:
    """Check that the conditions and letters of `lemmas` exist, and that a proof from conditions can rest on them."""
    id = claim.statement.id
    if claim.lemmas and claim.scene is not None:
        raise UsageError(f"{id}: `lemmas` need a claim without a scene, got the scene {claim.scene.name!r}")
    for condition, lemmas in claim.lemmas.items():
        if condition not in claim.conditions:
            raise UsageError(f"{id}: `lemmas` must give conditions of the statement, got {condition}")
        if not lemmas:
            raise UsageError(f"{id}: `lemmas` must name a lemma for {condition}, got none")
        for lemma in lemmas:
            own = set().union(*(c.atoms(sp.Symbol, sp.IndexedBase) for c in _relations(lemma)))
            for letter in lemma.letters:
                parts = {letter.base} if isinstance(letter, sp.Indexed) else {letter}
                if unknown := parts - own:
                    raise UsageError(f"{id}: {lemma.statement.id} has no letter {unknown.pop()}")


def _relations(lemma: Lemma) -> tuple[Condition, ...]:
    return (lemma.statement.compared, *lemma.statement.conditions)


def _claim_of(lemma: Lemma, claim: Claim, claims: Mapping[str, Claim]) -> Claim:
    """The claim that judges a lemma."""
    found = claims.get(lemma.statement.id)
    if found is None:
        raise UsageError(f"{claim.statement.id}: no claim judges its lemma {lemma.statement.id}")
    return found


def _assumed(held: Sequence[Condition], letters: set[sp.Symbol | None]) -> Given:
    """Conditions that hold for all values of some letters. A condition on a letter as one number says nothing about others."""
    spoken = letters - {None}
    return tuple(
        (condition, "condition")
        for condition in held
        if not (condition.free_symbols & spoken) - {letter_of(condition)}
    )


def _requirements(lemma: Lemma, other: Claim, claim: Claim) -> Iterator[tuple[Condition, str]]:
    """The conditions under which a lemma may be used in a claim, each with a sentence that says so."""
    id = lemma.statement.id
    own = other.scene.requires if other.scene is not None and other.scene.judged is not None else ()
    needed = [condition for condition in other.assumed if condition not in own]
    translated = [_for_the_claim(lemma, condition, claim) for condition in needed]
    mentioned = set(sequences_in((claim.relation, *claim.conditions)))
    defining = definitions(translated, mentioned)
    for before, after in zip(needed, translated, strict=True):
        if after not in defining:
            why = (
                f"the condition {before} of {id} is {after} here, which must follow from the other conditions"
            )
            yield after, why
        elif defining[after] is not None:
            yield defining[after], f"the sequence that {before} of {id} defines must have {defining[after]}"
    for letter, value in lemma.domains:
        domain = domain_of(letter)
        if letter.is_integer and not value.is_integer:
            raise UsageError(
                f"{claim.statement.id}: {letter} of {id} is a whole number, and {value} need not be one"
            )
        if domain in LEAST and not _declared(value, domain):
            least = LEAST[domain](value, int(domain == "count"), evaluate=False)
            yield (
                least,
                f"{letter} of {id} is {domain}, so that {least} must follow from the other conditions",
            )
    for entry, value in lemma.entries(mentioned):
        relation = sp.Eq(entry, value, evaluate=False)
        yield (
            relation,
            f"{claim.statement.id} speaks of {entry}, so that {relation} must follow from the other conditions",
        )
    for relation, text in _ranges(lemma, other):
        yield (
            relation,
            f"{id} is judged for {text} only, so that {relation} must follow from the other conditions",
        )


def _for_the_claim(lemma: Lemma, condition: Condition, claim: Claim) -> Condition:
    """A condition of a lemma in the letters of a claim."""
    counted = letter_of(condition)
    captured = [
        old for old, new in lemma.letters.items() if counted in new.free_symbols and condition.has(old)
    ]
    if counted is not None and captured:
        raise UsageError(
            f"{claim.statement.id}: {counted} stands for every value in the condition {condition} of {lemma.statement.id}, so "
            f"{lemma.letters[captured[0]]} cannot stand for {captured[0]}; choose another letter"
        )
    return lemma.translated(condition, counted)


def _declared(value: sp.Basic, domain: str) -> bool:
    """Whether the declared domain of a number, a symbol or an entry of a sequence implies another domain."""
    if not isinstance(value, sp.Symbol | sp.Indexed | sp.Number):
        return False
    return bool(
        {"positive": value.is_positive, "nonnegative": value.is_nonnegative}.get(domain, value.is_positive)
    )


def _ranges(lemma: Lemma, other: Claim) -> Iterator[tuple[Condition, str]]:
    """The ends of the ranges of parameters for which a worst case is judged, in the letters of the theorem."""
    scene = other.scene
    if scene is None or scene.judged is None:
        return
    boxes = scene.space(scene.shapes[0])
    for symbol in sorted(set().union(*(c.free_symbols for c in _relations(lemma))), key=str):
        box = boxes.get(symbol.name)
        if box is None or box.shape:
            continue
        value = lemma.letters.get(symbol, symbol)
        low, high = (sp.Rational(end.numerator, end.denominator) for end in box.ends)
        if low > 0 or not symbol.is_nonnegative:
            yield sp.Ge(value, low, evaluate=False), f"{symbol} >= {low}"
        if high < UNBOUNDED:
            yield sp.Le(value, high, evaluate=False), f"{symbol} <= {high}"


def definitions(conditions: Sequence[Condition], spoken: set[sp.Symbol]) -> dict[Condition, Condition | None]:
    """Conditions that define a sequence which is not among `spoken`: its first entry, and each next one from earlier entries.

    A sequence with these entries exists, whatever the other quantities are. The relation says that a defined entry is in the
    domain of the sequence; None if that needs no proof.
    """
    found: dict[Condition, Condition | None] = {}
    sides = (side for c in conditions if isinstance(c, sp.Eq) for side in c.args)
    free = {side.base.label for side in sides if isinstance(side, sp.Indexed)} - spoken
    for name in free:
        defined = {c: parts for c in conditions if (parts := _defined(c, name, free)) is not None}
        steps = [(c, entry) for c, (entry, _) in defined.items() if letter_of(c)]
        starts = [(c, entry) for c, (entry, _) in defined.items() if not letter_of(c)]
        if len(steps) > 1 or len(starts) > 1:
            continue
        if all(_first(entry) > start.indices[0] for _, entry in steps for _, start in starts):
            found |= {c: _in_domain(name, value) for c, (_, value) in defined.items()}
    return found


def _first(entry: sp.Indexed) -> sp.Expr:
    """The least index of an entry, for the least value of its letter."""
    index = entry.indices[0]
    return index.subs({s: int(domain_of(s) == "count") for s in index.free_symbols})


def _in_domain(name: sp.Symbol, value: sp.Expr) -> Condition | None:
    """The relation that a value is in the domain of a sequence; None if that needs no proof."""
    domain = domain_of(name)
    if domain not in LEAST or (domain != "count" and is_visibly(value, positive=domain == "positive")):
        return None
    return LEAST[domain](value, int(domain == "count"), evaluate=False)


def _defined(
    condition: Condition, name: sp.Symbol, free: set[sp.Symbol]
) -> tuple[sp.Indexed, sp.Expr] | None:
    """The entry that an equation defines by other sequences and by entries with smaller indices, and its value."""
    for entry, value in (condition.args, condition.args[::-1]) if isinstance(condition, sp.Eq) else ():
        if not isinstance(entry, sp.Indexed) or entry.base.label != name or value.has(sp.Sum, sp.Product):
            continue
        others = (one for one in value.atoms(sp.Indexed) if one.base.label in free)
        if all((entry.indices[0] - one.indices[0]).is_positive for one in others):
            return entry, value
    return None


def _proved_certificate(relation: Condition, given: Given, why: str) -> Certificate:
    """A certificate of a relation.

    Raises
    ------
    UsageError
        If none is found; the message begins with `why`.
    """
    found = _certificate(relation, given)
    if found is None:
        raise UsageError(f"{why}; no proof was found")
    return found


def _certificate(relation: Condition, given: Given) -> Certificate | None:
    """A certificate of a relation: from related assumptions, from all, or with textbook laws."""
    asked = Question(relation, given)
    with suppress(Untranslatable):
        stored = first_offered(asked.symbols, asked.claim, asked.assumptions)
        if stored is not None:
            return stored
    near = tuple(one for one in given if one[0].free_symbols & relation.free_symbols)
    for known in dict.fromkeys((near, given)):
        answer = prove(Question(relation, known), STEPS)
        if not isinstance(answer, Undecided):
            return answer
    by_laws = follows_by_laws(asked, BY_LAWS)
    return by_laws[1].certificate if by_laws and by_laws[1].outcome == "proved" else None
