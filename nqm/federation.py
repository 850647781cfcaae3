"""Losses and gradients of tasks and of all tasks together, in any world.

f_i is the mean over all clients of a task, f_{1:K} the sum over tasks (not the mean).
Source: SPECIAL, arXiv:2601.22274v2, Eq. (1).
"""

from __future__ import annotations

from collections.abc import Iterable

from nqm.arguments import require_index
from nqm.fields import Array, broadcast_to, zeros_like
from nqm.selection import check_task
from nqm.world import World


def task_loss(world: World, x: Array, task: int) -> Array:
    """Mean over clients of the loss of a task.

    Parameters
    ----------
    world : World
    x : (sweep..., world..., run, d) array, or (..., d) in a single world
    task : int
        0..K-1.

    Returns
    -------
    (...) array
    """
    return world.loss(_for_every_client(world, x), task).mean(axis=-1)


def task_grad(world: World, x: Array, task: int) -> Array:
    """Gradient of `task_loss`, (..., d)."""
    return world.grad(_for_every_client(world, x), task).mean(axis=-2)


def total_loss(world: World, x: Array, tasks: Iterable[int] | None = None) -> Array:
    """Sum over tasks of `task_loss`.

    Parameters
    ----------
    world : World
    x : (sweep..., world..., run, d) array, or (..., d) in a single world
    tasks : iterable of int, optional
        Which tasks to add; all of them by default. The sum over no task is 0.
    """
    terms = [task_loss(world, x, task) for task in chosen_tasks(world, tasks)]
    return _sum(terms) if terms else zeros_like(task_loss(world, x, 0))


def total_grad(world: World, x: Array, tasks: Iterable[int] | None = None) -> Array:
    """Gradient of `total_loss`, (..., d)."""
    terms = [task_grad(world, x, task) for task in chosen_tasks(world, tasks)]
    return _sum(terms) if terms else zeros_like(task_grad(world, x, 0))


def chosen_tasks(world: World, tasks: Iterable[int] | None) -> list[int]:
    """Task indices as a list, all tasks for None; ValueError if one is out of range."""
    return [check_task(task, world.n_tasks) for task in (range(world.n_tasks) if tasks is None else tasks)]


def chosen_clients(world: World, clients: Iterable[int] | None) -> list[int]:
    """Client indices as a list, all clients for None; ValueError if one is out of range or there is none."""
    chosen = [int(m) for m in (range(world.n_clients) if clients is None else clients)]
    for client in chosen:
        require_index("clients", client, world.n_clients)
    if not chosen:
        raise ValueError("`clients` must name at least one client: there is no mean over none.")
    return chosen


def loss_at(world: World, point: Array, tasks: Iterable[int] | None = None) -> Array:
    """`total_loss` at one point (world..., d) per world, without an axis of runs: (world...)."""
    return total_loss(world, point[..., None, :], tasks)[..., 0]


def grad_at(world: World, point: Array, tasks: Iterable[int] | None = None) -> Array:
    """`total_grad` at one point (world..., d) per world, without an axis of runs: (world..., d)."""
    return total_grad(world, point[..., None, :], tasks)[..., 0, :]


def _sum(terms: list[Array]) -> Array:
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    return total


def _for_every_client(world: World, x: Array) -> Array:
    return broadcast_to(x[..., None, :], (*x.shape[:-1], world.n_clients, x.shape[-1]))
