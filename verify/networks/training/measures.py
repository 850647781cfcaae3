"""The measurements of a run, and the rounds after which they are made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from algorithms.algorithm import Algorithm, State
from algorithms.draws import Draws
from algorithms.prediction import Inference
from nqm.fields import Array
from verify.networks.training.evaluate import accuracy_of, correct

Weights = Callable[[np.ndarray, np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Measure:
    """A measurement and its times.

    Attributes
    ----------
    of : (world, algorithm, state, participated (run, M) of bool) -> (..., run, ..., tests) array
        Accuracies on the test set of each task.
    due : (rounds played in the task, rounds of a task) -> bool
        Whether to test after this round.
    axis_of_runs : int
        The axis of the runs in the results of all rounds, (..., run, ..., K, T, tests), counted from the end.
    of_participants : bool
        Whether only clients that have taken part are tested.
    """

    of: Callable[[Any, Algorithm, State, np.ndarray], np.ndarray]
    due: Callable[[int, int], bool]
    axis_of_runs: int = -4
    of_participants: bool = False

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


def on_all_images(world: Any, algorithm: Algorithm, state: State, participated: np.ndarray) -> np.ndarray:
    """Accuracy on all test images of each task, (..., run, tests); the mean over clients for personal models."""
    return accuracy_of(world, algorithm, state)


def on_own_tasks(world: Any, algorithm: Algorithm, state: State, participated: np.ndarray) -> np.ndarray:
    """Accuracy of each client on its own tasks (2, ..., run, M, K): of its predictions, and of the outputs of its model only.

    The two differ for methods that use memories in predictions. A client's own task consists of the test images of the stream's
    task in the classes that the client has.
    """
    weights = own_tests(world)
    each = {
        infer: _in_own_tasks(world, algorithm, state, infer, weights) for infer in {algorithm.infer, None}
    }
    return np.stack([each[algorithm.infer], each[None]])


def on_own_mix(world: Any, algorithm: Algorithm, state: State, participated: np.ndarray) -> np.ndarray:
    """Mean over clients of the accuracy in the client's own mix of classes, (..., run, tests).

    For every method, the mean is over clients that have taken part so far. The others still have their initial models, which
    would lower the mean of methods with personal models.
    """
    found = _in_own_tasks(world, algorithm, state, algorithm.infer, own_tests(world, in_own_mix))
    shares = participated / participated.sum(axis=-1, keepdims=True)
    return np.einsum("...rmk,rm->...rk", found, shares)


def participants(draws: Draws, n_clients: int, task: int, rounds: range) -> np.ndarray:
    """Whether each client takes part in at least one of some rounds of a task, (run, M) of bool."""
    part = np.zeros((draws.n_runs, n_clients), dtype=bool)
    for round_ in rounds:
        np.put_along_axis(part, np.asarray(draws.participants(task, round_)), values=True, axis=-1)
    return part


def _in_own_tasks(
    world: Any, algorithm: Algorithm, state: State, infer: Inference | None, weights: np.ndarray
) -> np.ndarray:
    """Accuracies (..., run, M, K) with the weights of `own_tests`.

    For methods that know the task in a test, each client gets its own number of the task, as it learnt the tasks in its own order.
    """
    kept, network, told = state.get("kept"), algorithm.network(world.model), algorithm.served_in_task

    def own_shares(models: Array, of: np.ndarray) -> np.ndarray:
        return of_own(correct(world, models, infer, kept, network).cpu().numpy(), of)

    if told is None:
        return own_shares(algorithm.served(state), weights)
    tasks = range(weights.shape[2])
    return np.concatenate([own_shares(told(state, task), weights[:, :, [task]]) for task in tasks], axis=-1)


AT_ENDS, EVERY_ROUND = Measure(on_all_images, at_ends), Measure(on_all_images, after_rounds)
OWN_TASKS, PERSONAL = (
    Measure(on_own_tasks, at_ends, axis_of_runs=-5),
    Measure(on_own_mix, after_rounds, of_participants=True),
)


def own_tests(world: Any, wanted_of: Weights | None = None) -> np.ndarray:
    """Weights (run, M, K, tests, n_test) of the test images of each client's own tasks, which sum to 1 for each.

    Parameters
    ----------
    world : Federations
    wanted_of : (labels of a client's images, labels of test images) -> weights of these
        `of_own_classes` by default, or `in_own_mix`.
    """
    wanted_of = wanted_of or of_own_classes
    rows, per_task = world.rows, world.stream.images.shape[2]
    labels = world.samples.labels.cpu().numpy()
    test_labels = labels[world.tests]
    weights = np.zeros((*np.moveaxis(rows[..., 0], 0, -1).shape, *test_labels[:, 0].shape))
    for task, run, client in np.ndindex(rows.shape[:3]):
        mine = rows[task, run, client]
        mine = mine[mine >= 0]
        chosen = mine[0] // per_task
        wanted = wanted_of(labels[mine], test_labels[chosen, run])
        weights[run, client, task, chosen] = wanted / wanted.sum()
    return weights


def of_own_classes(mine: np.ndarray, tested: np.ndarray) -> np.ndarray:
    """Test images of the classes that a client has, all alike."""
    return np.isin(tested, mine).astype(float)


def in_own_mix(mine: np.ndarray, tested: np.ndarray) -> np.ndarray:
    """Test images in the client's own mix of classes: each class weighs as much as the client has of it."""
    n = max(mine.max(), tested.max()) + 1
    have, there = np.bincount(mine, minlength=n), np.bincount(tested, minlength=n)
    return (have / np.maximum(there, 1))[tested]


def of_own(right: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """(..., run, M or 1, tests, n_test), weights of `own_tests` -> share of right predictions (..., run, M, K)."""
    sweeps = right.shape[:-4]
    every = np.broadcast_to(right, (*sweeps, *weights.shape[:2], *right.shape[-2:]))
    return np.einsum("rmktn,...rmtn->...rmk", weights, every)
