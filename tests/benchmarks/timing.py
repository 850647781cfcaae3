"""Times of several ways to do one thing, taken in turns so that a busy machine slows all of them alike."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np


def medians(cases: Mapping[str, Callable[[], Any]], repeats: int) -> dict[str, float]:
    """Median seconds of each case; every repeat runs each of them once, after one round to warm up."""
    seconds: dict[str, list[float]] = {name: [] for name in cases}
    for run in cases.values():
        run()
    for _ in range(repeats):
        for name, run in cases.items():
            start = time.perf_counter()
            run()
            seconds[name].append(time.perf_counter() - start)
    return {name: float(np.median(values)) for name, values in seconds.items()}


def setting(repeats: int) -> str:
    """One line about versions, threads and method."""
    import torch

    return (
        f"Python {platform.python_version()}, NumPy {np.__version__}, torch {torch.__version__}; "
        f"{os.cpu_count()} cores, torch threads {torch.get_num_threads()}, "
        f"OPENBLAS_NUM_THREADS {os.environ.get('OPENBLAS_NUM_THREADS', 'unset')}; "
        f"medians of {repeats} interleaved repeats"
    )
