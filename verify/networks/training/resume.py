"""Runs that were stopped go on from the last task that was saved, with the same numbers as without the stop."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
from torch import Tensor

from algorithms.algorithm import Algorithm, State
from algorithms.draws import Draws
from algorithms.simulate import states
from verify.engine.processes import give_back
from verify.networks.training.captured import rounds_on
from verify.networks.training.checkpoint import Checkpoint, at_rest
from verify.networks.training.footprint import keep_freed_memory
from verify.networks.training.measures import Measure

SELDOM = 1.0
"""Seconds of a processor between states that are saved, and between times at which memory is given back: both after every
task, or round, would take up to a fifth of the time of short ones."""


@dataclass(frozen=True)
class Progress:
    """A run up to the end of some task.

    Attributes
    ----------
    state : State or None
        At that end; None before the first task.
    history : tuple of arrays
        What was tested in each task, (..., run, ..., T, tests), where T is the number of tests in a task.
    seconds : float
        Time that it took, interruptions not counted.
    """

    state: State | None
    history: tuple[np.ndarray, ...]
    seconds: float

    @property
    def by_round(self) -> np.ndarray:
        """All tests, (..., run, ..., K, T, tests); a sweep may make no difference before a later task."""
        return np.stack(np.broadcast_arrays(*self.history), axis=-3)


def task_by_task(
    world: Any,
    algorithm: Algorithm,
    draws: Draws,
    theta0: Tensor,
    rounds: int,
    measure: Measure,
    checkpoint: Checkpoint | None,
    progress: Callable[[str], None],
) -> Progress:
    """The whole run, read from the checkpoint as far as it is there, and written to it after the first task, the last one,
    and those between by which `SELDOM` has passed.

    Parameters
    ----------
    world : NetworkWorld
    algorithm, draws, theta0, rounds
        As in `algorithms.simulate.states`.
    measure : Measure
    checkpoint : Checkpoint or None
    progress : (str) -> None
        Is told how far the run is.
    """
    keep_freed_memory()
    now, play, saved, tidied = _read(checkpoint, world.device), rounds_on(world.device), -inf, -inf
    for task in range(len(now.history), world.n_tasks):
        start = time.perf_counter()
        before = None if now.state is None else (task, now.state)
        path = []
        for _, played, state in states(world, algorithm, draws, theta0, rounds, task + 1, before, play):
            if measure.due(played, rounds):
                path.append(measure.of(world, algorithm, state))
            if (worked := time.process_time()) - tidied >= SELDOM:
                give_back()  # what rounds leave in pieces
                tidied = worked
        end = at_rest(state)
        history = (*now.history, np.stack(path, axis=-2))
        now = Progress(end, history, now.seconds + time.perf_counter() - start)
        if checkpoint and ((worked := time.process_time()) - saved >= SELDOM or task + 1 == world.n_tasks):
            checkpoint.save(end, history=now.by_round, seconds=np.array(now.seconds))
            saved = worked
        progress(_line(algorithm.name, now, world.n_tasks))
    give_back()
    return now


def _read(checkpoint: Checkpoint | None, device: str) -> Progress:
    found = checkpoint.load(device) if checkpoint else None
    if found is None:
        return Progress(None, (), 0.0)
    state, kept = found
    return Progress(state, tuple(np.moveaxis(kept["history"], -3, 0)), float(kept["seconds"]))


def _line(name: str, now: Progress, n_tasks: int) -> str:
    done = len(now.history)
    seen = now.history[-1][..., -1, :done].mean()
    return f"{name}: task {done} of {n_tasks}, mean accuracy on tasks so far {seen:.3f}, {now.seconds:.1f} s"
