"""Constants along training runs: intermediate results of selected rounds, and the constants of each theory in them.

Functions of a visit return numbers by name, each (run,). What a theory asks of every task and client is taken over the
tasks seen so far and all clients; what it asks of local models, over those of the round's participants.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from algorithms.algorithm import Algorithm, Local, State, over_slots
from algorithms.draws import Draws
from algorithms.memory import empty_memory, of_memory, ring
from algorithms.penalty import Parts
from algorithms.simulate import local_path, state_before_local_work, states
from nqm.fields import amax, dot, norm, sq
from nqm.known import Constant
from verify.networks.measured.constants import (
    alignment,
    apart,
    curvature_size,
    drifts,
    footnote_6,
    information_losses,
    noise_variance,
    secant,
    spread,
    square_ratio,
)

PRODUCTS = 8
"""Number of products with each Hessian; for networks, this gives the largest eigenvalue to about 1 %."""
SMALLEST = ("align",)
"""Constants that are infima; all others are suprema."""

Found = dict[str, Tensor]


@dataclass(frozen=True)
class Visit:
    """Intermediate results of one round.

    Attributes
    ----------
    task, played : int
        Task, and rounds of it played before this one.
    state : State
        The server's state as local work begins.
    origin : (run, d) tensor
        The model at the start of the task.
    clients : (run, n) array of int
    points : (E, run, n, d) tensor
        Local models before each local step.
    drawn : (run, n, E, b) array of int
        Minibatches.
    local : Local
        What the clients hold after the last step.
    """

    task: int
    played: int
    state: State
    origin: Tensor
    clients: np.ndarray
    points: Tensor
    drawn: np.ndarray
    local: Local

    @property
    def theta(self) -> Tensor:
        """The server's model, (run, d)."""
        return self.state["theta"]


@dataclass(frozen=True)
class Run:
    """Runs of one method: the server's models (K, T + 1, run, d) and the rounds visited."""

    models: Tensor
    visits: Sequence[Visit]


def run(
    world: Any,
    algorithm: Algorithm,
    draws: Draws,
    theta0: Tensor,
    rounds: int,
    visited: Collection[tuple[int, int]],
) -> Run:
    """Train on all tasks of `world`, and record the rounds `visited`, each given as (task, rounds played in it)."""
    path: list[Tensor] = []
    visits: list[Visit] = []
    for task, played, state in states(world, algorithm, draws, theta0, rounds, world.n_tasks):
        path.append(state["theta"])
        if (task, played) in visited and played < rounds:
            visits.append(_visit(world, algorithm, draws, state, task, played, path[-1 - played]))
    return Run(torch.stack(path).unflatten(0, (world.n_tasks, rounds + 1)), visits)


def _visit(
    world: Any, algorithm: Algorithm, draws: Draws, state: State, task: int, played: int, origin: Tensor
) -> Visit:
    clients, drawn = draws.participants(task, played), draws.noise(task, played)
    ready = state_before_local_work(world, algorithm, state, task)
    first = algorithm.begin_round(ready, clients, algorithm.objective(world, ready, task, clients))
    held = [first, *local_path(world, algorithm, ready, task, clients, drawn)]
    points = torch.stack([local["x"] for local in held[:-1]])
    return Visit(task, played, ready, origin, clients, points, drawn, held[-1])


# ------------------------------------------------------------------------------------- losses and gradients


def client_gradients(world: Any, theta: Tensor, tasks: Iterable[int]) -> Tensor:
    """Gradients of all clients in several tasks, (..., run, d) -> (tasks, ..., run, M, d)."""
    x = over_slots(theta, world.n_clients)
    return torch.stack([world.at(task).grad(x) for task in tasks])


def task_losses(world: Any, theta: Tensor, tasks: Iterable[int]) -> Tensor:
    """Mean losses of the clients in several tasks in float64, (..., run, d) -> (tasks, ..., run)."""
    x = over_slots(theta, world.n_clients)
    return torch.stack([world.at(task).loss(x).double().mean(-1) for task in tasks])


def mean_gradients(world: Any, theta: Tensor, tasks: Iterable[int]) -> Tensor:
    """Gradients of the mean losses in float64, (..., run, d) -> (tasks, ..., run, d)."""
    return client_gradients(world, theta, tasks).double().mean(-2)


def numbers(world: Any, tasks: Iterable[int]) -> np.ndarray:
    """Numbers of all samples of some tasks in the clients' pools, -1 for an empty place, (M, S * number of tasks)."""
    place = np.arange(world.n_samples)
    each = [np.where(place < world.sizes[i][:, None], i * world.n_samples + place, -1) for i in tasks]
    return np.concatenate(each, axis=-1)


# ----------------------------------------------------------------------------------------- what all ask for


def smoothness(world: Any, visit: Visit, products: int = PRODUCTS) -> Found:
    """Smoothness of the clients' losses: curvature at the server's model, and secants between local models.

    `L` is the larger one.
    """
    x = over_slots(visit.theta, world.n_clients)
    sizes = [amax(curvature_size(world.at(task), x, products), -1) for task in range(visit.task + 1)]
    curvature = amax(torch.stack(sizes), 0)
    points, grads = visit.points, world.at(visit.task, visit.clients).grad(visit.points)
    between = amax(secant(points[1:], points[:-1], grads[1:], grads[:-1]), (0, -1))
    return {"L": torch.maximum(curvature, between), "L_hessian": curvature, "L_secant": between}


def gradient_noise(world: Any, visit: Visit) -> Tensor:
    """Largest variance of a client's minibatch gradient at the server's model, (run,)."""
    x, sizes = over_slots(visit.theta, world.n_clients), world.sizes[visit.task]
    return amax(noise_variance(world.at(visit.task), x, sizes, world.batch), -1)


# --------------------------------------------------------------------------------------------- the theories


def special_constants(world: Any, visit: Visit) -> Found:
    """Assumptions 4.1 to 4.6 of SPECIAL, and the alignment of Theorem 4.7 (NaN in the first task)."""
    oracle = world.at(visit.task, visit.clients)
    seen = oracle.stochastic_grad(visit.points, np.moveaxis(visit.drawn, -2, 0))
    grads = client_gradients(world, visit.theta, range(visit.task + 1))
    if visit.task:
        earlier = mean_gradients(world, visit.origin, range(visit.task)).sum(0)
        align = alignment(oracle.grad(visit.points), earlier)
    else:
        align = torch.full_like(visit.theta[..., 0], torch.nan, dtype=torch.float64)
    return {
        **smoothness(world, visit),
        "B": amax(norm(seen.double()), (0, -1)),
        "sigma_L2": gradient_noise(world, visit),
        "sigma_G2": spread(grads[-1]),
        "sigma_T2": apart(grads.double().mean(-2)),
        "align": align,
    }


@dataclass(frozen=True)
class Kept:
    """What ways of remembering keep of every task.

    Attributes
    ----------
    quadratics : mapping of str to sequence of (stiffness, pull)
        Second-order approximations by name, (run, M, d) each, see `algorithms.penalty`.
    core_sets : sequence of (run, M, c) arrays of int
        Random samples, as numbers in the clients' pools.
    """

    quadratics: Mapping[str, Sequence[tuple[Tensor, Tensor]]]
    core_sets: Sequence[np.ndarray]


def keep(world: Any, draws: Draws, models: Tensor, parts: Mapping[str, Parts], samples: int) -> Kept:
    """Approximations of every task's losses at its end.

    Parameters
    ----------
    models : (K, T + 1, run, d) tensor
        The server's models.
    parts : mapping of str to Parts
        Ways of approximating to second order.
    samples : int
        Samples that a client keeps of each task.
    """
    if draws.order is None:
        raise ValueError("`draws` must give an `order` of the samples, from which core sets are chosen.")
    ends = over_slots(models[:, -1], world.n_clients)
    rule, nothing = ring(1), empty_memory(models[0, 0], world.n_clients, samples)
    return Kept(
        {name: [of(world.at(task), end) for task, end in enumerate(ends)] for name, of in parts.items()},
        [rule(nothing, draws.order(task), task, world.n_samples) for task in range(world.n_tasks)],
    )


def cfl_constants(world: Any, visit: Visit, kept: Kept) -> Found:
    """Assumptions 1 to 4 of CFL with A = B = 0, a task being a time; nothing is lost in the first task.

    For every approximation `R_name` is the largest information loss, `mean_loss_name` the estimate of footnote 6.
    """
    x, past = over_slots(visit.theta, world.n_clients), range(visit.task)
    grads = client_gradients(world, visit.theta, range(visit.task + 1))
    approximated = {
        name: [stiffness * x - pull for stiffness, pull in of_task[: visit.task]]
        for name, of_task in kept.quadratics.items()
    }
    approximated["coreset"] = [world.over(kept.core_sets[task]).grad(x) for task in past]
    G2, D2 = drifts(grads)
    found = {"sigma2": gradient_noise(world, visit), "G2": G2, "D2": D2}
    for name, each in approximated.items():
        losses = information_losses(grads[:-1], torch.stack(each) if each else grads[:0])
        found[f"R_{name}"] = amax(losses, (0, -1)) if each else 0 * G2
        found[f"mean_loss_{name}"] = footnote_6(losses)
    return {**smoothness(world, visit), **found}


def cflag_constants(world: Any, visit: Visit) -> Found:
    """Bias and memory constants of C-FLAG, of all clients together (m, r) and the largest of one client (m_i, r_i)."""
    past, memory, current = memory_gradients(world, visit)
    f, fd, g = (each.mean(-2) for each in (past, memory, current))
    return {
        **smoothness(world, visit),
        "m": square_ratio(fd - f, f),
        "r": square_ratio(fd, g) ** 0.5,
        "m_i": amax(square_ratio(memory - past, past), -1),
        "r_i": amax(square_ratio(memory, g[..., None, :]) ** 0.5, -1),
    }


def memory_gradients(world: Any, visit: Visit) -> tuple[Tensor, Tensor, Tensor]:
    """Gradients of all past samples, of those kept, and of the current task, (run, M, d) each, float64."""
    x = over_slots(visit.theta, world.n_clients)
    past, memory, current = (
        oracle.grad(x).double()
        for oracle in (_of_past(world, visit), world.over(_memory(world, visit)), world.at(visit.task))
    )
    return past, memory, current


def cflag_round(world: Any, visit: Visit, after: Tensor) -> Found:
    """Quantities of C-FLAG's Lemmas 1 and 3 and of its forgetting term in a round, by the names of its glossary.

    Parameters
    ----------
    visit : Visit
        Of a run of `algorithms.cflag`, after its first task, with all clients in the round.
    after : (run, d) tensor
        The server's model after the round.
    """
    past, memory, current = memory_gradients(world, visit)
    f, fd, g = (each.mean(-2) for each in (past, memory, current))
    b, s = fd - f, visit.local["summed"].double().mean(-2)
    before, behind = (over_slots(theta, world.n_clients) for theta in (visit.theta, after))
    earlier = _of_past(world, visit)
    place = numbers(world, [visit.task])
    kept = _memory(world, visit)
    both = world.over(np.concatenate([kept, np.broadcast_to(place, (*kept.shape[:-1], place.shape[-1]))], -1))
    return {
        "f_now": earlier.loss(before).double().mean(-1),
        "f_next": earlier.loss(behind).double().mean(-1),
        "h_now": both.loss(before).double().mean(-1),
        "h_next": both.loss(behind).double().mean(-1),
        "gf2": sq(f),
        "gg2": sq(g),
        "gh2": sq(both.grad(before).double().mean(-2)),
        "fd2": sq(fd),
        "b2": sq(b),
        "fb": dot(f, b),
        "bs": dot(b, s),
        "s2": sq(s),
        "ds": dot(fd, s),
    }


def _of_past(world: Any, visit: Visit) -> Any:
    """Losses of all samples of the earlier tasks."""
    return world.over(numbers(world, range(visit.task)))


def _memory(world: Any, visit: Visit) -> np.ndarray:
    return of_memory(visit.state, np.arange(world.n_clients))


# --------------------------------------------------------------------------------------------- as constants


def by_name(found: Sequence[Found]) -> dict[str, np.ndarray]:
    """Numbers of several visits, each (visit, run)."""
    return {name: torch.stack([each[name] for each in found]).cpu().numpy() for name in found[0]}


def in_task(run: Run, found: Mapping[str, np.ndarray], task: int) -> dict[str, Constant]:
    """The largest value (or smallest, of an infimum) at the visits of a task, for each run.

    Parameters
    ----------
    found : mapping of str to (visit, run) array
    """
    chosen = [place for place, visit in enumerate(run.visits) if visit.task == task]
    rounds = ", ".join(str(run.visits[place].played + 1) for place in chosen)
    where = f"models of rounds {rounds} of task {task + 1}"
    return {
        name: Constant(
            -largest(-values[chosen]) if name in SMALLEST else largest(values[chosen]), "sampled", where
        )
        for name, values in found.items()
    }


def largest(values: np.ndarray) -> np.ndarray:
    """Largest of (visit, run) values for each run, and some units of the last place more: what was seen meets it."""
    top = amax(values, 0)
    return top + 8 * np.finfo(float).eps * np.abs(top)
