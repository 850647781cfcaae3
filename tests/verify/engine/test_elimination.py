"""Elimination of variables: unrolled recursions follow, and what does not follow is not proved."""

from __future__ import annotations

import pytest
import sympy as sp

from tests.benchmarks.steps.algebra import ALGEBRA
from verify.check_proof import check
from verify.engine.certificates.question import Question, Undecided
from verify.engine.tactics.draft import Draft
from verify.engine.tactics.elimination import by_elimination
from verify.engine.tactics.prove import prove

a, q, v, B = sp.symbols("a q v B", positive=True)
x = sp.symbols("x0:6", nonnegative=True)


def _asked(relation: sp.Basic, *given: sp.Basic) -> Question:
    return Question(relation, tuple((one, "condition") for one in given))


def test_two_rounds_of_a_recursion_follow_at_once() -> None:
    (step,) = (one for one in ALGEBRA.all if one.true.statement.id == "algebra.two-rounds")
    found = prove(_asked(step.true.statement.relation, *step.true.conditions))
    assert not isinstance(found, Undecided)
    check(dict(found))
    assert isinstance(prove(_asked(step.false.statement.relation, *step.false.conditions)), Undecided)


@pytest.mark.parametrize("rounds", [2, 4, 5])
def test_rounds_are_eliminated_one_after_the_other(rounds: int) -> None:
    given = [x[k + 1] <= q * x[k] + B for k in range(rounds)]
    bound = q**rounds * x[0] + B * sum(q**k for k in range(rounds))
    for relation, proved in ((x[rounds] <= bound, True), (x[rounds] <= bound - B / 9, False)):
        question = _asked(relation, *given)
        draft = Draft(question.symbols, 100, 60)
        for fact, by in question.assumptions:
            draft.assume(fact, by)
        draft.define(question.claim)
        assert by_elimination(draft, question.claim) is proved
