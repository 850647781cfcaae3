"""CFL's Eq. (32) with factors L^2: the facts behind it hold for any number of clients and steps, and changed ones have no proof."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sympy as sp

from bounds.cfl.correlated import p
from bounds.cfl.symbols import K, eta_l, sigma2
from bounds.relations import eq, ge, le
from verify.engine.model.scene import Follows, Rounds
from verify.engine.proof.facts import shown_of, unbroken, valid_definitions, with_terms
from verify.scenes.cfl import smooth_facts as facts
from verify.scenes.cfl.client_sums import first2, past, way
from verify.scenes.cfl.nonconvex import ROUND, sizes
from verify.scenes.cfl.terms import AHEAD, MET, stir_met
from verify.scenes.summands import before, definition

LONG = {"walk", "balance", "balances", "shortened"}
FACTS: dict[str, Rounds | Follows] = {
    "walk": facts.WALK,
    "balance": facts.BALANCE,
    "walks": facts.WALKS,
    "balances": facts.BALANCES,
    "shortened": facts.FACTS[0],
    "less": facts.FACTS[1],
}
NOISY = ROUND.variant(
    "rounds with noise and several clients and steps",
    shapes=(sizes(N=2, K=2, t=2, noisy=1), sizes(K=4, noisy=1), sizes(K=3, t=2, noisy=1, grow=1)),
)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if name in LONG else []) for name in FACTS]
)
def test_a_fact_is_proved_at_all_sizes(name: str) -> None:
    shown = shown_of(FACTS[name])
    assert shown is not None
    assert shown.proof["sizes"] is None
    assert not shown.proof["uncertified"]


@pytest.mark.slow
def test_noise_of_several_clients_and_steps_is_met_later_only() -> None:
    whole: Any = ROUND.compute
    assert valid_definitions(NOISY) == frozenset(whole.defines)


@pytest.mark.slow
@pytest.mark.parametrize("fact", facts.FACTS, ids=["shortened", "less"])
def test_no_round_breaks_a_fact(fact: Follows) -> None:
    for scene in (ROUND, NOISY):
        assert unbroken(fact.relation, with_terms(scene), fact.given)


@pytest.mark.parametrize("reach", [-3, 0, 2, 7])
@pytest.mark.parametrize("steps", [1, 2, 5])
def test_weighted_squares_are_a_sum_over_steps(steps: int, reach: int) -> None:
    formula = facts.weighted_squares(sp.Integer(steps)).subs(facts.reach, reach)
    assert formula == sum(k * (reach - k) ** 2 for k in range(steps))


def test_ways_and_balances_are_those_of_plain_loops() -> None:
    """The two inductions at random vectors whose inner products with later noise are zero."""
    draw = np.random.default_rng(0)
    for steps in (1, 2, 5):
        first, *noises = np.linalg.qr(draw.normal(size=(20, steps + 1)))[0].T  # orthonormal
        added = [
            sum((draw.normal() * x for x in (first, *noises[:k])), draw.normal() * np.eye(20)[k])
            for k in range(steps)
        ]
        later = np.array(noises)
        added = [x - later[k:].T @ (later[k:] @ x) for k, x in enumerate(added)]
        sums = [(sum(noises[:k], 0 * first), sum(added[:k], 0 * first)) for k in range(steps)]
        met = sum(z @ e for (z, _), e in zip(sums, added, strict=True))
        on_way = sum(z @ e for z, e in sums)
        values = {
            way: sum(((k * first + z + e) ** 2).sum() for k, (z, e) in enumerate(sums)),
            facts.added2: sum((e**2).sum() for e in added),
            facts.spare: sum(((e / 2 + first) ** 2).sum() for e in added),
            facts.met: met,
            facts.met_on_way: on_way,
            **{K: steps, first2: 1, eta_l: 1, sigma2: 1, facts.weight: 0.3, facts.reach: 2.5},
        }
        for fact in (facts.WALK, facts.BALANCE):
            assert float((fact.relation.rhs - fact.relation.lhs).subs(values)) >= -1e-12


# ---------------------------------------------------------------------------------------------------- changed facts


def _steps(fact: Rounds, **changed: Any) -> Rounds:
    """The fact with other steps in place of those with a relation: name -> (relation, new step or None)."""
    steps = list(fact.steps)
    for old, new in changed.values():
        (place,) = (n for n, step in enumerate(steps) if step.relation == old)
        steps[place : place + 1] = [] if new is None else [new]
    return replace(fact, steps=tuple(steps), through=())


def _with_weights(**changed: Any) -> Follows:
    """Sums of squared weights are at most sums of weights, from a changed fact about the weight of one past."""
    less: Any = facts.FACTS[1]
    ((summed, letters),) = less.of
    *added, each = summed.steps
    other = replace(summed, steps=(*added, replace(each, **changed)))
    return replace(less, of=((other, letters),), given=() if "given" in changed else less.given)


WALK, BALANCE = facts.WALK, facts.BALANCE
CHANGED: dict[str, Rounds | Follows] = {
    "half of the noise": replace(
        WALK, relation=le(WALK.relation.lhs, WALK.relation.rhs.subs(sigma2, sigma2 / 2))
    ),
    "the other sign of what is met": replace(
        WALK, relation=le(WALK.relation.lhs, WALK.relation.rhs.subs(facts.met_on_way, -facts.met_on_way))
    ),
    "a shifted step": replace(
        WALK, relation=le(WALK.relation.lhs, WALK.relation.rhs.subs(K, K - 1)), through=()
    ),
    "noise that follows the start": replace(
        WALK, steps=tuple(step for step in WALK.steps if step.relation != AHEAD)
    ),
    "noise that is met later": _steps(BALANCE, met=(MET, None)),
    "half of what is met": _steps(
        BALANCE, met=(eq(stir_met, before(facts.met)), definition(eq(stir_met, before(facts.met) / 2)))
    ),
    "half of the squares": replace(
        BALANCE, relation=le(BALANCE.relation.lhs, BALANCE.relation.rhs.subs(facts.spare, facts.spare / 2))
    ),
    "weights that sum to two": _with_weights(
        of=((definition(eq(p, 2 - past)), {}),), through=(ge(past * (2 - past), 0),)
    ),
    "weights of either sign": _with_weights(given=()),
}


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[] if name.startswith("weights") else [pytest.mark.slow]) for name in CHANGED],
)
def test_a_changed_fact_has_no_proof(name: str) -> None:
    assert shown_of(CHANGED[name]) is None
