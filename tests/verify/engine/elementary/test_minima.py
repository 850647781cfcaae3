"""Least values in one of several symbols: laws hold at random numbers, prove tight claims, and cannot be invented."""

from __future__ import annotations

import random

import pytest
import sympy as sp
from sympy.core.relational import Relational

from tests.verify.engine.elementary.values import true
from verify.check_proof import Refused, check
from verify.engine.certificates.formulas import relation_tree, tree
from verify.engine.certificates.question import Question, Undecided
from verify.engine.elementary.derivatives import is_nonnegative
from verify.engine.elementary.law import CHORD, LAW, LEAST, MEAN_VALUE
from verify.engine.elementary.minima import by_minima
from verify.engine.elementary.search import elementary
from verify.engine.proof.prover import check_answer, follows_by_laws

a, b, lam, p, q = sp.symbols("a b lam p q", positive=True)
exp, log = sp.exp, sp.log
entropy = p * log(p / q) + (1 - p) * log((1 - p) / (1 - q))
mixture = p * exp(lam * (1 - p)) + (1 - p) * exp(-lam * p)
TRUE = {
    "Pinsker": (entropy >= 2 * (p - q) ** 2, p < 1, q < 1),
    "Young": (a * b <= a**p / p + b**q / q, sp.Eq(1 / p + 1 / q, 1)),
    "Young, one exponent": (a * b <= a**p / p + b ** (p / (p - 1)) * (1 - 1 / p), p > 1),
    "concave log": (log(p * a + (1 - p) * b) >= p * log(a) + (1 - p) * log(b), p < 1),
    "Hoeffding": (mixture <= exp(lam**2 / 8), p < 1),
    "largest": (a**2 * exp(-a) <= 4 * exp(-2),),
}
FALSE = {
    "Pinsker": (entropy >= 3 * (p - q) ** 2, p < 1, q < 1),
    "Young, one exponent": (a * b <= a**p / p + b ** (p / (p - 1)) * (1 - 2 / p), p > 1),
    "concave log": (log(p * a + (1 - p) * b) >= p * log(a) + (1 - p) * log(b) + p * (1 - p) / 8, p < 1),
    "Hoeffding": (mixture <= exp(lam**2 / 9), p < 1),
    "largest": (a**2 * exp(-a) <= 3 * exp(-2),),
    "beyond the range": (exp(a) <= 1 + 2 * a, a <= 2),
    "an end that is not included": (log(a) >= 1 - 1 / a + (1 - a) ** 2 / 8, a < 3),
}


def _question(relation: Relational, *conditions: Relational) -> Question:
    return Question(relation, tuple((condition, "condition") for condition in conditions))


@pytest.mark.parametrize("name", TRUE)
def test_a_tight_claim_is_proved(name: str) -> None:
    asked = next(by_minima(_question(*TRUE[name])))
    answer = elementary(asked, 100)
    assert not isinstance(answer, Undecided)
    check(answer)


def test_signs_of_derivatives_are_proved_with_laws() -> None:
    chernoff = _question(exp(a) / (1 + a) ** (1 + a) <= exp(-(a**2) / 3), a <= 1)
    asked = next(by_minima(chernoff, is_nonnegative))
    assert asked.laws[0].name == LEAST
    assert not isinstance(elementary(asked, 100), Undecided)


def test_a_power_of_two_with_a_ceiling_is_compared_with_twice_a_number() -> None:
    power = 2 ** sp.ceiling(log(a) / log(2))
    assert follows_by_laws(_question(power <= 2 * a, a >= 1)) is not None


def test_a_stored_proof_is_checked_with_its_laws() -> None:
    question = _question(*TRUE["Young, one exponent"])
    found = follows_by_laws(question, 100)
    assert found is not None
    assert found[1].certificate is not None
    check_answer(question, found[1].certificate)


@pytest.mark.parametrize(
    ("relation", "conditions"), [(r, c) for r, *c in (*TRUE.values(), *FALSE.values())], ids=str
)
def test_laws_hold_at_random_numbers(relation: Relational, conditions: list[Relational]) -> None:
    laws = [law for asked in by_minima(_question(relation, *conditions)) for law in asked.laws]
    draw = random.Random(1)
    for _ in range(40):
        numbers = {s: draw.choice([draw.random(), draw.uniform(0, 6)]) for s in (a, b, lam, p, q)}
        for condition in conditions:
            if isinstance(condition, sp.Eq):
                numbers[q] = (
                    float(sp.solve(condition.subs({p: numbers[p]}), q)[0]) if numbers[p] > 1 else -1.0
                )
        if numbers[q] > 0 and all(c.subs(numbers) for c in conditions if not isinstance(c, sp.Eq)):
            for law in laws:
                assert true(law.relation, {s.name: number for s, number in numbers.items()}), law


@pytest.mark.parametrize("name", FALSE)
def test_a_false_bound_is_no_law(name: str) -> None:
    relation = FALSE[name][0]
    bounds = [["<=", "0", tree(relation.gts - relation.lts)], relation_tree(relation)]
    laws = [law.relation for asked in by_minima(_question(*FALSE[name])) for law in asked.laws]
    assert not [law for law in laws if law in bounds]


@pytest.mark.parametrize("right", [LEAST, CHORD, MEAN_VALUE])
def test_an_invented_bound_is_refused(right: str) -> None:
    relation, *conditions = FALSE["beyond the range"]
    question = _question(relation, *conditions)
    law = ["<=", "0", tree(relation.gts - relation.lts)]
    lines = [{"given": law, "by": f"{LAW}{right}"}, {"show": relation_tree(relation), "as": ["slack", 0]}]
    forged = {"symbols": question.symbols, "lines": lines, "claim": relation_tree(relation)}
    with pytest.raises(Refused):
        check_answer(question, forged)


def test_a_formula_that_sympy_cannot_factor_is_no_error() -> None:
    claim = ((sp.sqrt(q) - 1) / (sp.sqrt(q) + 1)) ** 2 <= 1 - 4 / (sp.sqrt(q) + 1)
    assert relation_tree(claim) not in [
        law.relation for asked in by_minima(_question(claim, q >= 1)) for law in asked.laws
    ]


def test_a_side_need_not_be_real_at_the_value_of_an_equation() -> None:
    x = sp.Symbol("x", real=True)
    assert follows_by_laws(_question(sp.Ge(sp.sqrt(x), 1), sp.Eq(x, -2))) is None
