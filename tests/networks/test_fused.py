"""Fused gradients equal those of autograd for every loss of local steps, and unknown losses are not fused."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.networks.cases import MODEL, C, close, models, stream, world
from verify.networks.training import fused, kernels
from verify.networks.training.kernels import as_written, compiled
from verify.networks.training.models import MODELS, in_precision, linear, mlp
from verify.networks.training.world import NetworkWorld

NETWORKS = (linear((1, 3, 4), 5), mlp((1, 3, 4), 5, (7,)), mlp((2, 2, 2), 3, (5, 4)))
N_SAMPLES = 9


def case(network: int, n_models: int, batch: int, seed: int, *, known: bool) -> SimpleNamespace:
    """A network, samples, models, and rows, some of them missing; `known` says which classes compete for a sample.

    Pixels and weights are multiples of 1/16: single and double precision agree about the sign of every hidden unit.
    """
    made, rng = NETWORKS[network], np.random.default_rng(seed)
    labels = rng.integers(made.n_classes, size=N_SAMPLES)
    allowed = rng.random((N_SAMPLES, made.n_classes)) < 0.5
    allowed[np.arange(N_SAMPLES), labels] = True
    rows = rng.integers(-1, N_SAMPLES, (n_models, batch))
    return SimpleNamespace(
        rng=rng,
        model=made,
        samples=kernels.Samples(
            sixteenths(rng, N_SAMPLES, *made.image),
            torch.from_numpy(labels),
            torch.from_numpy(allowed) if known else None,
        ),
        theta=sixteenths(rng, n_models, made.dim),
        drawn=(torch.from_numpy(rows), torch.from_numpy((rows >= 0) * rng.random(rows.shape, np.float32))),
    )


def sixteenths(rng: np.random.Generator, *shape: int) -> torch.Tensor:
    """Normal numbers (*shape) of deviation 1/2, rounded to multiples of 1/16."""
    return torch.from_numpy(np.round(8 * rng.normal(size=shape)).astype(np.float32) / 16)


CASES = st.builds(
    case,
    st.integers(0, len(NETWORKS) - 1),
    st.integers(1, 20),
    st.integers(1, 6),
    st.integers(0, 2**32 - 1),
    known=st.booleans(),
)


def agree(make: kernels.Make, here: SimpleNamespace, *arguments: torch.Tensor | float) -> None:
    """Compared with autograd in double precision, because in single precision autograd is the less exact of the two."""
    quick = fused.kernel(make, here.model, here.samples)
    assert quick is not None
    derived = make(here.model, replace(here.samples, images=here.samples.images.double()))
    close(quick(*arguments).double(), derived(*map(doubled, arguments)))


def doubled(number: torch.Tensor | float) -> torch.Tensor | float:
    return number.double() if isinstance(number, torch.Tensor) and number.is_floating_point() else number


def test_dense_networks_are_fused() -> None:
    assert fused._numba_passes() is not None


def test_only_a_missing_numba_is_passed_over(monkeypatch) -> None:
    unpatched = fused._numba_passes.__wrapped__
    monkeypatch.delattr("verify.networks.training.passes", raising=False)
    monkeypatch.setitem(sys.modules, "verify.networks.training.passes", None)
    with pytest.raises(ModuleNotFoundError, match=r"verify\.networks\.training\.passes"):
        unpatched()


def test_a_numba_that_refuses_numpy_is_told_in_a_line(monkeypatch, capsys) -> None:
    unpatched = fused._numba_passes.__wrapped__

    class Refusing:
        def find_spec(self, name: str, *rest: object) -> None:
            if name == "numba":
                raise ImportError("Numba needs NumPy 2.2 or less. Got NumPy 2.4.\nand more")

    monkeypatch.delitem(sys.modules, "numba", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Refusing(), *sys.meta_path])
    assert unpatched() is None
    assert capsys.readouterr().err == (
        "networks: Numba cannot be used, so slower (Numba needs NumPy 2.2 or less. Got NumPy 2.4.)\n"
    )


@settings(deadline=None, max_examples=40)
@given(CASES)
def test_gradients_by_labels(here) -> None:
    agree(kernels.gradient, here, here.theta, *here.drawn)


@settings(deadline=None, max_examples=40)
@given(CASES, st.integers(0, 2), st.integers(1, 3), st.floats(0.5, 3))
def test_gradients_by_teachers(here, n_teachers, n_groups, temperature) -> None:
    shape = (len(here.theta), 1 + n_teachers)
    strengths = torch.from_numpy(here.rng.random(shape, np.float32))
    teachers = [here.theta + i + 1 for i in range(n_teachers)]
    groups = torch.from_numpy(here.rng.random((n_groups, here.model.n_classes)) < 0.6)
    groups[:, 0] = True
    new = torch.from_numpy(here.rng.random(here.model.n_classes) < 0.6)
    agree(kernels.taught, here, here.theta, strengths, *teachers, *here.drawn, new, groups, temperature)


@settings(deadline=None, max_examples=40)
@given(CASES)
def test_gradients_of_binary_losses(here) -> None:
    new, old = (torch.from_numpy(here.rng.random(here.model.n_classes) < 0.5) for _ in range(2))
    strength = torch.from_numpy(here.rng.random((len(here.theta), 1), np.float32))
    agree(kernels.binary, here, here.theta, here.theta - 1, strength, *here.drawn, new, old)


@settings(deadline=None, max_examples=40)
@given(CASES)
def test_products_with_the_hessian(here) -> None:
    agree(kernels.hessian_product, here, here.theta, sixteenths(here.rng, *here.theta.shape), *here.drawn)


@settings(deadline=None, max_examples=40)
@given(CASES)
def test_squared_gradients_of_single_samples(here) -> None:
    agree(kernels.squared_gradients, here, here.theta, *here.drawn)


@settings(deadline=None, max_examples=40)
@given(CASES)
def test_norms_of_gradients_of_single_samples(here) -> None:
    agree(kernels.gradient_norms, here, here.theta, *here.drawn)


@settings(deadline=None, max_examples=40)
@given(CASES, st.booleans())
def test_predictions(here, lost) -> None:
    """Also for diverged models, and for many images, which are processed in parts."""
    among = torch.from_numpy(here.rng.random(here.model.n_classes) < 0.6)
    among[here.rng.integers(here.model.n_classes)] = True
    rows = torch.from_numpy(here.rng.integers(N_SAMPLES, size=(len(here.theta), 150)))
    if lost:
        here.theta[0, here.rng.integers(here.model.dim)] = torch.nan
    arguments = here.theta, rows, torch.ones(rows.shape), among
    quick, derived = (of(kernels.predicted, here.model, here.samples) for of in (fused.kernel, _derived))
    assert (quick(*arguments) == derived(*arguments)).all()


def test_models_in_double_precision_are_derived_by_autograd() -> None:
    here = case(1, 3, 4, 0, known=True)
    quick, derived = (of(kernels.gradient, here.model, here.samples) for of in (fused.kernel, _derived))
    theta = here.theta.double()
    assert quick(theta, *here.drawn).dtype == torch.float64
    assert (quick(theta, *here.drawn) == derived(theta, *here.drawn)).all()


def _derived(make, model, samples):
    return make(model, samples)


def test_large_logits_stay_finite() -> None:
    here = case(1, 3, 4, 0, known=False)
    agree(kernels.gradient, here, 100 * here.theta, *here.drawn)


def test_threads_change_nothing(monkeypatch) -> None:
    here = case(1, 3 * fused.LEAST_MODELS + 1, 4, 0, known=True)
    quick = fused.kernel(kernels.gradient, here.model, here.samples)
    alone = quick(here.theta, *here.drawn)
    for number in (2, 3, 8):
        monkeypatch.setattr(torch, "get_num_threads", lambda number=number: number)
        assert (quick(here.theta, *here.drawn) == alone).all()


def test_worlds_fuse_by_themselves_and_work_on_those_that_do_not_rest() -> None:
    """If clients are inactive, compiled kernels still work on a fixed number of models, fused kernels on the active ones only."""
    x, u = models(2, 3), np.arange(12).reshape(2, 3, 2)
    u[1, 2] = -1
    fast = world(compile=compiled, at_most=4)
    slow = world(fuse=fused.never)
    found = fast.at(0).stochastic_grad(x, u)
    close(found, slow.at(0).stochastic_grad(x, u))
    assert (found[1, 2] == 0).all()
    assert (found[:, :2] != 0).any(-1).all()
    assert fast.passes_over(kernels.gradient)
    assert fast.worth(kernels.gradient, 3) == fast.worth(kernels.loss, 3) - 1 == 3
    assert replace(fast, fuse=fused.never).worth(kernels.gradient, 3) == 4


@pytest.mark.parametrize("make", [kernels.gradient, kernels.binary])
def test_models_without_samples_are_passed_over(make) -> None:
    here = case(1, 5, 4, 0, known=False)
    rows, weights = here.drawn
    weights[3] = 0
    here.theta[3] = torch.nan
    every = torch.ones(here.model.n_classes, dtype=torch.bool)
    rest = (here.theta, torch.ones(5, 1)), (every, every)
    before, after = rest if make is kernels.binary else ((), ())
    found = fused.kernel(make, here.model, here.samples)(here.theta, *before, rows, weights, *after)
    assert (found[3] == 0).all()
    assert (found[[0, 1, 2, 4]] != 0).any(-1).all()


def test_other_networks_and_losses_are_not_fused() -> None:
    here = case(1, 1, 1, 0, known=False)
    for name in ("cnn", "lenet", "resnet18"):
        assert MODELS[name]((1, 8, 8), C).widths is None
    assert MODEL.widths == (4, 3, C)
    assert fused.kernel(kernels.gradient, here.model, here.samples) is not None
    assert fused.kernel(kernels.loss, here.model, here.samples) is None
    assert fused.kernel(kernels.gradient, MODELS["cnn"]((1, 8, 8), C), here.samples) is None
    assert fused.kernel(kernels.gradient, in_precision(here.model, "bf16", "cpu"), here.samples) is None
    elsewhere = kernels.Samples(here.samples.images.to("meta"), here.samples.labels)
    assert fused.kernel(kernels.gradient, here.model, elsewhere) is None


def test_without_numba_kernels_are_derived(monkeypatch) -> None:
    monkeypatch.setattr(fused, "_numba_passes", lambda: None)
    here, x = NetworkWorld(stream(), MODEL, 2, compile=as_written), models(3)
    assert (here.at(0).grad(x) == world(fuse=fused.never).at(0).grad(x)).all()


WALKED = """
from tests.networks.test_walks import RESTING, ends, world

for name in ("fedavg", "lwf", "icarl"):
    print(name, ends(name, world("class"), RESTING)[-1].numpy().tobytes().hex())
"""


@pytest.mark.slow
def test_a_process_that_compiles_rounds_like_those_that_load(tmp_path) -> None:
    """There a kernel calls another copy of a function, in which sums might be in another order."""
    there = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    compiling, loading = (
        subprocess.run([sys.executable, "-c", WALKED], env=there, capture_output=True, check=True).stdout
        for _ in range(2)
    )
    assert any(tmp_path.rglob("*.nbc"))
    assert compiling == loading


AHEAD = """
from verify.networks.training import ahead, kernels, passes

ahead.ahead(kernels.predicted)
ahead._call("predicted")
print(sum(passes.predicted.stats.cache_hits.values()), len(passes.predicted.stats.cache_misses))
"""


@pytest.mark.slow
def test_kernels_are_compiled_by_a_process_of_their_own(tmp_path) -> None:
    there = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    asked = subprocess.run(
        [sys.executable, "-c", AHEAD], env=there, capture_output=True, check=True, text=True
    )
    assert asked.stdout.split() == ["1", "0"]


def test_a_kernel_is_compiled_when_its_walk_is(tmp_path) -> None:
    """A caller in between would compile the walk in its own process, and keep the compiler in memory."""
    from verify.networks.training import ahead

    for name, parts in (("taught", ("taught", "taught_walk")), ("predicted", ("predicted",))):
        for part in parts:
            assert not ahead._on_disk(name, tmp_path)
            (tmp_path / f"passes.{part}-1.py311.1.nbc").touch()
        assert ahead._on_disk(name, tmp_path)
    os.utime(tmp_path / "passes.taught_walk-1.py311.1.nbc", (0, 0))
    assert not ahead._on_disk("taught", tmp_path)
