"""What a proof lacks, in terms of the claim: the claim is proved from it, and no instance breaks it."""

from __future__ import annotations

import pytest
import sympy as sp
from sympy.core.relational import Relational

from verify.engine.certificates.question import Question
from verify.engine.elementary.forms import simple
from verify.engine.elementary.laws import Laws
from verify.engine.proof.needs import Need, need_of
from verify.engine.proof.prover import follows_by_laws
from verify.engine.verdict import because
from verify.report.wording import sentence

a, b = sp.symbols("a b", positive=True)
T, k = sp.symbols("T k", integer=True, positive=True)
x = sp.Symbol("x", real=True)
NEEDS = {
    "square": (sp.sqrt(T) + sp.sqrt(T + 2) <= 2 * sp.sqrt(T + 1), "T + 1 >= sqrt(T)*sqrt(T + 2)", ""),
    "step": (
        sp.Sum(1 / sp.sqrt(k), (k, 1, T)) <= 2 * sp.sqrt(T) - 1,
        "2*T + 1 >= 2*sqrt(T)*sqrt(T + 1)",
        "T",
    ),
    "quotient": ((a + b) ** 2 / (a * b) >= 4, "a**2 + b**2 >= 2*a*b", ""),
}


@pytest.mark.parametrize("name", NEEDS)
def test_a_simpler_relation_is_named(name: str) -> None:
    relation, expected, letter = NEEDS[name]
    need = need_of(Question(relation))
    assert need is not None
    assert (need.text, need.over) == (expected, letter)


@pytest.mark.parametrize(
    "relation",
    [
        sp.sqrt(T) + sp.sqrt(T + 2) <= 2 * sp.sqrt(T),
        sp.Sum(1 / k, (k, 1, T)) <= 2,
        (a + b) ** 2 / (a * b) >= 5,
    ],
    ids=str,
)
def test_a_false_claim_needs_nothing_that_is_true(relation: Relational) -> None:
    assert need_of(Question(relation)) is None


def test_powers_with_symbolic_exponents_are_not_factorised() -> None:
    x = sp.Symbol("x", real=True)
    need_of(Question(sp.Le(0, (x + 13) ** (2 * T * k), evaluate=False)))


def test_a_step_of_the_user_that_is_not_proved_is_named() -> None:
    total, bound = sp.Sum(1 / (k * sp.log(k + 1)), (k, 1, T)), 3 + sp.log(sp.log(T + 2))
    question = Question(total / 2 <= bound / 2 + a, through=(total <= bound,))
    assert need_of(question) == Need(total <= bound)


def test_the_sentence_names_the_relation_and_the_letter() -> None:
    assert "needs: x >= 1 for every T" in sentence(because("needs", relation="x >= 1", over="T"))


def test_a_claim_is_proved_through_its_product() -> None:
    found = follows_by_laws(Question(sp.log(a) / sp.sqrt(a) <= 2 / sp.E), 200)
    assert found is not None
    assert found[1].certificate is not None


def test_a_claim_is_proved_through_a_step_with_functions() -> None:
    steps = (sp.log(1 + a) <= a, sp.log(1 + b) <= b)
    found = follows_by_laws(Question((1 + a) * (1 + b) <= sp.exp(a + b), through=steps), 200)
    assert found is not None


@pytest.mark.parametrize("step", [sp.log(x) <= x - 1, sp.sqrt(x) >= 0, 1 / x >= -2], ids=str)
def test_a_step_without_a_value_proves_nothing(step: Relational) -> None:
    assert follows_by_laws(Question(sp.Gt(x, -1, evaluate=False), through=(step,)), 200) is None


def test_a_factor_with_a_symbolic_power_is_kept() -> None:
    relation = (a - b) ** T * (a - 1) ** 2 >= 0
    assert simple(relation, Laws(relation, (), lambda other: False)) is not None
