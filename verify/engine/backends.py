"""Backends: where work is done. By processes of this machine (joblib's loky), workers of Dask, or jobs of SLURM.

Ids are sent, never arrays, and plain records come back as they are finished. There is one level of parallelism: a process that
works on an item uses a fixed number of threads, so that it comes to the same numbers wherever it is worked on.
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

from verify.engine.arguments import whole
from verify.engine.errors import UsageError
from verify.engine.processes import begin_worker, give_back, threads, unheard_by_heirs

Item = TypeVar("Item")
Work = Callable[..., Any]

BACKENDS = ("loky", "dask", "slurm")
FEW = 2
"""So few items are not worth the start of processes."""
LIVES = 3
"""How often workers may be killed before a run gives up; what was finished is saved in any case."""
CONNECT = 30
"""Seconds to find a scheduler."""
SLURM_FOLDER = Path("results/slurm")
"""Where submitit keeps what it sends, and the logs of its jobs."""
SLURM_MINUTES, SLURM_GB = 24 * 60, 4
"""Limits of a job, unless the environment of `sbatch` (SBATCH_TIMELIMIT, SBATCH_PARTITION, ...) says otherwise."""


@dataclass(frozen=True)
class Backend:
    """Where work is done.

    Attributes
    ----------
    name : {"loky", "dask", "slurm"}
    jobs : int
        Processes of this machine, or jobs of SLURM, >= 1. Dask has as many workers as it has.
    scheduler : str
        Address of Dask's scheduler; of submitit "slurm", or "local" for processes of this machine.
    threads : int
        Of every process.
    few : int
        So many items at most are worked on here, where processes would have to be started.
    """

    name: str = "loky"
    jobs: int = 1
    scheduler: str = ""
    threads: int = 1
    few: int = FEW

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
    """Options that say where the work is done."""
    parser.add_argument(
        "--jobs", type=whole("jobs", 1), default=os.cpu_count() or 1, help="processes (default: all cores)"
    )
    parser.add_argument(
        "--backend",
        choices=BACKENDS,
        default="loky",
        help="who works: processes of this machine (default), workers of Dask, jobs of SLURM; see docs/large-runs.md",
    )
    parser.add_argument(
        "--scheduler", default="", metavar="ADDRESS", help="of Dask, or `local` to try slurm without SLURM"
    )


def backend_of(options: argparse.Namespace, **more: int) -> Backend:
    """What the options of `add_backend` ask for."""
    return Backend(options.backend, options.jobs, options.scheduler, **more)


HERE = Backend()
"""This process."""


def spread(work: Work, items: Sequence[Item], backend: Backend, *rest: Any) -> Iterator[Any]:
    """``work(item, *rest)`` of every item, in the order in which they are finished.

    Parameters
    ----------
    work : function of a module, by the name of which others find it
    items : sequence
        Ids and other small things that can be sent.

    Raises
    ------
    UsageError
        If the backend is not installed, cannot be reached, or loses workers again and again.
    """
    if not items:
        return
    if backend.name == "loky" and (backend.jobs == 1 or len(items) <= backend.few):
        with threads(backend.threads):
            yield from (work(item, *rest) for item in items)
        return
    once = partial(_worked, work, rest, backend.threads)
    yield from {"loky": _by_loky, "dask": _by_dask, "slurm": _by_slurm}[backend.name](once, items, backend)


def _worked(work: Work, rest: tuple[Any, ...], n_threads: int, item: Any) -> Any:
    try:
        with threads(n_threads):
            return work(item, *rest)
    finally:
        give_back()


def _by_loky(once: Work, items: Sequence[Any], backend: Backend) -> Iterator[Any]:
    from joblib import Parallel, delayed, parallel_config
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    # A worker that has grown leaves in order, and another takes its place. One that is lost is an error instead.
    warnings.filterwarnings("ignore", "A worker stopped while some jobs were given", UserWarning)

    def numbered(place: int) -> Any:
        return delayed(_numbered)(once, items[place], place)

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
                    numbered(place) for place in list(left)
                )
            for place, result in _closing(found):
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
    print(f"verify: {who} was killed; going on with what is left", file=sys.stderr)


def let_go() -> None:
    """End what idle processes of this machine are left of earlier work, with all that they hold; others start afresh."""
    if "joblib" in sys.modules:
        from joblib.externals.loky import get_reusable_executor

        get_reusable_executor().shutdown()


def _numbered(once: Work, item: Any, place: int) -> tuple[int, Any]:
    return place, once(item)


def _by_dask(once: Work, items: Sequence[Any], backend: Backend) -> Iterator[Any]:
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
        found = Parallel(return_as="generator_unordered", batch_size=1)(delayed(once)(item) for item in items)
        yield from _closing(found)


def _by_slurm(once: Work, items: Sequence[Any], backend: Backend) -> Iterator[Any]:
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
        jobs = executor.map_array(partial(_share, once), shares)
        left = []
        try:
            for job in as_completed(jobs, poll_frequency=1):
                try:
                    found = job.result()
                except FailedJobError:  # by what the work itself raised
                    raise
                except UncompletedJobError:  # what it had finished is saved
                    left += shares[jobs.index(job)]
                else:
                    yield from found
        finally:
            _cancelled(jobs)
        if not left:
            return
        _told_killed("a job of SLURM", life)


def _cancelled(jobs: Sequence[Any], seconds: float = 10) -> None:
    """End what is not done, and wait a little until it has ended."""
    for job in jobs:
        if not job.done():
            job.cancel()
    end = time.monotonic() + seconds
    while not all(job.done() for job in jobs) and time.monotonic() < end:
        time.sleep(0.1)


def _share(once: Work, items: Sequence[Any]) -> list[Any]:
    return [once(item) for item in items]


def _closing(found: Generator[Any, None, None]) -> Iterator[Any]:
    """The results; where nobody wants the rest, the work ends, and joblib need not warn that it does."""
    try:
        for result in found:  # noqa: UP028  `yield from` would close what is found, and joblib warn of it
            yield result
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found.close()
