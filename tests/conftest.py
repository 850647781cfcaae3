"""Shared settings: one thread per process if tests share the cores; one Hypothesis profile, without deadlines."""

import gc
import os
import signal
from collections.abc import Iterator

import pytest
from hypothesis import settings

from tests.cpu_times import listed

if "PYTEST_XDIST_WORKER" in os.environ:  # before torch is imported
    os.environ.setdefault("OMP_NUM_THREADS", "1")

settings.register_profile("default", deadline=None, print_blob=True)
settings.load_profile("default")


@pytest.hookimpl(tryfirst=True)  # before tests are chosen by their marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests in `tests/slow.txt` are slow."""
    slow = listed()
    for item in items:
        if item.nodeid in slow:
            item.add_marker(pytest.mark.slow)


# Collected tests live until the end, so garbage collection need not examine them.
gc.disable()


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """If everything should be installed (`.ci/run`), a skipped test is a failure."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if "NOTHING_SKIPPED" in os.environ and reporter and reporter.stats.get("skipped"):
        for report in reporter.stats["skipped"]:
            reporter.write_line(f"skipped: {report.nodeid}: {report.longrepr[-1]}", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture
def heard() -> Iterator[None]:
    """Enable Ctrl-C inside the test, even if it is ignored from the start, as in processes that a shell runs in the
    background.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
