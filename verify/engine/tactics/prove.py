"""From a question to a certificate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import Any

from verify.check_proof import Refused, check
from verify.engine.certificates.definedness import assumable
from verify.engine.certificates.field import Undefined
from verify.engine.certificates.formulas import Tree, Untranslatable, parts
from verify.engine.certificates.lighter import lemmas_first, lightened, sparing, trimmed
from verify.engine.certificates.memory import first_offered
from verify.engine.certificates.question import Certificate, Question, Undecided
from verify.engine.certificates.recheck import Rejected, recheck
from verify.engine.model.scene import Condition
from verify.engine.tactics.cases import (
    by_cases,
    by_even_terms,
    by_one_root,
    by_signs,
    by_squares,
    by_triangles,
    one_apart,
)
from verify.engine.tactics.chains import by_chain, by_summands, by_terms
from verify.engine.tactics.counting import (
    bounded_whole,
    by_exponents,
    by_gaps,
    by_least_values,
    by_order_of_whole,
)
from verify.engine.tactics.draft import Draft
from verify.engine.tactics.elimination import by_elimination
from verify.engine.tactics.quadratic import by_quadratic_form
from verify.engine.tactics.rounds import inducted
from verify.engine.tactics.sums_of_squares import by_order_and_squares, by_sums_of_squares

STEPS = 1500
"""Limit on polynomials of one attempt."""
FEW = 8
"""Limit on known inequalities for attempts that repeat the whole search."""
ALONE = 50
"""The limit for an attempt to avoid the premises that a proof names; skipped if `through` already prescribes the steps.
"""


def prove(question: Question, steps: int = STEPS) -> Certificate | Undecided:
    """A certificate that both checkers accept, or a report on how far the search got.

    All limits are numbers of steps, so the answer does not depend on the machine.
    """
    try:
        if question.induction is not None:
            return _over_rounds(question, steps)
        known = first_offered(question.symbols, question.claim, question.assumptions)
        if known is not None:
            return known
        through = [question.now(relation) for relation in question.through]
        answer = proved(question.symbols, question.claim, question.assumptions, steps, through)
        fewer = _without_other_terms(question.claim, question.assumptions)
        if isinstance(answer, Undecided) and len(fewer) < len(question.assumptions):
            found = proved(question.symbols, question.claim, fewer, steps, through)
            answer = answer if isinstance(found, Undecided) else found
        own = [given for given in question.assumptions if given[1] != "premise"]
        if not isinstance(answer, Undecided) and not through and _names_premises(answer):
            found = proved(question.symbols, question.claim, own, min(steps, ALONE), through)
            return answer if isinstance(found, Undecided) else found
    except Untranslatable as error:
        return Undecided(str(error))
    return answer


def _names_premises(certificate: Certificate) -> bool:
    return any(line.get("by") == "premise" for line in certificate["lines"])


@cache
def implied(relation: Condition, given: tuple[Condition, ...]) -> bool:
    """Whether a relation follows from conditions."""
    if relation in given:
        return True
    answer = prove(Question(relation, tuple((condition, "condition") for condition in given)))
    return not isinstance(answer, Undecided)


def _without_other_terms(claim: Tree, assumptions: Sequence[tuple[Tree, str]]) -> list[tuple[Tree, str]]:
    """Assumptions without those that contain roots and powers absent from the claim, because each of these is one more
    unknown.
    """
    known = _terms(claim)
    return [(relation, by) for relation, by in assumptions if all(t in known for t in _terms(relation))]


def _terms(formula: Tree) -> list[Tree]:
    """Roots, and powers with an exponent that is not a number."""
    found = [part for part in parts(formula) if isinstance(part, list)]
    return [t for t in found if t[0] == "root" or (t[0] == "^" and not _is_number(t[2]))]


def _is_number(formula: Tree) -> bool:
    return isinstance(formula, str) and formula.lstrip("-").isdigit()


def _over_rounds(question: Question, steps: int) -> Certificate | Undecided:
    known = first_offered(question.symbols, question.claim, question.assumptions, question.over)
    if known is not None:
        return known
    room = 60 + 6 * _variables([question.claim, *(relation for relation, _ in question.assumptions)])
    try:
        domain = assumable(question.claim, question.assumptions)
        found = inducted(Draft(question.symbols, steps, room, domain), question)
    except (Undefined, Rejected) as error:
        return Undecided(f"not within the limits: {error}")
    return found if isinstance(found, Undecided) else _accepted(found)


def proved(
    symbols: dict[str, str],
    claim: Tree,
    assumptions: Sequence[tuple[Tree, str]],
    steps: int = STEPS,
    through: Sequence[Tree] = (),
) -> Certificate | Undecided:
    """The same for a relation in JSON.

    Intermediate relations that cannot be proved are skipped, and so are premises and lemmas that may be undefined.
    """
    known = first_offered(symbols, claim, assumptions)
    if known is not None:
        return known
    given = [relation for relation, _ in assumptions]
    draft = _empty(symbols, claim, assumptions, steps, through)
    try:
        _begin(draft, claim, assumptions)
        for goal in through:
            with suppress(Rejected):
                draft.define(goal)
                shown_in_some_way(draft, goal, given)
        found = shown_in_some_way(draft, claim, given)
        for more in (one_apart(draft), bounded_whole(draft, claim)) if not found else ():
            found = found or (more and shown_in_some_way(draft, claim, given))
    except (Undefined, Rejected) as error:
        return Undecided(f"not within the limits: {error}")
    if not found:
        return Undecided("; ".join(sorted(draft.tried)) or "nothing")
    return _accepted({"symbols": symbols, "lines": draft.lines, "claim": claim})


def prove_by_squares(question: Question) -> Certificate | Undecided:
    """The same by sums of squares of polynomials times products of assumptions, a longer search for true relations."""
    try:
        draft = _empty(question.symbols, question.claim, question.assumptions, STEPS)
        _begin(draft, question.claim, question.assumptions)
        if by_sums_of_squares(draft, question.claim) or by_order_and_squares(draft, question.claim):
            found = {"symbols": question.symbols, "lines": draft.lines, "claim": question.claim}
            return _accepted(found)
    except (Undefined, Rejected, Untranslatable) as error:
        return Undecided(f"not within the limits: {error}")
    return Undecided("; ".join(sorted(draft.tried)))


def _empty(
    symbols: dict[str, str],
    claim: Tree,
    assumptions: Sequence[tuple[Tree, str]],
    steps: int,
    through: Sequence[Tree] = (),
) -> Draft:
    """A draft that is large enough for all formulas."""
    given = [relation for relation, _ in assumptions]
    room = 30 + 3 * _variables([claim, *through, *given]) + 2 * len(assumptions)
    return Draft(symbols, steps, room, assumable(claim, assumptions))


def _begin(draft: Draft, claim: Tree, assumptions: Sequence[tuple[Tree, str]]) -> None:
    """Make all assumptions, and show that the claim has a value."""
    undefined = _assumed(draft, _in_order(assumptions))
    draft.define(claim)
    _assumed(draft, undefined)


def _assumed(draft: Draft, assumptions: Sequence[tuple[Tree, str]]) -> list[tuple[Tree, str]]:
    """Assume each relation that has a value, and return the others."""
    undefined = []
    for relation, by in assumptions:
        try:
            draft.assume(relation, by)
        except Rejected:
            undefined.append((relation, by))
    return undefined


def shown_in_some_way(draft: Draft, goal: Tree, given: Sequence[Tree]) -> bool:
    """Search for lines that prove a relation, by each kind of derivation in turn; extremes are searched in `given`."""
    return (
        by_chain(draft, goal)
        or by_terms(draft, goal)
        or by_summands(draft, goal)
        or by_quadratic_form(draft, goal)
        or draft.show(goal)
        or by_elimination(draft, goal)
        or by_squares(draft, goal)
        or by_triangles(draft, goal, [goal, *given])
        or by_cases(draft, goal, [goal, *given])
        or by_gaps(draft, goal)
        or by_order_of_whole(draft, goal)
        or by_exponents(draft, goal)
        or by_signs(draft, goal)
        or by_one_root(draft, goal)
        or (_has_few_bounds(draft) and (by_even_terms(draft, goal) or by_least_values(draft, goal)))
    )


def _has_few_bounds(draft: Draft) -> bool:
    """Whether few facts are inequalities; equations, which goals are rewritten by, cost little."""
    bounds = [fact for fact in draft.checked.facts if fact is not None and fact[0] != "="]
    return len(bounds) <= FEW


def _accepted(found: Mapping[str, Any]) -> Certificate | Undecided:
    whole = dict(found)
    lighter = lightened(whole, trimmed, sparing, lemmas_first)
    if lighter is not None:
        return lighter
    try:
        check(whole)
        recheck(whole)
    except (Refused, Rejected) as error:
        return Undecided(f"a certificate was found, but refused: {error}")
    return whole


def _variables(formulas: Sequence[Tree]) -> int:
    heads = ("root", "max", "min", "abs", "call", "at", "dot", "each", "^")
    return sum(1 for f in formulas for part in parts(f) if isinstance(part, list) and part[0] in heads)


def _in_order(assumptions: Sequence[tuple[Tree, str]]) -> list[tuple[Tree, str]]:
    """Assumptions with the simplest divisors first, because they may show that other divisors are not zero."""
    return sorted(assumptions, key=lambda entry: largest_divisor(entry[0]))


def largest_divisor(relation: Tree) -> int:
    """The kind of the least simple divisor or root in a relation: 0 if there is none, 1 for products, 2 for sums."""
    inside = [part[-1] for part in parts(relation) if isinstance(part, list) and part[0] in ("/", "root")]
    sums = any(isinstance(part, list) and part[0] in "+-" for formula in inside for part in parts(formula))
    return 0 if not inside else 2 if sums else 1
