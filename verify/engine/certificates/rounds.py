"""Induction over rounds: from what is true of every round to what is true after all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from verify.check_proof import text
from verify.engine.certificates.cases import by_squares
from verify.engine.certificates.draft import Draft
from verify.engine.certificates.formulas import Tree, parts
from verify.engine.certificates.question import Certificate, Question, Undecided
from verify.engine.certificates.recheck import replaced


def inducted(draft: Draft, question: Question) -> Certificate | Undecided:
    """A certificate by induction, in a draft without lines; `verify.engine.certificates.prove` checks it once more.

    The first round follows from the beginning; a round later follows from the claim and from what is true of every
    round, by way of the relations that the induction names.
    """
    induction, claim = question.induction, question.claim
    if induction is None:
        raise ValueError(f"`question` must say over what to induct, got {question.relation}")
    index = induction.over
    for relation, by in question.assumptions:
        if index in list(parts(relation)):
            for part in parts(relation):  # what is the same in every round is defined once
                if index not in list(parts(part)):
                    draft.define(part)
            draft.add({"given": relation, "by": by, "for": index})
        else:
            draft.define(relation)
            draft.add({"given": relation, "by": by})
    base = draft.branch()
    for k in sorted(draft.checked.quantified):
        fact = replaced(draft.checked.facts[k], index, "0")
        base.add_without_put({"show": fact, "every": k, "at": "0"})
    if lacking := _shown(base, [replaced(claim, index, "0")]):
        return Undecided(f"induction; before the first round: {lacking}")
    step = draft.branch()
    step.checked.defined(claim)
    step.checked.learn(claim)
    after = replaced(claim, index, ["+", index, "1"])
    if lacking := _shown(step, [*(question.now(relation) for relation in induction.through), after]):
        return Undecided(f"induction; from one round to the next: {lacking}")
    draft.add_without_put({"show": claim, "induct": index, "base": base.lines, "step": step.lines})
    return {"symbols": question.symbols, "lines": draft.lines, "claim": claim}


def _shown(draft: Draft, goals: Sequence[Tree]) -> str:
    """Show relations one after the other; the first that cannot be shown, and what was tried for it, else nothing.

    Squares are compared first where the relation before is that of the squares.
    """
    for before, goal in zip([None, *goals], goals, strict=False):
        ways: list[Callable[[Tree], bool]] = [draft.show, partial(by_squares, draft)]
        if before == [goal[0], *(["^", side, "2"] for side in goal[1:])]:
            ways.reverse()
        if not any(way(goal) for way in ways):
            return f"{text(goal)} ({'; '.join(sorted(draft.tried))})"
    return ""
