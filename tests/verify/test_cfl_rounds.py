"""Facts about one round of CFL: they are proved for any number of clients, steps and past rounds, and wrong ones are not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import sympy as sp

from bounds.cfl.symbols import K, L
from bounds.relations import le
from verify.engine.model.scene import Follows, Rounds, Textbook
from verify.engine.model.sums import Sums
from verify.engine.proof.facts import conditions_of, shown_of, unbroken, valid_definitions, with_terms
from verify.scenes.cfl import client_sums as of
from verify.scenes.cfl import convex_sums
from verify.scenes.cfl.first_step import FIRST_STEP
from verify.scenes.cfl.nonconvex import ROUND as ANY_CURVATURE
from verify.scenes.cfl.nonconvex_runs import RUN_FACTS as ANY_RUN_FACTS
from verify.scenes.cfl.nonconvex_runs import RUNS as ANY_RUNS
from verify.scenes.cfl.round import ROUND, SINGLE
from verify.scenes.cfl.round_sums import FACTS as ROUND_FACTS
from verify.scenes.cfl.round_sums import MOVED_AWAY, PULLED, STARTED, STRAYED, WEIGHED
from verify.scenes.cfl.runs import RUN_FACTS, RUNS
from verify.scenes.cfl.step_sizes import STEPS
from verify.scenes.cfl.terms import UNCORRELATED

LONG = {MOVED_AWAY, WEIGHED}
"""Relations with a long search; the stored answers hold their certificates."""
OF_ANY_SIZE = {
    f"{name} {k}": fact
    for name, facts in {
        "round": ROUND_FACTS,
        "convex": convex_sums.FACTS[len(ROUND_FACTS) :],
        "first step": FIRST_STEP,
        "runs": (*RUN_FACTS, *ANY_RUN_FACTS),
        "steps": STEPS.compute.facts,
    }.items()
    for k, fact in enumerate(facts)
}


def marked(names: dict[str, Any], long: set[Any]) -> list[Any]:
    return [
        pytest.param(name, marks=[pytest.mark.slow] if fact.relation in long else [])
        for name, fact in names.items()
    ]


@pytest.mark.parametrize("name", marked(OF_ANY_SIZE, LONG))
def test_a_fact_of_a_round_is_proved_at_all_sizes(name: str) -> None:
    shown = shown_of(OF_ANY_SIZE[name])
    assert shown is not None
    assert shown.proof["sizes"] is None
    assert not shown.proof["uncertified"]


@pytest.mark.parametrize(
    "scene", [ROUND, SINGLE, ANY_CURVATURE, RUNS, ANY_RUNS], ids=lambda scene: scene.name
)
def test_a_scene_meets_its_definitions(scene: Any) -> None:
    assert valid_definitions(scene) == frozenset(scene.compute.defines)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scene", "facts"), [(ROUND, convex_sums.FACTS), (SINGLE, FIRST_STEP), (ANY_CURVATURE, ROUND_FACTS)]
)
def test_no_round_breaks_a_fact(scene: Any, facts: Any) -> None:
    whole = with_terms(scene)
    for fact in facts:
        if {symbol.name for symbol in fact.relation.free_symbols} <= computed_in(whole):
            assert unbroken(fact.relation, whole, tuple(conditions_of(fact) or ())), fact.relation


def computed_in(scene: Any) -> set[str]:
    from verify.engine.search.adversary import random_batch

    shape = scene.shapes[0]
    return {*random_batch(scene, (), tuple(shape.items()), 1, 0)[2], *shape, "i"}


# ------------------------------------------------------------------------------------------------------ wrong facts


def fact_about(relation: Any) -> Any:
    return next(fact for fact in ROUND_FACTS if fact.relation == relation)


@pytest.mark.parametrize(
    "relation",
    [
        pytest.param(PULLED, id="pulled"),
        pytest.param(STRAYED, id="strayed", marks=pytest.mark.slow),
        pytest.param(STARTED, id="started"),
    ],
)
def test_half_of_a_bound_is_not_proved(relation: Any) -> None:
    halved = replace(fact_about(relation), relation=le(relation.lhs, relation.rhs / 2))
    assert shown_of(halved) is None


SUMS = {
    str(fact.relation): fact
    for fact in (*ROUND_FACTS, *convex_sums.FACTS)
    if isinstance(fact, Sums) and not fact.relation.has(0)
}


@pytest.mark.parametrize("name", SUMS)
def test_a_relation_with_another_sign_or_factor_is_not_proved(name: str) -> None:
    fact = SUMS[name]
    left, right = fact.relation.args
    for other in (-right, right / 2 if isinstance(fact.relation, sp.Le) else 2 * right):
        assert shown_of(replace(fact, relation=fact.relation.func(left, other, evaluate=False))) is None


def test_weights_that_do_not_sum_to_one_prove_no_fall() -> None:
    """The bound of a slope is a mean over rounds: with twice the weight it is another one."""
    model = convex_sums.MODEL
    ((weighed, letters),) = model.of
    (share,) = letters
    assert shown_of(model) is not None
    assert shown_of(replace(model, of=((weighed, {share: sp.Integer(2)}),))) is None


def test_weights_of_any_sign_prove_no_bound_of_what_is_lost() -> None:
    steps = tuple(step for step in of.MISSED.steps if step.relation != of.POSITIVE)
    assert len(steps) == len(of.MISSED.steps) - 1
    assert shown_of(replace(of.MISSED, steps=steps)) is None


def test_gradients_of_the_step_itself_do_not_count() -> None:
    """A way of k steps holds k - 1 gradients fewer than those up to the next model."""
    shifted = of.WALK.relation.rhs.subs(K, K - 1)
    assert shown_of(replace(of.WALK, relation=le(of.WALK.relation.lhs, shifted), through=())) is None


def test_the_bound_of_ways_rests_on_uncorrelated_noise() -> None:
    (step,) = (step for step in of.WALK.steps if step.relation == UNCORRELATED)
    shown = shown_of(of.WALK)
    assert shown is not None
    used = {line.get("by") for certificate in shown.proof["certificates"] for line in certificate["lines"]}
    assert (f"textbook {step.name}" if isinstance(step, Textbook) else f"fact {step.relation}") in used


@pytest.mark.slow
def test_noise_that_is_correlated_proves_no_bound_of_ways() -> None:
    steps = tuple(step for step in of.WALK.steps if step.relation != UNCORRELATED)
    assert len(steps) == len(of.WALK.steps) - 1
    assert shown_of(replace(of.WALK, steps=steps)) is None


def test_drifts_of_twice_the_size_prove_no_start() -> None:
    (_, letters), *parts = of.FIRST.of
    assert not letters
    louder = replace(of.FIRST, relation=le(of.FIRST.relation.lhs, of.FIRST.relation.rhs / 2))
    assert shown_of(louder) is None
    assert len(parts) == 4


def test_a_change_is_no_smaller_than_smoothness_says() -> None:
    fact = of.CHANGED
    assert isinstance(fact, Rounds)
    assert shown_of(replace(fact, relation=fact.relation.subs(L, L / 2))) is None


def test_what_follows_rests_on_conditions_of_its_statement() -> None:
    fact = fact_about(PULLED)
    assert isinstance(fact, Follows)
    assert shown_of(replace(fact, given=fact.given[:1])) is None or conditions_of(fact) == frozenset(
        fact.given
    )
