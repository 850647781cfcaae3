"""Induction over rounds: from relations that hold in each round to a relation after any number of rounds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from verify.check_proof import text
from verify.engine.certificates.formulas import Tree, parts
from verify.engine.certificates.question import Certificate, Question, Undecided
from verify.engine.certificates.recheck import replaced
from verify.engine.tactics.cases import by_cases, by_squares
from verify.engine.tactics.draft import Draft


def inducted(draft: Draft, question: Question) -> Certificate | Undecided:
    """A certificate by induction, in a draft without lines; `verify.engine.tactics.prove` checks it again.

    The first round follows from the initial values. Each later round follows from the claim and the relations that hold
    in every round, through the intermediate relations of the induction.
    """
    induction, claim = question.induction, question.claim
    if induction is None:
        raise ValueError(f"`question` must say over what to induct, got {question.relation}")
    index = induction.over
    for relation, by in question.assumptions:
        if index in list(parts(relation)):
            for part in parts(relation):  # domain conditions of unchanging formulas are proved once
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
    if lacking := _first_failure(base, [replaced(claim, index, "0")]):
        return Undecided(f"induction; before the first round: {lacking}")
    step = draft.branch()
    step.checked.defined(claim)
    step.checked.learn(claim)
    after = replaced(claim, index, ["+", index, "1"])
    if lacking := _first_failure(step, [*(question.now(relation) for relation in induction.through), after]):
        return Undecided(f"induction; from one round to the next: {lacking}")
    draft.add_without_put({"show": claim, "induct": index, "base": base.lines, "step": step.lines})
    return {"symbols": question.symbols, "lines": draft.lines, "claim": claim}


def _first_failure(draft: Draft, goals: Sequence[Tree]) -> str:
    """Prove relations one after the other. Returns the first one that fails, with the attempts made, or nothing.

    Squares are compared first if the previous relation is the relation between the squares.
    """
    for before, goal in zip([None, *goals], goals, strict=False):
        ways: list[Callable[[Tree], bool]] = [draft.show, partial(by_squares, draft)]
        if before == [goal[0], *(["^", side, "2"] for side in goal[1:])]:
            ways.reverse()
        ways.append(partial(by_cases, draft, everything=[goal, *filter(None, draft.checked.facts)]))
        if not any(way(goal) for way in ways):
            return f"{text(goal)} ({'; '.join(sorted(draft.tried))})"
    return ""
