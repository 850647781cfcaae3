"""Curves of CFL: steady states against their closed form, bounds above, weights that solve their problem."""

from __future__ import annotations

import numpy as np
import pytest

from bounds.cfl.weights import objective
from verify.curves import cfl_steady_state, cfl_weights
from verify.curves.cfl_steady_state import CURVATURE, ETA, ROUNDS, STANDARD


@pytest.mark.parametrize("N", [1, 10])
@pytest.mark.parametrize("K", [1, 5])
def test_steady_state_of_fedavg(N: int, K: int) -> None:
    found = cfl_steady_state._at({**STANDARD, "N": N, "K": K})
    shrink = 1 - ETA / K * CURVATURE
    decay, reach = shrink**K, (1 - shrink**K) / CURVATURE
    stir = (ETA / K) ** 2 * sum(shrink ** (2 * j) for j in range(K)) * STANDARD["sigma"] ** 2 / 2
    drift = reach**2 * (STANDARD["G"] ** 2 + STANDARD["D"] ** 2) / 2
    square = (drift + stir) / N / (1 - decay**2)
    assert found["fedavg"] == pytest.approx((CURVATURE * square).sum() / 2, rel=1e-3)


def test_bias_of_cfl_is_what_its_loss_pulls() -> None:
    """Without its own drift to average, the model ends where the gradient balances the loss of the past."""
    setting = {**STANDARD, "N": 10**9, "R": 1.0}
    past = 1 - cfl_steady_state._remembering(setting["D"] ** 2, setting["R"] ** 2)[-1, -1]
    expected = (past * setting["R"]) ** 2 / CURVATURE.min() / 2
    assert cfl_steady_state._at(setting)["cfl"] == pytest.approx(expected, rel=0.02)


def test_runs_are_long_enough() -> None:
    assert (1 - ETA * CURVATURE.min()) ** ROUNDS < 0.005


def test_best_weights_are_best() -> None:
    found = cfl_weights.compute(0)
    D2, R2 = cfl_weights.D2, cfl_weights.R2
    best, other = (objective(found[name], found["alpha"], D2, R2) for name in ("best", "nonnegative"))
    assert (best <= other + 1e-12).all()
    assert (np.array(found["nonnegative"]) >= 0).all()
    for printed in found["printed"]:
        assert sum(printed["weights"]) == pytest.approx(1, abs=2e-4)
