"""Processes: their number of threads, the end of workers, and time limits."""

from __future__ import annotations

import ctypes
import gc
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

TOLD_THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
"""Environment variables from which libraries take their number of threads."""
TOLD_WAITING = {"OMP_WAIT_POLICY": "PASSIVE"}
"""OpenMP's waiting policy, unless the environment sets another: threads that wait actively would take CPU time from
others.
"""


class OutOfTime(BaseException):
    """Work exceeded its time limit. Not a subclass of Exception, so that no `except Exception` inside the work catches
    it.
    """


CLOCK, PROCESSOR = ("ITIMER_REAL", "SIGALRM"), ("ITIMER_VIRTUAL", "SIGVTALRM")
"""The timer of a time limit: wall-clock time, or the CPU time of the process, which does not depend on other work."""

AGAIN = 5.0
"""Seconds after which work that ignored its time limit is interrupted again."""
LATER = 0.05
"""Seconds between two checks whether modules are still being loaded."""


@contextmanager
def at_most(seconds: float, by: tuple[str, str] = CLOCK) -> Iterator[None]:
    """Raise `OutOfTime` inside the block after the given seconds; only in a main thread, on systems with alarms.

    It is raised again every `AGAIN` seconds, because Python drops an exception raised in a callback of a library.

    It waits for modules that are being loaded, because a half-loaded library may crash the process.
    """

    def ring(number: int, frame: FrameType | None) -> None:
        if _loads(frame):
            signal.setitimer(timer, LATER, AGAIN)
        else:
            raise OutOfTime

    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return
    timer, alarm = (getattr(signal, name) for name in by)
    before = signal.signal(alarm, ring)
    signal.setitimer(timer, seconds, AGAIN)
    try:
        yield
    finally:
        signal.setitimer(timer, 0)
        signal.signal(alarm, before)


STOPPING = ("SIGINT", "SIGTERM", "SIGALRM", "SIGVTALRM")
"""Signals whose handlers end work by an exception."""


@contextmanager
def undisturbed() -> Iterator[None]:
    """Delay time limits and stops until the block is done, because a library may not survive an exception in its
    callback.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    before = {}
    try:
        for number in (getattr(signal, name) for name in STOPPING if hasattr(signal, name)):
            if callable(signal.getsignal(number)):
                before[number] = signal.signal(number, lambda number, frame: came.append(number))
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for number in came:
            signal.raise_signal(number)


def _loads(frame: FrameType | None) -> bool:
    """Whether a module is being loaded."""
    while frame is not None and frame.f_globals.get("__name__") != "importlib._bootstrap":
        frame = frame.f_back
    return frame is not None


class Terminated(KeyboardInterrupt):
    """The system asked the process to end."""


def heed_termination() -> None:
    """End on SIGTERM as on Ctrl-C: at once, with finished results saved."""

    def end(number: int, frame: object) -> None:
        raise Terminated

    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, end)


@contextmanager
def threads(number: int) -> Iterator[None]:
    """Fix the number of threads for matrix products inside the block, so that results are the same on every machine.

    Libraries first loaded inside the block keep this number, and their idle threads sleep; both are set in the environment.
    """
    from threadpoolctl import threadpool_limits

    torch = sys.modules.get("torch")  # takes a second to load, and much work does not need it
    before = torch.get_num_threads() if torch else number
    said = TOLD_WAITING | dict(os.environ)
    told = dict.fromkeys(TOLD_THREADS, str(number)) | {name: said[name] for name in TOLD_WAITING}
    of_before = {name: os.environ.get(name) for name in told}
    os.environ.update(told)
    if torch:
        torch.set_num_threads(number)
    try:
        with threadpool_limits(number):
            yield
    finally:
        for name, value in of_before.items():
            os.environ.pop(name)
            if value is not None:
                os.environ[name] = value
        if torch:
            torch.set_num_threads(before)


@contextmanager
def collecting_rarely() -> Iterator[None]:
    """Inside the block, look for cyclic garbage less often: formulas are many small objects, of which few are garbage, and
    looking through them takes a twelfth of the time of a proof.
    """
    before = gc.get_threshold()
    gc.set_threshold(20_000, 10, 50)
    try:
        yield
    finally:
        gc.set_threshold(*before)


def give_back() -> None:
    """Return free memory to the system, which glibc keeps if memory above it is in use. Does nothing without glibc."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(0)


@contextmanager
def unheard_by_heirs() -> Iterator[None]:
    """Leave Ctrl-C to this process: processes started inside the block inherit a blocked signal from the beginning."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing.resource_tracker import ensure_running

    ensure_running()  # the process that is started inside the block unblocks signals
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def begin_worker(parent: int) -> None:
    """Initialise a worker of this machine: it leaves signals to its parent and ends with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # only the parent reports what happened
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1)
    sys.stderr.flush()
    os._exit(1)
