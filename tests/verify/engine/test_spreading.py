"""Backends: the calls to libraries that distribute work, with stand-ins for the libraries."""

import argparse
import os
import sys
import types
import warnings
from concurrent.futures import Future
from functools import partial

import joblib
import pytest
import torch
from joblib.externals.loky.process_executor import TerminatedWorkerError

from verify.engine.work import backends
from verify.engine.work.backends import Backend, _parts, add_backend, backend_of, let_go, spread
from verify.engine.work.errors import UsageError
from verify.engine.work.processes import begin_worker


def doubled(item, *rest):
    return (2 * item, torch.get_num_threads(), *rest)


def called(work):
    """A fake of the way in which joblib or submitit executes a call."""
    function, args, kwargs = work
    return function(*args, **kwargs)


class Workers:
    """A fake joblib that records its arguments and loses its workers as often as `lost` specifies."""

    def __init__(self, monkeypatch, lost=()):
        self.asked, self.made, self.lost, self.rounds = [], [], list(lost), []
        monkeypatch.setattr(joblib, "parallel_config", self.config)
        monkeypatch.setattr(joblib, "Parallel", self.parallel)

    def config(self, name, **asked):
        self.asked.append({"name": name, **asked})
        return warnings.catch_warnings()

    def parallel(self, **asked):
        self.made.append(asked)

        def done(calls):
            self.rounds.append(0)
            for work in calls:
                if self.lost and self.rounds[-1] == self.lost[0]:
                    self.lost.pop(0)
                    raise TerminatedWorkerError("killed")
                self.rounds[-1] += 1
                yield called(work)

        return done


@pytest.fixture(autouse=True)
def kept_threads():
    before = torch.get_num_threads()
    yield
    assert torch.get_num_threads() == before


@pytest.mark.parametrize(("jobs", "items", "processes"), [(2, 8, 2), (3, 8, 3), (8, 5, 5), (8, 3, 3)])
def test_processes_are_asked_for_no_more_than_there_is_work(monkeypatch, jobs, items, processes):
    workers = Workers(monkeypatch)
    found = sorted(spread(doubled, range(items), Backend(jobs=jobs, threads=1), "rest"))
    assert found == [(2 * item, 1, "rest") for item in range(items)]
    assert workers.asked == [
        {
            "name": "loky",
            "n_jobs": processes,
            "inner_max_num_threads": 1,
            "initializer": begin_worker,
            "initargs": (os.getpid(),),
        }
    ]
    assert workers.made == [{"return_as": "generator_unordered", "batch_size": 1, "max_nbytes": None}]


@pytest.mark.parametrize(
    ("backend", "items", "elsewhere"),
    [
        (Backend(jobs=1), 9, False),
        (Backend(jobs=2), 2, False),
        (Backend(jobs=2), 3, True),
        (Backend(jobs=2, few=0), 1, True),
        (Backend(jobs=2, few=5), 5, False),
        (Backend(jobs=2), 0, False),
    ],
)
def test_little_work_is_done_here(monkeypatch, backend, items, elsewhere):
    workers = Workers(monkeypatch)
    assert len(list(spread(doubled, list(range(items)), backend))) == items
    assert bool(workers.asked) == elsewhere
    assert all(asked["n_jobs"] >= 2 for asked in workers.asked)


def test_a_process_takes_items_of_one_topic_at_once_the_largest_topics_first(monkeypatch):
    items = ["a1", "b1", "c1", "b2", "c2", "b3", *(f"d{k}" for k in range(10))]
    backend = Backend(jobs=1, topic=lambda item: item[0])
    parts = [[items[place] for place in part] for part in _parts(range(len(items)), items, backend)]
    assert parts == [
        ["d0", "d1", "d2", "d3"],
        ["d4", "d5", "d6", "d7"],
        ["b1", "b2", "b3"],
        ["c1", "c2"],
        ["d8", "d9"],
        ["a1"],
    ]
    workers = Workers(monkeypatch)
    found = [item for item, *_ in spread(doubled, items, Backend(jobs=2, topic=lambda item: item[0]))]
    assert sorted(found) == sorted(2 * item for item in items)
    assert workers.rounds == [1 + 2 + 1 + 5]


def test_what_killed_workers_left_is_done_by_others(monkeypatch, capsys):
    workers = Workers(monkeypatch, lost=[3, 1])
    assert sorted(found[0] for found in spread(doubled, range(8), Backend(jobs=4))) == list(range(0, 16, 2))
    assert workers.rounds == [3, 1, 4]
    assert [asked["n_jobs"] for asked in workers.asked] == [4, 4, 4]
    assert capsys.readouterr().err.count("a worker process was killed; going on with what is left") == 2


def test_who_loses_workers_again_and_again_gives_up(monkeypatch, capsys):
    Workers(monkeypatch, lost=[2, 0, 0])
    found = spread(doubled, range(8), Backend(jobs=4))
    assert [next(found)[0], next(found)[0]] == [0, 2]
    with pytest.raises(UsageError, match="was killed 3 times"):
        next(found)
    assert capsys.readouterr().err.count("going on") == 2


def process_of(item):
    return os.getpid()


def test_processes_that_were_let_go_work_no_more():
    before = set(spread(process_of, range(4), Backend("loky", 2)))
    let_go()
    after = set(spread(process_of, range(4), Backend("loky", 2)))
    assert not before & after
    assert os.getpid() not in before | after


def test_work_that_nobody_wants_any_more_ends_without_a_warning():
    ended = []

    def found():
        try:
            yield from range(3)
        finally:
            ended.append(True)
            warnings.warn("not all was wanted", stacklevel=1)

    rest = backends._closing(found())
    assert next(rest) == 0
    rest.close()
    assert ended == [True]
    assert list(backends._closing(i for i in range(3))) == [0, 1, 2]


def test_dask_is_asked_at_its_address(monkeypatch):
    workers, clients = Workers(monkeypatch), []

    class Client(warnings.catch_warnings):
        def __init__(self, address, timeout):
            super().__init__()
            clients.append((address, timeout, self))
            if address == "tcp://nowhere":
                raise OSError("nobody")

    monkeypatch.setitem(sys.modules, "distributed", types.SimpleNamespace(Client=Client))
    found = spread(doubled, range(2), Backend("dask", scheduler="tcp://here", threads=1))
    assert sorted(found) == [(0, 1), (2, 1)]
    ((address, timeout, client),) = clients
    assert (address, timeout) == ("tcp://here", backends.CONNECT)
    assert workers.asked == [{"name": "dask", "client": client}]
    assert workers.made == [{"return_as": "generator_unordered", "batch_size": 1}]
    with pytest.raises(UsageError, match="no Dask scheduler answers at tcp://nowhere: nobody"):
        next(spread(doubled, range(2), Backend("dask", scheduler="tcp://nowhere")))


class Job(Future):
    """A job of a fake SLURM, executed when its result is requested; `stubborn` jobs ignore cancellation."""

    def __init__(self, work, items, *, stubborn=False):
        super().__init__()
        self.work, self.items, self.stubborn, self.ended = work, items, stubborn, 0

    def result(self):
        self.set_result(self.work(self.items))
        return super().result()

    def cancel(self):
        self.ended += 1
        return not self.stubborn and super().cancel()


@pytest.fixture
def slurm(monkeypatch):
    """Jobs and limits that a fake submitit receives; it kills as many jobs of each array as `lost` specifies."""
    asked = types.SimpleNamespace(jobs=[], limits={}, place=None, lost=[], arrays=[])

    class UncompletedJobError(RuntimeError):
        pass

    class FailedJobError(UncompletedJobError):
        pass

    def killed(items):
        raise UncompletedJobError

    class AutoExecutor:
        def __init__(self, folder, cluster):
            if cluster == "slurm":
                raise RuntimeError("no sbatch")
            asked.place = (folder, cluster)

        def update_parameters(self, **limits):
            asked.limits = limits

        def map_array(self, work, shares):
            n_lost = asked.lost.pop(0) if asked.lost else 0
            asked.jobs = [Job(killed if n < n_lost else work, share) for n, share in enumerate(shares)]
            asked.arrays.append(shares)
            return asked.jobs

    submitit = types.ModuleType("submitit")
    submitit.AutoExecutor = AutoExecutor
    helpers = types.ModuleType("submitit.helpers")
    helpers.as_completed = lambda jobs, poll_frequency: iter(jobs)
    utils = types.ModuleType("submitit.core.utils")
    utils.FailedJobError, utils.UncompletedJobError = FailedJobError, UncompletedJobError
    for module in (submitit, helpers, types.ModuleType("submitit.core"), utils):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    asked.failed = FailedJobError
    return asked


@pytest.mark.parametrize(("jobs", "items", "shares"), [(3, 8, [3, 3, 2]), (9, 4, [1, 1, 1, 1]), (1, 3, [3])])
def test_jobs_of_slurm_share_the_items(slurm, jobs, items, shares):
    found = list(spread(doubled, range(items), Backend("slurm", jobs, "local", threads=1), "rest"))
    assert sorted(found) == [(2 * item, 1, "rest") for item in range(items)]
    assert [len(job.items) for job in slurm.jobs] == shares
    assert slurm.place == (backends.SLURM_FOLDER, "local")
    assert slurm.limits == {
        "name": "fcl-theory",
        "timeout_min": 24 * 60,
        "cpus_per_task": 1,
        "mem_gb": backends.SLURM_GB,
    }
    assert all(job.ended == 0 for job in slurm.jobs)


def test_what_killed_jobs_left_is_sent_again(slurm, capsys):
    slurm.lost = [1, 2]
    found = sorted(spread(doubled, range(8), Backend("slurm", 3, "local"), "rest"))
    assert [number for number, *_ in found] == list(range(0, 16, 2))
    assert slurm.arrays == [[[0, 3, 6], [1, 4, 7], [2, 5]], [[0], [3], [6]], [[0], [3]]]
    assert capsys.readouterr().err.count("a job of SLURM was killed; going on with what is left") == 2


def test_jobs_that_are_killed_again_and_again_end_the_run(slurm):
    slurm.lost = [1, 1, 1]
    with pytest.raises(UsageError, match="a job of SLURM was killed 3 times"):
        list(spread(doubled, range(4), Backend("slurm", 2, "local")))


def test_what_fails_by_itself_is_not_sent_again(slurm):
    def fails(item):
        raise slurm.failed

    with pytest.raises(slurm.failed):
        list(spread(fails, range(4), Backend("slurm", 2, "local")))
    assert len(slurm.arrays) == 1


def test_jobs_that_nobody_waits_for_are_cancelled(slurm):
    found = spread(doubled, range(4), Backend("slurm", 4, "local"))
    next(found)
    found.close()
    assert [job.ended for job in slurm.jobs] == [0, 1, 1, 1]


def test_without_slurm_that_is_said(slurm):
    with pytest.raises(UsageError, match="SLURM is not here: no sbatch"):
        next(spread(doubled, range(4), Backend("slurm", 4)))


def test_jobs_that_do_not_end_are_waited_for_a_little(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(backends.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(backends.time, "sleep", lambda seconds: now.__setitem__(0, now[0] + seconds))
    backends._cancelled([Job(None, (), stubborn=True)], 3)
    assert now[0] == pytest.approx(3, abs=0.11)
    backends._cancelled([Job(None, ())], 3)
    assert now[0] == pytest.approx(3, abs=0.11)


@pytest.mark.parametrize("missing", ["distributed", "submitit"])
def test_what_is_not_installed_is_named(monkeypatch, missing):
    monkeypatch.setitem(sys.modules, missing, None)
    backend = Backend("dask", scheduler="tcp://x") if missing == "distributed" else Backend("slurm")
    with pytest.raises(UsageError, match=f"needs the extra {backend.name}: pip install"):
        next(spread(doubled, range(4), backend))


@pytest.mark.parametrize("scheduler", ["", "slurm", "local"])
def test_slurm_knows_its_own_address(scheduler):
    assert Backend("slurm", scheduler=scheduler).scheduler == scheduler


def test_one_process_works_where_the_number_of_cores_is_not_known(monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    parser = argparse.ArgumentParser()
    add_backend(parser)
    assert backend_of(parser.parse_args([])).jobs == 1


def test_options_say_where_work_is_done():
    parser = argparse.ArgumentParser()
    add_backend(parser)
    read = lambda *words: backend_of(parser.parse_args(words))  # noqa: E731
    assert read() == Backend("loky", os.cpu_count() or 1)
    assert read("--jobs", "1") == Backend("loky", 1, "", 1, 2)
    asked = partial(
        backend_of, parser.parse_args(["--backend", "dask", "--scheduler", "tcp://x", "--jobs", "2"])
    )
    assert asked(threads=3, few=7) == Backend("dask", 2, "tcp://x", 3, 7)
    with pytest.raises(SystemExit):
        parser.parse_args(["--jobs", "0"])
