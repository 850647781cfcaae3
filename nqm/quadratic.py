"""Quadratic worlds: client m of task i has the loss (x-c)'H(x-c)/2 with its own H and c."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np

from nqm import quadratic_constants as constants_of
from nqm.arguments import require_finite, require_nonnegative, set_parameters
from nqm.elimination import solve_semidefinite
from nqm.federation import chosen_clients, chosen_tasks, loss_at
from nqm.fields import Array, amax, amin, broadcast_to, dot, kind, put, take, where, zeros_like
from nqm.known import Ball, Constant
from nqm.noise import Noise, Rademacher
from nqm.selection import check_clients, check_task, select, select_slots
from nqm.shares import shared_out
from nqm.spectrum import identity_like, require_semidefinite
from nqm.world import Objective, Parts, Walk, World, check_sigma, never, set_world

NOISELESS = Rademacher(0)
MANY = 2**14
"""Numbers from which local steps are made in one go: of fewer there is nothing to gain."""
LEAST_BLOCKS = 4
"""Blocks of rows that a thread works on at least."""


@dataclass(frozen=True)
class AnyQuadratic(World):
    """Base of quadratic worlds, for every form in which their curvature is stored."""

    curvature: Array
    centre: Array
    noise: Noise = NOISELESS

    @property
    @abstractmethod
    def hessian(self) -> Array:
        """Hessians of all clients and tasks, (world..., K, M, d, d)."""

    @abstractmethod
    def minimiser(self, tasks: Iterable[int] | None = None, clients: Iterable[int] | None = None) -> Array:
        """A minimiser of the sum over tasks of the mean over clients of the losses.

        Parameters
        ----------
        tasks, clients : iterable of int, optional
            Which of them; all by default. One task and one client give that client's own minimiser.

        Returns
        -------
        (world..., d) array
            Any minimiser, where curvature 0 leaves a choice.
        """

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.centre.shape)

    def curvature_range(self, region: Ball | None) -> tuple[Constant, Constant]:
        return constants_of.curvature_range(self.hessian, region)

    def gradient_bound(self, region: Ball | None) -> Constant:
        return constants_of.gradient_bound(self.hessian, self.centre, region)

    def client_spread(self, region: Ball | None) -> Constant:
        return constants_of.client_spread(self.hessian, self.centre, region)

    def task_spread(self, region: Ball | None) -> Constant:
        return constants_of.task_spread(self.hessian, self.centre, region)

    def infimum(self, tasks: Iterable[int] | None) -> Constant:
        chosen = chosen_tasks(self, tasks)
        try:
            lowest = loss_at(self, self.minimiser(chosen), chosen)
        except ArithmeticError:
            zero = zeros_like(self.centre[..., 0, 0, 0])
            return Constant(zero, "certified", note="Sum of the infima: the minimiser could not be enclosed.")
        return Constant(lowest, "exact", note="The loss at its minimiser.")


@dataclass(frozen=True)
class DiagonalQuadratic(AnyQuadratic):
    """Quadratic losses with diagonal curvature: sum_j h_j (x_j - c_j)^2 / 2.

    Parameters
    ----------
    curvature : (world..., K, M, d) array
        Diagonals of the Hessians, >= 0. Shared curvature may have length 1 along any axis.
    centre : (world..., K, M, d) array
        A minimiser of each loss, whose least value is 0.
    noise : Noise
    """

    def __post_init__(self) -> None:
        set_world(self, {"curvature": self.curvature, "centre": self.centre})
        shape = _common_shape(self.curvature.shape, self.centre.shape)
        for name in ("curvature", "centre"):
            require_finite(name, getattr(self, name))
            set_parameters(self, {name: broadcast_to(getattr(self, name), shape)})
        require_nonnegative("curvature", self.curvature)
        check_sigma(self)

    @property
    def hessian(self) -> Array:
        return self.curvature[..., None] * identity_like(self.curvature, self.dim)

    def minimiser(self, tasks: Iterable[int] | None = None, clients: Iterable[int] | None = None) -> Array:
        tasks, who = chosen_tasks(self, tasks), chosen_clients(self, clients)
        curvature = self.curvature[..., tasks, :, :][..., who, :]
        pull = curvature * self.centre[..., tasks, :, :][..., who, :]
        curvature, pull = curvature.mean(axis=-2).sum(axis=-2), pull.mean(axis=-2).sum(axis=-2)
        flat = curvature == 0  # any value is a minimiser along such an axis; 0 is chosen
        return where(flat, zeros_like(pull), pull / where(flat, zeros_like(curvature) + 1, curvature))

    def curvature_range(self, region: Ball | None) -> tuple[Constant, Constant]:
        lowest, highest = amin(self.curvature, -1), amax(self.curvature, -1)
        return Constant(lowest, "exact", region or "R^d"), Constant(highest, "exact", region or "R^d")

    def at(self, task: int, clients: Any = None) -> Objective:
        task = check_task(task, self.n_tasks)
        clients = check_clients(clients, self.n_clients, len(self.batch_shape))
        curvature = select(self.curvature, task, clients, 1)
        centre = select(self.centre, task, clients, 1)
        return Objective(
            loss=lambda x: (curvature * (x - centre) ** 2).sum(axis=-1) / 2,
            grad=lambda x: curvature * (x - centre),
            scale=self.noise.scale(task, clients),
        )


@dataclass(frozen=True)
class Quadratic(AnyQuadratic):
    """Quadratic losses with full curvature: (x-c)'H(x-c)/2.

    Parameters
    ----------
    curvature : (world..., K, M, d, d) array
        Hessians, symmetric and positive semidefinite. Shared curvature may have length 1 along the task or
        client axis.
    centre : (world..., K, M, d) array
        A minimiser of each loss, whose least value is 0.
    noise : Noise
    """

    def __post_init__(self) -> None:
        set_world(self, {"curvature": self.curvature, "centre": self.centre})
        curvature, centre = self.curvature, self.centre
        require_finite("curvature", curvature)
        require_finite("centre", centre)
        if curvature.ndim < 4 or curvature.shape[-1] != curvature.shape[-2]:
            raise ValueError(
                f"`curvature` must have shape (..., task, client, dim, dim), got {tuple(curvature.shape)}."
            )
        shape = _common_shape(curvature.shape[:-1], centre.shape)
        if shape[-1] != curvature.shape[-1]:
            raise ValueError(
                f"`centre` must have dim {curvature.shape[-1]}, as `curvature`, got {shape[-1]}."
            )
        require_semidefinite("curvature", curvature)
        full = broadcast_to(curvature, (*shape, shape[-1]))
        set_parameters(self, {"curvature": full, "centre": broadcast_to(centre, shape)})
        check_sigma(self)

    @property
    def hessian(self) -> Array:
        return self.curvature

    def minimiser(self, tasks: Iterable[int] | None = None, clients: Iterable[int] | None = None) -> Array:
        tasks, who = chosen_tasks(self, tasks), chosen_clients(self, clients)
        curvature = self.curvature[..., tasks, :, :, :][..., who, :, :]
        pull = (curvature @ self.centre[..., tasks, :, :][..., who, :, None])[..., 0]
        return solve_semidefinite(curvature.mean(axis=-3).sum(axis=-3), pull.mean(axis=-2).sum(axis=-2))

    def at(self, task: int, clients: Any = None) -> Objective:
        task = check_task(task, self.n_tasks)
        clients = check_clients(clients, self.n_clients, len(self.batch_shape))
        if clients is None or clients.ndim == 1:
            return self._same_clients_in_all_runs(task, clients)
        return self._clients_of_each_run(task, clients)

    def _same_clients_in_all_runs(self, task: int, clients: np.ndarray | None) -> Objective:
        curvature = select_slots(self.curvature, task, clients, 2)
        centre = select(self.centre, task, clients, 1)

        def grad(x: Array) -> Array:
            difference = x - centre  # (sweep..., world..., run, n, d), or (..., n, d) in a single world
            rows = difference if self.batch_shape else difference.reshape(-1, *difference.shape[-2:])
            # One product per client, of all runs with its matrix. H is symmetric: rows may stand on the left.
            product = (rows.swapaxes(-2, -3) @ curvature).swapaxes(-2, -3)
            return product.reshape(difference.shape)

        return Objective(
            loss=lambda x: dot(x - centre, grad(x)) / 2, grad=grad, scale=self.noise.scale(task, clients)
        )

    def _clients_of_each_run(self, task: int, clients: np.ndarray) -> Objective:
        # All the runs that drew a client are multiplied by its matrix at once. A matrix for each (run, slot) pair would have
        # to be copied, at fifty times the cost. The rows of each client are located once per round, if they are needed. One
        # client's rows stay in the processor's cache, so memory is read and written once.
        centre = select(self.centre, task, clients, 1)

        @cache
        def of_clients() -> tuple[list[Array], list[tuple[Array, Array]]]:
            present = np.unique(clients)
            places = [_index_like(self.centre, np.flatnonzero(clients == m)) for m in present]
            return places, [
                (self.centre[..., task, m, None, :], self.curvature[..., task, m, :, :]) for m in present
            ]

        def grad(x: Array) -> Array:
            places, own = of_clients()
            leading = tuple(x.shape[: -1 - clients.ndim])
            x = broadcast_to(x, (*leading, *clients.shape, self.dim))
            rows = x.reshape(*leading, clients.size, self.dim)
            products = [
                (take(rows, at, axis=-2) - middle) @ matrix
                for at, (middle, matrix) in zip(places, own, strict=True)
            ]
            result = put(products, places, axis=-2)
            return result.reshape(*result.shape[:-2], *clients.shape, self.dim)

        scale = self.noise.scale(task, clients)
        return Objective(
            loss=lambda x: dot(x - centre, grad(x)) / 2,
            grad=grad,
            scale=scale,
            walk=self._in_one_go(task, clients, scale),
        )

    def _in_one_go(self, task: int, clients: np.ndarray, scale: Array) -> Walk:
        """Local steps for many rows of NumPy floats, if Numba is installed; otherwise None."""
        many = clients.size * self.dim >= MANY and not self.batch_shape and kind(self.centre) == "float"
        known = _grouped() if many else None
        if known is None:
            return never
        shape, of_row = (*clients.shape, self.dim), clients.ravel()
        order = np.argsort(of_row, kind="stable")
        blocks = known.blocks(order, np.searchsorted(of_row[order], np.arange(self.n_clients + 1)))
        sigma = np.broadcast_to(scale, (*clients.shape, 1)).ravel()
        own = [np.ascontiguousarray(part[task], dtype=float) for part in (self.curvature, self.centre)]

        def walk(x: Array, u: Array, parts: Parts) -> Array | None:
            if not (_floats(x) and _floats(u) and x.shape == shape == (*u.shape[:-2], u.shape[-1])):
                return None
            of_step = np.broadcast_arrays(*parts())
            if not all(_floats(part) and part.ndim <= len(shape) for part in of_step):
                return None
            along = (*clients.shape, of_step[0].shape[-1])
            rows = (np.ascontiguousarray(x).reshape(-1, self.dim), _step_by_step(u), sigma)
            wide = (np.broadcast_to(part, along).reshape(-1, along[-1]) for part in of_step)
            out = np.empty((clients.size, self.dim))
            given = *rows, *wide, *own, order, blocks, out
            shared_out(partial(known.walk, *given), len(blocks), LEAST_BLOCKS)
            return out.reshape(shape)

        return walk


@cache
def _grouped() -> Any:
    try:
        from nqm import grouped
    except ImportError:  # Numba is optional
        return None
    return grouped


def _floats(x: Array) -> bool:
    return isinstance(x, np.ndarray) and x.dtype == np.float64


def _step_by_step(u: np.ndarray) -> np.ndarray:
    """Noise (run, n, E, d) as (E, rows, d); without a copy where a step is contiguous in memory."""
    return np.ascontiguousarray(np.moveaxis(u, -2, 0)).reshape(u.shape[-2], -1, u.shape[-1])


def _index_like(x: Array, index: np.ndarray) -> Array:
    if kind(x) != "torch":
        return index
    import torch

    return torch.as_tensor(index, device=x.device)


def _common_shape(curvature: tuple[int, ...], centre: tuple[int, ...]) -> tuple[int, ...]:
    try:
        shape = np.broadcast_shapes(tuple(curvature), tuple(centre))
    except ValueError:
        shape = ()
    if len(shape) < 3:
        raise ValueError(
            f"`curvature` and `centre` must broadcast to (..., task, client, dim), got vectors of shape "
            f"{tuple(curvature)} and {tuple(centre)}."
        )
    return shape
