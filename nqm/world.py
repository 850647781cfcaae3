"""The interface of every world, and of one of its tasks for the clients that take part in a round."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from nqm.arguments import of_one_kind, require_broadcastable, set_parameters
from nqm.fields import Array, is_tensor
from nqm.known import Ball, Constant
from nqm.noise import Noise

Parts = Callable[[], tuple[Array, Array, Array]]
"""keep, rate and push of a local step x <- keep*x - rate*g + push, which broadcast to (..., n, d)."""

Walk = Callable[[Array, Array, Parts], Array | None]
"""(x (..., n, d), u (..., n, E, d), parts) -> where the E local steps lead, (..., n, d), or None."""


def never(x: Array, u: Array, parts: Parts) -> None:
    """None for every array: the `walk` of a world that has no fast path."""


@dataclass(frozen=True)
class Objective:
    """Losses of one task for the clients of one round. Local steps call its methods.

    Parameters
    ----------
    loss : (..., n, d) -> (..., n)
    grad : (..., n, d) -> (..., n, d)
        Without noise.
    scale : array that broadcasts to (..., n, 1)
        sigma of each client.
    walk : Walk
        All steps along ``grad(x) + scale*u`` in one call, if the world implements this; None for other arrays.
    """

    loss: Callable[[Array], Array]
    grad: Callable[[Array], Array]
    scale: Array
    walk: Walk = field(default=never, kw_only=True)

    def stochastic_grad(self, x: Array, u: Array) -> Array:
        """``grad(x) + sigma * u`` for standardised noise `u` (..., n, d)."""
        if self.walk is not never and (found := self.walk(x, u[..., None, :], _to_the_gradient)) is not None:
            return found
        g = self.grad(x)
        if is_tensor(g) and is_tensor(u):
            return g.addcmul(u, self.scale)  # in one pass over memory
        return g + self.scale * u

    def requests(self, u: Array) -> Requests:
        """The requests to `stochastic_grad` in one round, with the drawn noise `u` (..., n, E, d)."""
        return Requests(self, u)


@dataclass(frozen=True)
class Requests:
    """The requests of clients to an objective in all local steps of a round."""

    objective: Objective
    u: Array

    def walk(self, x: Array, parts: Parts) -> Array | None:
        """Model after steps with these parts from `x` (..., n, d); None if the steps must be made one by one."""
        return self.objective.walk(x, self.u, parts)


def _to_the_gradient() -> tuple[Array, Array, Array]:
    """Parts of a step whose result is the gradient at its start."""
    return np.zeros(1), -np.ones(1), np.zeros(1)


class World(ABC):
    """A federation in which every constant is known.

    Task index 0..K-1, client index 0..M-1. Parameters have leading *world* axes: one object may hold a batch
    of worlds. Arguments ``x`` have axes (sweep..., world..., run, client, dim); in a single world the axes
    before ``client`` are free.
    """

    noise: Noise

    @property
    @abstractmethod
    def shape(self) -> tuple[int, ...]:
        """(world..., K, M, d)."""

    @abstractmethod
    def at(self, task: int, clients: Any = None) -> Objective:
        """One task for the given clients, prepared once and then called at every local step.

        Parameters
        ----------
        task : int
            0..K-1.
        clients : int array (n_runs, n) or (n,), or None
            Participants of each run, or of all runs; None: all M clients in order.
        """

    @abstractmethod
    def curvature_range(self, region: Ball | None) -> tuple[Constant, Constant]:
        """Lowest and highest eigenvalue of each client's Hessian over the region, (world..., K, M)."""

    @abstractmethod
    def gradient_bound(self, region: Ball | None) -> Constant:
        """Supremum over the region of |gradient| without noise, for each client, (world..., K, M)."""

    @abstractmethod
    def client_spread(self, region: Ball | None) -> Constant:
        """Supremum over the region of max_{i,m} |grad f_im - grad f_i|^2, (world...)."""

    @abstractmethod
    def task_spread(self, region: Ball | None) -> Constant:
        """Supremum over the region of max_{i,j} |grad f_i - grad f_j|^2, (world...)."""

    @abstractmethod
    def infimum(self, tasks: Iterable[int] | None) -> Constant:
        """Lower bound of the sum of the losses of the given tasks (None: of all), (world...)."""

    @property
    def dim(self) -> int:
        """Dimension d of the parameters."""
        return self.shape[-1]

    @property
    def n_tasks(self) -> int:
        """Number K of tasks."""
        return self.shape[-3]

    @property
    def n_clients(self) -> int:
        """Number M of all clients."""
        return self.shape[-2]

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """Lengths of the world axes; () for a single world."""
        return self.shape[:-3]

    def loss(self, x: Array, task: int, clients: Any = None) -> Array:
        """Loss of each client, (..., n); see `at` for the arguments."""
        return self.at(task, clients).loss(x)

    def grad(self, x: Array, task: int, clients: Any = None) -> Array:
        """Gradient of each client without noise, (..., n, d); see `at` for the arguments."""
        return self.at(task, clients).grad(x)

    def stochastic_grad(self, x: Array, task: int, clients: Any, u: Array) -> Array:
        """Gradient of each client plus sigma times the standardised noise `u`, (..., n, d)."""
        return self.at(task, clients).stochastic_grad(x, u)


def set_world(world: World, parameters: dict[str, Any]) -> None:
    """Store a world's parameters and its sigma as arrays of one kind, during ``__post_init__``."""
    arrays = of_one_kind({**parameters, "sigma": world.noise.sigma})
    sigma = arrays.pop("sigma")
    set_parameters(world, {**arrays, "noise": replace(world.noise, sigma=sigma)})


def check_sigma(world: World) -> None:
    """Raise ValueError unless sigma is one number or has a value for each task and client."""
    if world.noise.sigma.ndim:
        require_broadcastable("sigma", world.noise.sigma, world.shape[:-1], "(world..., task, client)")
