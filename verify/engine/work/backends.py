"""Backends run work by processes of this machine (joblib's loky), workers of Dask, or jobs of SLURM.

Only ids are sent, never arrays, and plain records come back as they are finished. There is one level of parallelism: a
process uses a fixed number of threads for an item, so results do not depend on the backend.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from verify.engine.work.arguments import whole
from verify.engine.work.errors import UsageError
from verify.engine.work.messages import message
from verify.engine.work.processes import begin_worker, give_back, threads, unheard_by_heirs

Item = TypeVar("Item")
Work = Callable[..., Any]

BACKENDS = ("loky", "dask", "slurm")
FEW = 2
"""Up to this number of items, starting processes takes longer than the work."""
LIVES = 3
"""A run gives up after this number of killed workers; finished results are saved in any case."""
CONNECT = 30
"""Seconds until a scheduler must answer."""
SLURM_FOLDER = Path("results/slurm")
"""Folder in which submitit stores its jobs and their logs."""
SLURM_MINUTES, SLURM_GB = 24 * 60, 4
"""Limits of a job, unless the environment of `sbatch` (SBATCH_TIMELIMIT, SBATCH_PARTITION, ...) sets others."""


@dataclass(frozen=True)
class Backend:
    """A backend and its settings.

    Attributes
    ----------
    name : {"loky", "dask", "slurm"}
    jobs : int
        Number of processes of this machine, or of jobs of SLURM, >= 1. Dask uses all its workers.
    scheduler : str
        Address of Dask's scheduler. For submitit: "slurm", or "local" for processes of this machine.
    threads : int
        Threads of every process.
    few : int
        Up to this number of items, the work is done in this process instead of starting others.
    topic : callable, optional
        The topic of an item. A process of this machine takes items of one topic at once, because they share what is
        computed, the largest topics first; so many that it takes at least four times. Without it, items are taken one by one.
    """

    name: str = "loky"
    jobs: int = 1
    scheduler: str = ""
    threads: int = 1
    few: int = FEW
    topic: Callable[[Any], str] | None = None

    def __post_init__(self) -> None:
        if self.name == "dask" and not self.scheduler:
            raise UsageError("`--backend dask` needs `--scheduler ADDRESS`, as in tcp://127.0.0.1:8786")
        if self.name == "loky" and self.scheduler:
            raise UsageError(f"`--scheduler` is for dask and slurm, got {self.scheduler!r} for loky")
        if self.name == "slurm" and self.scheduler not in ("", "slurm", "local"):
            raise UsageError(
                f"`--scheduler` of slurm must be slurm or local, got {self.scheduler!r}; sbatch knows its own address"
            )


def add_backend(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose a backend."""
    parser.add_argument(
        "--jobs",
        type=whole("jobs", 1),
        help="processes (default: all cores; one for each accelerator in use)",
    )
    parser.add_argument(
        "--backend",
        choices=BACKENDS,
        default="loky",
        help="where the work is done: by processes of this machine (default), workers of Dask, or jobs of SLURM; see docs/large-runs.md",
    )
    parser.add_argument(
        "--scheduler",
        default="",
        metavar="ADDRESS",
        help="address of Dask's scheduler, or `local` to try the slurm backend without SLURM",
    )


def backend_of(options: argparse.Namespace, processes: int | None = None, **more: Any) -> Backend:
    """The backend chosen by the options of `add_backend`; without `--jobs` it has `processes`, by default one for each core."""
    return Backend(
        options.backend, options.jobs or processes or os.cpu_count() or 1, options.scheduler, **more
    )


HERE = Backend()
"""The backend that works in this process alone."""


def spread(work: Work, items: Sequence[Item], backend: Backend, *rest: Any) -> Iterator[Any]:
    """Results of ``work(item, *rest)`` for every item, in the order in which they are finished.

    Parameters
    ----------
    work : function of a module, by the name of which others find it
    items : sequence
        Ids and other small things that can be sent.

    Raises
    ------
    UsageError
        If the backend is not installed, cannot be reached, or loses workers repeatedly.
    """
    if not items:
        return
    if backend.name == "loky" and (backend.jobs == 1 or len(items) <= backend.few):
        with threads(backend.threads):
            yield from (work(item, *rest) for item in items)
        return
    share = partial(_results_of, work, rest, backend.threads)
    yield from {"loky": _by_loky, "dask": _by_dask, "slurm": _by_slurm}[backend.name](share, items, backend)


def _results_of(work: Work, rest: tuple[Any, ...], n_threads: int, items: Sequence[Any]) -> list[Any]:
    """The results of some items, one after another."""
    try:
        with threads(n_threads):
            return [work(item, *rest) for item in items]
    finally:
        give_back()


def _by_loky(share: Work, items: Sequence[Any], backend: Backend) -> Iterator[Any]:
    from joblib import Parallel, delayed, parallel_config
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    # A worker that uses too much memory exits regularly and is replaced. A lost worker is an error.
    warnings.filterwarnings("ignore", "A worker stopped while some jobs were given", UserWarning)

    left = dict.fromkeys(range(len(items)))
    for life in range(1, LIVES + 1):
        try:
            with (
                unheard_by_heirs(),
                parallel_config(
                    "loky",
                    n_jobs=max(2, min(backend.jobs, len(left))),  # joblib would do with a single one here
                    inner_max_num_threads=backend.threads,
                    initializer=begin_worker,
                    initargs=(os.getpid(),),
                ),
            ):
                found = Parallel(return_as="generator_unordered", batch_size=1, max_nbytes=None)(
                    delayed(_placed)(share, [items[place] for place in part], part)
                    for part in _parts(list(left), items, backend)
                )
            for placed in _closing(found):
                for place, result in placed:
                    del left[place]
                    yield result
            return
        except TerminatedWorkerError:
            _told_killed("a worker process", life)


def _told_killed(who: str, life: int) -> None:
    if life == LIVES:
        raise UsageError(
            f"{who} was killed {LIVES} times, perhaps for want of memory; what is finished is saved, and fewer "
            "--jobs need less"
        ) from None
    message(f"verify: {who} was killed; going on with what is left")


def let_go() -> None:
    """End idle processes left over from earlier work and free their memory; later work starts new ones."""
    if "joblib" in sys.modules:
        from joblib.externals.loky import get_reusable_executor

        get_reusable_executor().shutdown()


def _parts(places: Sequence[int], items: Sequence[Any], backend: Backend) -> list[list[int]]:
    """The places of the items that a process takes at once, the largest parts first."""
    if backend.topic is None:
        return [[place] for place in places]
    topics: dict[str, list[int]] = {}
    for place in places:
        topics.setdefault(backend.topic(items[place]), []).append(place)
    most = max(1, len(places) // (4 * backend.jobs))
    parts = [same[k : k + most] for same in topics.values() for k in range(0, len(same), most)]
    return sorted(parts, key=len, reverse=True)


def _placed(share: Work, items: Sequence[Any], places: Sequence[int]) -> list[tuple[int, Any]]:
    return list(zip(places, share(items), strict=True))


def _by_dask(share: Work, items: Sequence[Any], backend: Backend) -> Iterator[Any]:
    try:
        from distributed import Client
    except ImportError:
        raise UsageError("`--backend dask` needs the extra dask: pip install 'fcl-theory[dask]'") from None
    from joblib import Parallel, delayed, parallel_config

    try:
        client = Client(backend.scheduler, timeout=CONNECT)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise UsageError(f"no Dask scheduler answers at {backend.scheduler}: {error}") from error
    with client, parallel_config("dask", client=client):
        found = Parallel(return_as="generator_unordered", batch_size=1)(
            delayed(share)([item]) for item in items
        )
        for results in _closing(found):
            yield from results


def _by_slurm(share: Work, items: Sequence[Any], backend: Backend) -> Iterator[Any]:
    try:
        from submitit import AutoExecutor
        from submitit.core.utils import FailedJobError, UncompletedJobError
        from submitit.helpers import as_completed
    except ImportError:
        raise UsageError("`--backend slurm` needs the extra slurm: pip install 'fcl-theory[slurm]'") from None
    try:
        executor = AutoExecutor(SLURM_FOLDER, cluster=backend.scheduler or "slurm")
    except RuntimeError as error:
        raise UsageError(f"SLURM is not here: {error}") from error
    executor.update_parameters(
        name="fcl-theory", timeout_min=SLURM_MINUTES, cpus_per_task=backend.threads, mem_gb=SLURM_GB
    )
    left = list(items)
    for life in range(1, LIVES + 1):
        number = min(backend.jobs, len(left))
        shares = [left[first::number] for first in range(number)]
        jobs = executor.map_array(share, shares)
        left = []
        try:
            for job in as_completed(jobs, poll_frequency=1):
                try:
                    found = job.result()
                except FailedJobError:  # the work itself raised an error
                    raise
                except UncompletedJobError:  # its finished results are saved
                    left += shares[jobs.index(job)]
                else:
                    yield from found
        finally:
            _cancelled(jobs)
        if not left:
            return
        _told_killed("a job of SLURM", life)


def _cancelled(jobs: Sequence[Any], seconds: float = 10) -> None:
    """Cancel unfinished work, and wait a short time until it has ended."""
    for job in jobs:
        if not job.done():
            job.cancel()
    end = time.monotonic() + seconds
    while not all(job.done() for job in jobs) and time.monotonic() < end:
        time.sleep(0.1)


def _closing(found: Generator[Any, None, None]) -> Iterator[Any]:
    """The results. If the caller stops early, the remaining work is cancelled without joblib's warning."""
    try:
        for result in found:  # noqa: UP028  `yield from` would close the results, and joblib would warn about it
            yield result
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found.close()
