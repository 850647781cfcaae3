"""Items: units of work that processes on several machines with a shared folder do together.

An item is named by the digest of its inputs, has the same result in every process, and is saved atomically. A process reads
a saved item, and skips an item that another process is working on.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from verify.engine.records.files import fingerprint, finite, unchanged, with_seal, write_json
from verify.engine.work.backends import Backend, Item, Work, spread
from verify.engine.work.errors import UsageError

try:
    from fcntl import LOCK_EX, LOCK_NB, LOCK_UN, lockf
except ImportError:  # without locks, work may be done twice, with the same result
    LOCK_EX = LOCK_NB = LOCK_UN = 0  # type: ignore[misc]

    def lockf(file: int, how: int, length: int, start: int) -> None:  # type: ignore[misc]
        """No locks on this system."""


LOCKS = ".at-work"
"""File of a folder in which the process that works on an item locks one byte. The system frees the lock however the
process ends.
"""


WAITS: ContextVar[bool] = ContextVar("waits", default=True)
"""Whether `alone` waits for other processes, or raises `Busy`."""


class Busy(Exception):
    """Another process is working on the item."""


def name_of(*inputs: Any) -> str:
    """Digest of all inputs of an item, given as plain JSON."""
    return hashlib.sha256(json.dumps(inputs, sort_keys=True, default=str).encode()).hexdigest()[:16]


def together(
    work: Work, named: Mapping[str, Item], folder: Path, backend: Backend, *rest: Any
) -> Iterator[Any]:
    """Results of ``work(item, *rest)`` for every item, as they are finished by this or another process in the same folder.

    An item that another process is working on (or that needs such an item) is tried again after all others. So no process
    waits while there is work left.

    Parameters
    ----------
    work : function of a module, which saves its result, and takes it from there if it is saved
    named : mapping of str to item
        The items, by `name_of` their inputs.
    folder : Path
        Folder of the results and of the locks.
    """
    others = []
    if (topic := backend.topic) is not None:
        backend = replace(backend, topic=lambda pair: topic(pair[1]))
    for pair, *result in spread(partial(_if_free, work, folder), list(named.items()), backend, *rest):
        if result:
            yield result[0]
        else:
            others.append(pair)
    yield from spread(partial(_in_turn, work, folder), others, backend, *rest)


def each(work: Work, items: Iterable[Item], folder: Path, backend: Backend, *asked: Any) -> Iterator[Any]:
    """Results of ``work(item, *asked)`` for every item as plain JSON, saved in `folder` and reused from there.

    A file has the name of its item, so one folder can hold results of different code, budgets and seeds. A file that was
    edited is computed again.

    Parameters
    ----------
    work : function of a module, which gives plain JSON
    items, asked : plain JSON
    """
    called = f"{work.__module__}.{work.__qualname__}"
    named = {name_of(called, item, asked, fingerprint()): item for item in items}
    yield from together(
        _saved, {name: (name, item) for name, item in named.items()}, folder, backend, work, folder, *asked
    )


def _saved(named: tuple[str, Item], work: Work, folder: Path, *asked: Any) -> Any:
    name, item = named
    file = folder / f"{name}.json"
    found = unchanged(file)
    if found is None:
        found = with_seal({"found": finite(work(item, *asked))})
        write_json(file, found)
    return found["found"]


def _if_free(work: Work, folder: Path, pair: tuple[str, Item], *rest: Any) -> tuple[Any, ...]:
    """The named item with its result; without a result if another process is working on it, or on an item it needs."""
    try:
        with _not_waiting():
            return pair, _in_turn(work, folder, pair, *rest)
    except Busy:
        return (pair,)


def _in_turn(work: Work, folder: Path, pair: tuple[str, Item], *rest: Any) -> Any:
    name, item = pair
    with alone(folder, name):
        return work(item, *rest)


def as_free(*works: Callable[[], Any]) -> list[Any]:
    """Results of all `works`, first those that need not wait for another process. Simultaneous equal requests share the
    work.

    Without waiting, all items are tried before `Busy` is raised, so that free items are done.
    """
    found: dict[int, Any] = {}
    left = list(range(len(works)))
    while left:
        for place in left:
            with suppress(Busy), _not_waiting():
                found[place] = works[place]()
        stuck, left = left, [place for place in left if place not in found]
        if left == stuck:
            found[left[0]] = works[left[0]]()
            left = left[1:]
    return [found[place] for place in range(len(works))]


@contextmanager
def _not_waiting() -> Iterator[None]:
    before = WAITS.set(False)
    try:
        yield
    finally:
        WAITS.reset(before)


@contextmanager
def alone(folder: Path, name: str) -> Iterator[None]:
    """Inside the block no other process works on an item of the folder; waits for this.

    Raises
    ------
    UsageError
        If the folder cannot be written.
    Busy
        If another process works on one and there is other work to do first.
    """
    with _lock(folder, name, LOCK_EX if WAITS.get() else LOCK_EX | LOCK_NB):
        yield


@contextmanager
def _lock(folder: Path, name: str, how: int) -> Iterator[None]:
    place = int(name, 16) % (1 << 62)
    try:
        file = _locks(folder.resolve(), os.getpid())
    except OSError as error:
        raise UsageError(f"cannot write into {folder}: {error.strerror}") from error
    try:
        lockf(file, how, 1, place)
    except BlockingIOError:
        raise Busy from None
    except OSError:  # a file system without locks
        yield
        return
    try:
        yield
    finally:
        lockf(file, LOCK_UN, 1, place)


@cache
def _locks(folder: Path, process: int) -> int:
    """The open file of locks; it stays open, because closing any handle would free all locks of the process."""
    folder.mkdir(parents=True, exist_ok=True)
    return os.open(folder / LOCKS, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
