"""Work on many rows, shared out over threads."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise


def shared_out(work: Callable[[int, int], object], number: int, least: int) -> None:
    """Calls ``work(start, stop)`` for parts of 0..`number`, one for each thread that PyTorch may use, one at all where it is not loaded.

    What `work` does for a place must not depend on its part; then the number of threads changes nothing.

    Parameters
    ----------
    least : int, >= 1
        What a thread does at least: less is done before it has started.
    """
    torch = sys.modules.get("torch")
    allowed = torch.get_num_threads() if torch else 1
    n_parts = max(min(allowed, number // least), 1)
    first, *others = pairwise(number * part // n_parts for part in range(n_parts + 1))
    running = [_threads(os.getpid(), len(others)).submit(work, *part) for part in others]
    work(*first)
    for part in running:
        part.result()


@cache
def _threads(process: int, number: int) -> ThreadPoolExecutor:
    """Of this process: a process that was forked has none of its parent's."""
    return ThreadPoolExecutor(number)
