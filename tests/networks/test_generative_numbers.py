"""Generated numbers, labels and features, compared with plain Python and with PyTorch."""

from __future__ import annotations

from math import cos, log, pi, sqrt
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import functional as F

from algorithms import generative
from algorithms.algorithm import Moment
from tests.networks.cases import MODEL, close, models, world
from tests.networks.steps import looked_at
from verify.networks.training.models import Entry

WHOLE = st.integers(0, 2**32 - 1)


def mixed(x: int) -> int:
    """A permutation of 32-bit integers, computed with unbounded integers."""
    for _ in range(2):
        x = ((x ^ (x >> 16)) * 0x45D9F3B) % 2**32
    return x ^ (x >> 16)


def keyed(number: int, key: int) -> int:
    return mixed((mixed(number) + key) % 2**32)


@given(WHOLE, st.integers(0, 5))
def test_numbers_that_follow_from_numbers(number: int, key: int) -> None:
    expected = []
    for place in range(3):
        radius, angle = (
            float(np.float32(mixed((keyed(number, key) + at) % 2**32) // 2**8) + np.float32(0.5)) / 2**24
            for at in (place, 3 + place)
        )
        expected.append(sqrt(-2 * log(radius)) * cos(2 * pi * angle))
    close(generative.gaussians(torch.tensor([number]), 3, key)[0], torch.tensor(expected))
    assert int(generative.mix(torch.tensor(number))) == mixed(number)
    assert int(generative.mix(torch.tensor(number + 2**32))) == mixed(number)
    among = torch.tensor([4, 5, 9])
    place = mixed((keyed(number, key) - 1) % 2**32) % 3
    assert int(generative.entry_at_random(among, torch.tensor([number]), key)[0]) == among[place]


def test_numbers_have_the_key_0_unless_another_is_given() -> None:
    numbers = torch.tensor([3, 4])
    assert (generative.gaussians(numbers, 5) == generative.gaussians(numbers, 5, 0)).all()


@pytest.mark.parametrize("key", [0, 3])
def test_signs_follow_from_places(key: int) -> None:
    found = generative.signs((2, 5), key, torch.zeros((), dtype=torch.float64))
    assert found.dtype == torch.float64
    assert found.flatten().tolist() == [1 if keyed(place, key) % 2 else -1 for place in range(10)]


def test_the_number_of_a_model_is_that_of_its_first_eight_entries() -> None:
    theta0 = torch.zeros(3, 10, dtype=torch.float64)
    theta0[0, 0], theta0[0, 7], theta0[0, 8] = 0.25, 0.5, 7
    theta0[1, 0], theta0[2, 3] = -0.25, 3.0
    found = generative.numbers_of(theta0)
    assert found.tolist() == [3 * 2**28, 2**31 - 2**28, 2**30]


def test_first_parameters_follow_the_laws_of_their_entries() -> None:
    entries = [Entry((2, 1), mean=1.0, deviation=0.5), Entry((3,), mean=-2.0, deviation=3.0)]
    found = generative.initial_parameters(entries, torch.tensor([[0.0, 1, 0, 1, 2]]))
    assert found.tolist() == [[1, 1.5, -2, 1, 4]]


def test_what_is_drawn_is_the_same_over_a_sweep() -> None:
    def normals(key: int, *shape: int) -> np.ndarray:
        return key + np.arange(2 * np.prod(shape)).reshape(2, *shape)

    moment, reference = Moment(0, 0, normals), torch.zeros(3, 2, 7)
    found = generative.flat_normals(moment, reference, 4, 5, 1)
    assert found.shape == (6, 5, 1)
    assert (found == torch.as_tensor(normals(4, 5, 1), dtype=torch.float32).repeat(3, 1, 1)).all()
    assert generative.flat(reference).shape == (6, 7)
    parts = generative.of_runs(reference, made=torch.arange(12.0).reshape(6, 2))
    assert (parts["made"] == torch.arange(12.0).reshape(3, 2, 2)).all()


@pytest.mark.parametrize("task", [0, 1])
def test_statistics_of_features_over_a_task(task: int) -> None:
    here, served = world("class"), models(2, 3)
    mean, variance = generative.feature_statistics(here, {"theta": served}, task)
    assert mean.shape == (6, MODEL.n_features)
    for number, theta in enumerate(served.reshape(6, -1)):
        expected = looked_at(here, theta, task)
        close(mean[number], expected[0])
        close(variance[number], expected[1])
    assert (variance >= 0).all()


CLASSES = torch.tensor([[1, 1, 0, 0, 0], [0, 0, 1, 0, 0], [1, 0, 0, 0, 1]]).bool()


@pytest.mark.parametrize(
    ("task", "seen", "new"),
    [
        (0, [1, 1, 0, 0, 0], [1, 1, 1, 1, 1]),
        (1, [1, 1, 1, 0, 0], [0, 0, 1, 1, 1]),
        (2, [1, 1, 1, 0, 1], [1, 0, 0, 1, 1]),
    ],
)
def test_classes_seen_and_logits_that_compete(task: int, seen: list[int], new: list[int]) -> None:
    here: Any = SimpleNamespace(classes=CLASSES)
    assert generative.seen_classes(here, task).int().tolist() == seen
    assert generative.new_logits(here, task).int().tolist() == new


def test_losses_and_distances_are_over_the_logits_that_compete() -> None:
    rng = torch.Generator().manual_seed(0)
    logits, teacher = torch.randn(2, 6, 5, generator=rng)
    among = torch.tensor([True, False, True, False, True])
    labels = torch.tensor([0, 2, 4, 4, 2, 0])
    close(
        generative.cross_entropy(logits, labels, among),
        F.cross_entropy(logits[:, among], labels // 2, reduction="none"),
    )
    ours, theirs = (part[:, among].div(3).log_softmax(-1) for part in (logits, teacher))
    apart = F.kl_div(ours, theirs, log_target=True, reduction="none").sum(-1)
    close(generative.distance(logits, teacher, among, 3.0), apart)


def test_a_strength_is_a_vector_of_every_run() -> None:
    theta = torch.zeros(3, 2, 7)
    assert (generative.of_strength(0.5, theta) == torch.full((3, 2, 1), 0.5)).all()
    each = torch.tensor([0.1, 0.2])
    assert (generative.of_strength(each, theta) == each[:, None].expand(3, 2, 1)).all()
