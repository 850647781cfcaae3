"""The quantities of a round of SPECIAL as inner products: equal to those of the scene."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sympy as sp

from bounds.special.one_round import tm2
from tests.verify.inner_products import value
from tests.verify.special_rounds import any_signs, space, two_outcomes
from verify.engine.model.scene import Fact
from verify.engine.model.sums import Sums
from verify.engine.proof.facts import shown_of, unbroken, with_terms
from verify.engine.search.sampling import sample
from verify.engine.topics import claim_of
from verify.scenes.special import round_drift
from verify.scenes.special.rate_round import ROUND
from verify.scenes.special.round_bounds import BOUNDS, NOISY, OTHERS, SAMPLED
from verify.scenes.special.round_sums import MEANS

SUMS = [fact for fact in ROUND.compute.facts if isinstance(fact, Sums)]
BOUNDED = {**BOUNDS, **SAMPLED}
TIGHT = [
    *(fact for fact in SUMS if isinstance(fact.relation, sp.Le) and fact.relation.lhs != tm2),
    *(fact for fact in round_drift.FACTS if isinstance(fact.relation, sp.Le)),
]
"""Except the four parts of `tm2`: clients' differences from their mean cancel."""
SHAPE = {"K": 3, "M": 3, "N": 2, "E": 3, "d": 2}


def vectors(values: dict[str, Any]) -> dict[str, np.ndarray]:
    """Vectors of the letters, (2 d,) or (M, 2 d): one coordinate for each coordinate in each of two equally likely
    outcomes.
    """
    both = lambda x: np.concatenate([x, x], -1) / np.sqrt(2)  # noqa: E731 - the same in both
    first, later = values["first"][0], values["later"][0]  # (M, d), (step, outcome, M, d)
    change = (later - first).sum(axis=0)
    return {
        "first": both(first),
        "change": np.concatenate(list(change), -1) / np.sqrt(2),
        "past": both(values["earlier"][0].sum(axis=0)),
        "before": both(values["before"][0].sum(axis=0)),
        "back": both(values["task_start"][0] - values["start"][0]),
        "noise": np.concatenate([noise := values["noise"][0].sum(axis=0), -noise], -1) / np.sqrt(2),
        "turn": both(values["earlier"][0] - values["before"][0]),
        "apart": both(first.mean(axis=0) - values["earlier"][0]),
    }


@pytest.mark.parametrize("seed", range(3))
def test_they_are_what_the_scene_computes(seed: int) -> None:
    values = sample(space(SHAPE), np.random.default_rng(seed), 1)
    found = two_outcomes(SHAPE, values)
    numbers = {**SHAPE, **{name: float(values[name][0]) for name in ("gamma_G", "gamma_L", "lam")}}
    known = {**numbers, **vectors(values), "n": 2, "more": 1 / (2 * 2 * 3**2)}
    for symbol, tree in [*MEANS.items(), *NOISY.items(), *OTHERS.items()]:
        if not symbol.name.endswith(("_j", "_each")):
            here = float(np.ravel(found[symbol.name])[0]) if symbol.name in found else known[symbol.name]
            assert value(tree, known) == pytest.approx(here), symbol


@pytest.mark.parametrize("sampled", [1, 2, 3])
def test_uncorrelated_noise_is_drawn_with_the_chance_of_its_client(sampled: int) -> None:
    shape = {"K": 2, "M": 3, "N": sampled, "E": 2, "d": 1}
    values = sample(space(shape), np.random.default_rng(sampled), 1)
    found = any_signs(shape, values)
    numbers = {**shape, **{name: float(values[name][0]) for name in ("gamma_G", "gamma_L")}}
    known = {**numbers, "noise": values["noise"][0].reshape(6, 1)}
    for symbol, tree in BOUNDED["T61"].means.items():
        assert value(tree, known) == pytest.approx(float(found[symbol.name][0, 0])), symbol


def test_facts_of_any_number_of_clients_are_unbroken_in_rounds() -> None:
    conditions = claim_of("special.c7").conditions
    for fact in (*SUMS, *round_drift.FACTS):
        assert unbroken(fact.relation, with_terms(ROUND), conditions), fact.relation


@pytest.mark.parametrize("fact", TIGHT, ids=lambda fact: str(fact.relation)[:50])
def test_facts_are_proved_for_all_sizes_and_nothing_more_is(fact: Fact | Sums) -> None:
    shown = shown_of(fact)
    assert shown is not None
    assert not shown.proof["sizes"]
    less = sp.Le(fact.relation.lhs, sp.Rational(99, 100) * fact.relation.rhs)
    assert shown_of(replace(fact, relation=less)) is None
