"""Losses of arbitrary curvature: the round equals the simulator where the loss is convex."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from tests.verify.judging import drawn
from verify.cfl_nonconvex import CLAIMS
from verify.engine.model.claim import BUDGETS
from verify.engine.model.scene import quantities
from verify.engine.verdict import Verdict
from verify.scenes.cfl.drifts import mean
from verify.scenes.cfl.nonconvex import ROUND
from verify.scenes.cfl.round import ROUND as SIMULATED
from verify.scenes.cfl.weight_terms import TERMS

SAME = (
    "moved2",
    "true2",
    "missed2",
    "strayed_i",
    "e_now",
    "e_before",
    "g2_start",
    "c_pB",
    "c_pG",
    "cB_i",
    "P_i",
)
CONSTANTS = ("L", "G2", "D2", "A2", "B2", "R2", "sigma2", "delta2", "xi2", "c_max")


@pytest.mark.parametrize("shape", [s for s in ROUND.shapes if s["K"] < 3 and s["grow"] < 3], ids=str)
def test_a_round_of_convex_losses_is_that_of_the_simulator(shape):
    p = drawn(ROUND, shape)
    p["h"] = p["h"].abs() + 0.02
    sizes = {"eta_g": p["eta_g"], "eta_l": p["eta_l"]}
    found = quantities(ROUND, shape, p, sizes)
    wide = {"h": 1, "model": 1, **dict.fromkeys(("client", "time", "lost", "tied"), 2)}
    other = {name: value.unsqueeze(wide[name]) if name in wide else value for name, value in p.items()}
    wanted = quantities(SIMULATED, {**shape, "d": 1}, other, sizes)
    for name in (*SAME, *CONSTANTS):
        assert found[name].numpy() == pytest.approx(wanted[name].numpy(), rel=1e-9, abs=1e-12), name
    assert found["downhill"].numpy() == pytest.approx((p["h"] * wanted["along"]).numpy(), rel=1e-9, abs=1e-12)
    after = found["loss_next"] * 2 / p["h"]
    assert after.numpy() == pytest.approx(wanted["after2"].numpy(), rel=1e-9, abs=1e-12)


def test_one_step_downhill_and_uphill():
    """Curvature -1, model 1, drift 2 of the client, no noise: the gradient is -1 -+ 2, with a step of 1/4."""
    shape = ROUND.shapes[0]
    one = lambda x, *axes: torch.full((1, *axes), float(x), dtype=torch.float64)  # noqa: E731
    parameters = {"h": one(-1), "model": one(1), "client": one(2, 1), "time": one(0, 1), "room": one(0)}
    found = quantities(ROUND, shape, parameters, {"eta_g": one(1), "eta_l": one(0.25)})
    models = np.array([1 + 0.25 * (1 + s * 2) for s in (1, -1)])
    assert float(found["loss_next"]) == pytest.approx(np.mean(-(models**2) / 2))
    assert float(found["downhill"]) == pytest.approx(np.mean(-(models - 1)))
    weighted = np.array([-models + s * -2 for s in (1, -1)]).diagonal()
    assert float(found["true2_after"]) == pytest.approx(np.mean(weighted**2))
    assert float(found["apart2_after"]) == pytest.approx(np.mean((-1 - weighted) ** 2))


def test_expectations_are_plain_means():
    assert mean(torch.tensor([[[1.0], [3.0]]])).tolist() == [[2.0]]


@pytest.mark.parametrize("shape", TERMS.shapes, ids=str)
def test_other_weights_sum_to_one(shape):
    found = quantities(TERMS, shape, drawn(TERMS, shape, 32), {})
    assert (found["square_t"] >= 1 / shape["t"] - 1e-12).all()
    assert (found["square_later"] >= 1 / (shape["t"] + 1) - 1e-12).all()


@pytest.mark.slow
@pytest.mark.parametrize("id", ["eq29.combined", "eq32/convergent"])
def test_a_loss_that_leads_away_breaks_the_descent(id: str) -> None:
    claim = next(claim for claim in CLAIMS if claim.statement.id == f"cfl.{id}")
    finding = claim.checks[0](claim, BUDGETS["default"], 0)
    assert finding.verdict is Verdict.REFUTED
    assert finding.witness.instance.shape["noisy"] == 1
