"""Powers with whole exponents that need no induction: 0 < q^T <= q for 0 < q < 1 and T >= 1, and Bernoulli's inequality."""

from __future__ import annotations

from collections.abc import Iterator

import sympy as sp

from verify.engine.certificates.question import Question
from verify.engine.elementary.laws import Laws, is_whole
from verify.engine.elementary.questions import Extended
from verify.engine.model.sequences import letter_of
from verify.engine.tactics.prove import implied


def by_whole_powers(question: Question) -> Iterator[Extended]:
    """Yield a question with laws that compare powers with whole exponents with their bases and with 1."""
    relation = question.relation
    if isinstance(relation, sp.Eq | sp.Ne) or relation.has(sp.Sum, sp.Product, sp.Indexed):
        return
    given = tuple(r for r, by in question.given if by == "condition" and letter_of(r) is None)
    laws = Laws(relation, given, lambda r: implied(r, given))
    if found := laws.of_powers(is_whole):
        yield Extended(relation, question.given, None, question.through, tuple(found))
