"""Training many small networks: a ladder of ways to do it, by the number of seeds, on an accelerator or a CPU.

Run with ``python -m tests.benchmarks.accelerator``; without an accelerator it prints the same table for the CPU, and
``--quick`` runs a small version. The ways differ in how a kernel evaluates a loss: one model after another (loop), all
at once (vmap), compiled, or compiled with tuned kernels (fused). They also differ in how a round is run: compiled, or
recorded as a CUDA graph that is launched again for each later round (graph). Shares refer to the measured rates of a
large matrix product and of a copy. The whole run is timed, including its draws. The first seed's model is compared with
that of a run of this seed on the CPU, one model after another.
"""

from __future__ import annotations

import argparse
import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
import torch
from torch.utils.flop_counter import FlopCounterMode

from algorithms.draws import Draws
from algorithms.fedavg import fedavg
from algorithms.simulate import play_round, states
from tests.benchmarks.timing import medians, setting
from verify.networks.data.catalogue import stream
from verify.networks.data.images import Stream
from verify.networks.data.partition import evenly
from verify.networks.training.captured import Play, rounds_on
from verify.networks.training.federations import HOST, own_minibatches
from verify.networks.training.footprint import available, forget_peak, in_words, peak
from verify.networks.training.fused import never
from verify.networks.training.kernels import Kernel, as_written, compiled
from verify.networks.training.models import Model, cnn, mlp, resnet18
from verify.networks.training.train import starts
from verify.networks.training.world import NetworkWorld, chosen_device

CLIENTS, SAMPLED, BATCH, LOCAL_LR = 8, 4, 32, 0.1
Make = Callable[[Kernel], Kernel]


class Way(NamedTuple):
    """How a kernel is made, and how rounds are run on a device."""

    kernel: Make
    rounds: Callable[[str], Play]


def one_by_one(kernel: Kernel) -> Kernel:
    """The kernel for one model after another."""

    def run(*arguments: torch.Tensor) -> torch.Tensor:
        return torch.cat([kernel(*each) for each in zip(*(part.split(1) for part in arguments), strict=True)])

    return run


def in_mode(mode: str) -> Make:
    """The kernel compiled in one of PyTorch's modes."""
    return lambda kernel: torch.compile(kernel, dynamic=False, fullgraph=True, mode=mode)


def as_they_are(device: str) -> Play:
    """Rounds run without a graph."""
    return play_round


LADDER: Mapping[str, Way] = {
    "loop": Way(one_by_one, as_they_are),
    "vmap": Way(as_written, as_they_are),
    "compiled": Way(compiled, as_they_are),
    "graph": Way(compiled, rounds_on),
    "fused": Way(in_mode("max-autotune-no-cudagraphs"), as_they_are),
}
"""Ways of training, by name."""
ON_ACCELERATORS = ("graph", "fused")
LOOPED = 32
"""Largest number of seeds at which one model after another is timed; the time is proportional to this number."""
SATURATED = 0.9
"""Share of the best rate from which more seeds bring no gain."""


@dataclass(frozen=True)
class Case:
    """A federation of one task, the length of its training, and the numbers of seeds."""

    data: Stream
    model: Model
    steps: int
    rounds: int
    seeds: Sequence[int]

    def draws(self, seeds: int, device: str) -> Draws:
        """The draws of all seeds, on the device."""
        sizes = np.repeat(self.data.sizes[:, None], seeds, axis=1)
        return own_minibatches(0, 0, sizes, SAMPLED, np.full_like(sizes, self.steps), BATCH, device)

    def training(
        self, world: NetworkWorld, seeds: int, rounds: Callable[[str], Play] = as_they_are
    ) -> Callable[[], torch.Tensor]:
        """Models (run, d) at the end, on the CPU; reading them waits for the device."""
        drawn, start = self.draws(seeds, world.device), starts(self.model, 0, seeds, world.device)
        play, method = rounds(world.device), fedavg(LOCAL_LR)

        def run() -> torch.Tensor:
            *_, (_, _, end) = states(world, method, drawn, start, self.rounds, play=play)
            return end["theta"].cpu()

        return run

    def operations(self) -> int:
        """Floating-point operations of a client's step: its matrix products and convolutions."""
        oracle, x = self.world("cpu", as_written).at(0, [0]), starts(self.model, 0, 1)[:, None]
        with FlopCounterMode(
            display=False
        ) as counted:  # for one model, because grouped convolutions are counted wrongly
            oracle.stochastic_grad(x, np.zeros((1, 1, BATCH), dtype=int))
        return counted.get_total_flops()

    def traffic(self) -> int:
        """Lower bound on the bytes moved in a client's step: its model is read and written twice, and a minibatch is
        read.
        """
        return 4 * 4 * self.model.dim + BATCH * int(self.data.images[0, 0, 0].nbytes)

    @property
    def client_steps(self) -> int:
        """Local steps of all clients in a run of one seed."""
        return SAMPLED * self.steps * self.rounds

    def world(self, device: str, compile: Callable[[Kernel], Kernel]) -> NetworkWorld:
        """The world on the device; one call of a kernel may use a quarter of the free memory there."""
        room = available(device) // 4
        return NetworkWorld(self.data, self.model, BATCH, device, compile, memory=room, fuse=never)


def digits(make: Callable[..., Model], seeds: Sequence[int], rounds: int = 4) -> Case:
    """The federation of `tests.benchmarks.networks` with a network."""
    data = stream("digits", n_clients=CLIENTS, n_tasks=1, how=evenly)
    return Case(data, make(data.image, data.n_classes), 28, rounds, seeds)


def pictures(size: int, width: int, seeds: Sequence[int]) -> Case:
    """ResNet-18 on random colour pictures, 64 for each client."""
    rng, n_classes = np.random.default_rng(0), 10
    shape = 1, CLIENTS, 2 * BATCH
    data = Stream(
        images=rng.random((*shape, 3, size, size), dtype=np.float32),
        labels=rng.integers(n_classes, size=shape),
        sizes=np.full(shape[:2], shape[2]),
        test_images=rng.random((1, 1, 3, size, size), dtype=np.float32),
        test_labels=np.zeros((1, 1), dtype=np.int64),
        classes=np.ones((1, n_classes), dtype=bool),
        n_classes=n_classes,
        name="random pictures",
        kind="domain",
    )
    return Case(data, resnet18(data.image, n_classes, width, min(width, 32)), 2, 1, seeds)


def matrix_rate(device: str, size: int, repeats: int) -> float:
    """Operations per second of a product of two square matrices in float32."""
    a, b = (torch.randn(size, size, device=device) for _ in range(2))
    return 2 * size**3 / medians({"product": lambda: (a @ b)[0, 0].item()}, repeats)["product"]


def copy_rate(device: str, size: int, repeats: int) -> float:
    """Bytes per second that are read and written in a copy of a square matrix in float32."""
    a, b = (torch.randn(size, size, device=device) for _ in range(2))
    return 2 * a.nbytes / medians({"copy": lambda: b.copy_(a)[0, 0].item()}, repeats)["copy"]


def measure(case: Case, device: str, way: str, rates: tuple[float, float], repeats: int) -> None:
    """Print a line for each number of seeds, and the number from which more seeds bring no gain.

    Parameters
    ----------
    rates : (float, float)
        Operations and bytes per second that the device reaches.
    """
    operations, world = case.operations(), case.world(device, LADDER[way].kernel)
    on_cpu = case.training(case.world("cpu", one_by_one), 1)()
    found = {}
    for seeds in case.seeds:
        if way == "loop" and seeds > LOOPED:
            break
        forget_peak(device)
        run = case.training(world, seeds, LADDER[way].rounds)
        difference = (run()[:1] - on_cpu).abs().max()
        found[seeds] = seeds * case.client_steps / medians({"run": run}, repeats)["run"]
        shares = (
            found[seeds] * part / rate for part, rate in zip((operations, case.traffic()), rates, strict=True)
        )
        arithmetic, moved = (f"{share:.2%}" for share in shares)
        print(
            f"{case.model.name:<9} {way:<9} {seeds:>5} {found[seeds]:>12,.0f} {arithmetic:>10} {moved:>10} "
            f"{in_words(peak(device)):>9} {difference:>10.1e}",
            flush=True,
        )
    enough = min(seeds for seeds, rate in found.items() if rate >= SATURATED * max(found.values()))
    print(f"{case.model.name:<9} {way:<9} saturated from {enough} seeds on")


def measure_draws(case: Case, device: str, repeats: int) -> None:
    """Print the time of the draws of a round on the host and, if it is different, on the device; both must be equal."""
    for seeds in case.seeds:
        made = {place: case.draws(seeds, place) for place in dict.fromkeys((HOST, device))}
        equal = (made[HOST].noise(0, 0) == made[device].noise(0, 0)).all()
        rounds = itertools.count()
        took = medians({place: partial(_drawn, each, rounds) for place, each in made.items()}, repeats)
        shown = "  ".join(f"{1e3 * seconds:>9.2f} ms ({place})" for place, seconds in took.items())
        print(f"{'draws':<9} {seeds:>5} {shown}  {'equal' if equal else 'DIFFERENT'}", flush=True)


def _drawn(draws: Draws, rounds: Iterator[int]) -> None:
    """Participants and minibatches of the next round; copied to the host at the end, so that it waits for the device."""
    round_ = next(rounds)
    draws.participants(0, round_)
    draws.noise(0, round_)


def main(argv: Sequence[str] | None = None) -> int:
    """Exit status 0: measured."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.accelerator", description=__doc__)
    parser.add_argument(
        "--device", help="cuda, cuda:1, ..., or cpu (default: the accelerator if there is one)"
    )
    parser.add_argument("--quick", action="store_true", help="small sizes, once")
    options = parser.parse_args(argv)
    device = chosen_device(options.device)
    there = device != "cpu"
    most = 4 if options.quick else 4096 if there else 256
    seeds = [4**power for power in range(int(math.log(most, 4)) + 1)]
    repeats, size = (1, 512) if options.quick else (5, 8192) if there else (3, 2048)
    rounds = 1 if options.quick or not there else 4
    cases = [digits(make, seeds, rounds) for make in (mlp, cnn)]
    if there:
        cases.append(pictures(32, 64, [count for count in seeds if count <= 64]))
    rates = matrix_rate(device, size, repeats), copy_rate(device, size, repeats)
    name = torch.cuda.get_device_name(device) if there else "the CPU"
    print(
        f"{setting(repeats)}\n{name}: {rates[0] / 1e12:.3f} TFLOP/s at a product of size {size} in float32, ",
        end="",
    )
    print(f"{rates[1] / 1e9:.1f} GB/s in a copy")
    measure_draws(cases[0], device, repeats)
    print(
        f"{'network':<9} {'way':<9} {'seeds':>5} {'steps/s':>12} {'arithmetic':>10} {'bandwidth':>10} {'memory':>9} {'differ':>10}"
    )
    for case in cases:
        for way in LADDER:
            if there or way not in ON_ACCELERATORS:
                measure(case, device, way, rates, repeats)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
