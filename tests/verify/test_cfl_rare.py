"""One round of FedAvg with rare large noise: the violated relation, by hand and in the scene."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product

import pytest
import torch

from tests.verify.judging import drawn
from verify.cfl_rate import CLAIMS as RATE
from verify.cfl_round import CLAIMS as ROUND
from verify.engine.checks.relation import bound
from verify.engine.model.claim import BUDGETS
from verify.engine.model.scene import quantities
from verify.engine.verdict import Verdict
from verify.scenes.cfl.rare import RARE

BY_ID = {claim.statement.id: claim for claim in (*ROUND, *RATE)}
BROKEN = ["cfl.eq23/moving", "cfl.eq24"]
STEP, SERVER, RARELY = Fraction(1, 10_000), Fraction(1, 100), 20


def missing(steps: int, factor: Callable[[int], Fraction]) -> Fraction:
    """Left side minus right side of Eq. (24) for max(0, x)^2/2 and sigma = 1, half a rare step before the minimiser.

    `factor(K)` is the factor of L sigma^2 eta^2/(eta_g^2 K), for which the paper has 1/6; in units of the squared local
    step.
    """
    start, after2 = -STEP * RARELY / 2, Fraction(0)
    rare = Fraction(1, 1 + RARELY**2)
    for outcome in product((True, False), repeat=steps):
        x, chance = start, Fraction(1)
        for large in outcome:
            chance *= rare if large else 1 - rare
            x -= STEP * (max(x, Fraction(0)) + (-RARELY if large else Fraction(1, RARELY)))
        after2 += chance * (start + SERVER * (x - start)) ** 2
    eta = steps * STEP * SERVER
    right = (start**2 - after2) / eta + eta / steps + factor(steps) * eta**2 / (SERVER**2 * steps)
    return -right / STEP**2


def test_the_printed_factor_is_enough_for_three_local_steps_and_no_more() -> None:
    printed = [missing(steps, lambda K: Fraction(1, 6)) > 0 for steps in range(1, 7)]
    assert printed == [False, False, False, True, True, True]


def test_a_factor_of_a_quarter_is_all_but_used_up() -> None:
    for steps in range(2, 7):
        assert missing(steps, lambda K: Fraction(K - 1, 4 * K)) < 0
        assert missing(steps, lambda K: Fraction(9, 10) * Fraction(K - 1, 4 * K)) > 0


@pytest.mark.parametrize("id", BROKEN)
def test_the_search_finds_it(id: str) -> None:
    finding = bound(BY_ID[id], BUDGETS["quick"], 0)
    assert finding.verdict is Verdict.REFUTED
    assert finding.witness.instance.shape["K"] > 3


@pytest.mark.parametrize("shape", RARE.shapes, ids=str)
def test_noise_has_the_mean_and_variance_that_are_told(shape) -> None:
    """On a quadratic a round is affine, so its mean square has a closed form."""
    values = drawn(RARE, shape, batch=8)
    values |= {"flat": torch.ones(8, dtype=torch.float64), "room": 0 * values["room"]}
    sizes = {name: values[name] / 10 for name in RARE.steps}
    found = quantities(RARE, shape, values, sizes)
    kept = [(1 - sizes["eta_l"] * values["steep"]) ** k for k in range(shape["K"] + 1)]
    stay = 1 - sizes["eta_g"] * (1 - kept[-1])
    spread = (sizes["eta_g"] * sizes["eta_l"]) ** 2 * found["sigma2"] * sum(x**2 for x in kept[:-1])
    torch.testing.assert_close(found["after2"], stay**2 * found["dist2_star"] + spread)
