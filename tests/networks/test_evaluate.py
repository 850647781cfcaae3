"""Accuracies, compared with predictions one by one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from algorithms.prediction import by_nearest_mean, by_neighbours
from tests.networks.cases import MODEL, K, M, S, models, world
from verify.networks.training import evaluate
from verify.networks.training.evaluate import accuracy, correct
from verify.networks.training.models import cnn
from verify.networks.training.world import NetworkWorld

SERVED = models(2, M)
KEPT = np.array([[[0, 6], [1, 2], [0, 3]], [[4, 5], [0, 1], [3, 2]]])  # sample j of task i is i*S + j


def right(here: NetworkWorld, theta: torch.Tensor, task: int) -> np.ndarray:
    data = here.stream
    logits = MODEL.logits(theta, torch.from_numpy(data.test_images[task]))
    if data.kind == "task":
        logits = logits.masked_fill(~torch.from_numpy(data.classes[task]), -torch.inf)
    return logits.argmax(-1).numpy() == data.test_labels[task]


@pytest.mark.parametrize("kind", ["domain", "class", "task"])
def test_the_mean_over_clients_and_images(kind) -> None:
    here = world(kind)
    expected = [[np.mean([right(here, theta, task) for theta in run]) for task in range(K)] for run in SERVED]
    np.testing.assert_allclose(accuracy(here, SERVED), expected)
    np.testing.assert_array_equal(accuracy(replace(here, memory=1), SERVED), accuracy(here, SERVED))


def test_convolutions() -> None:
    here = world()
    model = cnn(here.stream.image, here.stream.n_classes, ((3, 4),))
    served = torch.stack([model.init(np.random.default_rng(seed)) for seed in range(2)])[:, None]
    found = correct(replace(here, model=model), served)
    assert found.shape == (2, 1, K, here.tests.shape[-1])
    for theta, own in zip(served[:, 0], found[:, 0], strict=True):
        for task, on_task in enumerate(own):
            predicted = model.logits(theta, torch.from_numpy(here.stream.test_images[task])).argmax(-1)
            np.testing.assert_array_equal(on_task, predicted.numpy() == here.stream.test_labels[task])


@pytest.mark.parametrize("served", [SERVED, SERVED[:, :1]])
def test_personal_test_sets(served) -> None:
    here = world()
    assert here.stream.test_clients is not None
    for run, found in zip(served.expand(2, M, -1), accuracy(here, served, "personal"), strict=True):
        for task in range(K):
            each = [
                right(here, theta, task)[mine].mean()
                for theta, mine in zip(run, here.stream.test_clients[task], strict=True)
            ]
            assert found[task] == pytest.approx(np.mean(each))


def test_personal_test_sets_must_be_there() -> None:
    here = world()
    bare = replace(here, stream=replace(here.stream, test_clients=None))
    with pytest.raises(ValueError, match="`tests` cannot be 'personal'"):
        accuracy(bare, SERVED, "personal")


@pytest.mark.parametrize(("served", "pooled"), [(SERVED, False), (SERVED[:, :1], True)])
def test_memories_predict_with_the_representations_of_their_owner(served, pooled) -> None:
    here, K_NEIGHBOURS = world(), 2
    found = correct(here, served, by_neighbours(K_NEIGHBOURS, 0.9), KEPT)[..., 0, :]
    images = torch.from_numpy(here.stream.test_images[0])
    for run in range(2):
        for owner in range(served.shape[1]):
            theta, clients = served[run, owner], range(M) if pooled else [owner]
            own = [(k // S, m, k % S) for m in clients for k in KEPT[run, m]]
            remembered = torch.stack([torch.from_numpy(here.stream.images[place]) for place in own])
            labels = np.array([here.stream.labels[place] for place in own])
            apart = torch.cdist(MODEL.features(theta, images), MODEL.features(theta, remembered)).numpy()
            for q, distance in enumerate(apart):
                scores = 0.1 * MODEL.logits(theta, images[q : q + 1])[0].softmax(-1).numpy()
                nearest = np.argsort(distance)[:K_NEIGHBOURS]
                votes = np.exp(-distance[nearest])
                np.add.at(scores, labels[nearest], 0.9 * votes / votes.sum())
                assert bool(found[run, owner, q]) == (scores.argmax() == here.stream.test_labels[0][q])


@pytest.mark.parametrize("served", [SERVED, SERVED[:, :1], models(3, 2, M)])
@pytest.mark.parametrize("infer", [None, by_neighbours(2, 0.9), by_nearest_mean])
def test_nothing_depends_on_what_is_done_at_a_time(monkeypatch, served, infer) -> None:
    here = world("class")
    together = correct(here, served, infer, KEPT)
    assert together.shape == (*served.shape[:-1], K, here.stream.test_labels.shape[-1])
    np.testing.assert_array_equal(
        accuracy(here, served, "common", infer, KEPT), together.double().mean((-1, -3)).numpy()
    )
    monkeypatch.setattr(evaluate, "IMAGES_AT_A_TIME", 4)
    assert (correct(replace(here, memory=1), served, infer, KEPT) == together).all()


@pytest.mark.parametrize("infer", [by_neighbours(3, 0.9), by_nearest_mean])
@pytest.mark.parametrize("served", [SERVED, SERVED[:, :1]])
def test_empty_places_change_nothing_wherever_they_are(infer, served) -> None:
    here = world()
    spread = np.full((2, M, 7), -1)
    spread[..., [2, 5]] = KEPT
    assert (correct(here, served, infer, spread) == correct(here, served, infer, KEPT)).all()
    nothing = np.full((2, M, 7), -1)
    assert (correct(here, served, infer, nothing) == correct(here, served)).all()
