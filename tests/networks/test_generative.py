"""Parts of generative systems: generators, pseudo-random numbers, Adam, and the work between rounds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from algorithms import fedcil, target
from algorithms.algorithm import Moment
from algorithms.draws import minibatches
from algorithms.generative import balanced, entry_at_random, gaussians, many, nothing_made, slope, with_slopes
from algorithms.optimisers import Adam
from algorithms.simulate import states
from tests.networks.cases import MODEL, SIZES, C, K, M, close, made, models, world
from tests.networks.test_systems import DRAWS, RUNS, START, last_state
from verify.networks.training.evaluate import correct
from verify.networks.training.federations import own_minibatches
from verify.networks.training.generators import convolutional, generator


@pytest.mark.parametrize("image", [(1, 8, 8), (1, 28, 28), (3, 32, 32)])
def test_generators_make_images_of_every_size(image: tuple[int, int, int]) -> None:
    made_by = generator(image, 4, 3)
    theta = 0.1 * torch.randn(made_by.dim, generator=torch.Generator().manual_seed(0))
    images = made_by.images(theta, torch.randn(5, 4), torch.tensor([0, 1, 2, 0, 1]))
    assert images.shape == (5, *image)
    assert ((images > 0) & (images < 1)).all()


def test_a_system_trains_with_convolutions() -> None:
    synthesis = target.Synthesis(1, 2, 1, 0, 1)
    method = target.target(0.1, 1.0, MODEL, convolutional(MODEL.image, 2, 0), synthesis)
    assert last_state(method)["theta"].isfinite().all()


def test_adam_is_that_of_pytorch() -> None:
    rng = torch.Generator().manual_seed(0)
    start, slopes = torch.randn(2, 3, generator=rng), torch.randn(4, 2, 3, generator=rng)
    point = start.clone().requires_grad_()
    theirs, ours = torch.optim.Adam([point], lr=0.1, betas=(0.5, 0.999)), Adam(0.1, 0.5)
    x, at = start, ours.start(start)
    for g in slopes:
        point.grad = g
        theirs.step()
        x, at = ours.step(x, g, at)
    close(x, point.detach())


@pytest.mark.parametrize("n_samples", [1, 2, 8])
def test_slopes_of_many_models_are_those_of_each_however_many_at_a_time(n_samples: int) -> None:
    class Room:
        def fitting(self, n_samples: int) -> int:
            return 8 // n_samples

    def loss(x: torch.Tensor, y: torch.Tensor, power: int) -> tuple[torch.Tensor, torch.Tensor]:
        return (x**power).sum() * y.exp().prod(), 2 * y

    rng = torch.Generator().manual_seed(0)
    x, y = torch.randn(5, 3, generator=rng), torch.randn(5, 2, generator=rng)
    kernel = with_slopes(loss, (0, 0, None), points=2)
    of_x, of_y, value, beside = many(Room(), n_samples, kernel, n_shared=1)(x, y, 3)
    factor, total = y.exp().prod(-1, keepdim=True), (x**3).sum(-1, keepdim=True)
    close(of_x, 3 * x**2 * factor)
    close(of_y, (total * factor).expand(-1, 2))
    close(value, (total * factor)[:, 0])
    close(beside, 2 * y)
    assert not any(part.requires_grad for part in (of_x, of_y, value, beside))
    joined = slope(lambda x, y: loss(x, y, 3)[0], points=2)
    close(many(Room(), n_samples, joined)(x, y), torch.cat([of_x, of_y], -1))


def test_numbers_that_follow_from_numbers_look_drawn() -> None:
    numbers = torch.arange(20_000)
    found = gaussians(numbers, 8)
    assert found.mean().abs() < 0.01
    assert (found.var() - 1).abs() < 0.02
    assert ((found**4).mean() - 3).abs() < 0.1
    another = gaussians(numbers, 8, 1)
    for one, other in ((found[1:], found[:-1]), (found[1:], another[:-1]), (found, another)):
        assert (one * other).mean().abs() < 0.01
    counts = torch.bincount(entry_at_random(torch.arange(5), numbers, 0))
    assert ((counts - 4000).abs() < 250).all()
    assert (gaussians(numbers[:7], 8) == found[:7]).all()


def test_nothing_made_has_a_place_for_every_sweep_run_and_sample() -> None:
    found = nothing_made(torch.ones(4, 2, 7), 5, {"images": 3, "labels": 1})
    assert {name: tuple(part.shape) for name, part in found.items()} == {
        "images": (4, 2, 5, 3),
        "labels": (4, 2, 5, 1),
    }
    assert not any(part.any() for part in found.values())


def test_labels_are_balanced() -> None:
    assert balanced(torch.tensor([0, 2]), 5).tolist() == [0, 2, 0, 2, 0]


# ------------------------------------------------------------------------- work between rounds


@pytest.mark.parametrize("maker", ["minibatches", "own_minibatches"])
def test_numbers_for_between_rounds_are_keyed(maker: str) -> None:
    """They depend on run, task, round and key: more runs change none of them, and any other change gives other numbers."""

    def of(runs: int) -> Callable[[int, int], Callable[..., np.ndarray]]:
        if maker == "minibatches":
            return minibatches(0, runs, SIZES, 2, 1, 2).normals
        sizes = np.stack([SIZES] * runs, 1)
        return own_minibatches(0, 0, sizes, 2, np.ones_like(sizes), 2).normals

    few, many = of(2), of(3)
    first = few(0, 1)(3, 4, 5)
    assert first.shape == (2, 4, 5)
    assert (first == few(0, 1)(3, 4, 5)).all()
    assert (first == many(0, 1)(3, 4, 5)[:2]).all()
    for other in (few(1, 1)(3, 4, 5), few(0, 0)(3, 4, 5), few(0, 1)(4, 4, 5)):
        assert (first != other).all()
    assert abs(few(0, 0)(0, 10_000).mean()) < 0.03


def test_draws_without_numbers_are_refused() -> None:
    bare = replace(DRAWS, normals=None)
    with pytest.raises(ValueError, match="`draws` must have `normals`"):
        last_state(made("target/paper", world()), bare)


def test_generators_of_all_participants_make_equally_many_samples() -> None:
    """For a batch of seven, each of two clients makes three; the server's own generator and its previous one make as
    many as both together.
    """
    asked: list[tuple[int, ...]] = []

    def normals(task: int, played: int) -> Callable[..., np.ndarray]:
        def found(key: int, *shape: int) -> np.ndarray:
            asked.append(shape)
            return DRAWS.normals(task, played)(key, *shape)

        return found

    here = world("class")
    method = made("fedcil/paper", here, consolidation=fedcil.Consolidation(1, 7))
    *_, (_, _, state) = states(here, method, replace(DRAWS, normals=normals), START, 1, 1)
    assert state["theta"].isfinite().all()
    assert {rows for rows, _ in asked} == {3 * 6}


def test_what_happens_between_rounds_knows_how_many_are_left() -> None:
    told: list[tuple[int, int]] = []

    def end_round(here: Any, state: Any, moment: Moment) -> Any:
        told.append((moment.task, moment.left))
        return {**state, "theta": state["theta"] + 1}

    here = world()
    plain = made("fedavg", here)
    path = [
        state["theta"] for *_, state in states(here, replace(plain, end_round=end_round), DRAWS, START, 2, K)
    ]
    assert told == [(task, left) for task in range(K) for left in (1, 0)]
    first = [state["theta"] for *_, state in states(here, plain, DRAWS, START, 1, 1)][-1]
    assert (path[1] == first + 1).all()


def test_models_for_told_tasks_are_tested_on_their_own_task() -> None:
    here, each = world("class"), [models(RUNS, M, seed=task) for task in range(K)]
    found = correct(here, each)
    for task in range(K):
        assert (found[..., task, :] == correct(here, each[task])[..., task, :]).all()


def test_a_network_of_its_own_is_tested_as_such() -> None:
    class Turned:
        dim, features = MODEL.dim, staticmethod(MODEL.features)
        logits = staticmethod(lambda theta, images: -MODEL.logits(theta, images))
        scores = staticmethod(lambda theta, features: -MODEL.scores(theta, features))

    here, served = world("class"), models(RUNS, 1)
    flipped = -served.clone()
    flipped[..., : MODEL.dim - C * (MODEL.n_features + 1)] *= -1  # only the head changes its sign
    assert (correct(here, served, network=Turned) == correct(here, flipped)).all()
