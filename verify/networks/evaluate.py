"""How many test images the models of a federation get right."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor
from torch.func import vmap

from verify.networks.footprint import bytes_per_sample, fitting

Tests = Literal["common", "personal"]

IMAGES_AT_A_TIME = 1024


def accuracy(world: Any, models: Tensor, tests: Tests = "common") -> np.ndarray:
    """Share of right predictions on the test set of every task, (..., K).

    Parameters
    ----------
    world : NetworkWorld
    models : (..., M, d) or (..., 1, d) tensor
        The models that the clients use; one if all use the same, which is then evaluated once.
    tests : {"common", "personal"}
        Each client's model is tested on the whole test set, or on the client's personal one; the mean is over
        clients.
    """
    stream = world.stream
    if tests == "personal" and stream.test_clients is None:
        raise ValueError("`tests` cannot be 'personal': this stream has no test sets of single clients.")
    found = []
    for task in range(world.n_tasks):
        right = correct(world, models, task)
        if tests == "personal":
            chosen = torch.as_tensor(stream.test_clients[task], device=right.device)  # (M, n)
            right = right.expand(*right.shape[:-2], *chosen.shape[:1], right.shape[-1])
            right = right.take_along_dim(chosen.expand(*right.shape[:-1], -1), -1)
        found.append(right.double().mean((-1, -2)).cpu().numpy())
    return np.stack(found, axis=-1)


@torch.no_grad()
def correct(world: Any, models: Tensor, task: int) -> Tensor:
    """Whether each model (..., d) is right on each test image of a task, (..., n_test) of bool.

    Where the task is known to the model, it chooses among the classes of that task; else among all.
    """
    images, labels, classes = world.tests[task]
    flat = models.reshape(-1, models.shape[-1])
    predict = vmap(world.model.logits, in_dims=(0, None))
    block = images[:IMAGES_AT_A_TIME]
    at_a_time = fitting(len(block) * bytes_per_sample(world.model, images), world.memory)
    parts = []
    for some in flat.split(at_a_time):
        scores = torch.cat([predict(some, part) for part in images.split(IMAGES_AT_A_TIME)], -2)
        parts.append(scores.where(classes, -torch.inf).argmax(-1) == labels)
    return torch.cat(parts).reshape(*models.shape[:-1], len(labels))
