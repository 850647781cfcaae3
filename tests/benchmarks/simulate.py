"""Time of Monte Carlo on quadratics: this simulator against a NumPy loop, eager torch.func, and JAX.

Run with ``python -m tests.benchmarks.simulate``. Participants and noise are drawn in advance and are the same for all,
and the models at the end are compared, on one core with one thread and on all cores. JAX is left out if it is not
installed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from algorithms.draws import fixed, monte_carlo
from algorithms.fedavg import fedavg
from algorithms.simulate import states
from nqm.noise import Gaussian
from nqm.quadratic import Quadratic
from tests.benchmarks.timing import compared, on_cores, setting, times
from verify.networks.training.footprint import keep_freed_memory

DIM, CLIENTS, SAMPLED, STEPS, RUNS, ROUNDS = 50, 8, 4, 5, 1000, 10
LOCAL_LR, SIGMA = 0.05, 0.5
LOOP_RUNS = 4  # the plain loop is timed on a few runs, and its time scaled
REPEATS = 5


class Problem:
    """One world and one set of draws, as plain arrays: curvature (M, d, d), centre (M, d), draws by round."""

    def __init__(self) -> None:
        rng = np.random.default_rng(0)
        root = rng.normal(size=(CLIENTS, DIM, DIM))
        self.curvature = root @ root.swapaxes(-1, -2) / DIM
        self.centre = rng.normal(size=(CLIENTS, DIM))
        self.start = np.zeros(DIM)
        draws = monte_carlo(0, RUNS, CLIENTS, SAMPLED, STEPS, DIM)
        self.participants = np.stack([draws.participants(0, t) for t in range(ROUNDS)])
        by_step = np.stack([np.moveaxis(draws.noise(0, t), 2, 0) for t in range(ROUNDS)])
        self.noise = np.moveaxis(by_step, 1, 3)  # (T, run, N, E, d), one local step contiguous in memory


def ours(problem: Problem, array: Callable[[np.ndarray], Any]) -> Callable[[], Any]:
    """The simulator of `algorithms`, on arrays of one kind."""
    world = Quadratic(
        array(problem.curvature[None]), array(problem.centre[None]), Gaussian(array(np.array(SIGMA)))
    )
    draws = fixed(problem.participants[None], problem.noise[None])
    start = array(problem.start)

    def run() -> Any:
        *_, (_, _, end) = states(world, fedavg(LOCAL_LR), draws, start, ROUNDS)
        return end["theta"]

    return run


def numpy_loop(problem: Problem) -> Callable[[], np.ndarray]:
    """A first version: loops over seeds, rounds, clients and steps."""
    curvature, centre = problem.curvature, problem.centre

    def run() -> np.ndarray:
        ends = []
        for seed in range(LOOP_RUNS):
            theta = problem.start
            for t in range(ROUNDS):
                total = np.zeros(DIM)
                for slot, m in enumerate(problem.participants[t, seed]):
                    x = theta
                    for e in range(STEPS):
                        gradient = curvature[m] @ (x - centre[m]) + SIGMA * problem.noise[t, seed, slot, e]
                        x = x - LOCAL_LR * gradient
                    total = total + x - theta
                theta = theta + total / SAMPLED
            ends.append(theta)
        return np.array(ends)

    return run


def eager_torch(problem: Problem) -> Callable[[], torch.Tensor]:
    """``vmap(vmap(grad(loss)))`` over runs and slots, with each slot's matrix selected once per round."""
    curvature, centre, start = (
        torch.tensor(array) for array in (problem.curvature, problem.centre, problem.start)
    )
    participants, noise = torch.tensor(problem.participants), torch.as_tensor(problem.noise)

    def loss(x: torch.Tensor, matrix: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
        return (x - c) @ (matrix @ (x - c)) / 2

    gradients = torch.func.vmap(torch.func.vmap(torch.func.grad(loss)))

    def run() -> torch.Tensor:
        theta = start.expand(RUNS, DIM)
        for t in range(ROUNDS):
            matrices, centres = curvature[participants[t]], centre[participants[t]]
            x = theta[:, None].expand(RUNS, SAMPLED, DIM)
            for e in range(STEPS):
                x = x - LOCAL_LR * (gradients(x, matrices, centres) + SIGMA * noise[t, :, :, e])
            theta = theta + (x - theta[:, None]).mean(1)
        return theta

    return run


def compiled_jax(problem: Problem) -> Callable[[], Any]:
    """One run as nested scans, mapped over runs and compiled; in double precision like all others."""
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)  # noqa: FBT003
    curvature, centre, start = (
        jnp.asarray(array) for array in (problem.curvature, problem.centre, problem.start)
    )
    participants = jnp.asarray(np.moveaxis(problem.participants, 1, 0))  # (run, T, N)
    noise = jnp.asarray(np.moveaxis(problem.noise, (1, 3), (0, 2)))  # (run, T, E, N, d)
    gradients = jax.vmap(jax.grad(lambda x, matrix, c: (x - c) @ (matrix @ (x - c)) / 2))

    def one_run(clients: Any, noises: Any) -> Any:
        def one_round(theta: Any, draws: Any) -> Any:
            sampled, round_noise = draws
            matrices, centres = curvature[sampled], centre[sampled]

            def one_step(x: Any, u: Any) -> Any:
                return x - LOCAL_LR * (gradients(x, matrices, centres) + SIGMA * u), None

            x, _ = jax.lax.scan(one_step, jnp.broadcast_to(theta, (SAMPLED, DIM)), round_noise)
            return theta + (x - theta).mean(0), None

        return jax.lax.scan(one_round, start, (clients, noises))[0]

    compiled = jax.jit(jax.vmap(one_run))
    return lambda: compiled(participants, noise).block_until_ready()


def cases(problem: Problem) -> dict[str, Callable[[], Any]]:
    made = {
        "this simulator (NumPy)": ours(problem, np.asarray),
        "this simulator (torch)": ours(problem, torch.tensor),
        "eager torch vmap(grad)": eager_torch(problem),
        "NumPy loop": numpy_loop(problem),
    }
    try:
        made["JAX vmap+jit+scan"] = compiled_jax(problem)
    except ImportError:
        print("JAX is not installed: that comparison is left out.")
    return made


def main() -> None:
    keep_freed_memory()  # the same for all
    problem = Problem()
    print(setting(REPEATS))
    print(
        f"d = {DIM}, {CLIENTS} clients, {SAMPLED} sampled, {STEPS} local steps, {RUNS} runs, {ROUNDS} rounds"
    )
    made = cases(problem)
    ends = {name: np.asarray(run())[:LOOP_RUNS] for name, run in made.items()}
    difference = max(np.abs(end - ends["NumPy loop"]).max() for end in ends.values())
    print(f"largest difference of the models: {difference:.1e}; all in double precision\n")
    found = times(made, REPEATS)
    found["NumPy loop"] = found["NumPy loop"].scaled(RUNS / LOOP_RUNS)
    print(compared(found, "this simulator (NumPy)", ROUNDS, "a round"))


if __name__ == "__main__":
    on_cores(main)
