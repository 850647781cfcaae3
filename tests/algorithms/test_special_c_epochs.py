"""SPECIAL-C with one proximal step per epoch: in every step if an epoch is one step, never if it exceeds a round."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
import torch

from algorithms.fedavg import fedavg
from algorithms.special_c import special_c, special_c_each_epoch

RNG = torch.Generator().manual_seed(0)
THETA, ANCHOR = torch.randn(2, 1, 3, generator=RNG)
GRADIENTS = torch.randn(4, 1, 2, 3, generator=RNG)


def walked(algorithm, epochs: tuple[int, int], task: int = 1) -> torch.Tensor:
    oracle = SimpleNamespace(n_components=np.array([epochs]))
    state = {"theta": THETA, "anchor": ANCHOR, "task": task}
    local = algorithm.begin_round(state, np.array([[0, 1]]), oracle)
    for g in GRADIENTS:
        local = algorithm.local_step(state, local, g)
    return local["x"][0]


@pytest.mark.parametrize("task", [0, 1])
def test_each_client_is_pulled_after_its_own_epochs(task: int) -> None:
    found = walked(special_c_each_epoch(0.1, 1, 0.5), (1, 5), task)
    each, never = walked(special_c(0.1, 1, 0.5), (1, 1), task), walked(fedavg(0.1), (1, 1), task)
    torch.testing.assert_close(found[0], each[0])
    torch.testing.assert_close(found[1], never[1])


def test_printed_strength_in_every_step_freezes_a_client() -> None:
    """With lambda = 0.2 the distance to the anchor shrinks by 1/1.4 a step: after 30 steps, to 4e-5 of it."""
    still = torch.zeros(1, 1, 3)
    method = special_c(0.1, 1, 0.2)
    state = {"theta": THETA, "anchor": ANCHOR, "task": 1}
    local = method.begin_round(state, np.array([[0]]), None)
    for _ in range(30):
        local = method.local_step(state, local, still)
    left = (local["x"] - ANCHOR).norm() / (THETA - ANCHOR).norm()
    assert float(left) == pytest.approx(1.4**-30, rel=0.01, abs=1e-6)
