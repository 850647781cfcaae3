"""What clients and server send each other in a round, counted while an algorithm plays it.

Nothing of it is declared by an algorithm: what a client receives is what its functions read of the server's state, and what it
sends is what the server's aggregation reads of the client's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from algorithms.algorithm import Algorithm, State, is_vector
from algorithms.simulate import prepared, worked
from nqm.fields import Array, IntArray


class Reading(dict[str, Any]):
    """A mapping that notes in `names` which of its entries are read one by one; copies of the whole do not count."""

    def __init__(self, entries: Mapping[str, Any]) -> None:
        super().__init__(entries)
        self.names: set[str] = set()

    def __getitem__(self, name: str) -> Any:
        self.names.add(name)
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        """The entry, noted if there is one."""
        if name in self:
            self.names.add(name)
        return super().get(name, default)

    def numbers(self, axes: int) -> int:
        """Length of all vectors with so many axes that were read, together."""
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
    """What a participating client exchanges with the server in a round.

    Attributes
    ----------
    received, sent : int
        Numbers that it receives, and that it sends.
    messages : int
        How often the clients send something: in an exchange before local work, and at the end of the round.
    """

    received: int
    sent: int
    messages: int


def round_with_traffic(
    world: Any, algorithm: Algorithm, state: State, task: int, participants: IntArray, noise: Array
) -> tuple[State, Traffic]:
    """State after a round, and what was exchanged in it; arguments as in `algorithms.simulate.play_round`.

    Entries of the state with an axis of clients are the clients' own and are not sent. In an exchange before local work each
    answer of a client's data is sent.
    """
    axes, answers = state["theta"].ndim, list[Array]()

    def asking(own: Any, before: State, now: int, clients: IntArray) -> Asked:
        return Asked(algorithm.objective(own, before, now, clients), answers)

    first = Reading(state)
    ready = prepared(world, replace(algorithm, objective=asking), first, task)
    received = Reading(ready)
    local = worked(world, algorithm, received, task, participants, noise)
    received.names |= first.names
    sent = Reading(local)
    after = algorithm.aggregate(ready, sent, participants)
    before, at_end = sum(answer.shape[-1] for answer in answers), sent.numbers(axes + 1)
    return after, Traffic(received.numbers(axes), before + at_end, (before > 0) + (at_end > 0))


def traffic(
    world: Any, algorithm: Algorithm, theta0: Array, participants: IntArray, noise: Array, rounds: int
) -> Iterator[Traffic]:
    """What is exchanged in each of `rounds` rounds of every task of a world, one after the other; `theta0` is (run, d)."""
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
