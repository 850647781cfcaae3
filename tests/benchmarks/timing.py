"""Times of several ways to do the same, measured in turns so that a busy machine slows all of them alike."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Mapping
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np


class Times(NamedTuple):
    """Seconds of every repeat, wall-clock and CPU time, (repeats,) each."""

    wall: np.ndarray
    processor: np.ndarray

    def scaled(self, factor: float) -> Times:
        """Times scaled to a job this many times as long."""
        return Times(self.wall * factor, self.processor * factor)


def times(cases: Mapping[str, Callable[[], Any]], repeats: int) -> dict[str, Times]:
    """Times of each case; every repeat runs each case once, after one warm-up round."""
    seconds: dict[str, list[tuple[float, float]]] = {name: [] for name in cases}
    for run in cases.values():
        run()
    for _ in range(repeats):
        for name, run in cases.items():
            begin, busy = time.perf_counter(), time.process_time()
            run()
            seconds[name].append((time.perf_counter() - begin, time.process_time() - busy))
    return {name: Times(*np.array(values).T) for name, values in seconds.items()}


def medians(cases: Mapping[str, Callable[[], Any]], repeats: int) -> dict[str, float]:
    """Median wall-clock seconds of each case, see `times`."""
    return {name: float(np.median(each.wall)) for name, each in times(cases, repeats).items()}


def compared(found: Mapping[str, Times], ours: str, per: float, unit: str) -> str:
    """A table: medians, minima in brackets, in milliseconds of 1/per of each case, and their ratios to the times of
    `ours`.
    """
    lines = [f"{unit + ' in ms':<30} {'on the clock':>20} {'times':>14} {'of processors':>20} {'times':>14}"]
    for name, each in found.items():
        cells = []
        for own, best in zip(each, found[ours], strict=True):
            middle, least = np.median(own), own.min()
            cells.append(f"{f'{1e3 * middle / per:.1f} ({1e3 * least / per:.1f})':>20}")
            cells.append(f"{f'{middle / np.median(best):.2f} ({least / best.min():.2f})':>14}")
        lines.append(f"{name:<30} {' '.join(cells)}")
    return "\n".join(lines)


def on_cores(main: Callable[[], None]) -> None:
    """Run a benchmark in a separate process on one core, with one thread for all compared programs, then on all cores
    with as many threads.
    """
    every = sorted(os.sched_getaffinity(0))
    for number in sorted({1, len(every)}):
        os.environ["OMP_NUM_THREADS"] = str(number)  # before libraries are imported there
        os.sched_setaffinity(0, every[:number])
        process = get_context("spawn").Process(target=main)
        process.start()
        process.join()
        if process.exitcode:
            raise SystemExit(process.exitcode)
    os.sched_setaffinity(0, every)


def machine() -> str:
    """The processor, and the kernel and threads of each loaded library of linear algebra."""
    from threadpoolctl import threadpool_info

    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    blas = [
        f"{each['internal_api']} kernel {each.get('architecture', 'unknown')} with {each['num_threads']} threads"
        for each in threadpool_info()
        if each["user_api"] == "blas"
    ]
    return "; ".join([next(iter(names), platform.processor() or "unknown processor"), *dict.fromkeys(blas)])


def setting(repeats: int) -> str:
    """One line with the machine, versions, threads and method."""
    import torch

    return (
        f"{machine()}; Python {platform.python_version()}, NumPy {np.__version__}, torch {torch.__version__}; "
        f"{len(os.sched_getaffinity(0))} of {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, torch threads {torch.get_num_threads()}, "
        f"OPENBLAS_NUM_THREADS {os.environ.get('OPENBLAS_NUM_THREADS', 'unset')}; "
        f"{repeats} interleaved repeats, medians and smallest times"
    )
