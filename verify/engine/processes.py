"""Work spread over processes: ids are sent, plain records come back as they are finished."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from multiprocessing import active_children, get_context
from typing import Any, TypeVar

Item = TypeVar("Item")
FEW = 2
"""So few items are not worth the start of processes."""


def spread(work: Callable[..., Any], items: Sequence[Item], jobs: int, *rest: Any) -> Iterator[Any]:
    """``work(item, *rest)`` of every item, in the order in which they are finished.

    Parameters
    ----------
    jobs : int
        Processes, >= 1; with 1, or with few items, everything is done here.
    """
    if jobs == 1 or len(items) <= FEW:
        yield from (work(item, *rest) for item in items)
        return
    with ProcessPoolExecutor(
        jobs, mp_context=get_context("spawn"), initializer=_begin, initargs=(os.getpid(),)
    ) as pool:
        tasks = [pool.submit(work, item, *rest) for item in items]
        try:
            yield from (task.result() for task in as_completed(tasks))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in active_children():  # what they are at is lost, what is finished is saved
                process.terminate()
            raise


class OutOfTime(BaseException):
    """Work took longer than it was allowed to; no `except Exception` inside the work may hold it up."""


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Raise `OutOfTime` inside the block after so many seconds; in a main thread, on systems that have alarms."""

    def ring(number: int, frame: object) -> None:
        raise OutOfTime

    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _begin(parent: int) -> None:
    """One thread a process, since more threads than cores make matrix products stall; no life without the parent."""
    import torch

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent says what happened, once
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    torch.set_num_threads(1)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)
