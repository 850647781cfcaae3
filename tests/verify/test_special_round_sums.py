"""What the quantities of a round of SPECIAL are, as inner products: the same numbers as the scene computes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sympy as sp

from bounds.special.one_round import tm2
from tests.verify.inner_products import value
from verify.engine.facts import shown_of, unbroken, with_terms
from verify.engine.sampling import sample
from verify.engine.scene import Fact
from verify.engine.sums import Sums
from verify.engine.topics import claim_of
from verify.scenes.special import round_drift
from verify.scenes.special.rate_facts import any_round_of
from verify.scenes.special.rate_round import ROUND, of_gradients
from verify.scenes.special.round_sums import MEANS

SUMS = [fact for fact in ROUND.compute.facts if isinstance(fact, Sums)]
TIGHT = [
    *(fact for fact in SUMS if isinstance(fact.relation, sp.Le) and fact.relation.lhs != tm2),
    *(fact for fact in round_drift.FACTS if isinstance(fact.relation, sp.Le)),
]
"""The four parts of `tm2` are not: clients' differences from their mean cancel."""
SHAPE = {"K": 3, "M": 3, "N": 2, "E": 3, "d": 2}


def vectors(values: dict[str, Any]) -> dict[str, np.ndarray]:
    """Those of the letters, (2 d,) or (M, 2 d): a coordinate for each coordinate in each of two equally likely outcomes."""
    both = lambda x: np.concatenate([x, x], -1) / np.sqrt(2)  # noqa: E731 - the same in both
    first, later = values["first"][0], values["later"][0]  # (M, d), (step, outcome, M, d)
    change = (later - first).sum(axis=0)
    return {
        "first": both(first),
        "change": np.concatenate(list(change), -1) / np.sqrt(2),
        "past": both(values["earlier"][0].sum(axis=0)),
        "before": both(values["before"][0].sum(axis=0)),
        "back": both(values["task_start"][0] - values["start"][0]),
    }


def test_they_are_what_the_scene_computes() -> None:
    scene = any_round_of(of_gradients)
    for seed in range(3):
        values = sample(scene.space(SHAPE), np.random.default_rng(seed), 1)
        found = scene.compute(SHAPE, values)
        numbers = {**SHAPE, **{name: float(values[name][0]) for name in ("gamma_G", "gamma_L", "lam")}}
        known = {**numbers, **vectors(values)}
        for symbol, tree in MEANS.items():
            if not symbol.name.endswith("_j"):
                assert value(tree, known) == pytest.approx(float(np.ravel(found[symbol.name])[0])), symbol


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
