"""Accuracies against predictions one by one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from tests.networks.cases import MODEL, K, M, models, world
from verify.networks.evaluate import accuracy
from verify.networks.world import NetworkWorld

SERVED = models(2, M)


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
