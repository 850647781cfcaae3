"""Time of training many networks: this simulator against eager torch.func, a plain PyTorch loop, and JAX.

Run with ``python -m tests.benchmarks.networks``. Participants and minibatches are drawn in advance and are the same for
all, and the models at the end are compared, on one core with one thread and on all cores. Targets on two cores: 5 times
eager ``vmap(grad)``, 2 times JAX, and 1.2 times JAX on one core (left out if it is not installed).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from algorithms.draws import Draws, fixed, minibatches
from algorithms.fedavg import fedavg
from algorithms.simulate import states
from tests.benchmarks.timing import compared, on_cores, setting, times
from verify.networks.data.catalogue import stream
from verify.networks.data.partition import evenly
from verify.networks.training.footprint import keep_freed_memory
from verify.networks.training.fused import never
from verify.networks.training.kernels import as_written, compiled
from verify.networks.training.models import mlp
from verify.networks.training.resolved import resolved
from verify.networks.training.train import starts
from verify.networks.training.world import NetworkWorld

RUNS, CLIENTS, SAMPLED, EPOCHS, BATCH, ROUNDS = 32, 8, 4, 5, 32, 4
INPUTS, HIDDEN, CLASSES = 64, 32, 10
LOCAL_LR = 0.1
LOOP_RUNS = 1  # the plain loop is timed on this number of runs, and its time is scaled
REPEATS = 9


class Problem:
    """Digits dealt evenly to the clients, first models, and draws by round."""

    def __init__(self) -> None:
        self.data = stream("digits", n_clients=CLIENTS, n_tasks=1, how=evenly)
        sizes = self.data.sizes
        self.steps = round(EPOCHS * sizes.mean() / BATCH)
        self.draws = replace(minibatches(0, RUNS, sizes, SAMPLED, self.steps, BATCH), cast=resolved)
        self.clients = np.stack([self.draws.participants(0, t) for t in range(ROUNDS)])  # (T, run, N)
        self.samples = np.stack([self.draws.noise(0, t) for t in range(ROUNDS)])  # (T, run, N, E, b)
        self.model = mlp(self.data.image, CLASSES, (HIDDEN,))
        self.start = starts(self.model, 0, RUNS)
        self.images = torch.from_numpy(self.data.images[0]).flatten(2)  # (M, S, 64)
        self.labels = torch.from_numpy(self.data.labels[0])

    def parts(self, theta: torch.Tensor) -> dict[str, torch.Tensor]:
        """Parameters (..., d) by their names in `network`."""
        names = ("0.weight", "0.bias", "2.weight", "2.bias")
        shapes = [(HIDDEN, INPUTS), (HIDDEN,), (CLASSES, HIDDEN), (CLASSES,)]
        pieces = theta.split([int(np.prod(shape)) for shape in shapes], -1)
        return {name: p.unflatten(-1, shape) for name, p, shape in zip(names, pieces, shapes, strict=True)}


def network() -> nn.Sequential:
    return nn.Sequential(nn.Linear(INPUTS, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, CLASSES))


def flat(parameters: dict[str, torch.Tensor], n_axes: int) -> torch.Tensor:
    return torch.cat([value.flatten(n_axes) for value in parameters.values()], -1)


def ours(world: NetworkWorld, problem: Any, draws: Draws, rounds: int = ROUNDS) -> Callable[[], torch.Tensor]:
    """The simulator of `algorithms` in a world of networks."""

    def run() -> torch.Tensor:
        *_, (_, _, end) = states(world, fedavg(LOCAL_LR), draws, problem.start, rounds)
        return end["theta"]

    return run


def eager_torch(problem: Problem) -> Callable[[], torch.Tensor]:
    """``vmap(vmap(grad(loss)))`` over runs and slots, as in the tutorials of torch.func."""
    net = network()
    images, labels = problem.images, problem.labels
    clients, samples = torch.from_numpy(problem.clients), torch.from_numpy(problem.samples)

    def loss(parameters: Any, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return F.cross_entropy(torch.func.functional_call(net, parameters, (x,)), y)

    gradients = torch.func.vmap(torch.func.vmap(torch.func.grad(loss)))

    def run() -> torch.Tensor:
        theta = problem.parts(problem.start)
        for t in range(ROUNDS):
            x = {k: v[:, None].expand(-1, SAMPLED, *v.shape[1:]) for k, v in theta.items()}
            who = clients[t][..., None]
            for e in range(problem.steps):
                chosen = samples[t, :, :, e]
                g = gradients(x, images[who, chosen], labels[who, chosen])
                x = {k: x[k] - LOCAL_LR * g[k] for k in x}
            theta = {k: v + (x[k] - v[:, None]).mean(1) for k, v in theta.items()}
        return flat(theta, 1)

    return run


def plain_torch(problem: Problem) -> Callable[[], torch.Tensor]:
    """A first version: one model after another, `backward` and an optimiser."""

    def run() -> torch.Tensor:
        ends = []
        for seed in range(LOOP_RUNS):
            theta = problem.parts(problem.start[seed])
            for t in range(ROUNDS):
                received = []
                for slot, m in enumerate(problem.clients[t, seed]):
                    net = network()
                    net.load_state_dict(theta)
                    optimiser = torch.optim.SGD(net.parameters(), lr=LOCAL_LR)
                    for chosen in torch.from_numpy(problem.samples[t, seed, slot]):
                        optimiser.zero_grad()
                        F.cross_entropy(net(problem.images[m, chosen]), problem.labels[m, chosen]).backward()
                        optimiser.step()
                    received.append(net.state_dict())
                theta = {k: torch.stack([own[k] for own in received]).mean(0) for k in theta}
            ends.append(flat(theta, 0))
        return torch.stack(ends)

    return run


def compiled_jax(problem: Problem) -> Callable[[], np.ndarray]:
    """One run as nested scans over trees of parameters, mapped over runs and compiled."""
    import jax
    import jax.numpy as jnp

    images, labels = jnp.asarray(problem.images.numpy()), jnp.asarray(problem.labels.numpy())
    clients = jnp.asarray(np.moveaxis(problem.clients, 1, 0))  # (run, T, N)
    samples = jnp.asarray(np.moveaxis(problem.samples, (1, 3), (0, 2)))  # (run, T, E, N, b)
    start = {k: jnp.asarray(v.numpy()) for k, v in problem.parts(problem.start).items()}
    tree_map = jax.tree_util.tree_map

    def loss(p: Any, x: Any, y: Any) -> Any:
        hidden = jax.nn.relu(x @ p["0.weight"].T + p["0.bias"])
        scores = jax.nn.log_softmax(hidden @ p["2.weight"].T + p["2.bias"])
        return -scores[jnp.arange(BATCH), y].mean()

    gradients = jax.vmap(jax.grad(loss))

    def one_run(first: Any, who: Any, chosen: Any) -> Any:
        def one_round(theta: Any, draws: Any) -> Any:
            m, indices = draws

            def one_step(x: Any, i: Any) -> Any:
                g = gradients(x, images[m[:, None], i], labels[m[:, None], i])
                return tree_map(lambda a, b: a - LOCAL_LR * b, x, g), None

            everywhere = tree_map(lambda v: jnp.broadcast_to(v, (SAMPLED, *v.shape)), theta)
            x, _ = jax.lax.scan(one_step, everywhere, indices)
            return tree_map(lambda v, a: v + (a - v).mean(0), theta, x), None

        return jax.lax.scan(one_round, first, (who, chosen))[0]

    quick = jax.jit(jax.vmap(one_run))

    def run() -> np.ndarray:
        end = jax.block_until_ready(quick(start, clients, samples))
        return np.concatenate([np.asarray(end[k]).reshape(RUNS, -1) for k in start], -1)

    return run


def cases(problem: Problem) -> dict[str, Callable[[], Any]]:
    world = NetworkWorld(problem.data, problem.model, BATCH)
    quick, written = (replace(world, compile=how, fuse=never) for how in (compiled, as_written))
    drawn = replace(fixed(problem.clients[None], problem.samples[None]), dim=None, cast=resolved)
    made = {
        "this simulator": ours(world, problem, drawn),
        "this simulator, drawing too": ours(world, problem, problem.draws),
        "the same by torch.compile": ours(quick, problem, drawn),
        "the same by autograd": ours(written, problem, drawn),
        "eager torch vmap(grad)": eager_torch(problem),
        "plain PyTorch loop": plain_torch(problem),
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
        f"{INPUTS}-{HIDDEN}-{CLASSES} on {len(problem.images) * problem.images.shape[1]} digits, {RUNS} runs, "
        f"{CLIENTS} clients, {SAMPLED} sampled, {EPOCHS} local epochs = {problem.steps} steps of {BATCH}, "
        f"{ROUNDS} rounds"
    )
    made = cases(problem)
    begin = time.perf_counter()
    ends = {"this simulator": made["this simulator"]()}
    print(f"compiled and run once in {time.perf_counter() - begin:.1f} s")
    ends |= {name: run() for name, run in made.items() if name not in ends}
    first = np.asarray(ends["plain PyTorch loop"])
    difference = max(np.abs(np.asarray(end)[:LOOP_RUNS] - first).max() for end in ends.values())
    print(f"largest difference of the models: {difference:.1e}; all in single precision\n")
    found = times(made, REPEATS)
    found["plain PyTorch loop"] = found["plain PyTorch loop"].scaled(RUNS / LOOP_RUNS)
    print(compared(found, "this simulator", ROUNDS, "a round"))


if __name__ == "__main__":
    on_cores(main)
