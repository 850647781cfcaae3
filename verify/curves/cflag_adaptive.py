"""Effect of adaptive rates on the forgetting term and the losses: C-FLAG on random finite sums of quadratics.

Every run starts at the minimiser of the past loss, as in Figure 1 of C-FLAG. Clients remember half of their past samples.
All rates start from one common rate, given as a fraction of 1/L.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from algorithms.algorithm import Algorithm, State, over_slots
from algorithms.cflag import EQ24, adapted_rates, algorithm_3, average_case, cflag, worst_case
from algorithms.draws import Draws, minibatches
from algorithms.memory import ring
from algorithms.simulate import local_path, state_before_local_work
from nqm.fields import dot, sq
from nqm.finite_sum import FiniteSum
from nqm.quadratic import DiagonalQuadratic
from verify.engine.checks.frequency import interval

PAST, NOW = 0, 1
N, S, KEPT, E, D = 5, 4, 2, 8, 4
"""Numbers of clients, of samples of a client in a task, of stored samples, of local steps, and of dimensions."""
WORLDS, ROUNDS, BEFORE = 200, 20, 5
"""Numbers of random worlds, of rounds of a run, and of rounds at common rates before the compared round."""
FRACTIONS = np.geomspace(1e-3, 0.8, 12)
"""Common rate alpha = beta as a fraction of 1/L."""


def compute(seed: int) -> dict[str, Any]:
    """Shares of rounds in which adaptive rates lower the forgetting term and the past loss, and losses after a task."""
    problem = random_problem(seed)
    L = problem.smoothness
    alpha = FRACTIONS[:, None, None] / L
    draws = minibatches(seed, 1, np.full((2, N), S), N, E, 1)
    messages = {"fixed": EQ24, "average": average_case(L), "worst": worst_case(L), "printed": algorithm_3(L)}
    at = lambda message: cflag(alpha, alpha, N, KEPT, ring(1), message=message)  # noqa: E731
    compared = one_round(problem, {name: at(message) for name, message in messages.items()}, draws, alpha)
    runs = {name: losses_after(problem, at(message), draws) for name, message in messages.items()}
    return {
        "shows": ["cflag.lem7.average/round"],
        "parameters": {"N": N, "S": S, "kept": KEPT, "E": E, "d": D, "rounds": ROUNDS, "before": BEFORE},
        "worlds": WORLDS,
        "fraction": FRACTIONS,
        "lower_Gamma": {name: shares(found) for name, found in compared["Gamma"].items()},
        "lower_loss": {name: shares(found) for name, found in compared["loss"].items()},
        "past": {name: np.median(found[0], axis=-1) for name, found in runs.items()},
        "current": {name: np.median(found[1], axis=-1) for name, found in runs.items()},
    }


@dataclass(frozen=True)
class Problem:
    """Random worlds, their smoothness (world, 1), and the minimisers of both tasks, each (world, 1, d)."""

    world: FiniteSum
    smoothness: np.ndarray
    least: tuple[np.ndarray, np.ndarray]

    def loss(self, task: int, x: np.ndarray) -> np.ndarray:
        """Mean loss of a task at x (..., world, 1, d) minus its minimum: (..., world)."""
        each = lambda y: self.world.at(task).loss(over_slots(y, N)).mean(axis=-1)[..., 0]  # noqa: E731
        return each(x) - each(self.least[task])


def random_problem(seed: int) -> Problem:
    """Worlds whose clients and samples differ more between tasks than within a task."""
    rng = np.random.default_rng(seed)
    curvature = rng.uniform(0.1, 1, (WORLDS, 2, N * S, D))
    task, client = rng.normal(size=(WORLDS, 2, 1, D)), rng.normal(size=(WORLDS, 2, N, D)) / 2
    sample = rng.normal(size=(WORLDS, 2, N * S, D)) / 2
    samples = DiagonalQuadratic(curvature, task + np.repeat(client, S, axis=2) + sample)
    least = (samples.minimiser([PAST])[:, None], samples.minimiser([NOW])[:, None])
    return Problem(FiniteSum(samples, N), curvature.max(axis=(1, 2, 3))[:, None], least)


def with_memory(method: Algorithm, start: np.ndarray) -> State:
    """State at the start of the current task: the model, and the first samples of the past."""
    kept = np.tile(np.arange(KEPT), (1, N, 1))
    return {**method.begin_task(method.init(start), NOW), "kept": kept}


def losses_after(problem: Problem, method: Algorithm, draws: Draws) -> tuple[Any, Any]:
    """Excess of the past and of the current loss after a task, each (fraction, world)."""
    state = with_memory(method, problem.least[PAST])
    # A variant that diverges may leave the range of floats
    with np.errstate(over="ignore", invalid="ignore"):
        for t in range(ROUNDS):
            state = states_after_round(problem.world, method, draws, state, t)[0]
        return problem.loss(PAST, state["theta"]), problem.loss(NOW, state["theta"])


def states_after_round(
    world: FiniteSum, method: Algorithm, draws: Draws, state: State, t: int
) -> tuple[State, State, Any]:
    """State after a round, state with the exchanged messages before the end of the round, and the clients' last local states."""
    clients = draws.participants(NOW, t)
    before = state_before_local_work(world, method, state, NOW)
    *_, local = local_path(world, method, before, NOW, clients, draws.noise(NOW, t))
    return method.aggregate(before, local, clients), before, local


def one_round(
    problem: Problem, methods: dict[str, Algorithm], draws: Draws, alpha: np.ndarray
) -> dict[str, dict[str, np.ndarray]]:
    """For each adaptive method: whether a round gives a lower Gamma(t) and past loss than with fixed rates.

    All rounds start from the same model, which a run with fixed rates reached. Returns (fraction, world) arrays of bool.
    """
    L, world = problem.smoothness, problem.world
    state = with_memory(methods["fixed"], problem.least[PAST])
    for t in range(BEFORE):
        state = states_after_round(world, methods["fixed"], draws, state, t)[0]
    after, before, local = states_after_round(world, methods["fixed"], draws, state, BEFORE)
    clients = draws.participants(NOW, BEFORE)
    fd, moved = before["memory_grad"], local["start"] - local["x"]
    line_4 = moved - E * alpha[..., None, None] * local["shift"]
    sums = {"average": (local["summed"], 1 / N), "worst": (local["summed"], 1), "printed": (line_4, 1)}
    Gamma, lower = {}, {}
    fixed = forgetting(L, alpha, fd, moved.mean(axis=-2))
    for name, (summed, share) in sums.items():
        rates = adapted_rates(
            alpha[..., None, None],
            alpha[..., None, None],
            L[..., None, None],
            fd[..., None, :],
            summed,
            share,
        )
        update = (rates[1] / alpha[..., None, None] * moved).mean(axis=-2)
        Gamma[name] = (forgetting(L, rates[0].mean(axis=-2)[..., 0], fd, update) < fixed)[..., 0]
        new = methods[name].aggregate(before, local, clients)["theta"]
        lower[name] = problem.loss(PAST, new) < problem.loss(PAST, after["theta"])
    return {"Gamma": Gamma, "loss": lower}


def forgetting(L: np.ndarray, alpha: np.ndarray, fd: np.ndarray, update: np.ndarray) -> np.ndarray:
    """Gamma(t) of a round that moves the model by -alpha*fd - update, (..., run)."""
    return L / 2 * sq(update) - (1 - L * alpha) * dot(fd, update)


def shares(met: np.ndarray) -> dict[str, list[float]]:
    """Share of worlds in which a (fraction, world) array is true, with a 95% interval, for each fraction."""
    bounds = [interval(row) for row in met]
    return {
        "share": met.mean(axis=-1).tolist(),
        "low": [b[0] for b in bounds],
        "high": [b[1] for b in bounds],
    }
