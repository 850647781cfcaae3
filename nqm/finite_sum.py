"""Finite sums: a client's loss is the mean of the losses of its samples. A client may keep some samples in a memory.

The samples are themselves the clients of a world: sample j of client m is its client m*S + j. So every family
of worlds, with all its constants, serves as a family of samples.

Sample j of task i has the number i*S + j in its client's *pool*, which is how a memory names it; -1 names
no sample.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nqm.fields import Array, broadcast_to, like, stack
from nqm.selection import check_clients, check_kept, check_task
from nqm.world import World


@dataclass(frozen=True)
class FiniteSum:
    """A federation of clients with `n_samples` samples in every task.

    Parameters
    ----------
    samples : World
        Losses of the samples, as those of M*S clients; its noise is not used.
    n_clients : int
        Number M of clients, which must divide the number of samples.
    batch : int
        Samples of a minibatch: the first columns of the indices that are drawn for a local step; further
        columns are for the minibatch of a memory.
    """

    samples: World
    n_clients: int
    batch: int = 1

    def __post_init__(self) -> None:
        if self.n_clients < 1 or self.samples.n_clients % self.n_clients:
            raise ValueError(
                f"`n_clients` must divide the {self.samples.n_clients} clients of `samples`, got {self.n_clients}."
            )
        if self.batch < 1:
            raise ValueError(f"`batch` must be at least 1, got {self.batch}.")

    @property
    def n_samples(self) -> int:
        """Samples S of a client in a task."""
        return self.samples.n_clients // self.n_clients

    @property
    def n_tasks(self) -> int:
        """Number K of tasks."""
        return self.samples.n_tasks

    @property
    def dim(self) -> int:
        """Dimension d of the parameters."""
        return self.samples.dim

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """Lengths of the world axes; () for a single world."""
        return self.samples.batch_shape

    def at(self, task: int, clients: Any = None) -> SampleMean:
        """Mean loss of all samples of a task, for the given clients (n,) or (run, n); all of them by default."""
        task = check_task(task, self.n_tasks)
        who = self._clients(clients)
        pool = task * self.n_samples + np.arange(self.n_samples)
        return SampleMean(
            self, who, np.broadcast_to(pool, (*who.shape, self.n_samples)), slice(0, self.batch)
        )

    def over(self, kept: np.ndarray, clients: Any = None) -> SampleMean:
        """Mean loss of the samples `kept`, (n, m) or (run, n, m) numbers in the pools of the given clients.

        An empty memory loses nothing.
        """
        kept = check_kept(kept, self.n_tasks * self.n_samples)
        return SampleMean(self, self._clients(clients), kept, slice(self.batch, None))

    def _clients(self, clients: Any) -> np.ndarray:
        chosen = check_clients(clients, self.n_clients, len(self.batch_shape))
        return np.arange(self.n_clients) if chosen is None else chosen


@dataclass(frozen=True)
class SampleMean:
    """Mean loss of some samples of each slot's client; empty places and empty means count zero.

    Parameters
    ----------
    world : FiniteSum
    clients : (n,) or (run, n) array of int
    pool : (n, m) or (run, n, m) array of int
        Numbers of the samples; -1 for none.
    drawn : slice
        Columns of the indices drawn for a local step that are meant for these samples.
    """

    world: FiniteSum
    clients: np.ndarray
    pool: np.ndarray
    drawn: slice

    @property
    def sizes(self) -> np.ndarray:
        """Number of samples of each slot, (..., n); 1 where there is none."""
        return _filled(self.pool)[..., 0]

    @property
    def n_components(self) -> np.ndarray:
        """Number of components of each slot, (..., n): its samples."""
        return self.sizes

    def loss(self, x: Array) -> Array:
        """Mean loss, (..., n, d) -> (..., n)."""
        return self._mean(lambda oracle, y: oracle.loss(y)[..., None], x, self.pool)[..., 0]

    def grad(self, x: Array) -> Array:
        """Mean gradient, (..., n, d)."""
        return self._mean(_gradient, x, self.pool)

    def stochastic_grad(self, x: Array, u: np.ndarray) -> Array:
        """Mean gradient of a minibatch, (..., n, d), with its indices among the columns of `u` (..., n, b).

        Indices are taken modulo the number of samples; they may repeat.
        """
        return self._mean(_gradient, x, self._minibatch(u))

    def components(self, x: Array) -> Array:
        """Gradients of all samples at one point in each slot, (..., n, J, d); zero after the slot's last."""
        return self._each(_gradient, x, _filled_first(self.pool))

    def component_grad(self, x: Array, j: np.ndarray) -> Array:
        """Gradient of sample `j` (..., n) of each slot, (..., n, d)."""
        pool = np.broadcast_to(_filled_first(self.pool), (*j.shape, self.pool.shape[-1]))
        return self._each(_gradient, x, np.take_along_axis(pool, j[..., None], axis=-1))[..., 0, :]

    def curvature(self, x: Array) -> Array:
        """Diagonal of the mean Hessian, (..., n, d); for quadratic samples, where it is a difference of gradients."""
        unit = like(x, np.eye(x.shape[-1], dtype=int))
        rise = [(self.grad(x + e) - self.grad(x))[..., i] for i, e in enumerate(unit)]
        return stack(rise, -1)

    def taught_grad(
        self, x: Array, u: np.ndarray, by_labels: Array, teachers: Sequence[tuple[Array, Array]]
    ) -> Array:
        """Gradient on a minibatch of the loss and of half the squared differences from teachers' outputs, (..., n, d).

        For quadratic samples, which are squared errors of linear models: a teacher's part is H(x - teacher).

        Parameters
        ----------
        x : (..., n, d) array
        u : (..., n, b) array of int
        by_labels : number, or array that broadcasts to (..., n, 1)
            Strength of the loss.
        teachers : sequence of (strength, model (..., n, d))
        """
        here = self.stochastic_grad(x, u)
        g = by_labels * here
        for strength, model in teachers:
            g = g + strength * (here - self.stochastic_grad(model, u))
        return g

    def _minibatch(self, u: np.ndarray) -> np.ndarray:
        index = u[..., self.drawn]
        if not index.shape[-1]:
            raise ValueError(
                f"`u` must have columns for a memory beyond the {self.world.batch} of the minibatch, got "
                f"{u.shape[-1]}: draw with `memory_batch`."
            )
        pool = np.broadcast_to(self.pool, (*index.shape[:-1], self.pool.shape[-1]))
        return np.take_along_axis(_filled_first(pool), index % _filled(pool), axis=-1)

    def _mean(self, what: Callable[[Any, Array], Array], x: Array, pool: np.ndarray) -> Array:
        return self._each(what, x, pool).sum(axis=-2) / like(x, _filled(pool))

    def _each(self, what: Callable[[Any, Array], Array], x: Array, pool: np.ndarray) -> Array:
        """Values of a function of the samples `pool` (..., n, m) at x (..., n, d): (..., n, m, -), zero in empty places."""
        S, (*runs, n, m) = self.world.n_samples, pool.shape
        first = np.broadcast_to(self.clients, (*runs, n))[..., None] * S
        points = broadcast_to(x[..., None, :], (*x.shape[:-1], m, x.shape[-1]))
        points = points.reshape(*x.shape[:-2], n * m, x.shape[-1])
        total: Any = 0
        for task in np.unique(pool // S * (pool >= 0)):
            here = (pool >= 0) & (pool // S == task)
            sample = np.where(here, first + pool % S, 0).reshape(*runs, n * m)
            value = what(self.world.samples.at(int(task), sample), points)
            value = value.reshape(*value.shape[:-2], n, m, value.shape[-1])
            total = total + value * like(x, here[..., None].astype(int))
        return total


def _gradient(oracle: Any, x: Array) -> Array:
    return oracle.grad(x)


def _filled_first(pool: np.ndarray) -> np.ndarray:
    return np.take_along_axis(pool, np.argsort(pool < 0, axis=-1, kind="stable"), axis=-1)


def _filled(pool: np.ndarray) -> np.ndarray:
    """Number of samples of each slot, with an axis of length 1; 1 where there is none, so that it divides."""
    return np.asarray((pool >= 0).sum(axis=-1, keepdims=True)).clip(1)
