"""The choice of the device, by name or automatically."""

from __future__ import annotations

import pytest
import torch

from verify.networks.training.world import chosen_device


@pytest.fixture
def two_accelerators(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    matmul, cudnn = torch.backends.cuda.matmul, torch.backends.cudnn
    before = matmul.allow_tf32, cudnn.allow_tf32, cudnn.deterministic, cudnn.benchmark
    yield
    matmul.allow_tf32, cudnn.allow_tf32, cudnn.deterministic, cudnn.benchmark = before


@pytest.mark.parametrize(
    ("name", "chosen"), [(None, "cuda"), ("cuda", "cuda"), ("cuda:1", "cuda:1"), ("cpu", "cpu")]
)
def test_accelerators_are_chosen_by_name(name, chosen: str, two_accelerators) -> None:
    torch.backends.cuda.matmul.allow_tf32 = True
    assert chosen_device(name) == chosen
    assert torch.backends.cuda.matmul.allow_tf32 == (chosen == "cpu")
    assert chosen_device(name, "tf32") == chosen
    assert torch.backends.cuda.matmul.allow_tf32


def test_an_accelerator_that_is_not_there(two_accelerators) -> None:
    with pytest.raises(ValueError, match="`device` must be cpu or one of cuda, cuda:0, cuda:1, got 'cuda:2'"):
        chosen_device("cuda:2")


def test_without_an_accelerator_there_is_the_cpu(monkeypatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert chosen_device() == "cpu"
    with pytest.raises(ValueError, match="`device` must be cpu, as there is no other, got 'cuda'"):
        chosen_device("cuda")
