"""Laws for every value of a symbol hold beyond the values that conditions on the symbol allow."""

from __future__ import annotations

import pytest
import sympy as sp
from sympy.core.relational import Relational

from tests.verify.engine.elementary.values import true
from verify.check_proof import Refused, check
from verify.engine.certificates.formulas import domains, relation_tree, tree
from verify.engine.certificates.question import Question
from verify.engine.certificates.recheck import replaced
from verify.engine.elementary.exponentials import convexity
from verify.engine.elementary.law import CONVEX, LAW
from verify.engine.elementary.laws import Laws
from verify.engine.proof.prover import check_answer
from verify.engine.tactics.prove import implied

a = sp.Symbol("a", positive=True)
T, N = sp.symbols("T N", integer=True, positive=True)
ENDING = (
    sp.Le((6 - T) ** N, a, evaluate=False),
    sp.Le(sp.log(6 - T) + sp.log(7 - T), a, evaluate=False),
    sp.Le(sp.log(a / (6 - T)), a, evaluate=False),
)
"""Their logarithms end at T = 6, and bounds of their powers need T <= 6."""


@pytest.mark.parametrize("relation", ENDING, ids=str)
def test_a_condition_on_one_value_gives_no_law_for_every_value(relation: Relational) -> None:
    condition = sp.Le(T, 5)
    laws = Laws(relation, (condition,), lambda r: implied(r, (condition,)))
    for law in laws.of_letter(T, sp.S.One):
        for t in range(1, 10) if law.every else ():
            for n in (1, 2, 3):
                assert true(law.relation, {"T": t, "a": 0.7, "N": n}), (law, t, n)


def test_a_certificate_that_takes_a_law_beyond_the_condition_is_refused() -> None:
    """At T = 8 the tangents at 6 - T = -2 and 7 - T = -1 contradict each other, so they would prove any claim."""
    relation, condition = ENDING[1], sp.Le(T, 5)
    laws = [law.relation for law in convexity([relation], lambda formula: True) if law.name == CONVEX]
    of = {(str(law[1][1]), str(law[2])): law for law in laws}
    here, next_to_it = (str(tree(k - T)) for k in (6, 7))
    first, second = of[here, next_to_it], of[next_to_it, here]
    more, less = (tree((relation.rhs - relation.lhs + c) / 2) for c in (1, -1))
    absurd = ["+", ["slack", 2], ["*", "2", ["slack", 3]]]  # -1, and the sum of two numbers of at least 0
    lines = [
        *({"given": law, "by": f"{LAW}{CONVEX}", "for": "T"} for law in (first, second)),
        *({"show": replaced(law, "T", "8"), "every": k, "at": "8"} for k, law in enumerate((first, second))),
        {"show": relation_tree(relation), "as": ["+", ["^", more, "2"], ["*", absurd, ["^", less, "2"]]]},
    ]
    certificate = {"symbols": domains([relation]), "lines": lines, "claim": relation_tree(relation)}
    check(certificate)
    with pytest.raises(Refused):
        check_answer(Question(relation, ((condition, "condition"),)), certificate)
