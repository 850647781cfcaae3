"""Powers with whole exponents that need no induction: 0 < q^T <= q for 0 < q < 1 and T >= 1, and Bernoulli's inequality."""

from __future__ import annotations

from collections.abc import Iterator

import sympy as sp

from verify.engine.certificates.question import Question
from verify.engine.elementary.laws import is_whole
from verify.engine.elementary.questions import Extended, laws_of


def by_whole_powers(question: Question) -> Iterator[Extended]:
    """Yield a question with laws that compare powers with whole exponents with their bases and with 1."""
    relation = question.relation
    if isinstance(relation, sp.Eq | sp.Ne) or relation.has(sp.Sum, sp.Product, sp.Indexed):
        return
    laws = laws_of(question)
    if found := laws.of_powers(is_whole):
        yield Extended(relation, question.given, None, question.through, tuple(found))
