"""Time of training many convolutional networks: this simulator, compiled and as derived, against JAX.

Run with ``python -m tests.benchmarks.convolutions``. A round of FedAvg with eight runs of the two-layer network on 8x8 digits;
participants and minibatches are drawn in advance, and the models at the end are compared. Target: JAX takes 4 times as long.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from algorithms.draws import fixed, minibatches
from tests.benchmarks.networks import BATCH, CLASSES, CLIENTS, EPOCHS, LOCAL_LR, SAMPLED, ours
from tests.benchmarks.timing import compared, on_cores, setting, times
from verify.networks.data.catalogue import stream
from verify.networks.data.partition import evenly
from verify.networks.training.footprint import keep_freed_memory
from verify.networks.training.kernels import as_written, compiled
from verify.networks.training.models import cnn
from verify.networks.training.resolved import resolved
from verify.networks.training.train import starts
from verify.networks.training.world import NetworkWorld

RUNS, WIDTHS = 8, (16, 32)
REPEATS = 5


class Problem:
    """Digits dealt evenly to the clients, first models, and the draws of one round."""

    def __init__(self) -> None:
        self.data = stream("digits", n_clients=CLIENTS, n_tasks=1, how=evenly)
        steps = round(EPOCHS * self.data.sizes.mean() / BATCH)
        drawn = minibatches(0, RUNS, self.data.sizes, SAMPLED, steps, BATCH)
        self.clients, self.samples = drawn.participants(0, 0), drawn.noise(0, 0)  # (run, N), (run, N, E, b)
        self.draws = replace(
            fixed(self.clients[None, None], self.samples[None, None]), dim=None, cast=resolved
        )
        self.model = cnn(self.data.image, CLASSES, tuple((width,) for width in WIDTHS))
        self.start = starts(self.model, 0, RUNS)


def compiled_jax(problem: Problem) -> Callable[[], np.ndarray]:
    """Scans over steps of ``vmap(vmap(grad(loss)))`` over runs and slots, compiled."""
    import jax
    import jax.numpy as jnp

    images, labels = jnp.asarray(problem.data.images[0]), jnp.asarray(problem.data.labels[0])
    channels, height, width = problem.data.image
    sizes = [(WIDTHS[0], channels, 3, 3), (WIDTHS[0],), (WIDTHS[1], WIDTHS[0], 3, 3), (WIDTHS[1],)]
    sizes += [(CLASSES, WIDTHS[1] * (height // 4) * (width // 4)), (CLASSES,)]
    ends = np.cumsum([np.prod(size) for size in sizes])

    def halved(x: Any) -> Any:
        return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")

    def loss(theta: Any, x: Any, y: Any) -> Any:
        parts = [part.reshape(size) for part, size in zip(jnp.split(theta, ends[:-1]), sizes, strict=True)]
        for weight, bias in (parts[:2], parts[2:4]):
            x = jax.lax.conv_general_dilated(x, weight, (1, 1), "SAME") + bias[:, None, None]
            x = halved(jax.nn.relu(x))
        scores = jax.nn.log_softmax(x.reshape(len(x), -1) @ parts[4].T + parts[5])
        return -scores[jnp.arange(BATCH), y].mean()

    def one_client(theta: Any, m: Any, chosen: Any) -> Any:
        def step(x: Any, i: Any) -> Any:
            return x - LOCAL_LR * jax.grad(loss)(x, images[m, i], labels[m, i]), None

        return jax.lax.scan(step, theta, chosen)[0]

    of_runs = jax.vmap(jax.vmap(one_client, (None, 0, 0)))
    quick = jax.jit(lambda start, clients, samples: of_runs(start, clients, samples).mean(1))
    given = [jnp.asarray(part) for part in (problem.start.numpy(), problem.clients, problem.samples)]

    def run() -> np.ndarray:
        return np.asarray(jax.block_until_ready(quick(*given)))

    return run


def main() -> None:
    keep_freed_memory()
    problem = Problem()
    print(setting(REPEATS))
    world = NetworkWorld(problem.data, problem.model, BATCH)
    made: dict[str, Callable[[], Any]] = {
        name: ours(replace(world, compile=how), problem, problem.draws, 1)
        for name, how in {"this simulator, compiled": compiled, "this simulator": as_written}.items()
    }
    try:
        made["JAX vmap+jit+scan"] = compiled_jax(problem)
    except ImportError:
        print("JAX is not installed: that comparison is left out.")
    ends = [torch.as_tensor(np.array(run())) for run in made.values()]
    print(f"largest difference of the models: {max(float((e - ends[0]).abs().max()) for e in ends):.1e}\n")
    print(compared(times(made, REPEATS), "this simulator, compiled", 1, "a round"))


if __name__ == "__main__":
    on_cores(main)
