"""Training many networks on an accelerator: speed by the number of seeds, beside its speed at one large product.

Run with ``python -m tests.benchmarks.accelerator``; ``--device cpu --quick`` tries it on a machine without one. Rates
count the matrix products and convolutions of the local steps alone. The first seed's model is compared with that of a
run of this seed on the CPU, as written.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch.utils.flop_counter import FlopCounterMode

from algorithms.draws import Draws, minibatches
from algorithms.fedavg import fedavg
from algorithms.simulate import states
from tests.benchmarks.timing import medians, setting
from verify.networks.data.catalogue import stream
from verify.networks.data.images import Stream
from verify.networks.data.partition import evenly
from verify.networks.training.footprint import available, forget_peak, in_words, peak
from verify.networks.training.kernels import Kernel, as_written, compiled
from verify.networks.training.models import Model, mlp, resnet18
from verify.networks.training.train import starts
from verify.networks.training.world import NetworkWorld, chosen_device

CLIENTS, SAMPLED, BATCH, LOCAL_LR = 8, 4, 32, 0.1


@dataclass(frozen=True)
class Case:
    """A federation of one task, and how long it is trained, at which numbers of seeds."""

    data: Stream
    model: Model
    steps: int
    rounds: int
    seeds: Sequence[int]

    def draws(self, seeds: int) -> Draws:
        return minibatches(0, seeds, self.data.sizes, SAMPLED, self.steps, BATCH)

    def training(self, world: NetworkWorld, seeds: int) -> Callable[[], torch.Tensor]:
        """Models (run, d) at the end, on the CPU: whoever has them waited for the device."""
        drawn, start = self.draws(seeds), starts(self.model, 0, seeds, world.device)

        def run() -> torch.Tensor:
            *_, (_, _, end) = states(world, fedavg(LOCAL_LR), drawn, start, self.rounds)
            return end["theta"].cpu()

        return run

    def operations(self) -> int:
        """Floating-point operations of a round of one seed."""
        oracle, x = self.world("cpu", as_written).at(0, [0]), starts(self.model, 0, 1)[:, None]
        with FlopCounterMode(
            display=False
        ) as counted:  # of one model, since grouped convolutions are counted wrongly
            oracle.stochastic_grad(x, np.zeros((1, 1, BATCH), dtype=int))
        return counted.get_total_flops() * SAMPLED * self.steps

    def world(self, device: str, compile: Callable[[Kernel], Kernel]) -> NetworkWorld:
        """On the device, with a quarter of the memory that is free there for one call of a kernel."""
        return NetworkWorld(self.data, self.model, BATCH, device, compile, memory=available(device) // 4)


def digits(seeds: Sequence[int], rounds: int = 4) -> Case:
    """The network and the federation of `tests.benchmarks.networks`."""
    data = stream("digits", n_clients=CLIENTS, n_tasks=1, how=evenly)
    return Case(data, mlp(data.image, data.n_classes), 28, rounds, seeds)


def pictures(size: int, width: int, seeds: Sequence[int]) -> Case:
    """ResNet-18 on random pictures in colour, 64 for each client."""
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


def measure(case: Case, device: str, compile: Callable[[Kernel], Kernel], rate: float, repeats: int) -> None:
    """Print a line for each number of seeds."""
    operations, world = case.operations(), case.world(device, compile)
    on_cpu = case.training(case.world("cpu", as_written), 1)()
    for seeds in case.seeds:
        forget_peak(device)
        run = case.training(world, seeds)
        difference = (run()[:1] - on_cpu).abs().max()
        per_second = seeds * case.rounds / medians({"run": run}, repeats)["run"]
        share = per_second * operations / rate
        print(
            f"{case.model.name:<9} {seeds:>5} seeds {per_second:>10.2f} seeds x rounds/s {share:>7.1%} of the product"
            f" {in_words(peak(device)):>9} at most, models differ by {difference:.1e}"
        )


def main(argv: Sequence[str] | None = None) -> int:
    """Exit status 0: measured, 2: there is no such device."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.accelerator", description=__doc__)
    parser.add_argument("--device", default="cuda", help="cuda, cuda:1, ..., or cpu (default %(default)s)")
    parser.add_argument("--quick", action="store_true", help="small sizes, as written, once")
    options = parser.parse_args(argv)
    try:
        device = chosen_device(options.device)
    except ValueError as error:
        print(f"There is no such accelerator: {error}", file=sys.stderr)
        return 2
    if options.quick:
        repeats, size, how = 1, 512, as_written
        cases = digits((1, 4), rounds=1), pictures(8, 4, (1, 2))
    else:
        repeats, size, how = 5, 8192, compiled
        cases = digits((1, 32, 256, 1024)), pictures(32, 64, (1, 32))
    rate = matrix_rate(device, size, repeats)
    name = torch.cuda.get_device_name(device) if device != "cpu" else "the CPU"
    print(f"{setting(repeats)}\n{name}: {rate / 1e12:.2f} TFLOP/s at a product of size {size} in float32")
    for case in cases:
        measure(case, device, how, rate, repeats)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
