"""Items that several callers request at the same time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from verify.engine.work.backends import Backend
from verify.engine.work.items import WAITS, Busy, alone, as_free, each, together

HOLDS = """
import sys
from pathlib import Path
from verify.engine.work.items import alone
with alone(Path(sys.argv[1]), "a1"):
    print("held", flush=True)
    sys.stdin.read()
"""


def unless_waiting(name: str, done: list[str], after: str = "") -> str:
    if not WAITS.get() and after not in done:
        raise Busy
    done.append(name)
    return name


def test_what_nobody_is_at_comes_first() -> None:
    done: list[str] = [""]
    found = as_free(lambda: unless_waiting("a", done, after="b"), lambda: unless_waiting("b", done))
    assert found == ["a", "b"]
    assert done == ["", "b", "a"]


def test_where_all_are_busy_the_first_is_waited_for() -> None:
    done: list[str] = []
    works = [lambda name=name: unless_waiting(name, done, after="a") for name in "abc"]
    assert as_free(*works) == ["a", "b", "c"]
    assert done == ["a", "b", "c"]
    assert as_free() == []


def test_what_is_asked_inside_does_not_wait_for_what_is_outside() -> None:
    done: list[str] = []

    def both() -> list[str]:
        return as_free(
            lambda: unless_waiting("a", done, after="c"), lambda: unless_waiting("b", done, after="a")
        )

    assert as_free(both, lambda: done.append("c")) == [["a", "b"], None]
    assert done == ["c", "a", "b"]


def test_where_nobody_waits_all_that_is_free_is_done_first() -> None:
    done: list[str] = [""]
    busy, free = (partial(unless_waiting, name, done, after=after) for name, after in (("a", "c"), ("b", "")))
    before = WAITS.set(False)
    try:
        with pytest.raises(Busy):
            as_free(busy, partial(as_free, busy, free), free)
    finally:
        WAITS.reset(before)
    assert set(done) == {"", "b"}


@contextmanager
def held(folder: Path) -> Iterator[Callable[[], object]]:
    """Another process that works on an item of the folder, and a function that waits until it has released it."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLDS, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        yield other.communicate


def test_an_item_is_put_off_while_somebody_is_at_what_it_asks_for(tmp_path: Path) -> None:
    with held(tmp_path) as let_go:

        def work(item: str) -> str:
            if item == "free":
                let_go()
                return item
            with alone(tmp_path, "a1"):
                return item

        named = {"0a": "asks", "0b": "free"}
        assert list(together(work, named, tmp_path / "items", Backend())) == ["free", "asks"]
    assert WAITS.get()


def test_errors_are_not_held_back_and_waiting_goes_on_afterwards() -> None:
    with pytest.raises(ZeroDivisionError):
        as_free(lambda: 1 / 0)
    assert WAITS.get()


def test_somebody_else_is_seen(tmp_path: Path) -> None:
    with held(tmp_path) as let_go:

        def work(name: str, done: list[str]) -> str:
            with alone(tmp_path, name):
                done.append(name)
            return name

        done: list[str] = []

        def free_and_end() -> str:
            found = work("b2", done)
            let_go()
            return found

        assert as_free(lambda: work("a1", done), free_and_end) == ["a1", "b2"]
        assert done == ["b2", "a1"]


def test_whoever_may_write_to_a_folder_may_ask_for_its_items(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        with alone(tmp_path, "a1"):
            pass
    finally:
        os.umask(before)
    (locks,) = tmp_path.iterdir()
    assert locks.stat().st_mode & 0o777 == 0o666


def noted(item: int, folder: str) -> list[int]:
    with (Path(folder) / "log").open("a") as log:
        log.write(f"{item} ")
    return [item, 2 * item]


def test_what_is_saved_is_not_done_again_unless_somebody_changed_it(tmp_path: Path) -> None:
    asked = range(4), tmp_path, Backend(), str(tmp_path)
    found = [[item, 2 * item] for item in range(4)]
    assert list(each(noted, *asked)) == list(each(noted, *asked)) == found
    assert (tmp_path / "log").read_text() == "0 1 2 3 "
    files = sorted(tmp_path.glob("*.json"))
    files[0].write_text(json.dumps({**json.loads(files[0].read_text()), "found": [9, 9]}))
    files[1].write_text("[")
    files[2].unlink()
    assert list(each(noted, *asked)) == found
    assert len((tmp_path / "log").read_text().split()) == 7


def test_other_questions_are_other_items(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        assert list(each(noted, [1], tmp_path, Backend(), str(tmp_path / folder))) == [[1, 2]]
    assert len(list(tmp_path.glob("*.json"))) == 2
