"""CFL's Eq. (32) with factors L^2: the facts about one round behind it, and that no constant in them can be smaller."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

from bounds.cfl.convex import P_i, g2_start, i, over_clients, strayed_i
from bounds.cfl.nonconvex import start2
from bounds.cfl.symbols import R2, sigma2
from verify.engine.model.scene import Fact
from verify.engine.proof.facts import conditions_at
from verify.scenes.cfl import smooth_facts
from verify.scenes.cfl.nonconvex import any_round

FACTS = {str(fact.slack): fact for fact in smooth_facts.smooth_facts(any_round)}
TERMS = {
    "start": start2,
    "gradient": g2_start,
    "lost": R2 * over_clients(P_i[i] ** 2),
    "noise": sigma2,
    "strayed": over_clients(strayed_i[i]),
}


@pytest.mark.parametrize("term", TERMS)
@pytest.mark.parametrize("name", ["slack_falling", "slack_turning"])
def test_no_term_may_be_a_little_smaller(name: str, term: str) -> None:
    fact, steps = FACTS[name], 2 if term == "strayed" else 1
    sharper = sp.Le(fact.relation.lts + TERMS[term] / 1000, fact.relation.gts, evaluate=False)
    asked = Fact(sharper, fact.scene, fact.slack, fact.assumed)
    assert conditions_at(asked, {"N": 1, "K": steps, "t": 2}) is None


@pytest.mark.parametrize("without", FACTS["slack_falling"].assumed)
def test_every_condition_is_used(without: str) -> None:
    fact = FACTS["slack_falling"]
    assumed = {name: what for name, what in fact.assumed.items() if name != without}
    assert (
        conditions_at(Fact(fact.relation, fact.scene, fact.slack, assumed), {"N": 1, "K": 1, "t": 2}) is None
    )


@pytest.mark.parametrize("name", ["slack_falling", "slack_turning"])
def test_what_knows_of_noise_to_come_is_not_bounded_so(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    known = smooth_facts._first_alike
    monkeypatch.setattr(smooth_facts, "_first_alike", lambda shape, step: known(shape, step + 1))
    fact = next(fact for fact in smooth_facts.smooth_facts(any_round) if fact.slack == name)
    assert conditions_at(fact, {"N": 1, "K": 2, "t": 2}) is None


@pytest.mark.parametrize("steps", [1, 2, 3, 4])
def test_the_squares_of_up_to_three_local_steps_have_no_negative_weight(steps: int) -> None:
    form = smooth_facts._turning(steps)
    met = [
        smooth_facts._GLOBAL,
        *range(3, 2 + 2 * steps),
    ]  # without drift and noise; nothing changes before the first step
    weights = [weight for weight, _ in smooth_facts._squares(form[np.ix_(met, met)])]
    assert (min(weights) > 0) == (steps <= 3)
