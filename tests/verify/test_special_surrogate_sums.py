"""The quantities of a round towards the minimiser as inner products: equal to those of a round."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
import sympy as sp

from bounds.special import surrogate_proof as proof
from tests.verify.inner_products import value
from tests.verify.special_rounds import played_round, space
from verify.engine.model.scene import Rounds
from verify.engine.model.sums import Sums
from verify.engine.proof.facts import shown_of, unbroken, with_terms
from verify.engine.search.sampling import sample
from verify.engine.topics import claim_of
from verify.scenes.special.one_round import Round
from verify.scenes.special.surrogate import QUADRATICS, WELLS, WITHIN
from verify.scenes.special.surrogate_round import Parts, parts_of, parts_squared
from verify.scenes.special.surrogate_sums import (
    BENT,
    CHANGED,
    FACTS,
    IN_OUTCOMES,
    MEANS,
    ONE_STEP,
    VARIANCE,
    WALKED,
)

SHAPE = {"K": 1, "M": 3, "N": 2, "E": 2, "d": 2}
SIGNS = np.array(list(product((-1, 1), repeat=SHAPE["E"] * SHAPE["M"]))).reshape(
    1, 1, -1, SHAPE["E"], SHAPE["M"], 1
)
"""Each noise has an independent sign: uncorrelated."""


def round_of(seed: int) -> tuple[dict[str, Any], Round, Parts, dict[str, Any]]:
    """Random gradients, different in each outcome after the first step; rates, the round and its derived quantities."""
    rng = np.random.default_rng(seed)
    values = {name: np.array(x, dtype=float) for name, x in sample(space(SHAPE), rng, 1).items()}
    noises = [SIGNS[:, :, :, e] * values["noise"][:, None, None, e] for e in range(SHAPE["E"])]
    grads = [values["first"][:, None, None] + 0 * noises[0], rng.uniform(-1, 1, noises[0].shape)]
    rest = values["first"].mean(axis=1) - rng.uniform(-1, 1, (1, SHAPE["d"]))
    rate = values["gamma_G"] * values["gamma_L"] * SHAPE["E"] / values["lam"]
    played = played_round(SHAPE, {**values, "task_start": rate[:, None] * rest}, grads, noises)
    parts = parts_of(SHAPE, values, played, rest[:, None, None])
    found = parts_squared(SHAPE, values, played, parts)
    rates = {name: float(values[name][0]) for name in ("gamma_G", "gamma_L", "lam")}
    return {**rates, **SHAPE}, played, parts, {name: float(np.ravel(x)[0]) for name, x in found.items()}


@pytest.mark.parametrize("seed", range(3))
def test_the_gradient_step_with_noise_and_sampling(seed: int) -> None:
    rates, played, parts, found = round_of(seed)
    first = played.grads[0][0, 0, 0]
    noise = sum(played.noises)[0, 0]  # (outcome, M, d)
    M, N = SHAPE["M"], SHAPE["N"]
    known = {
        **rates,
        "more": (M - N) / (N * (M - 1) * M**2),
        "back": played.start[0, 0, 0],
        "bend": parts.bend[0, 0, 0],
        "own": first - first.mean(axis=0),
        "noise": noise.swapaxes(0, 1).reshape(M, -1) / np.sqrt(len(noise)),
    }
    for symbol, tree in MEANS.items():
        assert value(tree, known) == pytest.approx(found[symbol.name]), symbol
    single = np.stack(played.noises)[:, 0, 0, 0].reshape(-1, SHAPE["d"])
    in_all = {**known, "q": M * SHAPE["E"], "single": single}
    assert value(VARIANCE.means[proof.wind2], in_all) == pytest.approx(found["wind2"])


@pytest.mark.parametrize("seed", range(3))
def test_outcomes_of_noise_and_sampling_are_equally_likely(seed: int) -> None:
    rates, played, parts, found = round_of(seed)
    g = rates["gamma_G"] * rates["gamma_L"]
    over_sets = lambda of: np.concatenate([of(list(s))[0, 0] + 0 * SIGNS[0, 0, :, 0, 0] for s in played.sets])  # noqa: E731
    u, v = over_sets(lambda s: parts.pull - g * parts.wind(s)), over_sets(parts.work)
    for symbol, tree in IN_OUTCOMES.items():
        assert value(tree, {**rates, "n": len(u), "u": u, "v": v}) == pytest.approx(found[symbol.name]), (
            symbol
        )


@pytest.mark.parametrize("scene", [WITHIN, WELLS, QUADRATICS], ids=lambda scene: scene.name)
def test_they_are_unbroken_in_rounds(scene: Any) -> None:
    conditions = claim_of("special.thm4.10/surrogate.grows").conditions
    facts = ONE_STEP if scene is QUADRATICS else FACTS
    for fact in facts:
        assert unbroken(fact.relation, with_terms(scene), conditions), fact.relation


def less(fact: Any) -> Any:
    """The fact with a right side that is smaller by 1 %."""
    relation = fact.relation
    smaller = type(relation)(relation.lhs, sp.Rational(99, 100) * relation.rhs, evaluate=False)
    return replace(fact, relation=smaller)


LONG = {proof.DRIFT.compared}
"""A search that is long; the stored answers hold its certificates."""


def marks(relation: Any) -> list[pytest.MarkDecorator]:
    return [pytest.mark.slow] if relation in LONG else []


SHOWN = [pytest.param(fact, marks=marks(fact.relation)) for fact in (*FACTS, *ONE_STEP, WALKED, CHANGED)]


@pytest.mark.parametrize("fact", SHOWN, ids=lambda fact: str(fact.relation)[:50])
def test_they_are_proved_for_all_sizes_and_nothing_more_is(fact: Sums | Rounds) -> None:
    shown = shown_of(fact)
    assert shown is not None
    assert not shown.proof["sizes"]
    assert shown.proof["uncertified"] == 0
    if not isinstance(fact, Rounds):
        assert shown_of(less(fact)) is None


@pytest.mark.slow
@pytest.mark.parametrize(
    "fact", [fact for fact in FACTS if isinstance(fact, Rounds)], ids=lambda fact: str(fact.relation)[:50]
)
def test_an_induction_does_not_prove_less(fact: Rounds) -> None:
    assert shown_of(less(fact)) is None


NAMED = {
    BENT: {"L_sup <= L"},
    proof.DRIFT.compared: {"L_sup <= L", "g_sup <= B"},
    proof.VARIANCE.compared: {"noise_sup <= sigma_L2", "client_sup <= sigma_G2"},
}


@pytest.mark.parametrize("relation", [pytest.param(relation, marks=marks(relation)) for relation in NAMED])
def test_a_condition_on_smoothness_or_bounds_is_named(relation: Any) -> None:
    (fact,) = (fact for fact in FACTS if fact.relation == relation)
    assert NAMED[relation] < {str(condition) for condition in shown_of(fact).needed}
