"""What a proof lacks, in terms of the claim: a simpler relation from which the claim is proved.

Every relation that is reported has a certificate of the claim from it, which both checkers accept, and no random instance
breaks it. The relation itself is not proved: it is the next step for the user.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain

import sympy as sp

from verify.engine.certificates.formulas import Untranslatable, relation_tree
from verify.engine.certificates.question import Question, Undecided
from verify.engine.elementary.extended import extensions
from verify.engine.elementary.forms import SIZE, forms, says_nothing_new, simple
from verify.engine.elementary.law import CONDITION, Law
from verify.engine.elementary.laws import Laws, equation_of
from verify.engine.elementary.questions import Extended, letters_of
from verify.engine.elementary.search import elementary
from verify.engine.model.claim import Claim
from verify.engine.model.question import ask
from verify.engine.model.scene import Condition
from verify.engine.model.sequences import for_every, letter_of
from verify.engine.proof.basis import question_of
from verify.engine.proof.facts import unbroken
from verify.engine.summation.sums import products_in, sums_in
from verify.engine.tactics.prove import implied, prove
from verify.engine.verdict import Finding, because
from verify.engine.work.processes import OutOfTime

NEEDED = "needed"
"""Justification of the relation in certificates, which are not stored."""
STEPS, MOST = 100, 6
"""Limits on polynomials of one search, and on candidates."""
_ORDERED = (sp.Le, sp.Lt, sp.Ge, sp.Gt)


@dataclass(frozen=True)
class Need:
    """A relation from which a claim is proved; with a letter, it is needed for every value of the letter."""

    relation: Condition
    letter: sp.Symbol | None = None

    @property
    def text(self) -> str:
        return str(self.relation)

    @property
    def over(self) -> str:
        """The name of the letter; empty if there is none."""
        return "" if self.letter is None else self.letter.name


def with_need(claim: Claim, finding: Finding) -> Finding:
    """The finding about an unrefuted claim between free numbers with what its proof needs, if this is found."""
    lacking = finding.details.get("no proof", [])
    if claim.scene is not None or not any(clause["code"] == "nothing-found" for clause in lacking):
        return finding
    try:
        need = need_of(question_of(claim))
    except OutOfTime:
        return replace(finding, details={**finding.details, "stopped": "time limit"})
    if need is None:
        return finding
    more = because("needs", relation=need.text, over=need.over)
    return replace(finding, details={**finding.details, "no proof": [*lacking, *more]})


def need_of(question: Question) -> Need | None:
    """The first simpler relation from which the claim is proved; None if none is found."""
    given = tuple(relation for relation, by in question.given if by == "condition")
    single = tuple(relation for relation in given if letter_of(relation) is None)
    tried = list[Need]()
    for need in _candidates(question, single):
        if need in tried or need.relation in given or says_nothing_new(need.relation, question.relation):
            continue
        tried.append(need)
        if len(tried) > MOST:
            break
        if _plausible(need, single) and _suffices(question, need):
            return need
    return None


def _candidates(question: Question, conditions: tuple[Condition, ...]) -> Iterator[Need]:
    """Relations that may give the claim: steps of the user, steps of an induction, and forms without roots and quotients."""
    relation = question.relation
    yield from (Need(step) for step in question.through)
    if not isinstance(relation, _ORDERED) or relation.count_ops() > SIZE:
        return
    laws = Laws(relation, conditions, lambda other: implied(other, conditions))
    given = tuple(relation for relation, by in question.given if by == "condition")
    for letter in letters_of(relation):
        for step in _steps(relation, letter, given):
            for form in (simple(step, laws), step):
                yield Need(form, letter)
    yield from (Need(form) for form in forms(relation, laws))


def _steps(relation: Condition, letter: sp.Symbol, conditions: tuple[Condition, ...]) -> Iterator[Condition]:
    """What an induction over a letter needs between a value and the next."""
    large, small = relation.gts, relation.lts
    later = {letter: letter + 1}
    totals = [
        t for t in (*sums_in([relation]), *products_in([relation])) if letter in t.limits[0][2].free_symbols
    ]
    grown = {t.subs(later): _with_last(t, letter) for t in totals}
    if any(isinstance(t, sp.Sum) for t in totals):
        before, after = large - small, (large - small).subs(later).xreplace(grown)
        places = {t: sp.Dummy(real=True) for t in totals}
        step = sp.expand((after - before).xreplace(places))
        if not step.free_symbols & set(places.values()):
            yield sp.Ge(step, 0, evaluate=False)
    elif totals or letter in relation.free_symbols:
        ratios = [
            sp.simplify(side.subs(later).xreplace(grown) / side) for side in (small, large) if side != 0
        ]
        if len(ratios) == 2 and not any(ratio.has(sp.Sum, sp.Product, sp.Indexed) for ratio in ratios):
            yield sp.Le(*ratios, evaluate=False)
    for condition, index in for_every(conditions):
        if not isinstance(condition, sp.Le | sp.Ge):
            continue
        entry, bound = condition.lts, condition.gts
        if isinstance(entry, sp.Indexed) and entry.indices == (index,) and small == entry.base[letter]:
            before = large.subs(letter, index - 1)
            put_in = bound.xreplace({entry.base[index - 1]: before}).subs(index, letter + 1)
            if not put_in.has(small):
                yield sp.Le(put_in, large.subs(later), evaluate=False)


def _with_last(total: sp.Sum | sp.Product, letter: sp.Symbol) -> sp.Expr:
    """A sum or product at the next value of a letter, as the one at its value and the last term."""
    index, _, high = total.limits[0]
    last = total.function.subs(index, high).subs(letter, letter + 1)
    return total + last if isinstance(total, sp.Sum) else total * last


def _plausible(need: Need, conditions: tuple[Condition, ...]) -> bool:
    """Whether no random instance breaks the relation; what is needed for every value is tried without conditions on the letter."""
    fixed = tuple(c for c in conditions if need.letter is None or need.letter not in c.free_symbols)
    try:
        asked = ask("what a proof needs", need.relation, fixed, None)
        return bool(unbroken(asked.relation, asked.scene, asked.conditions))
    except (ArithmeticError, LookupError, TypeError, ValueError):
        return False


def _suffices(question: Question, need: Need) -> bool:
    """Whether the claim has a certificate from the relation and its conditions."""
    try:
        assumed = replace(question, given=(*question.given, (need.relation, NEEDED)), through=())
        if need.letter is None:
            return _has_certificate(assumed, need.relation)
        law = Law(relation_tree(need.relation), NEEDED, need.letter.name, CONDITION)
        asked = (_with(extended, law, need.letter) for extended in extensions(question))
        return any(
            not isinstance(elementary(extended, STEPS), Undecided)
            for extended in asked
            if extended is not None
        )
    except (Untranslatable, ArithmeticError, TypeError, ValueError):
        return False


def _has_certificate(question: Question, needed: Condition) -> bool:
    """Whether a question that assumes a relation has a certificate, also by equations between functions of both relations."""
    if not isinstance(prove(question, STEPS), Undecided):
        return True
    splits = Laws(question.relation, (), lambda other: False, (needed,)).splits(None)
    laws = (*Laws(needed, (), lambda other: False).of_functions(), *map(equation_of, splits))
    alone = Extended(question.relation, question.given, laws=laws)
    return any(
        not isinstance(elementary(asked, STEPS), Undecided) for asked in chain([alone], extensions(question))
    )


def _with(extended: Extended, law: Law, letter: sp.Symbol) -> Extended | None:
    """A question with an induction over the letter and one more law; None if its induction is over another letter."""
    if extended.letter == letter.name:
        return replace(extended, laws=(*extended.laws, law))
    if extended.moved is None or extended.moved[1] != letter.name:
        return None
    here = replace(law, every=extended.letter)
    return replace(extended, laws=(*extended.laws, replace(here, relation=extended.here(law.relation))))
