"""One round from every model that a run can reach, with every outcome of its noise and every set of clients.

These are the objects in the proof of a convergence theorem: the models theta^t after some rounds, each on its own path, and the
next round, whose expectation is computed. All clients do local work, because the proofs also contain the local models of clients
that are not sampled. The server then combines each set of N clients.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from algorithms.algorithm import Algorithm, State
from algorithms.draws import enumerate_draws
from algorithms.simulate import local_path, states
from algorithms.special import special
from nqm.fields import Array, broadcast_to, like, stack
from nqm.noise import atoms
from nqm.world import World
from verify.engine.model.scene import Box, Named, Shape
from verify.scenes.federated import all_draws, origin
from verify.scenes.parameters import column


def steps_space(shape: Shape) -> dict[str, Box]:
    """Hyper-parameters of SPECIAL; the step sizes are fractions of their limits."""
    return {
        "lam": Box(0.01, 100, scale="log"),
        "gamma_G": Box(0.01, 1, scale="log"),
        "gamma_L": Box(0.01, 1, scale="log"),
    }


def method(values: Named) -> Algorithm:
    """SPECIAL at the step sizes of a batch of instances."""
    return special(*(column(values[name], 1) for name in ("gamma_L", "gamma_G", "lam")))


@dataclass(frozen=True)
class Round:
    """The models, gradients and noise of one round; axes are (batch, path, outcome of the noise, ...).

    Attributes
    ----------
    start : (batch, path, 1, d) array
        Model at the start of the round, on each path.
    task_start : (batch, path, 1, d) array
        Model at the start of the task.
    points : E + 1 arrays (batch, path, outcome, M, d)
        Local models before each local step, and at the end.
    grads : E arrays of the same shape
        Gradients at these models, without noise.
    noises : E arrays of the same shape
        Noise added to the gradients.
    after : (batch, path, outcome, set, d) array
        Model after the round, for each set of sampled clients.
    sets : tuple of tuples
        The sets of N clients; all sets and all outcomes are equally likely.
    """

    start: Array
    task_start: Array
    points: list[Array]
    grads: list[Array]
    noises: list[Array]
    after: Array
    sets: tuple[tuple[int, ...], ...]

    def mean(self, values: Array) -> Array:
        """Mean over the outcomes of the noise: (batch, path, outcome, ...) -> (batch, path, ...)."""
        return values.sum(axis=2) / values.shape[2]

    def over_sets(self, of_set: Any) -> Array:
        """Mean of ``of_set(clients)`` (batch, path, outcome, ...) over the sets of clients and the noise."""
        return self.mean(sum(of_set(list(clients)) for clients in self.sets)) / len(self.sets)


def states_of_paths(shape: Shape, values: Named, world: World, algorithm: Algorithm) -> list[State]:
    """States at the start of the task and after each of ``shape["before"]`` rounds, with one run for each path."""
    start = origin(shape, values)
    if not shape["before"]:
        return [algorithm.begin_task(algorithm.init(start), 0)]
    draws = all_draws(shape, shape["before"])
    return [state for _, _, state in states(world, algorithm, draws, start, shape["before"])]


def full_round(shape: Shape, world: World, algorithm: Algorithm, state: State, task_start: Array) -> Round:
    """One round of the current task from each of the runs of `state`."""
    M, N = shape["M"], shape["N"]
    theta = state["theta"]
    noise = _outcomes(shape)
    n_paths, n_outcomes = theta.shape[-2], len(noise)
    everyone = np.arange(M)
    each = {name: _repeated(value, n_outcomes) for name, value in state.items()}
    u = like(theta, np.tile(noise, (n_paths, 1, 1, 1)))
    oracle = world.at(0, everyone)
    first = broadcast_to(each["theta"][..., None, :], (*each["theta"].shape[:-1], M, theta.shape[-1]))
    points = [first, *(local["x"] for local in local_path(world, algorithm, each, 0, everyone, u))]
    split = lambda x: x.reshape(x.shape[0], n_paths, n_outcomes, *x.shape[2:])  # noqa: E731
    sets = tuple(combinations(range(M), N))
    after = [
        algorithm.aggregate(each, {"x": points[-1][..., list(s), :]}, np.array([s]))["theta"] for s in sets
    ]
    return Round(
        start=theta[:, :, None, :],
        task_start=task_start[:, :, None, :],
        points=[split(x) for x in points],
        grads=[split(oracle.grad(x) + 0 * x) for x in points[:-1]],
        noises=[split(oracle.scale * u[..., e, :] + 0 * x) for e, x in enumerate(points[:-1])],
        after=stack([split(x) for x in after], axis=3),
        sets=sets,
    )


def _outcomes(shape: Shape) -> Any:
    """Every outcome of the standardised noise of all clients in one round, (outcome, M, E, d)."""
    M, E, d = shape["M"], shape["E"], shape["d"]
    outcomes, chances = atoms("rademacher", d) if shape["noisy"] else (None, None)
    return enumerate_draws(M, M, E, d, outcomes, chances, rounds=1, limit=4096).noise(0, 0)


def _repeated(value: Any, n_times: int) -> Any:
    """(batch, run, d) -> (batch, run * n_times, d); values without an axis of runs are unchanged."""
    if getattr(value, "ndim", 0) < 2:
        return value
    *batch, n_runs, dim = value.shape
    return broadcast_to(value[..., None, :], (*batch, n_runs, n_times, dim)).reshape(
        *batch, n_runs * n_times, dim
    )
