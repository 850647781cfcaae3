"""Parts of systems that make samples: generators, numbers that look drawn, Adam."""

from __future__ import annotations

import pytest
import torch

from algorithms import target
from algorithms.generative import Adam, balanced, gaussians, picked
from tests.networks.cases import MODEL, close
from tests.networks.test_systems import last_state
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


def test_numbers_that_follow_from_numbers_look_drawn() -> None:
    numbers = torch.arange(20_000)
    found = gaussians(numbers, 8)
    assert found.mean().abs() < 0.01
    assert (found.var() - 1).abs() < 0.02
    assert ((found**4).mean() - 3).abs() < 0.1
    another = gaussians(numbers, 8, 1)
    for one, other in ((found[1:], found[:-1]), (found[1:], another[:-1]), (found, another)):
        assert (one * other).mean().abs() < 0.01
    counts = torch.bincount(picked(torch.arange(5), numbers, 0))
    assert ((counts - 4000).abs() < 250).all()
    assert (gaussians(numbers[:7], 8) == found[:7]).all()


def test_labels_are_balanced() -> None:
    assert balanced(torch.tensor([True, False, True]), 5).tolist() == [0, 2, 0, 2, 0]
