"""Adam at clients equals PyTorch's Adam for every method's descent direction."""

from __future__ import annotations

import pytest
import torch

from algorithms.fedavg import fedavg
from algorithms.fedprox import fedprox, held_near
from algorithms.optimisers import OPTIMISERS

THEIRS = {"adam": torch.optim.Adam, "adamw": torch.optim.AdamW}
RATE, MU = 0.1, 0.5
GRADIENTS = torch.randn(4, 1, 3, 5, generator=torch.Generator().manual_seed(0), dtype=torch.float64)


def walked(algorithm, theta: torch.Tensor) -> torch.Tensor:
    """Models of 3 slots after one step for each given gradient."""
    import numpy as np

    local = algorithm.begin_round({"theta": theta}, np.arange(3), None)
    for g in GRADIENTS:
        local = algorithm.local_step({"theta": theta}, local, g)
    return local["x"]


@pytest.mark.parametrize("name", THEIRS)
@pytest.mark.parametrize("mu", [0.0, MU])
def test_steps_are_those_of_pytorch(name: str, mu: float) -> None:
    theta = torch.ones(1, 5, dtype=torch.float64)
    ours = walked(OPTIMISERS[name](fedprox(RATE, mu), RATE), theta)
    point = torch.ones(1, 3, 5, dtype=torch.float64, requires_grad=True)
    optimiser = THEIRS[name]([point], lr=RATE)
    for g in GRADIENTS:
        point.grad = g + mu * (point.detach() - theta[:, None])
        optimiser.step()
    torch.testing.assert_close(ours, point.detach(), rtol=1e-6, atol=1e-8)


def test_plain_steps_are_the_methods_own() -> None:
    method = fedavg(RATE)
    assert OPTIMISERS["sgd"](method, RATE) is method


def test_what_is_held_near_stays_nearer() -> None:
    theta = torch.ones(1, 5, dtype=torch.float64)
    far, near = (walked(held_near(fedavg(RATE), RATE, mu), theta) - 1 for mu in (0.0, 5.0))
    assert near.norm() < far.norm()
