"""Approximations of CFL: scenes against independent code."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import torch

from tests.verify.judging import drawn
from verify.engine.model.scene import quantities
from verify.scenes.cfl.approximations import CHAIN, LOGISTIC, NEXT, TWO_LAYERS
from verify.scenes.cfl.core_sets import UNIFORM


@pytest.mark.parametrize("scene", [LOGISTIC, TWO_LAYERS], ids=lambda scene: scene.name)
def test_derivatives_of_the_cross_entropy(scene):
    p = drawn(scene, {"n": 2})
    w = p["w"].clone().requires_grad_()
    logit = p["x"] * w[:, None] if scene is LOGISTIC else (p["x"] * w[:, None]) ** 2
    each = torch.nn.functional.binary_cross_entropy_with_logits(logit, p["label"].double(), reduction="none")
    slopes = [torch.autograd.grad(each[:, n].sum(), w, create_graph=True)[0] for n in range(2)]
    hessian = torch.autograd.grad(sum(slopes).sum() / 2, w)[0]
    found = quantities(scene, {"n": 2}, p, {})
    gradients = torch.stack([slope.detach() for slope in slopes], 1)
    for name, expected in (
        ("hessian_diagonal", hessian),
        ("square_of_mean", gradients.mean(1) ** 2),
        ("mean_of_squares", (gradients**2).mean(1)),
    ):
        torch.testing.assert_close(found[name], expected)


def test_information_loss_of_uniform_core_sets_by_simulation():
    shape = {"n_local": 5, "m_kept": 3, "d": 2}
    p = drawn(UNIFORM, shape, batch=1)
    found = quantities(UNIFORM, shape, p, {})
    g, rng = p["g"][0].numpy(), np.random.default_rng(0)
    missed = [((g[rng.permutation(5)[:3]].mean(0) - g.mean(0)) ** 2).sum() for _ in range(20000)]
    assert float(found["kept_loss2"][0]) == pytest.approx(np.mean(missed), rel=0.03)


def test_spread_of_a_chain_by_enumeration():
    p = drawn(CHAIN, {"steps_x": 2})
    found = quantities(CHAIN, {"steps_x": 2}, p, {})
    one = {name: float(value[3]) for name, value in p.items()}
    ends = []
    for first, *noise in product((-1, 1), repeat=3):
        x = one["centre"] + first * one["away"]
        for sign in noise:
            x += -one["step_x"] * one["h_energy"] * (x - one["to"]) + sign * one["noise"]
        ends.append(x)
    assert float(found["chain_spread"][3]) == pytest.approx(np.var(ends))


def test_loss_at_the_next_start_is_that_of_the_squared_gradient():
    shape = {"N": 1, "K": 1}
    p = drawn(NEXT, shape)
    found = quantities(NEXT, shape, {**p, "eta_g": torch.ones(8)}, {"eta_g": torch.ones(8)})
    h, tilt, x = (p[name].reshape(8) for name in ("h", "tilt", "model"))
    gradient = h * x - tilt
    moved = -p["eta_l"] * gradient
    torch.testing.assert_close(found["lost_next2"][:, 0], ((h - gradient**2) * moved) ** 2)
