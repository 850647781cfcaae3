"""Resumption of interrupted runs from the last saved task, with the same numbers as without the interruption."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
from torch import Tensor

from algorithms.algorithm import Algorithm, State
from algorithms.draws import Draws
from algorithms.simulate import after_task, between_rounds
from verify.engine.work.processes import give_back
from verify.networks.training.captured import Play, rounds_on
from verify.networks.training.checkpoint import Checkpoint, at_rest
from verify.networks.training.evaluate import accuracy_of
from verify.networks.training.footprint import keep_freed_memory
from verify.networks.training.measures import Measure, participants

SELDOM = 1.0
"""Seconds of CPU time between saved states, and between returns of free memory to the system: if both happened after every
task or round, they would take up to a fifth of the time of short ones."""


@dataclass(frozen=True)
class Progress:
    """Results of a run up to the end of one of its tasks.

    Attributes
    ----------
    state : State or None
        State at the end of that task; None before the first task.
    history : tuple of arrays
        Test results of each task, (..., run, ..., T, tests), where T is the number of tests in a task.
    seconds : float
        Run time without interruptions.
    rounds : tuple of int
        Number of rounds played in each task.
    participated : (run, M) of bool
        Whether each client has taken part.
    """

    state: State | None
    history: tuple[np.ndarray, ...]
    seconds: float
    rounds: tuple[int, ...]
    participated: np.ndarray

    @property
    def by_round(self) -> np.ndarray:
        """All test results, (..., run, ..., K, T, tests).

        Results are broadcast, since the axis of a sweep has length 1 in tasks before the swept number has an effect. If a
        task ended early, its last result is repeated up to the largest number T.
        """
        longest = max(own.shape[-2] for own in self.history)
        padded = [own[..., np.minimum(np.arange(longest), own.shape[-2] - 1), :] for own in self.history]
        return np.stack(np.broadcast_arrays(*padded), axis=-3)


@dataclass(frozen=True)
class Patience:
    """Rule that ends a task before all its rounds are played.

    If the mean accuracy over all runs on the task's validation images has not exceeded its earlier maximum for `rounds`
    rounds, one more round ends the task. All runs end it together, since they are trained together.

    Attributes
    ----------
    world : NetworkWorld
        The same federations, with images that are neither trained on nor for testing.
    rounds : int, >= 1
    """

    world: Any
    rounds: int

    def rounds_left(self, accuracies: Sequence[float]) -> int:
        """Number of further rounds that may pass without a better accuracy, after rounds with the given `accuracies`."""
        best = int(np.argmax(accuracies)) if accuracies else -1
        return self.rounds - (len(accuracies) - 1 - best)


def task_by_task(
    world: Any,
    algorithm: Algorithm,
    draws: Draws,
    theta0: Tensor,
    rounds: int,
    measure: Measure,
    checkpoint: Checkpoint | None,
    progress: Callable[[str], None],
    patience: Patience | None = None,
) -> Progress:
    """Play the whole run and return its results, starting from the checkpoint if there is one.

    The checkpoint is written after the first task, after the last one, and after each other task at whose end at least
    `SELDOM` seconds have passed since the last write.

    Parameters
    ----------
    world : NetworkWorld
    algorithm, draws, theta0, rounds
        As in `algorithms.simulate.states`.
    measure : Measure
    checkpoint : Checkpoint or None
    progress : (str) -> None
        Called with a text on the progress of the run.
    patience : Patience or None
    """
    keep_freed_memory()
    now = _progress_of(checkpoint, world.device, np.zeros((draws.n_runs, world.n_clients), dtype=bool))
    play, saved, tidied, participated = rounds_on(world.device), -inf, -inf, now.participated.copy()
    for task in range(len(now.history), world.n_tasks):
        start = time.perf_counter()
        path: list[np.ndarray] = []
        validated: list[float] = []

        def last(task: int, played: int, validated: Sequence[float] = validated) -> bool:
            return patience is not None and patience.rounds_left(validated) <= 0

        for played, state in played_rounds(
            world, algorithm, draws, now.state, theta0, task, rounds, play, last
        ):
            participated |= participants(draws, world.n_clients, task, range(max(played - 1, 0), played))
            if measure.due(played, played if last(task, played - 1) else rounds):
                path.append(measure.of(world, algorithm, state, participated))
            if patience is not None and played and not last(task, played):
                validated.append(float(accuracy_of(patience.world, algorithm, state)[..., task].mean()))
            if (worked := time.process_time()) - tidied >= SELDOM:
                give_back()  # what rounds leave in pieces
                tidied = worked
        end = at_rest(state)
        history = (*now.history, np.stack(path, axis=-2))
        seconds = now.seconds + time.perf_counter() - start
        now = Progress(end, history, seconds, (*now.rounds, played), participated.copy())
        if checkpoint and ((worked := time.process_time()) - saved >= SELDOM or task + 1 == world.n_tasks):
            results = {"history": now.by_round, "rounds": np.array(now.rounds), "participated": participated}
            checkpoint.save(end, seconds=np.array(now.seconds), **results)
            saved = worked
        progress(_line(now, world.n_tasks))
    give_back()
    return now


def played_rounds(
    world: Any,
    algorithm: Algorithm,
    draws: Draws,
    before: State | None,
    theta0: Tensor,
    task: int,
    rounds: int,
    play: Play,
    last: Callable[[int, int], bool],
) -> Iterator[tuple[int, State]]:
    """Yield the number of rounds played and the state, as `algorithms.simulate.states` does, for one task that may end early.

    Parameters
    ----------
    before : State or None
        State at the end of the preceding task; None in the first task.
    last : (task, rounds played in it) -> bool
        Whether the next round ends the task; called before each round.
    """
    if before is None:
        every_run = np.broadcast_shapes(tuple(theta0.shape), (draws.n_runs, theta0.shape[-1]))
        before = algorithm.init(theta0.expand(every_run))
    state = algorithm.begin_task(before, task)
    yield 0, state
    for played in range(rounds):
        n_rounds = played + 1 if last(task, played) else rounds
        drawn = draws.cast(theta0, draws.noise(task, played))
        state = play(world, algorithm, state, task, draws.participants(task, played), drawn)
        state = between_rounds(world, algorithm, draws, state, task, played, n_rounds)
        if played + 1 == n_rounds:
            state = after_task(world, algorithm, draws, state, task)
        yield played + 1, state
        if played + 1 == n_rounds:
            return


def _progress_of(checkpoint: Checkpoint | None, device: str, nobody: np.ndarray) -> Progress:
    found = checkpoint.load(device) if checkpoint else None
    if found is None:
        return Progress(None, (), 0.0, (), nobody)
    state, kept = found
    history = tuple(np.moveaxis(kept["history"], -3, 0))
    rounds = tuple(kept["rounds"].tolist())
    return Progress(state, history, float(kept["seconds"]), rounds, kept["participated"])


def _line(now: Progress, n_tasks: int) -> str:
    done = len(now.history)
    seen = now.history[-1][..., -1, :done].mean()
    return f"task {done} of {n_tasks}, mean accuracy so far {seen:.3f}, {now.seconds:.1f} s"
