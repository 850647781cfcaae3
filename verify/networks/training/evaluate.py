"""Accuracy of the models of a federation on the test sets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.func import vmap

from algorithms.algorithm import Algorithm, State
from algorithms.prediction import Evidence, Inference
from verify.networks.training import kernels
from verify.networks.training.footprint import bytes_per_sample, fitting

Tests = Literal["common", "personal"]

IMAGES_AT_A_TIME = 1024

BYTES_PER_DISTANCE = 32
"""Memory that inference needs for the distance between one image and one remembered sample: the distance in float32, its
position in the sorted order, and copies of both."""


Models = Tensor | Sequence[Tensor]
"""Models that the clients use: (..., M, d), or (..., 1, d) if all use the same one, which is then evaluated once; a sequence
with one such tensor for each task if the task of a test image is known."""


def accuracy_of(world: Any, algorithm: Algorithm, state: State, tests: Tests = "common") -> np.ndarray:
    """Accuracy of a method's clients on the test set of every task, (..., K)."""
    network = algorithm.network(world.model)
    return accuracy(
        world, models_of(world, algorithm, state), tests, algorithm.infer, state.get("kept"), network
    )


def models_of(world: Any, algorithm: Algorithm, state: State) -> Models:
    """Models that the clients of a method use; if all tasks share one test set, the models of the newest task."""
    if algorithm.served_in_task is None or len(world.tests) < world.n_tasks:
        return algorithm.served(state)
    return [algorithm.served_in_task(state, task) for task in range(len(world.tests))]


def accuracy(
    world: Any,
    models: Models,
    tests: Tests = "common",
    infer: Inference | None = None,
    kept: np.ndarray | None = None,
    network: Any = None,
) -> np.ndarray:
    """Accuracy on the test set of every task, (..., K).

    Parameters
    ----------
    world : NetworkWorld
    models : Models
    tests : {"common", "personal"}
        Each client's model is tested on the whole test set, or on the client's personal one; the mean is over
        clients.
    infer : Inference or None
        How clients predict with their memories; by their models' outputs if None.
    kept : (run, M, m) array of int
        The memories, where `infer` needs them.
    network : Model or None
        Network whose parameters `models` are; None for the world's network.
    """
    stream = world.stream
    if tests == "personal" and stream.test_clients is None:
        raise ValueError("`tests` cannot be 'personal': this stream has no test sets of single clients.")
    right = correct(world, models, infer, kept, network)
    if tests == "personal":
        chosen = torch.as_tensor(stream.test_clients, device=right.device).transpose(0, 1)  # (M, K, n)
        right = right.expand(*right.shape[:-3], *chosen.shape[:-1], right.shape[-1])
        right = right.take_along_dim(chosen.expand(*right.shape[:-1], -1), -1)
    n_tests = right.shape[-3] * right.shape[-1]
    return (right.sum((-1, -3)).double() / n_tests).cpu().numpy()


class Memories(NamedTuple):
    """Remembered samples of each model's client; fields as in `Evidence`."""

    remembered: Tensor
    labels: Tensor
    held: Tensor


@torch.no_grad()
def correct(
    world: Any,
    models: Models,
    infer: Inference | None = None,
    kept: np.ndarray | None = None,
    network: Any = None,
) -> Tensor:
    """Whether each model (..., d) is right on each test image of every task, (..., K, n_test) of bool.

    Where the task is known to the model, it chooses among the classes of that task; else among all.
    """
    network = network or world.model
    if isinstance(models, Tensor):
        return _right(world, network, models, slice(None), infer, kept)
    each = (_right(world, network, own, slice(i, i + 1), infer, kept) for i, own in enumerate(models))
    return torch.cat(list(each), -2)


def _right(
    world: Any, network: Any, models: Tensor, which: slice, infer: Inference | None, kept: np.ndarray | None
) -> Tensor:
    """Whether models (..., d) are right on the images of some test sets, (..., tests, n_test)."""
    flat, tests = models.reshape(-1, models.shape[-1]), world.indices(world.tests[which])
    rows = None if infer is None or kept is None else _rows(world, models, kept)
    places = 0 if rows is None else rows.shape[-1]
    block = min(tests.shape[-1], IMAGES_AT_A_TIME)
    each = (block + places) * bytes_per_sample(network, world.samples.images)
    at_a_time = fitting(each + block * places * BYTES_PER_DISTANCE, world.memory)
    shared, parts = tests.shape[1] == 1, []
    # A processor is twice as fast with the convolutions of one model as with those of a group.
    together = 1 if world.model.widths is None and models.device.type == "cpu" else None
    if not shared:
        tests = tests[:, :, None].expand(-1, *models.shape[-3:-1], -1)
        tests = tests[:, None].expand(-1, len(flat) // tests[0, ..., 0].numel(), -1, -1, -1).flatten(1, 3)
    fused = infer is None and network is world.model and world.passes_over(kernels.predicted)
    for first in range(0, len(flat), at_a_time):
        some = slice(first, first + at_a_time)
        memories = None if rows is None else _memories(world, flat[some], rows[some])
        right = []
        for own, classes in zip(tests, world.choices[which], strict=True):
            tested = own[0] if shared else own[some]
            chosen = (
                _fused_choices(world, flat[some], tested, classes)
                if fused
                else _choices(
                    network, world.samples.images, flat[some], tested, classes, infer, memories, together
                )
            )
            right.append(chosen == world.samples.labels[tested])
        parts.append(torch.stack(right, -2))
    return torch.cat(parts).reshape(*models.shape[:-1], len(tests), tests.shape[-1])


def _fused_choices(world: Any, models: Tensor, rows: Tensor, classes: Tensor) -> Tensor:
    """As `_choices` by outputs alone, where there is a fused kernel for it."""
    each = rows.expand(len(models), -1)
    found: Tensor = world.kernel(kernels.predicted)(models, rows=each, weights=each, rest=(classes,))
    return found


def _choices(
    model: Any,
    images: Tensor,
    models: Tensor,
    rows: Tensor,
    classes: Tensor,
    infer: Inference | None,
    memories: Memories | None,
    together: int | None,
) -> Tensor:
    """Class that each model (F, d) predicts for each of its images, rows (F, n) or those of all models (n,): (F, n); so many together."""
    found = []
    for part in rows.split(IMAGES_AT_A_TIME, dim=-1):
        in_dims = (0, None if rows.ndim == 1 else 0)
        features = vmap(model.features, in_dims=in_dims, chunk_size=together)(models, images[part])
        # Models leave an image's scores far apart in memory; side by side they are compared faster.
        scores = vmap(model.scores)(models, features).contiguous().where(classes, -torch.inf)
        if infer is not None and memories is not None:
            scores = infer(Evidence(_softmax(scores), features, *memories)).where(classes, -torch.inf)
        found.append(scores.argmax(-1))
    return torch.cat(found, -1)


def _softmax(scores: Tensor) -> Tensor:
    """Probabilities (..., n, C), over an axis that is not the last: for few classes processors do that faster."""
    return scores.mT.softmax(-2).mT


def _rows(world: Any, models: Tensor, kept: np.ndarray) -> Tensor:
    """Rows of the samples that the owner of each model remembers, (F, m); -1 in empty places, which come last.

    Clients that share a model share the representations of what they remember.
    """
    rows = world.rows_of(kept)
    if models.shape[-2] == 1:
        rows = rows.reshape(len(rows), 1, -1)
    empty = rows < 0
    filled_first = np.take_along_axis(rows, np.argsort(empty, axis=-1, kind="stable"), axis=-1)
    filled = torch.as_tensor(filled_first[..., : (~empty).sum(axis=-1).max()], device=models.device)
    return filled.expand(*models.shape[:-1], -1).flatten(0, -2)


def _memories(world: Any, models: Tensor, rows: Tensor) -> Memories:
    remembered = vmap(world.model.features)(models, world.samples.images[rows])
    return Memories(remembered, world.samples.labels[rows], rows >= 0)
