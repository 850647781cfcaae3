"""Try to break a relation; the part that all checks of relations share."""

from __future__ import annotations

from dataclasses import dataclass, replace

from verify.engine.adversary import Search, search
from verify.engine.claim import Budget
from verify.engine.question import Question
from verify.engine.witness import Witness, confirm, counterexample, tightest


@dataclass(frozen=True)
class Attack:
    """Result of an attack: the search as a whole, and the confirmed counterexample if there is one."""

    search: Search
    witness: Witness | None
    unconfirmed: int


PATIENCE = 2
"""Suspects of one batch that may turn out to be rounding before the others, with smaller gaps, are taken for it too."""


def attack(question: Question, budget: Budget, seed: int) -> Attack:
    """Search shape by shape, stop at the first confirmed counterexample."""
    relation_alone = replace(question, conditions=())
    total, unconfirmed = Search(), 0
    for found in search(question, batch=budget.batch, ascents=budget.ascents, seed=seed):
        total = total.joined(found)
        rounding = 0
        for suspect in found.suspects:
            if not confirm(relation_alone, suspect).relation.fails:
                rounding += 1
                if rounding == PATIENCE:
                    break
                continue
            witness = counterexample(question, suspect)
            if witness is not None:
                return Attack(total, witness, unconfirmed)
        unconfirmed += bool(found.suspects)
    return Attack(total, None, unconfirmed)


def nearest(question: Question, result: Attack) -> Witness | None:
    """The tightest instance of the search, with simple numbers, evaluated exactly."""
    return None if result.search.instance is None else tightest(question, result.search.instance)
