"""FedMeS, Theorem 2 with noise: a round by hand, and no smaller noise term is proved."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

from bounds.fedmes.personal import noise2
from nqm.fields import to_exact
from verify.engine.model.claim import BUDGETS
from verify.engine.model.scene import quantities
from verify.engine.proof.facts import conditions_of
from verify.engine.topics import claim_of
from verify.scenes.fedmes.noisy import NOISY_ROUND, PARTED, SPREADS

QUICK = BUDGETS["quick"]


def given(E: int, xi: str) -> dict[str, np.ndarray]:
    """One client with the loss |x - 1|^2/2, lambda = 1 and eta_1 = 1/4; the global model 0 is not the optimum."""
    numbers = {
        "h": "1",
        "c_k": "1",
        "xi": xi,
        "own": "0",
        "eta_1": "1/4",
        "lam": "1",
        "room": "0",
        "start": "0",
    }
    deep = {"h": 3, "c_k": 3, "xi": 3, "own": 3, "start": 2}
    return {
        name: to_exact(np.full((1,) * deep.get(name, 1), Fraction(value), dtype=object))
        for name, value in numbers.items()
    }


@pytest.mark.parametrize("E", [1, 2])
def test_a_round_by_hand(E: int) -> None:
    """The personal optimum is 1; a step takes w to w/2 + 1/4 -+ xi/4, so 0 goes to 1/4 and 3/8 on average."""
    values, shape = given(E, "2"), {"n": 1, "E": E, "d": 1, "held": 0}
    found = quantities(NOISY_ROUND, shape, values, {"eta_1": values["eta_1"]})
    spread = {1: Fraction(1, 4), 2: Fraction(1, 4) + Fraction(1, 16)}[E]
    assert found["spread2"][0, 0] == spread
    assert found["mean_error2"][0, 0] == {1: Fraction(3, 4), 2: Fraction(5, 8)}[E] ** 2 + spread
    assert found["noise2"][0, 0] == 4


@pytest.mark.parametrize("relation", [PARTED, SPREADS], ids=str)
def test_what_noise_adds_is_a_fact_and_no_less_is(relation: sp.Rel) -> None:
    (fact,) = (fact for fact in NOISY_ROUND.compute.facts if fact.relation == relation)
    less = relation.func(relation.lhs, sp.Rational(99, 100) * relation.rhs, evaluate=False)
    assert conditions_of(fact) is not None
    assert conditions_of(replace(fact, relation=less)) is None


def test_the_term_of_the_noise_is_needed() -> None:
    claim = claim_of("fedmes.thm2/noisy")
    assert claim is not None
    quiet = claim.statement.relation.subs(noise2, noise2 / 4)
    other = replace(claim, statement=replace(claim.statement, relation=quiet, terms={}))
    assert other.checks[0](other, QUICK, 0).verdict.value == "refuted"
