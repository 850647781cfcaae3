"""How many test images the models of a federation get right."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor
from torch.func import vmap

from algorithms.prediction import Evidence, Inference
from verify.networks.footprint import bytes_per_sample, fitting

Tests = Literal["common", "personal"]

IMAGES_AT_A_TIME = 1024


def accuracy(
    world: Any,
    models: Tensor,
    tests: Tests = "common",
    infer: Inference | None = None,
    kept: np.ndarray | None = None,
) -> np.ndarray:
    """Share of right predictions on the test set of every task, (..., K).

    Parameters
    ----------
    world : NetworkWorld
    models : (..., M, d) or (..., 1, d) tensor
        The models that the clients use; one if all use the same, which is then evaluated once.
    tests : {"common", "personal"}
        Each client's model is tested on the whole test set, or on the client's personal one; the mean is over
        clients.
    infer : Inference or None
        How clients predict with their memories; by their models' outputs if None.
    kept : (run, M, m) array of int
        The memories, where `infer` needs them.
    """
    stream = world.stream
    if tests == "personal" and stream.test_clients is None:
        raise ValueError("`tests` cannot be 'personal': this stream has no test sets of single clients.")
    found = []
    for task in range(len(world.tests)):
        right = correct(world, models, task, infer, kept)
        if tests == "personal":
            chosen = torch.as_tensor(stream.test_clients[task], device=right.device)  # (M, n)
            right = right.expand(*right.shape[:-2], *chosen.shape[:1], right.shape[-1])
            right = right.take_along_dim(chosen.expand(*right.shape[:-1], -1), -1)
        found.append(right.double().mean((-1, -2)).cpu().numpy())
    return np.stack(found, axis=-1)


@torch.no_grad()
def correct(
    world: Any, models: Tensor, task: int, infer: Inference | None = None, kept: np.ndarray | None = None
) -> Tensor:
    """Whether each model (..., d) is right on each test image of a task, (..., n_test) of bool.

    Where the task is known to the model, it chooses among the classes of that task; else among all.
    """
    images, labels, classes = world.tests[task]
    flat = models.reshape(-1, models.shape[-1])
    memories = None if infer is None or kept is None else _memories(world, models, kept)
    block = images[:IMAGES_AT_A_TIME]
    at_a_time = fitting(len(block) * bytes_per_sample(world.model, images), world.memory)
    parts = []
    for first in range(0, len(flat), at_a_time):
        some = slice(first, first + at_a_time)
        scores = _of_images(world.model.logits, flat[some], images).where(classes, -torch.inf)
        if infer is not None and memories is not None:
            scores = infer(_evidence(world, flat[some], images, scores, memories[some]))
            scores = scores.where(classes, -torch.inf)
        parts.append(scores.argmax(-1) == labels)
    return torch.cat(parts).reshape(*models.shape[:-1], len(labels))


def _of_images(function: Any, models: Tensor, images: Tensor) -> Tensor:
    """What each model (F, d) says of the same images, (F, n, ...)."""
    each = vmap(function, in_dims=(0, None))
    return torch.cat([each(models, part) for part in images.split(IMAGES_AT_A_TIME)], -2)


def _memories(world: Any, models: Tensor, kept: np.ndarray) -> np.ndarray:
    """Rows of the samples that the owner of each model remembers, (F, m); -1 in empty places.

    Clients that share a model share the representations of what they remember.
    """
    n_runs, n_clients, places = kept.shape
    rows = world.rows_of(kept)
    if models.shape[-2] == 1:
        rows = rows.reshape(n_runs, 1, n_clients * places)
    return np.broadcast_to(rows, (*models.shape[:-1], rows.shape[-1])).reshape(-1, rows.shape[-1])


def _evidence(world: Any, models: Tensor, images: Tensor, scores: Tensor, rows: np.ndarray) -> Evidence:
    place = torch.as_tensor(rows.clip(min=0), device=models.device)
    return Evidence(
        outputs=scores.softmax(-1),
        features=_of_images(world.model.features, models, images),
        remembered=vmap(world.model.features)(models, world.samples.images[place]),
        labels=world.samples.labels[place].cpu().numpy(),
        held=rows >= 0,
    )
