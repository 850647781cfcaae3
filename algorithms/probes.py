"""The exact affine map of one round, read off from its two halves on a basis.

In a world with affine gradients, a round of most methods is affine in the server state and in the noise. Its
aggregate is a mean over slots, so that for a set S of sampled clients::

    state' = mean over m in S of  ( matrix[m] @ state + offset[m] + sum_e response[m, e] @ u[m, e] ),

where client m's map is the round in which it fills every slot. Local work and aggregation are probed separately, because a
client works alone while the aggregation uses all slots. A complete round then checks the result.

A vector that a client keeps between its rounds is an entry of its own, see `algorithms.unfold`. A round changes it only if
its client is in S. As a mean over S of maps, it is moved N times as far by that client's map and not at all by the others.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np

from algorithms.affine import NotAffine, agree, basis, one_vector, random_point, read_off, vector_entries
from algorithms.algorithm import Algorithm, Local, State, is_vector
from algorithms.simulate import local_path, play_round, state_before_local_work
from nqm.fields import Array, broadcast_to, like, stack


@dataclass(frozen=True)
class AffineRound:
    """One round as a mean over the sampled clients of affine maps.

    The maps act on the entries `moving` of the state, which a round changes, and then `kept`, which stay as
    they are throughout a task; their results are the entries `moving`. All entries have `d` coordinates.

    Attributes
    ----------
    moving, kept : tuple of str
        Names of the entries of the state.
    matrix : (..., M, p, p + q) array
        Linear part of every client, p and q being the numbers of coordinates of `moving` and `kept`.
    offset : (..., M, p) array
        Constant part of every client.
    response : (..., M, E, p, d) array
        Response to the standardised noise of each local step.
    """

    moving: tuple[str, ...]
    kept: tuple[str, ...]
    matrix: Array
    offset: Array
    response: Array


def affine_round(
    world: Any,
    algorithm: Algorithm,
    state: State,
    task: int,
    n_sampled: int,
    local_steps: int,
    uncertain: Collection[str] = (),
    of_single_clients: Collection[str] = (),
) -> AffineRound:
    """Affine maps of one round of `task`.

    Parameters
    ----------
    world : World
        Its gradients must be affine.
    algorithm : Algorithm
        Its local steps must all be alike.
    state : State
        State at the start of the task, with an axis of runs of length 1: vectors (..., 1, d).
    task, n_sampled, local_steps : int
        Task index, sampled clients N, and local steps E.
    uncertain : names of entries
        Entries that are random at the start of the task. Other entries that a round does not change stay fixed at their
        value in `state` and become part of the offset.
    of_single_clients : names of entries
        Entries that a round changes only if their client takes part.

    Raises
    ------
    NotAffine
        If the maps do not predict a round at random points, with noise in every step and every client in a
        set.
    """
    names = vector_entries(state)
    changed = _changed_by_a_round(world, algorithm, state, task, n_sampled)
    moving = tuple(name for name in names if name in changed)
    kept = tuple(name for name in names if name in uncertain and name not in changed)
    probe = _Probe(
        world, algorithm, state, task, n_sampled, local_steps, moving, kept, frozenset(of_single_clients)
    )
    found = probe.round()
    probe.check(found)
    return found


def _changed_by_a_round(
    world: Any, algorithm: Algorithm, state: State, task: int, n_sampled: int
) -> Collection[str]:
    # Only `prepare` and `aggregate` create states, so no local work is needed to see which entries they leave untouched. An
    # untouched entry is the very same object, so the test does not depend on coincidences of numbers.
    clients = np.zeros((1, n_sampled), dtype=int)
    ready = state_before_local_work(world, algorithm, state, task)
    oracle = algorithm.objective(world, ready, task, clients)
    after = algorithm.aggregate(ready, algorithm.begin_round(ready, clients, oracle), clients)
    return {"theta"} | {name for name, value in after.items() if value is not state.get(name)}


@dataclass(frozen=True)
class _LocalWork:
    """The local state after the local steps: vectors `names`, affine in the state and in the noise.

    `matrix` is (..., M, l, D), `offset` (..., M, l), `response` (..., M, E, l, d); `others` are the other
    entries.
    """

    names: tuple[str, ...]
    matrix: Array
    offset: Array
    response: Array
    others: Local


@dataclass(frozen=True)
class _Probe:
    world: Any
    algorithm: Algorithm
    state: State
    task: int
    n_sampled: int
    local_steps: int
    moving: tuple[str, ...]
    kept: tuple[str, ...]
    of_single_clients: frozenset[str]

    @property
    def reference(self) -> Array:
        return self.state["theta"]

    @property
    def varied(self) -> tuple[str, ...]:
        return self.moving + self.kept

    def round(self) -> AffineRound:
        work = self._local_work()
        offset, matrix = self._aggregate(work)
        n_varied = work.matrix.shape[-1]
        of_state, of_local = matrix[..., :n_varied], matrix[..., n_varied:]
        return AffineRound(
            moving=self.moving,
            kept=self.kept,
            matrix=of_state + of_local @ work.matrix,
            offset=offset + (of_local @ work.offset[..., None])[..., 0],
            response=of_local[..., None, :, :] @ work.response,
        )

    def _local_work(self) -> _LocalWork:
        """Probe a round in which all clients work side by side; slots do not meet before the aggregate."""
        dim, n_clients = self.reference.shape[-1], self.world.n_clients
        points = basis(self.reference, self.varied, n_extra=dim)
        state = state_before_local_work(self.world, self.algorithm, {**self.state, **points}, self.task)
        noise = self._impulses(n_points=1 + len(self.varied) * dim + dim)
        path = local_path(self.world, self.algorithm, state, self.task, np.arange(n_clients), noise)
        impulses = []
        for local in path:
            names = vector_entries(local)
            values = one_vector(local, names).swapaxes(-2, -3)  # (..., M, point, l)
            # An impulse that is followed by k local steps is the noise of the last step but k.
            impulses.append((values[..., -dim:, :] - values[..., :1, :]).swapaxes(-1, -2))
        offset, matrix = read_off(values[..., :-dim, :])
        others = {name: value for name, value in local.items() if name not in names}
        return _LocalWork(names, matrix, offset, stack(impulses[::-1], axis=-3), others)

    def _impulses(self, n_points: int) -> Array:
        """Noise of the first local step in the last d points: a unit vector in each, for every client."""
        dim = self.reference.shape[-1]
        noise = np.zeros((n_points, 1, self.local_steps, dim), dtype=int)
        noise[-dim:, 0, 0] = np.eye(dim, dtype=int)
        return broadcast_to(like(self.reference, noise), (n_points, self.world.n_clients, *noise.shape[-2:]))

    def _aggregate(self, work: _LocalWork) -> tuple[Array, Array]:
        """Offset (..., M, p) and matrix (..., M, p, D + l) of the aggregate, each client filling all slots."""
        n_clients = self.world.n_clients
        of_state = [("state", name) for name in self.varied]
        points = basis(self.reference, of_state + [("local", name) for name in work.names])
        varied = {name: points["state", name] for name in self.varied}
        state = state_before_local_work(self.world, self.algorithm, {**self.state, **varied}, self.task)
        n_points = points["state", "theta"].shape[0]
        clients = np.repeat(np.arange(n_clients), n_points)[:, None]
        clients = np.broadcast_to(clients, (n_clients * n_points, self.n_sampled))
        local = {name: _in_slots(points["local", name], n_clients, self.n_sampled) for name in work.names}
        before = {name: _for_each_client(value, n_clients) for name, value in state.items()}
        end = self.algorithm.aggregate(before, {**work.others, **local}, clients)
        farther = {
            name: before[name] + self.n_sampled * (end[name] - before[name])
            for name in self.of_single_clients
        }
        values = one_vector({**end, **farther}, self.moving)
        return read_off(values.reshape(*values.shape[:-2], n_clients, n_points, values.shape[-1]))

    def check(self, found: AffineRound) -> None:
        """Raise NotAffine unless `found` predicts whole rounds in which every client takes part."""
        rng = np.random.default_rng(0)
        n_clients, dim = self.world.n_clients, self.reference.shape[-1]
        point = random_point(rng, self.reference, self.varied)
        noise = like(self.reference, rng.integers(-3, 4, (n_clients, self.local_steps, dim)))
        n_runs = -(-n_clients // self.n_sampled)
        slots = np.arange(n_runs * self.n_sampled) % n_clients
        clients = rng.permutation(n_clients)[slots].reshape(n_runs, self.n_sampled)
        state = {**self.state, **{name: broadcast_to(value, (n_runs, dim)) for name, value in point.items()}}
        played = play_round(self.world, self.algorithm, state, self.task, clients, noise[clients])
        shaken = (found.response @ noise[..., None]).sum(axis=-3)[..., 0]
        each = found.matrix @ one_vector(point, self.varied)[0] + found.offset + shaken
        predicted = each[..., clients, :].sum(axis=-2) / self.n_sampled
        if not agree(one_vector(played, self.moving), predicted):
            raise NotAffine(
                f"A round of {self.algorithm.name} in this world is no mean over the sampled clients of "
                "affine maps: maps that were read off at a basis do not predict a random point. Exact moments "
                "need gradients that are affine (quadratic or linear losses), local steps that are all alike, "
                "and an affine aggregate. Use enumeration or Monte Carlo instead."
            )


def _for_each_client(value: Any, n_clients: int) -> Any:
    """(..., point, d) -> (..., M * point, d), all points for every client; other entries as they are."""
    if not is_vector(value) or value.shape[-2] == 1:
        return value
    *batch, n_points, dim = value.shape
    repeated = broadcast_to(value[..., None, :, :], (*batch, n_clients, n_points, dim))
    return repeated.reshape(*batch, n_clients * n_points, dim)


def _in_slots(points: Array, n_clients: int, n_slots: int) -> Array:
    """(point, d) -> (M * point, n_slots, d)."""
    runs = _for_each_client(points, n_clients)[:, None, :]
    return broadcast_to(runs, (runs.shape[0], n_slots, runs.shape[-1]))
