"""Workers of this machine leave signals to their parent, and live no longer than it."""

import os
import signal
import threading

import pytest

from verify.engine import processes


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
