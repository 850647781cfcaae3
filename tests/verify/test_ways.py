"""FedMeS sorts and branches: its lines are proved on all branches."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bounds.fedmes.symbols import eta_1, eta_2
from verify.engine.model.claim import BUDGETS, Claim
from verify.engine.proof.basis import basis_of
from verify.engine.topics import claim_of


def claim(id: str, shapes: int) -> Claim:
    """A claim of FedMeS at the first shapes of its scene."""
    found = claim_of(f"fedmes.{id}")
    return replace(found, scene=replace(found.scene, shapes=found.scene.shapes[:shapes]))


def outcome(claim: Claim, relation=None) -> str:
    other = (
        claim if relation is None else replace(claim, statement=replace(claim.statement, relation=relation))
    )
    return basis_of(other, BUDGETS["quick"]).outcome


@pytest.mark.parametrize(
    ("id", "shapes"),
    [
        ("eq8", 2),
        ("remark2-3.oblivious", 3),
        pytest.param("eq1/agreeing", 6, marks=pytest.mark.slow),
        ("eq1/agreeing", 3),
        ("alg1.one-step", 6),
        ("eq28", 2),
        ("remark1.one-of-two", 2),
    ],
)
def test_where_fedmes_sorts_or_decides_it_is_proved_on_all_ways(id: str, shapes: int) -> None:
    assert outcome(claim(id, shapes)) == "proved"


@pytest.mark.parametrize("id", ["eq1", "eq8.unique"])
def test_what_needs_a_condition_is_not_proved_without(id: str) -> None:
    assert outcome(claim(id, 6)) != "proved"


def test_a_correction_with_the_other_rate_is_not_proved() -> None:
    found = claim("eq28", 2)
    relation = found.statement.relation
    assert outcome(found, relation.subs(eta_2, eta_1)) != "proved"
