"""Workers of this machine leave signals to their parent, and end with it."""

import os
import signal
import subprocess
import sys
import threading

import pytest

from verify.engine.work import processes
from verify.engine.work.backends import Backend, spread


class Ended(BaseException):
    """A process that ends, in these tests."""


def test_a_worker_ends_when_its_parent_is_another(monkeypatch):
    parents, slept = iter([5, 5, 1]), []

    def ends(status):
        raise Ended(status)

    monkeypatch.setattr(processes.os, "getppid", lambda: next(parents))
    monkeypatch.setattr(processes.time, "sleep", slept.append)
    monkeypatch.setattr(processes.os, "_exit", ends)
    with pytest.raises(Ended, match="1"):
        processes._end_with(5)
    assert slept == [1, 1]


def test_a_worker_leaves_signals_to_its_parent_and_watches_it(monkeypatch):
    seen, told = [], threading.Event()

    def watched(parent):
        seen.append((parent, threading.current_thread().daemon))
        told.set()

    monkeypatch.setattr(processes, "_end_with", watched)
    before = {kind: signal.getsignal(kind) for kind in (signal.SIGINT, signal.SIGTERM)}
    try:
        processes.begin_worker(os.getppid())
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    finally:
        for kind, what in before.items():
            signal.signal(kind, what)
    assert told.wait(10)
    assert seen == [(os.getppid(), True)]


def masked() -> bool:
    return signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ())


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="needs masks of signals")
def test_what_is_started_leaves_signals_to_its_parent_from_its_first_moment() -> None:
    asked = [
        sys.executable,
        "-c",
        "import signal; print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ()))",
    ]
    with processes.unheard_by_heirs():
        assert masked()
        inside = subprocess.run(asked, capture_output=True, text=True, check=True)
    assert not masked()
    assert inside.stdout == "True\n"


def test_workers_are_born_so() -> None:
    found = spread(_born, [0, 1, 2], Backend(jobs=2))
    assert list(found) == [True] * 3


@pytest.mark.parametrize("number", [1, 2])
def test_few_items_are_not_worth_the_start_of_processes(number: int) -> None:
    assert list(spread(_where, range(number), Backend(jobs=2))) == [os.getpid()] * number


def _where(item: int) -> int:
    return os.getpid()


def _born(item: int) -> bool:
    """Whether Ctrl-C was blocked when this worker was started; it has not been unblocked since."""
    return not hasattr(signal, "pthread_sigmask") or masked()
