"""A test of a device in ten minutes: are results right, does the host wait, and how fast is it?

    make gpu            on the first CUDA device
    make gpu D=cpu      every step of the script without one, with two models, one round and one method of each kind (two minutes)

compares gradients, trained models and recorded rounds with the processor, counts synchronisations of a round, measures the ladder of
`tests.benchmarks.accelerator`, and writes a table in Markdown for docs/performance.md.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import platform
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import torch

from algorithms.simulate import play_round, states
from tests.benchmarks import accelerator
from tests.benchmarks.timing import machine
from tests.networks import test_captured, test_device
from verify.networks.data.deals import by_dirichlet
from verify.networks.experiments import draws, world
from verify.networks.setting import Setting, algorithm_of
from verify.networks.training.captured import rounds_on
from verify.networks.training.train import starts
from verify.networks.training.world import chosen_device

LADDER = (
    ("vmap", accelerator.mlp, (16, 512, 4096)),
    ("graph", accelerator.mlp, (16, 4096)),
    ("vmap", accelerator.cnn, (16, 256)),
    ("graph", accelerator.cnn, (16, 256)),
)
PEAKS = 5e13, 2e12
"""Operations and bytes per second of an H100 in float32, with which rates are compared."""


def trained_apart(name: str, device: str) -> float:
    """Largest difference between models that a method trains on the device and on the processor."""
    there, here = (test_device.trained(name, place).models.cpu() for place in (device, "cpu"))
    return float((there - here).abs().max())


def played_apart(name: str, device: str) -> float:
    """The same for rounds as the device runs them, by graphs if possible."""
    plays = ((device, rounds_on(device)), ("cpu", play_round))
    there, here = (
        test_captured.played(name, place, test_captured.resting(), play)[-1]["theta"].cpu()
        for place, play in plays
    )
    return float((there - here).abs().max())


def waits(name: str, device: str) -> int:
    """Synchronisations of the third round of a method, counted from PyTorch's warnings; 0 without CUDA."""
    setting = Setting(by_dirichlet, tasks=1, rounds=3, alpha=0.5, local_lr=None, device=device)
    here = world(setting)
    start = starts(here.model, 0, setting.seeds, device)
    path = states(
        here, algorithm_of(setting, name, {}, here), draws(setting), start, 3, play=rounds_on(device)
    )
    for _ in range(3):
        next(path)
    if not device.startswith("cuda"):
        return 0
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        torch.cuda.set_sync_debug_mode("warn")
        try:
            next(path)
        finally:
            torch.cuda.set_sync_debug_mode("default")
    return len(caught)


def ladder(way: str, case: accelerator.Case, device: str) -> str:
    """Client-steps per second for each number of models, as printed by `accelerator.measure`."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        accelerator.measure(case, device, way, PEAKS, 3 if device.startswith("cuda") else 1)
    return "<br>".join(printed.getvalue().strip().splitlines())


def described(device: str) -> str:
    """Device, processor, kernel of BLAS and threads, on one line."""
    what = torch.cuda.get_device_name(device) if device.startswith("cuda") else "no device"
    return f"{what}; {machine()}; PyTorch {torch.__version__}, Python {platform.python_version()}"


OF_EACH_KIND = ("fedavg", "er", "cflag", "scaffold", "fedmes")
"""Methods whose synchronisations are counted, and which are tried without a device."""


def compared(device: str) -> Sequence[str]:
    """The methods that are compared with the processor: all on a CUDA device, one of each kind elsewhere."""
    return tuple(test_device.METHODS) if device.startswith("cuda") else OF_EACH_KIND


def rows(device: str, seconds: float) -> Iterator[tuple[str, str]]:
    """Yield the name of each measurement and its result, or after `seconds`, when none is started, that it was not measured."""
    begun = time.perf_counter()

    def asked(name: str, question: Callable[..., Any], *arguments: Any) -> Iterator[tuple[str, str]]:
        if time.perf_counter() - begun > seconds:
            yield name, "not measured: the time is over"
            return
        try:
            found = question(*arguments)
        except Exception as error:  # the other results are useful nevertheless
            found = f"FAILS: {str(error).partition(chr(10))[0][:120]}"
        yield name, f"{found:.1e}" if isinstance(found, float) else str(found)

    for name in OF_EACH_KIND:
        yield from asked(f"synchronisations of a round of {name}", waits, name, device)
    for way, case, sizes in LADDER:
        numbers, rounds = (sizes, 4) if device.startswith("cuda") else ((2,), 1)
        there = accelerator.digits(case, numbers, rounds)
        name = f"`{way}`, {case.__name__}, {', '.join(map(str, numbers))} models"
        yield from asked(name, ladder, way, there, device)
    for name in compared(device):
        yield from asked(
            f"{name}: rounds on the device less those of the processor", played_apart, name, device
        )
        yield from asked(
            f"{name}: models of the device less those of the processor", trained_apart, name, device
        )


def main() -> None:
    """Print the rows as they are measured, and write the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--out", type=Path, default=Path("results/gpu.md"))
    parser.add_argument("--seconds", type=float, default=480.0, help="after which nothing new is begun")
    options = parser.parse_args()
    device = chosen_device(options.device)
    lines = [described(device), "", "| what | found |", "|---|---|"]
    print("\n".join(lines), flush=True)
    for what, found in rows(device, options.seconds):
        lines.append(f"| {what} | {found} |")
        print(lines[-1], flush=True)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    main()
