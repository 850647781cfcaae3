"""Experiments in which every client has tests of its own, for methods whose rates or memories are set as well.

Settings, seeds and the place on disk are those of `verify.networks.experiments`.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import torch

from verify.networks.data import Stream, generator
from verify.networks.experiments import FOLDER, Rows, Setting, alone, draws, now_and_then, world
from verify.networks.partition import few_classes

RATES = ("local_lr", "correction_lr", "personal_lr", "alpha", "beta")
"""Step sizes of clients, by the names that methods have for them: all are the setting's."""


@dataclass(frozen=True)
class Played:
    """Share of right predictions.

    Attributes
    ----------
    common : (run, K, K) array
        ``[..., i, j]``: after task i on the test set of task j of the stream, mean over clients.
    own : (run, M, K, K) array
        After task i on the test images of the client's own task j: of the stream's task and the classes that it has.
    own_outputs : (run, M, K, K) array
        The same without the memory's part in predictions, where a method has such.
    """

    common: np.ndarray
    own: np.ndarray
    own_outputs: np.ndarray


def own_sequences(setting: Setting, stream: Stream, run: int, low: int = 2, high: int = 5) -> Rows:
    """Every client has the tasks in an order of its own, and some classes of each. Source: FedMeS, Section 5.1."""
    rng, n = generator(setting.seed, "deal", run), stream.labels.shape[2]
    dealt = []
    for task, size in enumerate(stream.sizes[:, 0]):
        labels = stream.labels[task, 0, :size]
        parts = few_classes(labels, setting.clients, rng, low=low, high=min(high, len(np.unique(labels))))
        dealt.append([task * n + mine for mine in parts])
    orders = [rng.permutation(len(dealt)) for _ in range(setting.clients)]
    return [
        [dealt[order[place]][client] for client, order in enumerate(orders)] for place in range(len(dealt))
    ]


def one_or_two(setting: Setting, stream: Stream, run: int) -> Rows:
    """`own_sequences` with one or two classes of each task."""
    return own_sequences(setting, stream, run, low=1, high=2)


def played(setting: Setting, method: str, **numbers: float) -> Played:
    """A method of `verify.networks.methods.METHODS` with some numbers changed; all step sizes are the setting's."""
    return _kept(setting, method, tuple(sorted(numbers.items())))


@cache
def _kept(setting: Setting, method: str, numbers: tuple[tuple[str, float], ...]) -> Played:
    from verify.engine.records import digest, fingerprint
    from verify.networks.checkpoint import Checkpoint

    code = {**fingerprint(), "sources": digest("algorithms", "verify/networks")}
    asked = json.dumps(["own tests", setting.plain(), method, numbers, code])
    key = hashlib.sha256(asked.encode()).hexdigest()[:16]
    file = Checkpoint(FOLDER / f"{method}-{key}.npz", key)
    with alone(file.path):
        _, found = file.load("cpu") or ({}, {})
        if not found:
            found = _trained(setting, method, dict(numbers))
            file.save({}, **found)
    return Played(**found)


def _trained(setting: Setting, method: str, numbers: dict[str, float]) -> dict[str, np.ndarray]:
    from algorithms.simulate import states
    from verify.networks.evaluate import correct
    from verify.networks.methods import METHODS
    from verify.networks.train import starts

    here, made = world(setting), METHODS[method]
    rates = {name: setting.local_lr for name in RATES if name in made.numbers}
    algorithm = made(here, **{**rates, **numbers})
    theta0 = starts(here.model, setting.seed, setting.seeds, first=setting.first)
    show = now_and_then(f"networks, {setting.seeds} seeds, {algorithm.name}: ")
    tests = own_tests(here)
    after = []
    for task, played, state in states(here, algorithm, draws(setting), theta0, setting.rounds, here.n_tasks):
        if played:
            show(f"round {played} of {setting.rounds} in task {task + 1} of {here.n_tasks}")
        if played == setting.rounds:
            models, kept = algorithm.served(state), state.get("kept")
            right = _right(correct, here, models, algorithm.infer, kept)
            outputs = right if algorithm.infer is None else _right(correct, here, models, None, None)
            after.append((right.mean(axis=(1, 3)), of_own(right, tests), of_own(outputs, tests)))
    common, own, own_outputs = (np.stack(parts, axis=-2) for parts in zip(*after, strict=True))
    return {"common": common, "own": own, "own_outputs": own_outputs}


def _right(correct: Any, here: Any, models: torch.Tensor, infer: Any, kept: Any) -> np.ndarray:
    """Whether each client is right on each test image of each task, (run, M or 1, K, n_test)."""
    each = [correct(here, models, task, infer, kept).cpu().numpy() for task in range(len(here.tests))]
    return np.stack(each, axis=-2)


def own_tests(here: Any) -> np.ndarray:
    """Weights (run, M, K, tests, n_test) of the test images of each client's own tasks, which sum to 1 for each."""
    rows, per_task = here.rows, here.stream.images.shape[2]
    labels = np.asarray(here.stream.labels).ravel()
    test_labels = np.asarray(here.stream.test_labels)
    weights = np.zeros((*np.moveaxis(rows[..., 0], 0, -1).shape, *test_labels.shape))
    for task, run, client in np.ndindex(rows.shape[:3]):
        mine = rows[task, run, client]
        mine = mine[mine >= 0]
        chosen = mine[0] // per_task
        wanted = np.isin(test_labels[chosen], labels[mine])
        weights[run, client, task, chosen] = wanted / wanted.sum()
    return weights


def of_own(right: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """(run, M or 1, K, n_test), weights of `own_tests` -> share of right predictions (run, M, K)."""
    return np.einsum(
        "rmktn,rmtn->rmk", weights, np.broadcast_to(right, (*weights.shape[:2], *right.shape[2:]))
    )
