"""FedMeS, Eq. (37) to (39): steps along batch gradients one after the other, by induction and in expectation."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sympy as sp

import bounds.fedmes.descent as b
from tests.verify.judging import proved
from verify.engine.judge import judge
from verify.engine.model.claim import Claim
from verify.engine.proof.facts import conditions_of
from verify.engine.topics import claim_of
from verify.fedmes_descent import STEPS
from verify.scenes.fedmes.descent import FIRST, SEVERAL
from verify.scenes.fedmes.several_facts import STARTS
from verify.scenes.fedmes.smooth_losses import DEFINED, STEP

IDS = ("eq37.mean", "eq38.before", "eq38", "eq39", "eq41.several")


def claim(id: str) -> Claim:
    found = claim_of(f"fedmes.{id}")
    assert found is not None
    return found


IN_VAIN = [pytest.param(id, marks=[pytest.mark.slow] if id == "eq38.before" else []) for id in IDS]
"""A factor with which the search about the mean over earlier steps, used in Eq. (38), takes long."""


@pytest.mark.parametrize("id", IDS)
def test_steps_are_proved(id: str) -> None:
    assert proved(claim(id))


@pytest.mark.parametrize("id", IN_VAIN)
def test_no_better_ones_are(id: str) -> None:
    assert not proved(claim(id), 99)


def test_a_step_rests_on_all_three_assumptions_and_on_its_rate() -> None:
    (fact,) = (fact for fact in SEVERAL.compute.facts if fact.relation == STEP)
    needed = {str(condition) for condition in conditions_of(fact) or ()}
    assumptions = (b.ASS2.compared, b.ASS2_LENGTH.compared, b.ASS3.compared)
    assert needed == {str(condition) for condition in (b.RATE, b.CONSTANTS[0], *assumptions, *DEFINED)}
    quieter = STEP.subs(b.Mn, b.Mn / 2)
    assert conditions_of(replace(fact, relation=quieter)) is None


def test_only_the_first_step_starts_at_the_start() -> None:
    assert {start in [fact.relation for fact in FIRST.compute.facts] for start in STARTS} == {True}
    assert not any(fact.relation in STARTS for fact in SEVERAL.compute.facts)
    assert {shape["s"] for shape in FIRST.shapes} == {2}


@pytest.mark.parametrize("wrong", [{b.gap_mean: b.gap_1}, {b.shrunk_before: b.shrunk_more}], ids=str)
def test_what_is_not_one_step_later_is_no_induction(wrong: dict[sp.Symbol, sp.Symbol]) -> None:
    other = replace(STEPS, later={**STEPS.later, **wrong})
    assert not proved(replace(claim("eq38.before"), induction=other))


def test_the_constraint_is_restored_where_the_floor_is_low_enough() -> None:
    printed, repaired = claim("thm1.restored"), claim("thm1.restored/above-floor")
    assert judge(printed, "quick", 0)["verdict"] == "gap"
    assert proved(repaired)
    assert not proved(repaired, 99)
