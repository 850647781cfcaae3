"""Bounds of terms by conditions on step sizes and numbers of rounds, and of powers: they hold at random numbers."""

from __future__ import annotations

import random

import pytest
import sympy as sp
from sympy.core.relational import Relational

from tests.verify.engine.elementary.values import true
from verify.check_proof import Refused, check
from verify.engine.certificates.formulas import relation_tree, tree
from verify.engine.certificates.question import Question, Undecided
from verify.engine.elementary.extended import extensions
from verify.engine.elementary.law import LAW, MONOTONE_POWER
from verify.engine.elementary.neighbours import of_real_powers
from verify.engine.elementary.search import elementary
from verify.engine.elementary.tuning import by_terms
from verify.engine.proof.prover import check_answer
from verify.engine.tactics.prove import prove

D, L, b, c, eps, eta = sp.symbols("D L b c eps eta", positive=True)
T = sp.Symbol("T", integer=True, positive=True)
THIRD = sp.Rational(1, 3)
STEP = sp.Min(1 / L, sp.sqrt(D / (b * T)), (D / (c * T)) ** THIRD)
RATE = D / (eta * T) + b * eta + c * eta**2
short = (sp.Ge(T, D / eps), sp.Ge(T, b**2 / eps**2), sp.Ge(T, (c / eps) ** sp.Rational(3, 2)))
TRUE = {
    "three candidates": (
        2 * sp.sqrt(b * D / T) + 2 * c**THIRD * (D / T) ** (2 * THIRD) + L * D / T >= RATE,
        sp.Eq(eta, STEP),
    ),
    "enough rounds": (D / T + b / sp.sqrt(T) + c / T ** (2 * THIRD) <= 3 * eps, *short),
    "one value": (
        D / (eta * T) + c * eta**2 <= 2 * c**THIRD * (D / T) ** (2 * THIRD),
        sp.Eq(eta, (D / (c * T)) ** THIRD),
    ),
}
FALSE = {
    "three candidates": (sp.sqrt(b * D / T) + c**THIRD * (D / T) ** (2 * THIRD) >= RATE, sp.Eq(eta, STEP)),
    "at most": (c * sp.sqrt(eta) >= c / sp.sqrt(L), eta <= 1 / L),
    "at least": (D / sp.sqrt(T) >= eps, sp.Ge(T, D**2 / eps**2)),
    "larger of two": (D / sp.sqrt(T) + b / T >= 2 * eps, sp.Eq(T, sp.Max(D**2 / eps**2, b / eps))),
    "falling factor": (sp.sqrt(D) - c * sp.sqrt(eta) <= sp.sqrt(D) - c / sp.sqrt(L), L * eta <= 1),
}


def _question(relation: Relational, *conditions: Relational) -> Question:
    return Question(relation, tuple((condition, "condition") for condition in conditions))


@pytest.mark.parametrize("name", TRUE)
def test_a_rate_is_proved_by_its_first_laws(name: str) -> None:
    question = _question(*TRUE[name])
    answer = elementary(next(extensions(question)), 100)
    assert not isinstance(answer, Undecided)
    check(answer)
    check_answer(question, answer)


@pytest.mark.parametrize(
    ("relation", "conditions"), [(r, c) for r, *c in (*TRUE.values(), *FALSE.values())], ids=str
)
def test_laws_hold_at_random_numbers(relation: Relational, conditions: list[Relational]) -> None:
    laws = [law for asked in by_terms(_question(relation, *conditions)) for law in asked.laws]
    symbols, draw, met = (D, L, b, c, eps, eta, T), random.Random(1), 0
    equations = [condition for condition in conditions if isinstance(condition, sp.Eq)]
    values = [(each.lhs, sp.lambdify(symbols, each.rhs, "math")) for each in equations]
    meets = [sp.lambdify(symbols, each, "math") for each in conditions if each not in equations]
    for _ in range(100):
        numbers = dict.fromkeys(symbols, 0.0) | {
            s: draw.choice([draw.random(), draw.uniform(0, 6)]) for s in symbols
        }
        numbers[T] = draw.randint(1, 300)
        for symbol, at in values:
            numbers[symbol] = float(at(*numbers.values()))
        if all(meet(*numbers.values()) for meet in meets):
            met += 1
            assert all(true(law.relation, {s.name: n for s, n in numbers.items()}) for law in laws)
    assert met > 5


def test_an_invented_bound_is_refused() -> None:
    question = _question(*FALSE["at most"])
    claim = question.relation
    law = ["<=", tree(claim.lts), tree(claim.gts)]
    lines = [
        {"given": law, "by": f"{LAW}{MONOTONE_POWER}"},
        {"show": relation_tree(claim), "as": ["slack", 0]},
    ]
    forged = {"symbols": question.symbols, "lines": lines, "claim": relation_tree(claim)}
    with pytest.raises(Refused):
        check_answer(question, forged)


@pytest.mark.parametrize("exponent", [0.3, 0.5, 1.0, 1.7, 4.0])
def test_powers_of_sums_and_sums_of_powers_hold_at_random_numbers(exponent: float) -> None:
    draw = random.Random(2)
    laws = list(of_real_powers({eta: (D, L, D + L)}, lambda f: bool(f.subs(eta, exponent).is_nonnegative)))
    for _ in range(50):
        numbers = {"D": draw.uniform(0.1, 5), "L": draw.uniform(0.1, 5), "eta": exponent}
        assert all(true(law.relation, numbers) for law in laws)
    assert len(laws) > 3


def test_a_divisor_is_positive_as_a_sum_of_products_of_positive_factors() -> None:
    mixture = eta * b + (1 - eta) * c
    for relation in (eta * b / mixture <= 1, b / mixture <= 1 / eta):
        assert not isinstance(prove(_question(relation, eta < 1)), Undecided)
    assert isinstance(prove(_question(b / mixture <= 1, eta < 1)), Undecided)
