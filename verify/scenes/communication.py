"""Communication of clients and server in a round, measured while an algorithm runs.

Algorithms do not declare their communication. A client receives the entries of the server's state that its functions read, and
sends the entries of its own state that the server's aggregation reads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from algorithms.algorithm import Algorithm, State, is_vector
from algorithms.simulate import state_before_local_work, states_after_local_work
from nqm.fields import Array, IntArray


class Reading(dict[str, Any]):
    """A mapping that records in `names` which entries are read individually; copies of the whole mapping do not count."""

    def __init__(self, entries: Mapping[str, Any]) -> None:
        super().__init__(entries)
        self.names: set[str] = set()

    def __getitem__(self, name: str) -> Any:
        self.names.add(name)
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        """The entry, which is recorded if it exists."""
        if name in self:
            self.names.add(name)
        return super().get(name, default)

    def numbers(self, axes: int) -> int:
        """Total length of all vectors with `axes` axes that were read."""
        read = (dict.__getitem__(self, name) for name in sorted(self.names & self.keys()))
        return sum(vector.shape[-1] for vector in read if is_vector(vector) and vector.ndim == axes)


@dataclass(frozen=True)
class Asked:
    """An oracle, or a part of one, whose answers are collected in `answers`."""

    oracle: Any
    answers: list[Array]

    def __getattr__(self, name: str) -> Any:
        part = getattr(self.oracle, name)
        if callable(part):
            return self._collecting(part)
        return part if isinstance(part, np.ndarray | int) else Asked(part, self.answers)

    def _collecting(self, function: Callable[..., Array]) -> Callable[..., Array]:
        def answer(*points: Any) -> Array:
            self.answers.append(function(*points))
            return self.answers[-1]

        return answer


@dataclass(frozen=True)
class Traffic:
    """The communication of a participating client with the server in a round.

    Attributes
    ----------
    received, sent : int
        Counts of numbers that the client receives and sends.
    messages : int
        Number of messages of a client: in an exchange before local work, and at the end of the round.
    """

    received: int
    sent: int
    messages: int


def round_with_traffic(
    world: Any, algorithm: Algorithm, state: State, task: int, participants: IntArray, noise: Array
) -> tuple[State, Traffic]:
    """State after a round, and its communication; the arguments are those of `algorithms.simulate.play_round`.

    Entries of the state with an axis of clients belong to the clients and are not sent. In an exchange before local work, every
    answer of a client's oracle is sent.
    """
    axes, answers = state["theta"].ndim, list[Array]()

    def asking(own: Any, before: State, now: int, clients: IntArray) -> Asked:
        return Asked(algorithm.objective(own, before, now, clients), answers)

    first = Reading(state)
    ready = state_before_local_work(world, replace(algorithm, objective=asking), first, task)
    received = Reading(ready)
    local = states_after_local_work(world, algorithm, received, task, participants, noise)
    received.names |= first.names
    sent = Reading(local)
    after = algorithm.aggregate(ready, sent, participants)
    before, at_end = sum(answer.shape[-1] for answer in answers), sent.numbers(axes + 1)
    return after, Traffic(received.numbers(axes), before + at_end, (before > 0) + (at_end > 0))


def traffic(
    world: Any, algorithm: Algorithm, theta0: Array, participants: IntArray, noise: Array, rounds: int
) -> Iterator[Traffic]:
    """Yield the communication in each of `rounds` rounds of every task of a world; `theta0` is (run, d)."""
    state = algorithm.init(theta0)
    for task in range(world.n_tasks):
        state = algorithm.begin_task(state, task)
        for _ in range(rounds):
            state, counted = round_with_traffic(world, algorithm, state, task, participants, noise)
            yield counted
        if algorithm.end_task is not None:
            order = np.broadcast_to(
                np.arange(world.n_samples), (len(theta0), world.n_clients, world.n_samples)
            )
            state = algorithm.end_task(world, state, task, order)
