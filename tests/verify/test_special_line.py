"""A larger lambda in one dimension: rounds as increasing maps, any losses, and step sizes that are too large."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.verify.judging import premises_hold, proved
from verify.engine.checks.attack import attack_at_random
from verify.engine.model.claim import BUDGETS, Claim
from verify.engine.proof.facts import shown_of
from verify.scenes.special.line import FACTS
from verify.special_lambda import CLAIMS

BY_ID = {claim.statement.id: claim for claim in CLAIMS}
LINE = BY_ID["special.lem4.9.suppress/line"]


def broken(claim: Claim) -> bool:
    return attack_at_random(claim.question, BUDGETS["quick"], 0).witness is not None


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: str(fact.relation)[:60])
def test_facts_hold_for_any_number_of_clients_and_steps(fact) -> None:
    assert shown_of(fact).proof["sizes"] is None
    sides = fact.relation.args
    changed = fact.relation.func(sides[0], 2 * sides[1] + 1, evaluate=False)
    assert shown_of(replace(fact, relation=changed)) is None


@pytest.mark.parametrize("id", ["lem4.9.ahead", "lem4.9.ahead/more", "lem4.9.behind"])
def test_what_a_round_keeps_is_proved_from_what_is_true(id: str) -> None:
    claim = BY_ID[f"special.{id}"]
    premises_hold(replace(claim, scene=replace(claim.scene, shapes=claim.scene.shapes[:6])))
    assert proved(claim)


def test_the_drift_is_proved_to_fall_and_four_fifths_of_it_is_false() -> None:
    assert proved(LINE)
    assert not proved(LINE, 80)
    relation = LINE.statement.relation
    less = relation.func(relation.lhs, 4 * relation.rhs / 5, evaluate=False)
    assert broken(replace(LINE, statement=replace(LINE.statement, relation=less)))


@pytest.mark.parametrize("step", ["gamma_G", "gamma_L"])
def test_longer_steps_break_it(step: str) -> None:
    kept = tuple(c for c in LINE.statement.conditions if step not in {s.name for s in c.free_symbols})
    longer = replace(LINE, statement=replace(LINE.statement, conditions=kept))
    assert len(kept) == len(LINE.statement.conditions) - 1
    assert broken(longer)
