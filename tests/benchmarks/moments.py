"""Time of exact moments against one seed of a NumPy loop, and against Monte Carlo at equal accuracy.

Run with ``python -m tests.benchmarks.moments``. The loop draws its random numbers on the way, as in a first version.
Exact moments cache the affine map of a round per world and method; if a new method is made for every run, the time of
finding the map is included. Ratios are medians over repeats that run every case once, so that a busy machine slows all
alike. Monte Carlo gets the number of runs for a relative standard error of 1e-3 for the mean squared distance from the
minimiser after the last round; its time is measured on fewer runs and scaled. Targets: at most half of one seed, 400
times cheaper than Monte Carlo.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from algorithms.algorithm import Algorithm
from algorithms.draws import monte_carlo
from algorithms.fedavg import fedavg
from algorithms.simulate import states
from algorithms.special import special
from algorithms.special_c import special_c
from nqm.arguments import map_parameters
from nqm.noise import Gaussian
from nqm.quadratic import Quadratic
from tests.benchmarks.timing import medians, setting, times
from verify.lab.moments import expected_sq_distance, moments

DIM, CLIENTS, SAMPLED, STEPS, ROUNDS = 50, 8, 4, 5, 100
LOCAL_LR, SIGMA, ACCURACY = 0.05, 0.5, 1e-3
RUNS = 500  # number of runs at which Monte Carlo is timed
REPEATS = 15


def make_world(n_tasks: int = 2) -> Quadratic:
    rng = np.random.default_rng(0)
    root = rng.normal(size=(n_tasks, CLIENTS, DIM, DIM))
    centre = rng.normal(size=(n_tasks, CLIENTS, DIM))
    return Quadratic(root @ root.swapaxes(-1, -2) / DIM, centre, Gaussian(SIGMA))


def minimiser(world: Quadratic) -> np.ndarray:
    """Minimiser of the first task."""
    curvature, centre = world.curvature[0], world.centre[0]
    return np.linalg.solve(curvature.sum(0), (curvature @ centre[..., None]).sum(0)[..., 0])


def numpy_seed(world: Quadratic) -> Callable[[], np.ndarray]:
    curvature, centre = world.curvature[0], world.centre[0]

    def run(seed: int = 0) -> np.ndarray:
        rng = np.random.default_rng(seed)
        theta = np.zeros(DIM)
        path = [theta]
        for _ in range(ROUNDS):
            total = np.zeros(DIM)
            for m in rng.choice(CLIENTS, SAMPLED, replace=False):
                x = theta
                for _ in range(STEPS):
                    noise = SIGMA / np.sqrt(DIM) * rng.normal(size=DIM)
                    x = x - LOCAL_LR * (curvature[m] @ (x - centre[m]) + noise)
                total = total + x - theta
            theta = theta + total / SAMPLED
            path.append(theta)
        return np.array(path)

    return run


def exact(world: Quadratic, method: Algorithm, tasks: int = 1) -> Callable[[], Any]:
    start = 0 * world.centre[0, 0]
    return lambda: moments(
        world, method, theta0=start, rounds=ROUNDS, n_sampled=SAMPLED, local_steps=STEPS, tasks=tasks
    )


def samples(world: Quadratic) -> Callable[[], np.ndarray]:
    """Models of all runs after the last round, draws included."""

    def run() -> np.ndarray:
        draws = monte_carlo(0, RUNS, CLIENTS, SAMPLED, STEPS, DIM)
        *_, (_, _, end) = states(world, fedavg(LOCAL_LR), draws, np.zeros(DIM), ROUNDS)
        return end["theta"]

    return run


def runs_needed(world: Quadratic) -> float:
    """Runs for a relative standard error of ACCURACY."""
    squares = ((samples(world)() - minimiser(world)) ** 2).sum(-1)
    return float((squares.std() / squares.mean() / ACCURACY) ** 2)


def main() -> None:
    world = make_world()
    tensors = map_parameters(world, torch.tensor)
    print(setting(REPEATS))
    print(f"d = {DIM}, {CLIENTS} clients, {SAMPLED} sampled, {STEPS} local steps, {ROUNDS} rounds per task\n")
    once = times(
        {
            "one seed of a NumPy loop": numpy_seed(world),
            "exact, FedAvg": exact(world, fedavg(LOCAL_LR)),
            "exact, SPECIAL": exact(world, special(LOCAL_LR, 1, 0.1)),
            "exact, SPECIAL-C": exact(world, special_c(LOCAL_LR, 1, 0.1)),
            "exact, FedAvg, probing included": lambda: exact(world, fedavg(LOCAL_LR))(),
            "exact, SPECIAL, probing included": lambda: exact(world, special(LOCAL_LR, 1, 0.1))(),
            "exact, SPECIAL-C, probing included": lambda: exact(world, special_c(LOCAL_LR, 1, 0.1))(),
            "exact, FedAvg, tensors": exact(tensors, fedavg(LOCAL_LR)),
            "exact, SPECIAL, 2 tasks": exact(world, special(LOCAL_LR, 1, 0.1), 2),
            "exact, SPECIAL-C, 2 tasks": exact(world, special_c(LOCAL_LR, 1, 0.1), 2),
        },
        REPEATS,
    )
    wall = {name: each.wall for name, each in once.items()}
    loop = once["one seed of a NumPy loop"]
    for name, each in once.items():
        ratio, busy = each.wall / loop.wall, each.processor / loop.processor
        print(
            f"{name:<36} {1e3 * np.median(each.wall):>8.2f} ms   {np.median(ratio):>5.2f} x one seed "
            f"(of CPU time {np.median(busy):.2f}, of the smallest times {each.wall.min() / loop.wall.min():.2f})"
        )

    n_runs, of_exact, seed = (
        runs_needed(world),
        float(np.median(wall["exact, FedAvg"])),
        float(np.median(loop.wall)),
    )
    per_run = medians({"samples": samples(world)}, 3)["samples"] / RUNS
    mean = expected_sq_distance(exact(world, fedavg(LOCAL_LR))(), minimiser(world))[0, -1]
    print(f"\nE|theta - minimiser|^2 = {mean:.4f}; {n_runs:.0f} runs for a relative error of {ACCURACY}:")
    for name, value in (("this simulator", per_run), ("NumPy loop", seed)):
        print(f"{name:<28} {n_runs * value:>10.2f} s    {n_runs * value / of_exact:>8.0f} x exact moments")


if __name__ == "__main__":
    main()
