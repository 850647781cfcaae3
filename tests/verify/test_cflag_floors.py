"""Lower bounds for C-FLAG's forgetting and its theorem: runs by hand, and no higher lower bound is proved."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

from bounds.cflag.floors import ADDED, LARGE, LIMIT, least2_before
from nqm.fields import to_exact
from tests.verify.judging import proved
from tests.verify.test_changed_facts import with_another_factor
from verify.cflag_floors import CLAIMS
from verify.engine.model.scene import Fact, Scene, quantities
from verify.engine.proof.facts import conditions_of, shown_of
from verify.scenes.cflag.floors import DIVERGING, DIVERGING_LIMIT, FROZEN

BY_ID = {claim.statement.id.removeprefix("cflag."): claim for claim in CLAIMS}


LONG = ("/limit", "lem4.floor", "lem18.floor")
HIGHER = [
    pytest.param(id, marks=[pytest.mark.slow] if id.endswith(LONG) else [])
    for id in BY_ID
    if id != "thm2.floor"
]
"""A search without result is long. One example suffices: the limit is treated like the runs, and each lemma like the
others. The floor under Theorem 2's ratio is a round number below what the runs reach.
"""


@pytest.mark.parametrize("id", BY_ID)
def test_a_floor_is_proved(id: str) -> None:
    assert proved(BY_ID[id])


@pytest.mark.parametrize("id", HIGHER)
def test_no_higher_floor_is_proved(id: str) -> None:
    assert not proved(BY_ID[id], 101)


@pytest.mark.parametrize("scene", [DIVERGING, DIVERGING_LIMIT, FROZEN], ids=lambda scene: scene.name)
def test_every_fact_of_the_floors_has_certificates(scene: Scene) -> None:
    rates = {LARGE[-1], LIMIT[-1]}
    assert all(
        conditions_of(fact) <= (rates if fact.relation == ADDED else set()) for fact in scene.compute.facts
    )


def test_another_growth_than_that_of_the_runs_is_no_fact() -> None:
    least = next(fact for fact in DIVERGING.compute.facts if fact.relation.lhs == least2_before)
    faster = sp.Eq(least2_before, least.relation.rhs.subs(sp.Rational(25, 4), 7))
    assert conditions_of(replace(least, relation=faster)) is None


@pytest.mark.parametrize("r", [1, 2, 5])
def test_a_concave_loss_by_hand(r: int) -> None:
    """With L = 1, alpha = 3/2 and beta = 1/2 the model is tripled in every round."""
    given = {"x": [[2]], "L": [1], "alpha": [Fraction(3, 2)], "beta": [Fraction(1, 2)]}
    values = {name: to_exact(np.array(value)) for name, value in given.items()}
    values |= {"m": values["L"] / 8, "m_i": values["x"][:, None] / 8, "room": 0 * values["L"]}
    values |= {"raw": values["x"], "order": 0 * values["x"][:, None]}
    shape = {**DIVERGING.shapes[0], "r": r, "T": r}
    found = quantities(DIVERGING, shape, values, {name: values[name] for name in DIVERGING.steps})
    assert found["x2_now"][0] == 4 * 9**r
    each = [Fraction(4 * 9**t) * (Fraction(1, 8) + Fraction(1, 4)) for t in range(r)]
    assert found["forget_sum"][0] == sum(each)
    assert found["forget_mean"][0] == sum(each) / r
    assert found["least2_before"][0] == 4 * Fraction(25, 4) ** (r - 1)


@pytest.mark.parametrize("r", [0, 1, 3])
def test_memories_that_cancel_leave_the_first_coordinate(r: int) -> None:
    """One of four draws keeps the first coordinate; the others multiply it by 1 - alpha L/4 times 1 or 2 in every
    round.
    """
    given = {"x": [[1, 1]], "L": [4], "slope": [1], "alpha": [Fraction(1, 8)], "beta": [Fraction(1, 48)]}
    values = {name: to_exact(np.array(value)) for name, value in given.items()}
    values |= {"m": values["L"] / 4, "m_i": values["x"][:, None] / 2, "room": 0 * values["L"]}
    found = quantities(
        FROZEN, {**FROZEN.shapes[0], "r": r}, values, {name: values[name] for name in FROZEN.steps}
    )
    kept = Fraction(7, 8), Fraction(7, 8), Fraction(3, 4)
    assert found["frozen2"][0] == 1
    assert found["each_gf2"].ravel()[0] == (1 + sum(share ** (2 * r) for share in kept)) / 4


FACTS = {str(fact.relation): fact for fact in (*DIVERGING.compute.facts, *FROZEN.compute.facts)}


@pytest.mark.parametrize("name", [name for name, fact in FACTS.items() if not isinstance(fact, Fact)])
def test_a_fact_about_a_round_speaks_of_all_sizes_and_with_another_factor_has_no_proof(name: str) -> None:
    fact = FACTS[name]
    assert shown_of(fact).proof["sizes"] is None
    assert shown_of(replace(fact, relation=with_another_factor(fact.relation))) is None
