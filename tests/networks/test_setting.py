"""Settings: step sizes, optimisers and weights reach every method, and change nothing else."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache, partial

import numpy as np
import pytest
import torch

from algorithms.simulate import states
from verify.networks.data.deals import by_dirichlet
from verify.networks.experiments import draws, world
from verify.networks.methods import METHODS
from verify.networks.setting import Setting, algorithm_of, rates
from verify.networks.training.models import MODELS, in_precision
from verify.networks.training.train import starts

TINY = Setting(by_dirichlet, tasks=2, images=80, clients=4, sampled=2, rounds=1, epochs=1, batch=8, seeds=2)
UNWEIGHTED = {"fedweit/paper", "fedweit/released"}
"""Methods whose source divides each entry by the number of clients that sent it."""


def end(setting: Setting, method: str, **numbers: float) -> torch.Tensor:
    """The server's models after all tasks."""
    here = world(setting)
    theta0 = starts(here.model, 0, setting.seeds)
    *_, (_, _, state) = states(
        here, algorithm_of(setting, method, numbers, here), draws(setting), theta0, 1, 2
    )
    return state["theta"]


SLOWLY = replace(TINY, local_lr=0.01)
plainly = cache(partial(end, SLOWLY))
"""The reference of both tests of all methods."""


@pytest.mark.usefixtures("small_methods")
@pytest.mark.parametrize("method", METHODS)
def test_clients_weigh_by_their_samples(method: str) -> None:
    soon = {"head_steps": 1} if method == "fedrep" else {}  # so few steps change heads only
    weighted = end(replace(SLOWLY, weights="size"), method, **soon)
    assert weighted.isfinite().all()
    assert torch.equal(plainly(method, **soon), weighted) == (method in UNWEIGHTED)


def test_a_weighted_mean_is_written_out() -> None:
    setting = replace(TINY, weights="size", sampled=4, tasks=1)
    here, drawn = world(setting), draws(setting)
    theta0 = starts(here.model, 0, 2)
    chosen, taken = drawn.participants(0, 0), drawn.noise(0, 0)
    ends = []
    for client in range(4):
        own = taken[np.arange(2), (chosen == client).argmax(-1)][:, None]
        own = own[:, :, (own[..., 0] >= 0).any((0, 1))]  # steps that are made at all
        alone = replace(
            drawn,
            n_sampled=1,
            participants=lambda *_, c=client: np.full((2, 1), c),
            noise=lambda *_, o=own: o,
        )
        *_, (_, _, state) = states(here, algorithm_of(setting, "fedavg", {}, here), alone, theta0, 1)
        ends.append(state["theta"])
    shares = torch.tensor(here.sizes[0] / here.sizes[0].sum(-1, keepdims=True)).float()
    expected = torch.einsum("rm,mrd->rd", shares, torch.stack(ends))
    *_, (_, _, state) = states(here, algorithm_of(setting, "fedavg", {}, here), drawn, theta0, 1)
    torch.testing.assert_close(state["theta"], expected, rtol=1e-4, atol=1e-5)


@pytest.mark.usefixtures("small_methods")
@pytest.mark.parametrize("method", METHODS)
def test_every_method_has_adam(method: str) -> None:
    models = end(replace(SLOWLY, optimiser="adamw"), method)
    assert models.isfinite().all()
    assert not torch.equal(models, plainly(method))


def test_weights_of_teachers_are_no_step_sizes() -> None:
    assert rates(METHODS["flwf-2t"]) == ("local_lr",)
    assert rates(METHODS["cflag"]) == ("alpha", "beta")
    assert rates(METHODS["fedmes"]) == ("local_lr", "correction_lr")
    assert all(rates(method) for method in METHODS.values())


@pytest.mark.parametrize(("name", "least"), [("cnn6", 8), ("lenet", 4)])
def test_models_of_the_papers_take_the_digits(name: str, least: int) -> None:
    model = MODELS[name]((1, 8, 8), 10)
    theta = model.init(np.random.default_rng(0))
    assert model.name == name
    assert model.logits(theta, torch.rand(3, 1, 8, 8)).shape == (3, 10)
    with pytest.raises(ValueError, match=f"at least {least} pixels"):
        MODELS[name]((1, least - 1, least - 1), 10)


def test_bf16_is_near_and_its_parameters_stay_exact() -> None:
    plain = MODELS["mlp"]((1, 8, 8), 10)
    low = in_precision(plain, "bf16", "cpu")
    theta, images = plain.init(np.random.default_rng(0)), torch.rand(5, 1, 8, 8)
    assert low.logits(theta, images).dtype == torch.float32
    gap = (low.logits(theta, images) - plain.logits(theta, images)).abs().max()
    assert 0 < gap < 0.05
    with pytest.raises(ValueError, match="`precision` must be float32 or bf16 on cpu, got tf32"):
        in_precision(plain, "tf32", "cpu")


@pytest.mark.parametrize(
    ("name", "value"), [("optimiser", "sgdm"), ("weights", "often"), ("precision", "float8")]
)
def test_unknown_words_are_refused(name: str, value: str) -> None:
    with pytest.raises(ValueError, match=f"`{name}` must be one of .*, got '{value}'"):
        replace(TINY, **{name: value})


@pytest.mark.parametrize(
    ("name", "values"),
    [("epochs", (0, -1, math.nan)), ("fading", (0, -0.5, math.inf)), ("decay", (math.inf, math.nan))],
)
def test_numbers_without_a_meaning_are_refused(name: str, values: tuple[float, ...]) -> None:
    for value in values:
        with pytest.raises(ValueError, match=f"`{name}` must be .*, got {value}"):
            replace(TINY, **{name: value})


@pytest.mark.parametrize("method", ["fedavg", "special", "cflag"])
def test_one_step_for_all_is_taken_whatever_was_selected(method: str) -> None:
    steps = rates(METHODS[method])
    chosen = end(replace(TINY, step=0.05), method, **dict.fromkeys(steps, 0.3))
    assert torch.equal(chosen, end(TINY, method, **dict.fromkeys(steps, 0.05)))
    assert not torch.equal(chosen, end(TINY, method, **dict.fromkeys(steps, 0.3)))


def test_steps_that_are_swept_are_not_one_for_all() -> None:
    here = world(TINY)
    with pytest.raises(ValueError, match=r"`step` must be None where local_lr of fedavg is swept, got 0.1"):
        algorithm_of(replace(TINY, step=0.1), "fedavg", {"local_lr": (0.1, 0.2)}, here)
