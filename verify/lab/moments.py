"""Exact mean and covariance of an affine method in a quadratic world, and the expectations that follow.

`algorithms.probes` determines the affine map of a round, and `nqm.moments` propagates mean and covariance. This module joins
them over a sequence of tasks. From the second task on, entries of the state from earlier tasks, such as an anchor, are random.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from numbers import Number
from typing import Any

import numpy as np

from algorithms.affine import NotAffine, affine_map, vector_entries
from algorithms.algorithm import Algorithm, State
from algorithms.unfold import kept_by_clients, parts, unfolded
from nqm.federation import total_grad, total_loss
from nqm.fields import Array, broadcast_to, concatenate, sq, stack, zeros_like
from nqm.moments import Path, propagate
from verify.lab.kept_maps import kept_round


@dataclass(frozen=True)
class Moments:
    """Mean and covariance after every round of every task.

    Attributes
    ----------
    mean : (..., tasks, rounds + 1, D) array
        ``[..., i, t, :]`` is the mean after `t` rounds of task `i`. The leading axes are sweeps and worlds.
    cov : (..., tasks, rounds + 1, D, D) array
        Covariances.
    """

    mean: Array
    cov: Array


def moments(
    world: Any,
    algorithm: Algorithm,
    *,
    theta0: Array,
    rounds: int,
    n_sampled: int,
    local_steps: int,
    tasks: int = 1,
    of: Sequence[str] = ("theta",),
) -> Moments:
    """Exact moments of the server model over the participants and the noise of all rounds.

    Parameters
    ----------
    world : World
        World with affine gradients and noise of covariance I/d, as all laws in `nqm.noise` have.
    algorithm : Algorithm
        Affine method. Array-valued hyperparameters have axes (sweep..., world..., run), with ``run`` of length 1.
    theta0 : (..., d) array
        Start, an array of the same library as the world's; leading axes (sweep..., world...).
    rounds, n_sampled, local_steps, tasks : int
        Rounds per task T, sampled clients N, local steps E, tasks K.
    of : sequence of str
        Names of the vectors of the state whose moments are returned: the model, or the model and its anchor.

    Returns
    -------
    Moments
        Joint moments of these vectors; D is d times their number.

    Raises
    ------
    NotAffine
        If the world or the method is not affine.
    ValueError
        If a name in `of` is not a vector of the state, or `theta0` does not have the world's dimension.
    """
    shape = tuple(getattr(theta0, "shape", ()))
    if shape[-1:] != (world.dim,):
        got = f"shape {shape}" if shape else repr(theta0)
        raise ValueError(
            f"`theta0` must be an array of shape (..., {world.dim}), got {got}; write np.zeros({world.dim})"
        )
    played = [
        task.joint(slice(None), of)
        for task in _play(world, algorithm, theta0, rounds, n_sampled, local_steps, tasks)
    ]
    return Moments(stack([mean for mean, _ in played], -3), stack([cov for _, cov in played], -4))


def expected_sq_distance(of: Moments, point: Array) -> Array:
    """E|theta - point|^2 after every round, (..., tasks, rounds + 1); `point` broadcasts to the mean."""
    diagonal = np.arange(of.cov.shape[-1])
    return sq(of.mean - point) + of.cov[..., diagonal, diagonal].sum(axis=-1)


def expected_loss(world: Any, of: Moments, tasks: Iterable[int] | None = None) -> Array:
    """E[sum over tasks of the mean loss of all clients] after every round, (..., tasks, rounds + 1).

    Parameters
    ----------
    world : World
        Its losses must be quadratic or linear.
    of : Moments
        Moments of the model.
    tasks : iterable of int or None
        Tasks whose losses are added; None for all.
    """
    tasks = None if tasks is None else list(tasks)
    at_mean = _on_path(lambda x: total_loss(world, x, tasks), of.mean)
    return at_mean + _inner(total_hessian(world, of.mean, tasks), of.cov) / 2


def expected_sq_grad(world: Any, of: Moments, tasks: Iterable[int] | None = None) -> Array:
    """E|gradient of the total loss|^2 after every round, (..., tasks, rounds + 1); see `expected_loss`."""
    tasks = None if tasks is None else list(tasks)
    hessian = total_hessian(world, of.mean, tasks)
    at_mean = _on_path(lambda x: sq(total_grad(world, x, tasks)), of.mean)
    return at_mean + _inner(hessian.swapaxes(-1, -2) @ hessian, of.cov)


def total_hessian(world: Any, reference: Array, tasks: Iterable[int] | None = None) -> Array:
    """Hessian of the total loss of a quadratic or linear world, (world..., d, d).

    `reference` (..., d) determines the array library. Raises `NotAffine` if the gradient is not affine.
    """
    found = affine_map(
        lambda state: {"grad": total_grad(world, state["x"], tasks)}, {"x": reference[..., :1, :]}
    )
    return found.matrix


def _on_path(function: Callable[[Array], Array], mean: Array) -> Array:
    """Apply a function of (..., run, d) arrays to a path (..., tasks, rounds + 1, d), whose points take the place of runs."""
    *batch, tasks, times, dim = mean.shape
    values = function(mean.reshape(*batch, tasks * times, dim))
    return values.reshape(*values.shape[:-1], tasks, times)


def _inner(matrix: Array, cov: Array) -> Array:
    return (matrix[..., None, None, :, :] * cov).sum(axis=-1).sum(axis=-1)


@dataclass(frozen=True)
class _Belief:
    """The distribution of the state at one time: moments of its vectors `names`, and its other entries."""

    names: tuple[str, ...]
    mean: Array
    cov: Array
    others: State
    certain: bool

    @property
    def layout(self) -> dict[str, slice]:
        size = self.mean.shape[-1] // len(self.names)
        return {name: slice(i * size, (i + 1) * size) for i, name in enumerate(self.names)}

    def state(self) -> State:
        """State at the mean, with an axis of runs of length 1."""
        return {**self.others, **{name: self.mean[..., None, part] for name, part in self.layout.items()}}

    def ordered(self, names: tuple[str, ...]) -> _Belief:
        """The same distribution with the vectors in another order."""
        if names == self.names:
            return self
        at = np.concatenate([np.arange(self.mean.shape[-1])[self.layout[name]] for name in names])
        mean, cov = self.mean[..., at], self.cov[..., at, :][..., at]
        return _Belief(names, mean, cov, self.others, self.certain)

    def part(self, name: str) -> slice:
        """The coordinates of one vector, as a slice."""
        if name not in self.names:
            raise ValueError(f"`of` must name vectors of the state, {', '.join(self.names)}, got {name!r}.")
        return self.layout[name]


@dataclass(frozen=True)
class _Task:
    """Moments throughout one task: the `path` of moving entries, and the distribution of the whole state at its start."""

    start: _Belief
    path: Path

    def joint(self, when: slice, names: Sequence[str]) -> tuple[Array, Array]:
        """Mean and covariance of the vectors `names` at the times `when`, (..., times, D) and (..., times, D, D)."""
        at = {name: self.start.part(name) for name in names}
        rows = [concatenate([self._cov(when, at[a], at[b]) for b in names], -1) for a in names]
        return concatenate([self._mean(when, at[name]) for name in names], -1), concatenate(rows, -2)

    def _mean(self, when: slice, part: slice) -> Array:
        moving = self.path.mean[..., when, :]
        *batch, times, p = moving.shape
        if part.start < p:
            return moving[..., part]
        kept = self.start.mean[..., None, part]
        return broadcast_to(kept, (*batch, times, kept.shape[-1]))

    def _cov(self, when: slice, rows: slice, columns: slice) -> Array:
        moving = self.path.cov[..., when, :, :]
        *batch, times, _, p = moving.shape
        if rows.start < p and columns.start < p:
            return moving[..., rows, columns]
        if columns.start < p:
            return self._cov(when, columns, rows).swapaxes(-1, -2)
        if rows.start >= p:
            kept = self.start.cov[..., None, rows, columns]
            return broadcast_to(kept, (*batch, times, *kept.shape[-2:]))
        if self.start.certain:
            return zeros_like(moving[..., rows, :1] * self.start.mean[..., None, None, columns])
        return self.path.cross[..., when, rows, columns.start - p : columns.stop - p]

    def end(self) -> _Belief:
        """The distribution of the state at the end of the task."""
        mean, cov = self.joint(slice(-1, None), self.start.names)
        return _Belief(self.start.names, mean[..., 0, :], cov[..., 0, :, :], self.start.others, certain=False)


def _play(
    world: Any, algorithm: Algorithm, theta0: Array, rounds: int, n_sampled: int, local_steps: int, tasks: int
) -> Iterator[_Task]:
    kept = kept_by_clients(algorithm, theta0[..., None, :])
    given, algorithm = algorithm, unfolded(algorithm, kept, world.n_clients)
    single = tuple(part for name in kept for part in parts(name, world.n_clients))
    before = _certainly(algorithm.init(theta0[..., None, :]))
    for task in range(tasks):
        belief = _at_start_of(task, algorithm, before)
        uncertain = () if belief.certain else belief.names
        maps, noise = kept_round(
            world, given, algorithm, belief.state(), task, n_sampled, local_steps, uncertain, single
        )
        rest = tuple(name for name in belief.names if name not in maps.moving)
        belief = belief.ordered(maps.moving + rest)
        size = maps.matrix.shape[-1]
        path = propagate(
            maps.matrix,
            maps.offset,
            noise,
            belief.mean[..., :size],
            belief.cov[..., :size, :size],
            n_sampled=n_sampled,
            rounds=rounds,
        )
        played = _Task(belief, path)
        yield played
        if task + 1 < tasks:
            before = played.end()


def _certainly(state: State) -> _Belief:
    names = vector_entries(state)
    for name in names:
        if tuple(state[name].shape[-2:]) != (1, state["theta"].shape[-1]):
            raise NotAffine(
                f"`{name}` has shape {tuple(state[name].shape)}, but exact moments need vectors like "
                "the model."
            )
    mean = concatenate([state[name] for name in names], -1)[..., 0, :]
    others = {name: value for name, value in state.items() if name not in names}
    return _Belief(names, mean, zeros_like(mean[..., None] * mean[..., None, :]), others, certain=True)


def _at_start_of(task: int, algorithm: Algorithm, belief: _Belief) -> _Belief:
    at_mean = _certainly(algorithm.begin_task(belief.state(), task))
    if belief.certain:
        return at_mean
    for name, value in belief.others.items():
        if not isinstance(value, Number):
            raise NotAffine(
                f"`{name}` of {algorithm.name} is neither a vector nor a number, so its randomness cannot be "
                "followed beyond the first task."
            )
    vectors = {name: belief.state()[name] for name in belief.names}
    change = affine_map(lambda state: algorithm.begin_task({**belief.others, **state}, task), vectors)
    cov = change.matrix @ belief.cov @ change.matrix.swapaxes(-1, -2)
    return _Belief(at_mean.names, at_mean.mean, cov, at_mean.others, certain=False)
