"""What is measured of a run, and after which of its rounds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from algorithms.algorithm import Algorithm, State
from algorithms.prediction import Inference
from verify.networks.training.evaluate import accuracy_of, correct, models_of


@dataclass(frozen=True)
class Measure:
    """What is tested, and when.

    Attributes
    ----------
    of : (world, algorithm, state) -> (..., run, ..., tests) array
        Shares of right predictions on the test set of each task, of whatever models.
    due : (rounds played in the task, rounds of a task) -> bool
        Whether to test then.
    """

    of: Callable[[Any, Algorithm, State], np.ndarray]
    due: Callable[[int, int], bool]

    @property
    def name(self) -> str:
        """Names of both parts."""
        return f"{self.of.__name__} {self.due.__name__}"


def at_ends(played: int, rounds: int) -> bool:
    """At the end of a task."""
    return played == rounds


def after_rounds(played: int, rounds: int) -> bool:
    """After every round."""
    return played > 0


def on_all_images(world: Any, algorithm: Algorithm, state: State) -> np.ndarray:
    """On all test images of each task, (..., run, tests); the mean over clients where they have models of their own."""
    return accuracy_of(world, algorithm, state)


def on_own_tasks(world: Any, algorithm: Algorithm, state: State) -> np.ndarray:
    """Of each client on its own tasks (2, ..., run, M, K): as it predicts, and by the outputs of its model alone.

    They differ where memories have a part in predictions. A client's own task has the test images of the stream's
    task, and of the classes, that the client has.
    """
    weights, models, kept = own_tests(world), models_of(world, algorithm, state), state.get("kept")
    network = algorithm.network(world.model)

    def found(infer: Inference | None) -> np.ndarray:
        return of_own(correct(world, models, infer, kept, network).cpu().numpy(), weights)

    each = {infer: found(infer) for infer in {algorithm.infer, None}}
    return np.stack([each[algorithm.infer], each[None]])


AT_ENDS, EVERY_ROUND = Measure(on_all_images, at_ends), Measure(on_all_images, after_rounds)
OWN_TASKS = Measure(on_own_tasks, at_ends)


def own_tests(world: Any) -> np.ndarray:
    """Weights (run, M, K, tests, n_test) of the test images of each client's own tasks, which sum to 1 for each.

    Parameters
    ----------
    world : Federations
    """
    rows, per_task = world.rows, world.stream.images.shape[2]
    labels = np.asarray(world.stream.labels).ravel()
    test_labels = np.asarray(world.stream.test_labels)
    weights = np.zeros((*np.moveaxis(rows[..., 0], 0, -1).shape, *test_labels.shape))
    for task, run, client in np.ndindex(rows.shape[:3]):
        mine = rows[task, run, client]
        mine = mine[mine >= 0]
        chosen = mine[0] // per_task
        wanted = np.isin(test_labels[chosen], labels[mine])
        weights[run, client, task, chosen] = wanted / wanted.sum()
    return weights


def of_own(right: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """(..., run, M or 1, tests, n_test), weights of `own_tests` -> share of right predictions (..., run, M, K)."""
    sweeps = right.shape[:-4]
    every = np.broadcast_to(right, (*sweeps, *weights.shape[:2], *right.shape[-2:]))
    return np.einsum("rmktn,...rmtn->...rmk", weights, every)
