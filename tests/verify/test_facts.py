"""Facts of scenes: each is proved, none with a changed factor or sign, and only if its conditions are met."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain

import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

from verify.engine.links import settle
from verify.engine.model.expressions import Excess, Least, spelled_out
from verify.engine.model.scene import Box, Fact, Proved, Scene
from verify.engine.proof.facts import conditions_at, conditions_of, proof_of
from verify.engine.topics import claim_of
from verify.report.wording import sentence
from verify.scenes.cflag.adaptive_rates import PAIR
from verify.scenes.cflag.bias import RATIOS
from verify.scenes.cflag.bias import VECTORS as POINT
from verify.scenes.cflag.drift_norms import CLIENTS, LONG, LONG_SUMS, ROUND, SUMS
from verify.scenes.cflag.forgetting import ROUND as LEMMA_1
from verify.scenes.cflag.growth import ROUND as FORGETTING
from verify.scenes.cflag.repairs import KEPT
from verify.scenes.fedmes.personal import DITTO_ROUND, FEDMES_ROUND
from verify.scenes.special.bkt import TRAINING
from verify.scenes.special.drift import DRIFT
from verify.scenes.special.rate_round import ROUND as ONE_ROUND


def facts_of(scene: Scene) -> tuple[Fact, ...]:
    assert isinstance(scene.compute, Proved)
    return scene.compute.facts


C_FLAG = (FORGETTING, LEMMA_1, POINT, RATIOS, KEPT, PAIR)
SCENES = (*C_FLAG, ROUND, SUMS, TRAINING, DRIFT, ONE_ROUND, FEDMES_ROUND, DITTO_ROUND)
FACTS = [
    fact for fact in chain.from_iterable(map(facts_of, SCENES)) if isinstance(fact, Fact)
]  # no textbook lemmas
named = pytest.mark.parametrize
label = lambda fact: str(fact.relation)[:60]  # noqa: E731


def small(fact: Fact) -> Fact:
    """The fact at its smallest shapes."""
    return replace(fact, scene=replace(fact.scene, shapes=fact.scene.shapes[:2]))


@named("fact", FACTS, ids=label)
def test_facts_are_proved(fact):
    assert conditions_of(small(fact)) is not None


@pytest.mark.slow
@named("fact", FACTS, ids=label)
def test_facts_are_proved_at_all_their_shapes(fact):
    assert conditions_of(fact) is not None


def mutants(fact: Fact) -> list[Fact]:
    """Stronger versions of the fact: its larger side reduced, or the relation reversed."""
    large, small = fact.relation.args if isinstance(fact.relation, sp.Ge) else fact.relation.args[::-1]
    changed = [large * sp.Rational(9, 10), -large]
    return [replace(fact, relation=sp.Le(small, side, evaluate=False)) for side in changed]


@named("fact", FACTS, ids=label)
def test_a_fact_that_says_more_is_not_proved(fact):
    for mutant in mutants(fact):
        assert any(conditions_at(mutant, shape) is None for shape in fact.scene.shapes), mutant.relation


def test_a_slack_that_may_be_negative_proves_nothing():
    scene = Scene(
        name="two numbers",
        shapes=({"d": 1},),
        space=lambda shape: dict.fromkeys("xy", Box(-1, 1)),
        compute=lambda shape, values: {"slack": values["y"] - values["x"]},
        covers="any numbers",
    )
    x, y = sp.symbols("x y", real=True)
    assert conditions_of(Fact(sp.Le(x, y), scene, "slack")) is None


def test_facts_hold_under_their_conditions_only():
    smooth = claim_of("cflag.eq94.smooth")
    assert proof_of(smooth.statement.relation, ROUND, smooth.conditions)
    assert not proof_of(smooth.statement.relation, ROUND, ())
    for_clients = claim_of("cflag.eq94.smooth/ass1")
    assert not proof_of(for_clients.statement.relation, ROUND, for_clients.conditions)


def test_a_scene_that_computes_otherwise_has_no_facts():
    claim = claim_of("cflag.eq94.a")
    known = [
        bool(proof_of(claim.statement.relation, scene, claim.conditions)) for scene in (ROUND, LONG, CLIENTS)
    ]
    assert known == [True, True, False]
    assert facts_of(LONG_SUMS) == facts_of(SUMS)


def test_a_fact_compares():
    with pytest.raises(ValueError, match="`relation` must be an equation, <, <=, > or >="):
        Fact(sp.Ne(*sp.symbols("x y")), ROUND)


def test_the_scene_of_a_fact_says_which_sizes_it_covers():
    with pytest.raises(ValueError, match="`scene` must say which sizes it covers"):
        Fact(sp.Eq(*sp.symbols("x y")), ROUND)


NUMBERS = st.lists(st.fractions(-5, 5), min_size=1, max_size=4)


@given(NUMBERS)
def test_what_counts_as_nonnegative_is(numbers):
    args = [sp.Rational(x) for x in numbers]
    for term in (Excess(*args), Least(*map(abs, args))):
        assert term.is_nonnegative
        assert spelled_out(term) >= 0


def test_the_least_of_numbers_of_any_sign_does_not_count():
    assert not Least(sp.Symbol("x", real=True), sp.Integer(1)).is_nonnegative


def _derived(facts: dict[str, str]) -> dict:
    finding = {
        "check": "inequality",
        "details": {"derived_from": ["x <= y"], "facts": facts},
        "tightness": None,
    }
    return {
        "id": "a",
        "kind": "inequality",
        "verdict": "unrefuted",
        "uses": [],
        "statement": {"relation": "x <= 2*y", "conditions": []},
        "evidence": [finding],
    }


@named("facts, verdict", [({"x <= y": "because"}, "proved"), ({}, "unrefuted")])
def test_a_derivation_from_proved_facts_is_a_proof(facts, verdict):
    record = _derived(facts)
    settle([record])
    assert record["verdict"] == verdict
    assert ("because" in sentence(record["reason"])) == bool(facts)
