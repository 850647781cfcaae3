"""Methods, measures and the benchmark on the emulated device give the results of the CPU, bit by bit."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch

from algorithms.algorithm import Algorithm
from algorithms.cfl_regularization import cfl_regularization
from algorithms.cflag import cflag
from algorithms.draws import Draws, minibatches
from algorithms.memory import ring
from algorithms.penalty import second_order
from algorithms.simulate import states
from algorithms.special import special
from tests.benchmarks import accelerator
from tests.benchmarks.accelerator import (
    Case,
    Way,
    copy_rate,
    digits,
    matrix_rate,
    measure,
    measure_draws,
    pictures,
)
from tests.networks import cases
from tests.networks.cases import MODEL, SIZES, K, M, S, made, models
from tests.networks.emulated import DEVICE, HOST, Device, OnDevice, same
from tests.networks.recorder import Recorder
from verify.networks.data.deals import by_dirichlet
from verify.networks.data.images import Kind
from verify.networks.measured import bounds as comparison
from verify.networks.measured.bounds import cfl_comparisons, cflag_comparisons, special_comparisons
from verify.networks.measured.rounds import (
    Run,
    by_name,
    cfl_constants,
    cflag_constants,
    in_task,
    keep,
    run,
    special_constants,
)
from verify.networks.methods import METHODS
from verify.networks.setting import Setting
from verify.networks.training.captured import Captured, rounds_on
from verify.networks.training.checkpoint import Checkpoint
from verify.networks.training.federations import Federations, own_minibatches, table
from verify.networks.training.footprint import bytes_per_sample
from verify.networks.training.fused import never
from verify.networks.training.kernels import Samples, as_written, gradient
from verify.networks.training.measures import EVERY_ROUND
from verify.networks.training.models import MODELS, mlp, resnet18
from verify.networks.training.train import Trained, starts, train
from verify.networks.training.world import NetworkWorld
from verify.scenes.networks import forgetting_term

RUNS, ROUNDS = 2, 2
world = partial(cases.world, fuse=never)
"""Fused kernels run on the CPU only, and differ by rounding."""


def trained(name: str, device: str, kind: Kind = "class", steps: int = 2, **kwargs: Any) -> Trained:
    here = world(kind, device=device)
    drawn = minibatches(0, RUNS, SIZES, 2, steps, 2, memory_batch=2)
    start = starts(MODEL, 0, RUNS, device)
    return train(here, made(name, here), drawn, start, ROUNDS, measure=EVERY_ROUND, **kwargs)


class Stopped(Exception):
    pass


def stop(line: str) -> None:
    raise Stopped


@pytest.mark.parametrize("name", METHODS)
def test_a_method_trains_on_a_device_and_goes_on_on_any(name: str, tmp_path) -> None:
    whole = trained(name, HOST)
    first, second = (Checkpoint(tmp_path / f"{place}.npz", name) for place in (DEVICE, HOST))
    with Device():
        with pytest.raises(Stopped):
            trained(name, DEVICE, checkpoint=first, progress=stop)
        shutil.copy(first.path, second.path)
        there = trained(name, DEVICE, checkpoint=first)
        assert isinstance(there.models, OnDevice)
        assert (there.models.cpu() == whole.models).all()
    here = trained(name, HOST, checkpoint=second)
    assert (here.models == whole.models).all()
    for found in (there, here):
        np.testing.assert_array_equal(found.by_round, whole.by_round)


def waits_of_a_round(name: str, steps: int) -> int:
    """Waits of the second task, in which methods use everything that they remember."""
    here = world("class", device=DEVICE)
    drawn = minibatches(0, RUNS, SIZES, 2, steps, 2, memory_batch=2)
    with Device() as device:
        start = starts(MODEL, 0, RUNS, DEVICE)
        played = states(here, made(name, here), drawn, start, 1, K, play=rounds_on(DEVICE))
        *_, before, after = (device.waits for _ in played)
    return after - before


@pytest.mark.parametrize("name", METHODS)
def test_local_steps_do_not_wait_for_the_device(name: str) -> None:
    assert waits_of_a_round(name, 2) == waits_of_a_round(name, 1)


@pytest.mark.parametrize("kind", ["domain", "task"])
@pytest.mark.parametrize("name", ["icarl", "fedmes-inference"])
def test_other_kinds_of_tasks(kind: Kind, name: str) -> None:
    same(lambda device: trained(name, device, kind).by_round)


def federations(device: str) -> Federations:
    """Two federations, the second with the clients of the first in another order."""
    whole = world("class", device=device)
    rows = [[(i * M + m) * S + np.arange(SIZES[i, m]) for m in range(M)] for i in range(K)]
    deals = [rows, [of_task[::-1] for of_task in rows]]
    return Federations(
        whole.stream, MODEL, 2, device, rows=table(deals), tested=whole.tests, whole=whole, quick=whole
    )


@pytest.mark.parametrize(
    "name", ["fedavg", "lwf", "icarl", "fedmes-inference", "cflag", "cfl-mcmc", "fedcil/paper"]
)
def test_federations_of_single_runs(name: str) -> None:
    """Minibatches are drawn on the device of the models."""

    def played(device: str) -> Any:
        here = federations(device)
        drawn = own_minibatches(0, 0, here.sizes, 2, np.full_like(here.sizes, 2), 2, device)
        found = train(here, made(name, here), drawn, starts(MODEL, 0, RUNS, device), ROUNDS)
        return found.by_round, found.models

    same(played)


def test_federations_are_where_their_stream_is() -> None:
    with pytest.raises(
        ValueError, match="`device` must be that of `whole` and `quick`, cpu and cpu, got 'meta'"
    ):
        replace(federations(HOST), device=DEVICE)


# ------------------------------------------------------------------------------ models, oracles and constants

PICTURE, CLASSES = (1, 8, 8), 3
SMALL = {**MODELS, "resnet18": partial(resnet18, width=2, groups=2)}


@pytest.mark.parametrize("name", SMALL)
def test_gradients_of_models(name: str) -> None:
    model, rng = SMALL[name](PICTURE, CLASSES), np.random.default_rng(0)
    images, labels = rng.random((3, *PICTURE), dtype=np.float32), np.arange(3)

    def computed(device: str) -> Any:
        theta, x, y = (
            starts(model, 0, 2, device),
            *(torch.as_tensor(a, device=device) for a in (images, labels)),
        )
        kernel = gradient(model, Samples(x, y))
        rows, weights = torch.as_tensor([[0, 1], [2, 1]]).to(device), torch.ones(2, 2, device=device)
        return kernel(theta, rows, weights), bytes_per_sample(model, x)

    same(computed)


@pytest.mark.parametrize("kind", ["domain", "class", "task"])
def test_oracles(kind: Kind) -> None:
    kept = np.array([[[0, S, -1], [1, -1, -1], [-1, -1, -1]]] * RUNS)
    u, block = np.random.default_rng(0).integers(9, size=(RUNS, M, 4)), np.zeros((RUNS, M), dtype=int)

    def computed(device: str) -> Any:
        here, x = world(kind, device=device), models(RUNS, M).to(device)
        teacher = models(RUNS, M, seed=1).to(device)
        oracles = here.at(1), here.over(kept)
        found = [
            (o.loss(x), o.grad(x), o.curvature(x), o.hessian_diagonal(x, 2), o.components(x)) for o in oracles
        ]
        drawn = [
            (
                o.stochastic_grad(x, u),
                o.taught_grad(x, u, 0.5, [(2, teacher)]),
                o.binary_grad(x, u, teacher, 0.5, 1),
                o.component_grad(x, block),
            )
            for o in oracles
        ]
        return found, drawn

    same(computed)


def test_herding() -> None:
    def ranked(device: str) -> Any:
        theta = models(RUNS).to(device)
        return world(device=device).herding(theta, 0), federations(device).herding(theta, 1)

    same(ranked)


STEP = 0.3
RATES = {"N": M, "E": 2, "K": 2, "gamma_L": STEP, "gamma_G": 1, "lam": 0.2}
RATES |= {"eta_l": STEP, "eta_g": 1, "alpha": STEP, "beta": STEP}


def seen_of_special(here: NetworkWorld, drawn: Draws, found: Run) -> Any:
    seen = by_name([special_constants(here, visit) for visit in found.visits])
    return seen, special_comparisons(here, found, in_task(found, seen, K - 1), RATES)


def seen_of_cfl(here: NetworkWorld, drawn: Draws, found: Run) -> Any:
    kept = keep(here, drawn, found.models, {"fisher": second_order}, 2)
    seen = by_name([cfl_constants(here, visit, kept) for visit in found.visits])
    return seen, cfl_comparisons(here, found, in_task(found, seen, K - 1), RATES, "fisher")


def seen_of_cflag(here: NetworkWorld, drawn: Draws, found: Run) -> Any:
    later = replace(found, visits=[visit for visit in found.visits if visit.task])
    seen = by_name([cflag_constants(here, visit) for visit in later.visits])
    return seen, cflag_comparisons(here, later, in_task(later, seen, K - 1), RATES)


@pytest.mark.parametrize(
    ("method", "seen"),
    [
        (special(STEP, 1, 0.2), seen_of_special),
        (cfl_regularization(STEP, M), seen_of_cfl),
        (cflag(STEP, STEP, M, 2, ring(1)), seen_of_cflag),
    ],
)
def test_constants_along_runs(method: Algorithm, seen: Any, monkeypatch) -> None:
    monkeypatch.setattr(comparison, "_compared", lambda values, *ids: values)  # the input of SymPy

    def computed(device: str) -> Any:
        here, drawn = world(device=device), minibatches(0, RUNS, SIZES, M, 2, 2)
        start, every_round = starts(MODEL, 0, RUNS, device), [(task, 0) for task in range(K)]
        found = run(here, method, drawn, start, 1, every_round)
        return seen(here, drawn, found), found.models

    same(computed, rtol=1e-12)  # PyTorch computes eigenvalues differently for tensors like `OnDevice`


def test_forgetting_terms(monkeypatch) -> None:
    setting = Setting(by_dirichlet, rounds=ROUNDS, seeds=RUNS)

    def computed(device: str) -> Any:
        here = federations(device)
        monkeypatch.setattr(forgetting_term, "world", lambda setting: here)
        monkeypatch.setattr(
            forgetting_term,
            "draws",
            lambda setting: own_minibatches(0, 0, here.sizes, M, np.full_like(here.sizes, 2), 2),
        )
        forgetting_term.forgetting_terms.cache_clear()
        return forgetting_term.forgetting_terms(setting, 2, 1.0)

    same(computed)
    forgetting_term.forgetting_terms.cache_clear()


@pytest.mark.parametrize("made", [partial(digits, mlp, (1, 2), 1), partial(pictures, 8, 2, (1,))])
@pytest.mark.parametrize("way", ["loop", "vmap"])
def test_the_benchmark(made: Callable[[], Case], way: str, capsys) -> None:
    case = replace(made(), steps=1)
    with Device():
        assert matrix_rate(DEVICE, 8, 1) > 0
        assert copy_rate(DEVICE, 8, 1) > 0
        measure(case, DEVICE, way, (1e9, 1e9), 1)
    *lines, enough = capsys.readouterr().out.splitlines()
    assert [float(line.split()[-1]) < 1e-6 for line in lines] == [True] * len(case.seeds)
    assert "saturated from" in enough


def test_the_benchmark_by_a_graph(capsys, monkeypatch) -> None:
    recorder = Recorder()
    way = Way(as_written, lambda device: Captured(recorder))
    monkeypatch.setitem(accelerator.LADDER, "graph", way)
    with Device():
        measure(replace(digits(mlp, (1,), 3), steps=2), DEVICE, "graph", (1e9, 1e9), 1)
    line, _ = capsys.readouterr().out.splitlines()
    assert float(line.split()[-1]) < 1e-6
    assert (recorder.recordings, recorder.replays) == (1, 2 + 2 * 3)  # all three replays of three rounds


def test_the_benchmark_of_draws(capsys) -> None:
    with Device():
        measure_draws(digits(mlp, (1, 3), 1), DEVICE, 1)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[-1] for line in lines] == ["equal", "equal"]


# --------------------------------------------------------------------------------------- the choice of a device
