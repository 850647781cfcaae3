"""Sums that are compared summand by summand, with different denominators."""

import pytest
import sympy as sp

from bounds.relations import ge, le
from verify.engine.certificates.question import Question
from verify.engine.tactics.chains import by_summands
from verify.engine.tactics.draft import Draft

K, M, N = sp.symbols("K M N", integer=True, positive=True)
a, b, c, lam = sp.symbols("a b c lam", positive=True)
CONDITIONS = (ge(K, 2), ge(M, 2), le(N, M))
BOUND = 2 * a / (1 - 1 / K) + b * (M - N) / (N * (M - 1) * (1 + lam)) + c * K / ((1 - 1 / K) * lam**2)


@pytest.mark.parametrize(
    ("small", "large", "conditions", "shown"),
    [
        (2 * (a + c * K / (2 * lam**2)) / (1 - 1 / K), BOUND, CONDITIONS, True),
        (2 * a, BOUND, CONDITIONS, True),
        (2 * a / (1 - 1 / K), BOUND - b * c / (lam + 2 * K), CONDITIONS, False),
        (2 * a / (1 - 1 / K), BOUND, CONDITIONS[:2], False),
        (3 * a / (1 - 1 / K), BOUND, CONDITIONS, False),
        (2 * a / (1 - 1 / K) + 2 * a, BOUND, CONDITIONS, False),
    ],
    ids=[
        "terms of both sides",
        "a smaller term",
        "a negative rest",
        "a condition missing",
        "a larger term",
        "one summand for two terms",
    ],
)
def test_a_sum_is_shown_to_be_at_most_another_one(small, large, conditions, shown):
    question = Question(le(small, large), tuple((condition, "condition") for condition in conditions))
    draft = Draft(question.symbols, 20, 60)
    for relation, by in question.assumptions:
        draft.assume(relation, by)
    draft.define(question.claim)
    assert by_summands(draft, question.claim) == shown
