"""Estimates of memory: sweeps count, and the real memory of a run is below the estimate."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

import pytest
import torch

from algorithms.draws import minibatches
from tests.networks.cases import SIZES, models, stream, world
from verify.networks.methods import METHODS
from verify.networks.training import footprint
from verify.networks.training.footprint import TooLarge, estimate, forget_peak, peak, require_room
from verify.networks.training.kernels import as_written
from verify.networks.training.measures import AT_ENDS
from verify.networks.training.models import mlp
from verify.networks.training.resume import task_by_task
from verify.networks.training.train import silent, starts
from verify.networks.training.world import NetworkWorld

RUNS, VALUES = 4, torch.linspace(0.1, 0.5, 5)[:, None]
DRAWS = minibatches(0, RUNS, SIZES, 2, 2, 2, memory_batch=2)


@pytest.mark.parametrize("name", METHODS)
def test_a_sweep_of_five_takes_five_times_the_state_and_the_work_of_one(name: str) -> None:
    algorithm, theta0 = METHODS[name](world()), models(RUNS)
    one = estimate(world(), algorithm, DRAWS, theta0)
    five = estimate(world(), algorithm, DRAWS, theta0.expand(5, *theta0.shape))
    single, swept = algorithm.init(theta0), algorithm.init(theta0.expand(5, *theta0.shape))
    shared = [
        name for name, entry in single.items() if hasattr(entry, "shape") and entry.shape == swept[name].shape
    ]
    assert set(shared) <= {
        "kept",
        "made",
        "labels",
        "met",
        "turn",
    }  # memories, and numbers independent of the model
    # The estimate counts a number without an axis of runs, as the number of the turn, once for each run
    of_shared = 2 * sum(single[name].nbytes * (1 if single[name].ndim else RUNS) for name in shared)
    assert five["state"] - of_shared == 5 * (one["state"] - of_shared)
    assert five["local work"] == 5 * one["local work"]
    for part in ("samples", "kernel", "draws"):
        assert five[part] == one[part]


def test_a_sweep_that_would_not_fit_is_refused(monkeypatch) -> None:
    large, theta0 = world(memory=2**20), models(RUNS)
    monkeypatch.setattr(footprint, "available", lambda device: 2 * 2**20)
    algorithm = METHODS["fedavg"](large)
    require_room(estimate(large, algorithm, DRAWS, theta0), "cpu")
    with pytest.raises(TooLarge, match=r"local work .*but 2 MiB are free on cpu"):
        require_room(estimate(large, algorithm, DRAWS, theta0.expand(1000, *theta0.shape)), "cpu")


def held() -> int:
    """Bytes held by the process after it returned freed memory."""
    ctypes.CDLL(None).malloc_trim(0)
    return 1024 * int(Path("/proc/self/status").read_text().partition("VmRSS:")[2].split()[0])


@pytest.mark.skipif(
    not os.access("/proc/self/clear_refs", os.W_OK), reason="no peak of a part of the process"
)
@pytest.mark.parametrize(
    ("name", "number"),
    [("fedavg", "local_lr"), ("special", "lam"), ("scaffold", "local_lr"), ("cflag", "beta"), ("ewc", "lam")],
)
def test_the_estimate_of_a_sweep_bounds_what_is_held(name: str, number: str) -> None:
    model = mlp((1, 2, 2), 4, (4000,))
    here = NetworkWorld(stream(), model, 2, compile=as_written, memory=2**20)
    algorithm, theta0 = METHODS[name](here, **{number: VALUES}), starts(model, 0, RUNS)
    expected = estimate(here, algorithm, DRAWS, theta0.expand(5, *theta0.shape))
    task_by_task(
        here, algorithm, DRAWS, theta0, 1, AT_ENDS, None, silent
    )  # data loaded only once do not count
    before = held()
    forget_peak("cpu")
    task_by_task(here, algorithm, DRAWS, theta0, 1, AT_ENDS, None, silent)
    taken = peak("cpu") - before
    assert 5 * RUNS * 2 * model.dim * theta0.itemsize < taken < sum(expected.values())
