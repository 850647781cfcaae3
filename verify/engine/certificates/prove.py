"""From a question to a certificate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from verify.check_proof import Refused, check
from verify.engine.certificates.cases import by_cases, by_signs, by_squares, one_apart
from verify.engine.certificates.chains import by_chain, by_terms
from verify.engine.certificates.counting import by_exponents, by_gaps
from verify.engine.certificates.draft import Draft
from verify.engine.certificates.field import Undefined
from verify.engine.certificates.formulas import Tree, Untranslatable, parts
from verify.engine.certificates.question import Certificate, Question, Undecided
from verify.engine.certificates.recheck import Rejected, recheck
from verify.engine.certificates.rounds import inducted
from verify.engine.scene import Condition

STEPS = 1500
"""Polynomials that one attempt looks at."""
ALONE = 50
"""Those of an attempt to do without the premises that a proof names; none is made where its way is told."""


def prove(question: Question, steps: int = STEPS) -> Certificate | Undecided:
    """A certificate that both checkers accept, or how far the search got.

    All limits are numbers of steps, so the answer does not depend on the machine.
    """
    try:
        if question.induction is not None:
            return _over_rounds(question, steps)
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
    """What may be assumed, less what speaks of roots and powers that the claim does not: each is one more unknown."""
    known = _terms(claim)
    return [(relation, by) for relation, by in assumptions if all(t in known for t in _terms(relation))]


def _terms(formula: Tree) -> list[Tree]:
    """Roots, and powers whose exponent is no number."""
    found = [part for part in parts(formula) if isinstance(part, list)]
    return [t for t in found if t[0] == "root" or (t[0] == "^" and not _is_number(t[2]))]


def _is_number(formula: Tree) -> bool:
    return isinstance(formula, str) and formula.lstrip("-").isdigit()


def _over_rounds(question: Question, steps: int) -> Certificate | Undecided:
    room = 60 + 6 * _variables([question.claim, *(relation for relation, _ in question.assumptions)])
    try:
        found = inducted(Draft(question.symbols, steps, room), question)
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
    """The same for a relation that is JSON already; relations that cannot be shown on the way are passed over."""
    given = [relation for relation, _ in assumptions]
    draft = Draft(symbols, steps, room=30 + 3 * _variables([claim, *through, *given]) + 2 * len(assumptions))
    try:
        for relation, by in _in_order(assumptions):
            draft.assume(relation, by)
        for goal in (*through, claim):
            draft.define(goal)
            found = _shown(draft, goal, given)
        if not found and one_apart(draft):
            found = _shown(draft, claim, given)
    except (Undefined, Rejected) as error:
        return Undecided(f"not within the limits: {error}")
    if not found:
        return Undecided("; ".join(sorted(draft.tried)) or "nothing")
    return _accepted({"symbols": symbols, "lines": draft.lines, "claim": claim})


def _shown(draft: Draft, goal: Tree, given: Sequence[Tree]) -> bool:
    return (
        by_chain(draft, goal)
        or by_terms(draft, goal)
        or draft.show(goal)
        or by_squares(draft, goal)
        or by_cases(draft, goal, [goal, *given])
        or by_gaps(draft, goal)
        or by_exponents(draft, goal)
        or by_signs(draft, goal)
    )


def _accepted(found: Mapping[str, Any]) -> Certificate | Undecided:
    whole = dict(found)
    smaller = checked(trimmed(whole))
    if smaller is not None:
        return smaller
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
    """What divides by nothing first: it may say that what others divide by is not zero."""
    return sorted(assumptions, key=lambda entry: _divides(entry[0]))


def _divides(relation: Tree) -> bool:
    return any(isinstance(part, list) and part[0] in ("/", "root") for part in parts(relation))


def trimmed(certificate: dict[str, Any]) -> dict[str, Any]:
    """A certificate without what its claim does not use: lines, and symbols."""
    lines = certificate["lines"]
    needed = _needed(lines)
    kept = [k for k in range(len(lines)) if k in needed]
    moved = {old: new for new, old in enumerate(kept)}
    found = [renumbered(lines[k], moved, len(kept) - len(lines)) for k in kept]
    used = {part for line in found for part in _names(line)}
    symbols = {name: domain for name, domain in certificate["symbols"].items() if name in used}
    return {"symbols": symbols, "lines": found, "claim": certificate["claim"]}


def checked(certificate: dict[str, Any]) -> dict[str, Any] | None:
    """A certificate, if both checkers accept it."""
    try:
        check(certificate)
        recheck(certificate)
    except (Refused, Rejected):
        return None
    return certificate


def _needed(lines: Sequence[dict[str, Any]]) -> set[int]:
    """Facts that the last line rests on, and those that say that something is defined."""
    found, waiting = set(), [len(lines) - 1]
    while waiting:
        k = waiting.pop()
        if k in found or not 0 <= k < len(lines):
            continue
        found.add(k)
        waiting += _references(lines[k])
        waiting += [j for j in range(k) if _guards(lines[j], lines[k])]
    return found


def _guards(earlier: dict[str, Any], later: dict[str, Any]) -> bool:
    """Whether a line says that what another divides by, or takes a root of, has a sign."""
    relation = earlier.get("show") or earlier["given"]
    if relation[0] not in ("<", ">", "!=", "<=", ">="):
        return False
    if "0" in relation[1:]:
        inside = [side for side in relation[1:] if side != "0"]
        return any(side in list(_formulas(later)) for side in inside)
    return relation[0] in ("<", ">", "!=")


def _formulas(content: Any) -> Any:
    if isinstance(content, dict):
        for value in content.values():
            yield from _formulas(value)
    elif isinstance(content, list):
        yield content
        for part in content:
            yield from _formulas(part)
    else:
        yield content


def _references(content: Any) -> list[int]:
    if isinstance(content, dict):
        found = [k for value in content.values() for k in _references(value)]
        return found + list(content.get("put", ())) + ([content["every"]] if "every" in content else [])
    if isinstance(content, list):
        if len(content) == 2 and content[0] == "slack":
            return [content[1]]
        return [k for part in content for k in _references(part)]
    return []


def renumbered(content: Any, moved: Mapping[int, int], shift: int) -> Any:
    """Lines with other numbers for facts: by `moved`, else by so many more."""
    if isinstance(content, dict):
        changed = {name: renumbered(value, moved, shift) for name, value in content.items()}
        if "put" in content:
            changed["put"] = [moved.get(k, k + shift) for k in content["put"]]
        if "every" in content:
            changed["every"] = moved.get(content["every"], content["every"] + shift)
        return changed
    if isinstance(content, list):
        if len(content) == 2 and content[0] == "slack":
            return ["slack", moved.get(content[1], content[1] + shift)]
        return [renumbered(part, moved, shift) for part in content]
    return content


def _names(content: Any) -> set[str]:
    if isinstance(content, dict):
        return set().union(*(_names(value) for value in content.values()))
    if isinstance(content, list):
        return set().union(*map(_names, content)) if content else set()
    return {content} if isinstance(content, str) else set()
