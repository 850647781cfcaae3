"""Many runs of one method at once, on a stream of tasks, with their accuracies on all tasks."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from algorithms.algorithm import Algorithm, Local, State
from algorithms.draws import Draws
from nqm.fields import IntArray
from verify.networks.training.checkpoint import Checkpoint
from verify.networks.training.footprint import estimate, require_room
from verify.networks.training.measures import AT_ENDS, Measure
from verify.networks.training.resume import Patience as Patience
from verify.networks.training.resume import task_by_task

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Trained:
    """What became of the runs.

    Attributes
    ----------
    accuracy : (..., run, K, K) array
        ``[..., i, j]``: on the test set of task j after task i.
    by_round : (..., run, K, T, K) array
        ``[..., i, t, j]``: on the test set of task j after t + 1 rounds of task i. T is 1 if only the ends of
        tasks were evaluated.
    models : (..., run, M or 1, d) tensor
        What the clients use at the end.
    seconds : float
        Time that it took, interruptions not counted.
    rounds : list of int
        Number of rounds played in each task; later entries of `by_round` repeat the last. Empty if unknown.
    participated : (run, M) of bool, or None
        Which clients took part, where only they are tested.
    """

    accuracy: np.ndarray
    by_round: np.ndarray
    models: Tensor
    seconds: float
    rounds: list[int] = field(default_factory=list)
    participated: np.ndarray | None = None


def starts(model: Any, seed: int, n_runs: int, device: str = "cpu", first: int = 0) -> Tensor:
    """First models of the runs `first` and following, (run, d); they do not depend on how many follow."""
    runs = range(first, first + n_runs)
    rngs = [np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(run,))) for run in runs]
    return torch.stack([model.init(rng) for rng in rngs]).to(device)


def silent(line: str) -> None:
    """No progress is shown."""


def to_stderr(method: str) -> Progress:
    """Progress line by line, each with the name of the method under which the user asked for it."""
    return lambda line: print(f"{method}: {line}", file=sys.stderr, flush=True)


def keeping_shape(algorithm: Algorithm, theta0: Tensor) -> Algorithm:
    """`algorithm` whose server model must keep the shape (..., run, d) of `theta0`.

    Arrays broadcast, so that a method which forgets the mean over clients would otherwise end with a wrong number.
    """

    def aggregate(state: State, local: Local, clients: IntArray) -> State:
        found = algorithm.aggregate(state, local, clients)
        shape = tuple(getattr(found.get("theta"), "shape", ()))
        if shape != tuple(theta0.shape):
            raise ValueError(
                f"`aggregate` of {algorithm.name} must return a `theta` of shape {tuple(theta0.shape)}, runs and parameters, got "
                f"{shape}: take the mean over clients, as mean_of_sampled does."
            )
        return found

    return replace(algorithm, aggregate=aggregate)


def train(
    world: Any,
    algorithm: Algorithm,
    draws: Draws,
    theta0: Tensor,
    rounds: int,
    *,
    measure: Measure = AT_ENDS,
    checkpoint: Checkpoint | None = None,
    progress: Progress = silent,
    patience: Patience | None = None,
) -> Trained:
    """Train on one task after another, and test on all of them after each.

    Parameters
    ----------
    world : NetworkWorld
    algorithm : Algorithm
    draws : Draws
        Participants and minibatches, as from `algorithms.draws.minibatches`.
    theta0 : (d,) or (..., run, d) tensor
        First models.
    rounds : int
        Rounds per task T.
    measure : Measure
        What is tested, and when: shares of right predictions (..., run, K).
    checkpoint : Checkpoint or None
        Written after every task, and read first. The numbers are the same as without a stop.
    progress : (str) -> None
        Called with a text on the progress of the run.
    patience : Patience or None
        When a task ends before all its rounds are played.

    Raises
    ------
    TooLarge
        If the run would not fit into memory.
    """
    require_room(estimate(world, algorithm, draws, theta0), world.device)
    done = task_by_task(world, algorithm, draws, theta0, rounds, measure, checkpoint, progress, patience)
    assert done.state is not None
    by_round, part = done.by_round, done.participated if measure.of_participants else None
    return Trained(
        by_round[..., -1, :], by_round, algorithm.served(done.state), done.seconds, list(done.rounds), part
    )
