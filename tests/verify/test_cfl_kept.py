"""Minimisers of all stored objectives, compared with plain loops over outcomes."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import torch

from verify.engine.model.scene import quantities
from verify.engine.search.sampling import sample
from verify.scenes.cfl.kept import ANY, KEPT, PLACEBOS


def instance(scene, shape):
    drawn = sample(scene.space(shape), np.random.default_rng(3), 8)
    return {name: torch.as_tensor(np.asarray(value, dtype=float)) for name, value in drawn.items()}


@pytest.mark.parametrize("shape", KEPT.shapes, ids=str)
def test_the_minimiser_of_all_objectives_against_plain_loops(shape) -> None:
    p = instance(KEPT, shape)
    found = quantities(KEPT, shape, p, {})
    for one in range(3):
        h, client, time = (p[name][one].numpy() for name in ("h", "client", "time"))
        gaps = []
        for signs in product((-1, 1), repeat=2 * shape["N"] * shape["T"]):
            s, r = np.array(signs).reshape(2, shape["T"], shape["N"], 1)
            gradient = (s * client + r * time).mean(axis=(0, 1))
            best = -gradient / h
            gaps.append((h * best**2).sum() / 2)
        assert float(found["all_gap"][one]) == pytest.approx(np.mean(gaps))
    within = (found["G2"] + found["D2"]) / (2 * found["mu"] * shape["N"] * shape["T"])
    assert (found["all_gap"] <= within * (1 + 1e-12)).all()


def test_methods_that_forget_or_stand_still_are_farther_somewhere() -> None:
    shape = {"N": 1, "T": 3, "d": 1}
    p = instance(KEPT, shape)
    for scene in PLACEBOS:
        found = quantities(scene, shape, p, {})
        assert (found["all_gap"] > (found["G2"] + found["D2"]) / (2 * found["mu"] * 3)).any()


def test_equal_weights_attain_the_floor() -> None:
    shape = {"N": 1, "T": 3, "d": 1}
    p = {**instance(ANY, shape), "raw": torch.ones(8, 3)}
    found = quantities(ANY, shape, p, {})
    assert found["weighted_gap"].numpy() == pytest.approx((found["D2"] / (2 * p["mu"] * 3)).numpy())
