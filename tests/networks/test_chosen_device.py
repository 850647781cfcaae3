"""The choice of the device, by name or automatically."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from verify.networks.training import world
from verify.networks.training.resolved import copied_to
from verify.networks.training.world import chosen_device, processes, settle


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


@pytest.mark.parametrize(("name", "number"), [("cuda", 2), ("cuda:1", 1), ("cpu", None)])
def test_processes_share_accelerators(name: str, number: int | None, two_accelerators) -> None:
    assert processes(name) == number


@pytest.mark.parametrize(
    ("name", "turn", "place"), [("cuda", 3, [1]), ("cuda", 2, [0]), ("cuda:1", 3, []), ("cpu", 3, [])]
)
def test_a_process_stays_with_its_first_accelerator(
    name: str, turn: int, place: list[int], two_accelerators, monkeypatch
) -> None:
    used: list[int] = []
    monkeypatch.setattr(world, "_SETTLED", [])
    monkeypatch.setattr(torch.cuda, "set_device", used.append)
    settle(name, turn)
    settle(name, turn + 1)
    assert used == place


@pytest.mark.parametrize(("device", "steps"), [("cuda", ["pinned", "to cuda"]), ("cpu", ["to cpu"])])
def test_numbers_are_sent_to_cuda_from_pinned_memory(device: str, steps: list[str]) -> None:
    done: list[str] = []

    class Numbers:
        def pin_memory(self) -> Numbers:
            done.append("pinned")
            return self

        def to(self, device: str, *, non_blocking: bool) -> Numbers:
            done.append(f"to {device}")
            assert non_blocking
            return self

    numbers: Any = Numbers()
    copied_to(numbers, device)
    assert done == steps
