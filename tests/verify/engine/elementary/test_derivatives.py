"""Taylor polynomials of functions of one symbol: laws hold at all numbers, prove tight claims, and cannot be invented."""

from __future__ import annotations

import pytest
import sympy as sp
from sympy.core.relational import Relational

from tests.verify.engine.elementary.values import true
from verify.check_proof import Refused, check
from verify.engine.certificates.formulas import relation_tree, tree
from verify.engine.certificates.question import Question
from verify.engine.elementary.derivatives import by_derivatives
from verify.engine.elementary.law import DERIVATIVE, LAW
from verify.engine.proof.prover import check_answer, follows_by_laws

a = sp.Symbol("a", positive=True)
x = sp.Symbol("x", real=True)
T = sp.Symbol("T", integer=True, positive=True)
exp, log = sp.exp, sp.log
TRUE = {
    "Bennett": ((1 + a) * log(1 + a) - a >= a**2 / (2 + 2 * a / 3),),
    "Hoeffding": ((exp(x) + exp(-x)) / 2 <= exp(x**2 / 2),),
    "Bernstein": (exp(a) - 1 - a <= a**2 / (2 - 2 * a / 3), a < 3),
    "Pinsker for a coin": (log(2) + a * log(a) + (1 - a) * log(1 - a) >= 2 * (a - sp.S.Half) ** 2, a < 1),
    "square of log": (log(a) ** 2 <= (a - 1) ** 2 / a,),
}
FALSE = {
    "Bernstein": (exp(a) - 1 - a <= a**2 / (2 - a / 2), a < 4),
    "Pinsker for a coin": (log(2) + a * log(a) + (1 - a) * log(1 - a) >= 3 * (a - sp.S.Half) ** 2, a < 1),
    "Bennett": ((1 + a) * log(1 + a) - a >= a**2 / (2 + a / 2),),
    "third derivative": (exp(x) >= 1 + x + x**2 / 2,),
    "singular": (exp(1 / x) >= 2 + x,),
    "only below": (log(T) <= T / 3,),
    "from 1": (exp(x) <= 1 + sp.Rational(3, 2) * x, x >= 0, x <= 1),
}
NUMBERS = [sp.Rational(k, 7) for k in range(1, 40)]


def _question(relation: Relational, *conditions: Relational) -> Question:
    return Question(relation, tuple((condition, "condition") for condition in conditions))


@pytest.mark.parametrize("name", TRUE)
def test_a_tight_claim_is_proved(name: str) -> None:
    question = _question(*TRUE[name])
    found = follows_by_laws(question, 200)
    assert found is not None
    assert found[1].certificate is not None
    assert any(line.get("by") == f"{LAW}{DERIVATIVE}" for line in found[1].certificate["lines"])
    check(found[1].certificate)
    check_answer(question, found[1].certificate)


@pytest.mark.parametrize(
    ("relation", "conditions"), [(r, c) for r, *c in (*TRUE.values(), *FALSE.values())], ids=str
)
def test_laws_hold_at_all_numbers(relation: Relational, conditions: list[Relational]) -> None:
    laws = [law for asked in by_derivatives(_question(relation, *conditions)) for law in asked.laws]
    (symbol,) = relation.free_symbols
    for number in [*NUMBERS, *(-n for n in NUMBERS)] if symbol == x else NUMBERS:
        if all(condition.subs(symbol, number) for condition in conditions):
            for law in laws:
                assert true(law.relation, {symbol.name: float(number)}), law


def test_there_is_no_law_across_a_singularity_or_beyond_the_sign_of_a_derivative() -> None:
    for name in ("third derivative", "singular"):
        laws = [law for asked in by_derivatives(_question(*FALSE[name])) for law in asked.laws]
        assert not [law for law in laws if law.name == DERIVATIVE]


@pytest.mark.parametrize("name", FALSE)
def test_an_invented_polynomial_is_refused(name: str) -> None:
    relation, *conditions = FALSE[name]
    law = ["<=", "0", tree(relation.gts - relation.lts)]
    lines = [
        {"given": law, "by": f"{LAW}{DERIVATIVE}"},
        {"show": relation_tree(relation), "as": ["slack", 0]},
    ]
    symbols = {s.name: "real" if s == x else "count" if s == T else "positive" for s in relation.free_symbols}
    forged = {"symbols": symbols, "lines": lines, "claim": relation_tree(relation)}
    with pytest.raises(Refused):
        check_answer(_question(relation, *conditions), forged)
