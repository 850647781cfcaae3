"""The emulated device refuses what CUDA refuses, and computes what CUDA computes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from tests.networks.emulated import DEVICE, Device, same


@pytest.mark.parametrize(
    "mix",
    [
        lambda there, here: there + here,
        lambda there, here: torch.where(here > 0, there, there),
        lambda there, here: torch.stack([there, here]),
        lambda there, here: there.gather(0, here.long()),
        lambda there, here: here[there.long()],
        lambda there, here: there.index_put_((here.long(),), here),
        lambda there, here: torch.func.vmap(torch.dot)(there[None], here[None]),
    ],
)
def test_tensors_of_two_devices_do_not_mix(mix) -> None:
    here = torch.ones(3)
    with Device(), pytest.raises(AssertionError, match="mixes devices"):
        mix(here.to(DEVICE), here)


def test_what_else_may_fail_on_a_device_fails_here() -> None:
    with Device():
        there = torch.ones(3, device=DEVICE)
        for read in (np.asarray, lambda x: x.numpy()):
            with pytest.raises(RuntimeError, match="not supported"):
                read(there)
        with pytest.raises(AssertionError, match="not moved"):
            _ = there + torch.tensor([1.0], device=DEVICE)


def test_what_works_on_a_device_works_here() -> None:
    def computed(device: str) -> Any:
        x = torch.arange(6.0).to(device).reshape(2, 3).clone()
        x[np.array([0])] = 7
        slope = torch.func.vmap(torch.func.grad(lambda row: (row**3).sum()))(x)
        return x, slope, (x + torch.tensor(0.5)).sum().item(), x[:, np.array([1, 2])].cpu().numpy()

    assert same(computed) == 5
