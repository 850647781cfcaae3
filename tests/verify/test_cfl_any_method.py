"""Any method in worlds with two-valued drifts: compared with integrals over the odds, and the best method."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import sqrt

import numpy as np
import pytest
import torch
from scipy.integrate import quad
from scipy.stats import beta

from bounds.catalogue import statement
from nqm.fields import zeros_like
from verify.engine.model.scene import quantities
from verify.engine.search.sampling import sample
from verify.scenes.cfl.any_method import ANY_METHOD, MINIMAX, chance


def instance(scene, shape):
    drawn = sample(scene.space(shape), np.random.default_rng(5), 8)
    return {name: torch.as_tensor(np.asarray(value, dtype=float)) for name, value in drawn.items()}


def excess(p: float, answers: np.ndarray, mu: float, drift: float, seen: int) -> float:
    """Expected excess loss of the answers in the world with probability p, by a plain loop."""
    best = (2 * p - 1) * drift / mu
    chances = [p ** signs.count(1) * (1 - p) ** signs.count(-1) for signs in product((1, -1), repeat=seen)]
    return sum(c * mu / 2 * (answer - best) ** 2 for c, answer in zip(chances, answers, strict=True))


def mean_excess(law, *given) -> float:
    """Its mean if the probability is drawn from a distribution."""
    return quad(lambda share: excess(law.ppf(share), *given), 0, 1, limit=200)[0]


@pytest.mark.parametrize("shape", ANY_METHOD.shapes, ids=str)
def test_the_mean_over_the_worlds_against_an_integral(shape) -> None:
    p = instance(ANY_METHOD, shape)
    found = quantities(ANY_METHOD, shape, p, {})["any_gap"]
    for one in range(2):
        mu, drift, prior = (float(p[name][one]) for name in ("mu", "drift", "prior"))
        given = p["answers"][one].numpy(), mu, drift, shape["N"] * shape["T"]
        assert float(found[one]) == pytest.approx(mean_excess(beta(prior / 2, prior / 2), *given), rel=1e-5)


@pytest.mark.parametrize("seen", range(5))
def test_chances_of_all_sequences_add_up_to_one(seen) -> None:
    prior = Fraction(7, 3)
    assert sum(chance(prior, s.count(1), s.count(-1)) for s in product((1, -1), repeat=seen)) == 1


@pytest.mark.parametrize("shape", MINIMAX.shapes, ids=str)
def test_one_method_attains_the_floor_in_every_world_and_all_others_miss_it(shape) -> None:
    """Hodges and Lehmann's estimator: the sum of the drifts over N T + sqrt(N T) has the same error for all p."""
    seen = shape["N"] * shape["T"]
    p = instance(MINIMAX, shape)
    sums = torch.tensor([float(sum(signs)) for signs in product((1, -1), repeat=seen)])
    best = sums * (p["drift"] / p["mu"])[:, None] / (seen + sqrt(seen))
    floor = (p["drift"] ** 2 / (2 * p["mu"] * (1 + sqrt(seen)) ** 2)).numpy()
    attained = quantities(MINIMAX, shape, {**p, "answers": best}, {})["any_gap"].numpy()
    np.testing.assert_allclose(attained, floor)
    for odds in (0.0, 0.1, 0.5, 0.8):
        alike = excess(odds, best[0].numpy(), float(p["mu"][0]), float(p["drift"][0]), seen)
        assert alike == pytest.approx(floor[0])
    for answers in (p["answers"], zeros_like(best), best + 0.01):
        assert (quantities(MINIMAX, shape, {**p, "answers": answers}, {})["any_gap"].numpy() > floor).all()


def test_the_drifts_are_within_the_assumption_and_the_floor_nears_what_remembering_gives() -> None:
    """Their variance 4 p (1 - p) D^2 is at most D^2; both bounds agree as the number of observations grows."""
    floor, kept = statement("cfl.thm4.1.kept.minimax").relation.lhs, statement("cfl.thm4.1.sc/kept").relation
    names = {"D2": 1, "G2": 0, "mu": 2, "N": 10, "T": 10**8, "prior": sqrt(10**9)}
    low, high = (
        float(side.subs({s: names[s.name] for s in side.free_symbols})) for side in (floor, kept.rhs)
    )
    assert low < high < low * (1 + 1e-4)
