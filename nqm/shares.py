"""Work on many rows, shared out over threads."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise


def shared_out(work: Callable[[int, int], object], number: int, least: int) -> None:
    """Call ``work(start, stop)`` for parts of 0..`number`: one part for each thread that PyTorch may use, or a single part
    if PyTorch is not loaded.

    The result of `work` for an index must not depend on the part; then the number of threads does not change the result.

    Parameters
    ----------
    least : int, >= 1
        Smallest part worth a thread; smaller parts finish before a thread has started.
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
    """Threads of this process; a forked process does not inherit the threads of its parent."""
    return ThreadPoolExecutor(number)
