"""The exact affine map of one round, read off a few rounds that are played on a basis.

In a world with affine gradients, a round of most methods is affine in the server state and in the noise. Its
aggregate is a mean over slots, so for a set S of sampled clients::

    state' = mean over m in S of  ( matrix[m] @ state + offset[m] + sum_e response[m, e] @ u[m, e] )

where client m's map is the round in which it fills every slot. This module plays exactly these rounds.

Entries of the state that belong to single clients, ``(..., M, d)``, are not supported: a round then changes the
entries of the sampled clients only, which is affine but no mean of maps over S.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from algorithms.algorithm import Algorithm, Local, State
from algorithms.arrays import Array, IntArray, broadcast, concatenate, is_exact, is_tensor, like, stack
from algorithms.simulate import local_path, play_round, prepared


class NotAffine(ValueError):
    """A round is no mean over the sampled clients of affine maps, so that it has no exact moments."""


@dataclass(frozen=True)
class AffineRound:
    """One round as a mean over the sampled clients of affine maps.

    The state vector has the entries `moving`, which a round changes, in this order. The maps act on the entries
    `moving` and then `kept`, which stay as they are throughout a task. All entries have `d` coordinates.

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


@dataclass(frozen=True)
class AffineMap:
    """A map from states to the vectors `names`, in this order.

    Attributes
    ----------
    names : tuple of str
        Names of the vectors.
    matrix : (..., p, D) array
        Linear part.
    offset : (..., p) array
        Constant part.
    """

    names: tuple[str, ...]
    matrix: Array
    offset: Array


def affine_map(function: Callable[[State], State], vectors: State) -> AffineMap:
    """The affine map that `function` is, read off at a basis.

    Parameters
    ----------
    function : State -> State
        Acts on each run by itself. Entries of its result that are no vectors are ignored.
    vectors : State
        The variables, in order; their values (..., d) only tell the kind of array, and d.

    Raises
    ------
    NotAffine
        If the map does not predict the result at another point.
    """
    reference = next(iter(vectors.values()))
    at_basis = function(basis(reference, tuple(vectors)))
    names = vector_entries(at_basis)
    values = concatenate([at_basis[name] for name in names], axis=-1)
    offset, matrix = values[..., 0, :], (values[..., 1:, :] - values[..., :1, :]).swapaxes(-1, -2)
    rng = np.random.default_rng(0)
    point = {name: _small_integers(rng, reference, (1, reference.shape[-1])) for name in vectors}
    result = function(point)
    predicted = matrix @ concatenate(list(point.values()), axis=-1)[0] + offset
    if not _agree(concatenate([result[name] for name in names], axis=-1)[..., 0, :], predicted):
        raise NotAffine(
            "This function of the state is not affine: its values at a basis do not predict another one. Exact "
            "moments need affine maps, and gradients that are affine (quadratic or linear losses)."
        )
    return AffineMap(names, matrix, offset)


def affine_round(
    world: Any,
    algorithm: Algorithm,
    state: State,
    task: int,
    n_sampled: int,
    local_steps: int,
    uncertain: Collection[str] = (),
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
        Entries that are random at the start of the task. Others that a round leaves as they are stay fixed at
        their value in `state`, and become part of the offset.

    Raises
    ------
    NotAffine
        If the maps do not reproduce a round at a random point, of a random set of clients.
    """
    names = vector_entries(state)
    changed = _changed_by_a_round(world, algorithm, state, task, n_sampled)
    moving = tuple(name for name in names if name in changed)
    kept = tuple(name for name in names if name in uncertain and name not in changed)
    probe = _Probe(world, algorithm, state, task, n_sampled, moving, moving + kept)
    found = probe.maps(local_steps, kept)
    probe.check(found, local_steps)
    return found


def vector_entries(state: State) -> tuple[str, ...]:
    """Names of the entries that are vectors; others, such as the number of the task, are no variables."""
    return tuple(name for name, value in state.items() if getattr(value, "ndim", 0) > 0)


def basis(reference: Array, names: Sequence[str], n_repeats: int = 1, n_extra: int = 0) -> State:
    """States that probe a function of the entries `names`: the origin, every unit vector, and extra origins.

    Parameters
    ----------
    reference : (..., d) array
        Gives the kind of array, and d.
    names : sequence of str
        The entries.
    n_repeats : int
        How often the whole list of states is repeated.
    n_extra : int
        Number of origins after the unit vectors.

    Returns
    -------
    State
        Entries (n_repeats * (1 + len(names)*d + n_extra), d).
    """
    dim = reference.shape[-1]
    n_points = 1 + len(names) * dim + n_extra
    points = np.tile(np.eye(n_points, len(names) * dim, k=-1, dtype=int), (n_repeats, 1))
    return {name: like(reference, points[:, i * dim : (i + 1) * dim]) for i, name in enumerate(names)}


def _changed_by_a_round(
    world: Any, algorithm: Algorithm, state: State, task: int, n_sampled: int
) -> Collection[str]:
    # Only `prepare` and `aggregate` make states, so no local work is needed to see what they leave untouched:
    # the very same object, which is a fact of the method and no coincidence of numbers.
    clients = np.zeros((1, n_sampled), dtype=int)
    ready = prepared(world, algorithm, state, task)
    after = algorithm.aggregate(ready, algorithm.begin_round(ready, clients), clients)
    return {"theta"} | {name for name, value in after.items() if value is not state.get(name)}


@dataclass(frozen=True)
class _Probe:
    """The round that is probed: `varied` are the variables, of which `moving` are results."""

    world: Any
    algorithm: Algorithm
    state: State
    task: int
    n_sampled: int
    moving: tuple[str, ...]
    varied: tuple[str, ...]

    def maps(self, local_steps: int, kept: tuple[str, ...]) -> AffineRound:
        reference = self.state["theta"]
        dim = reference.shape[-1]
        n_varied, n_clients = len(self.varied) * dim, self.world.n_clients
        state = {**self.state, **basis(reference, self.varied, n_clients, n_extra=dim)}
        clients = np.repeat(np.arange(n_clients), 1 + n_varied + dim)
        after = self._after_each_step(state, clients, self._impulses(local_steps))
        after = after.reshape(*after.shape[:-2], n_clients, -1, after.shape[-1])
        from_origin = after - after[..., :1, :]  # (..., E, M, point, p)
        return AffineRound(
            moving=self.moving,
            kept=kept,
            matrix=from_origin[..., -1, :, 1 : 1 + n_varied, :].swapaxes(-1, -2),
            offset=after[..., -1, :, 0, :],
            # A noise vector that is followed by k local steps is the noise of the last step but k.
            response=from_origin[..., range(local_steps - 1, -1, -1), :, 1 + n_varied :, :]
            .swapaxes(-1, -2)
            .swapaxes(-3, -4),
        )

    def _impulses(self, local_steps: int) -> Array:
        """Noise that is a unit vector in the first local step of the last d points of every client."""
        reference = self.state["theta"]
        dim = reference.shape[-1]
        points = np.zeros((1 + len(self.varied) * dim + dim, local_steps, dim), dtype=int)
        points[-dim:, 0] = np.eye(dim, dtype=int)
        return like(reference, np.tile(points, (self.world.n_clients, 1, 1))[:, None])

    def _after_each_step(self, state: State, clients: IntArray, noise: Array) -> Array:
        """(..., E, run, p): what the round would end with after 1, ..., E local steps of one client per run."""
        state = prepared(self.world, self.algorithm, state, self.task)
        # The same client in every slot does the same work, so it is done in one slot and then repeated.
        path = local_path(self.world, self.algorithm, state, self.task, clients[:, None], noise)
        all_slots = np.repeat(clients[:, None], self.n_sampled, axis=-1)
        ends = [
            self.algorithm.aggregate(state, _in_every_slot(local, self.n_sampled), all_slots)
            for local in path
        ]
        return stack([self._vector(end) for end in ends], axis=-3)

    def _vector(self, state: State) -> Array:
        return concatenate([state[name] for name in self.moving], axis=-1)

    def check(self, found: AffineRound, local_steps: int) -> None:
        """Raise NotAffine unless `found` predicts a round at a random point, with noise in every step."""
        rng = np.random.default_rng(0)
        reference = self.state["theta"]
        dim, n_clients = reference.shape[-1], self.world.n_clients
        clients = rng.permutation(n_clients)[None, : self.n_sampled]
        point = {name: _small_integers(rng, reference, (1, dim)) for name in self.varied}
        noise = _small_integers(rng, reference, (1, self.n_sampled, local_steps, dim))
        played = play_round(self.world, self.algorithm, {**self.state, **point}, self.task, clients, noise)
        vector = concatenate([point[name] for name in self.varied], axis=-1)[0]
        chosen = clients[0]
        each = (found.matrix[..., chosen, :, :] @ vector) + found.offset[..., chosen, :]
        each = each + (found.response[..., chosen, :, :, :] @ noise[0, ..., None])[..., 0].sum(axis=-2)
        predicted = each.sum(axis=-2) / self.n_sampled
        if not _agree(self._vector(played)[..., 0, :], predicted):
            raise NotAffine(
                f"A round of {self.algorithm.name} in this world is no mean over the sampled clients of affine "
                "maps: maps that were read off at a basis do not predict a random point. Exact moments need "
                "gradients that are affine (quadratic or linear losses), local steps that are all alike, and an "
                "affine aggregate. Use enumeration or Monte Carlo instead."
            )


def _in_every_slot(local: Local, n_slots: int) -> Local:
    def repeated(value: Array) -> Array:
        if getattr(value, "ndim", 0) == 0:
            return value
        return broadcast(value, (*value.shape[:-2], n_slots, value.shape[-1]))

    return {name: repeated(value) for name, value in local.items()}


def _small_integers(rng: np.random.Generator, reference: Array, shape: tuple[int, ...]) -> Array:
    return like(reference, rng.integers(-3, 4, shape))


def _agree(a: Array, b: Array) -> bool:
    difference = a - b
    if is_exact(difference):
        return all(_may_vanish(entry) for entry in difference.flat)
    if is_tensor(difference):
        difference, a = difference.detach().cpu().numpy(), a.detach().cpu().numpy()
    # Rounding of a few dozen operations, far below any nonlinearity worth the name; NaN disagrees.
    tolerance = 1e-6 if difference.dtype.itemsize < 8 else 1e-9
    return bool((np.abs(difference) <= tolerance * (1 + np.abs(a).max())).all())


def _may_vanish(entry: Any) -> bool:
    if hasattr(entry, "ctx"):  # an interval
        return 0 in entry
    return bool(entry == 0) or (hasattr(entry, "simplify") and bool(entry.simplify() == 0))
