"""Pytest plugin that renews `tests/slow.txt`, the tests whose call takes more than `LIMIT` seconds of CPU time.

    python -m pytest -p tests.cpu_times -m "not torture"

Tests that did not run, and those marked `core`, keep their place. Time for fixtures does not count, because other tests may need them.
"""

from __future__ import annotations

import resource
from collections.abc import Iterator
from pathlib import Path

import pytest

SLOW = Path(__file__).with_name("slow.txt")
LIMIT = 0.4
"""Seconds of CPU time, of the process and those that it starts."""
_SECONDS = dict[str, float]()


def listed() -> frozenset[str]:
    """Ids of the tests that are slow."""
    return frozenset(SLOW.read_text("utf-8").splitlines())


def _used() -> float:
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(used.ru_utime + used.ru_stime for used in both)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    before = _used()
    try:
        return (yield)
    finally:
        if item.get_closest_marker("core") is None:
            _SECONDS[item.nodeid] = _used() - before


def pytest_sessionfinish() -> None:
    kept = listed() - _SECONDS.keys()
    slow = {name for name, seconds in _SECONDS.items() if seconds > LIMIT}
    SLOW.write_text("".join(f"{name}\n" for name in sorted(kept | slow)), "utf-8")
